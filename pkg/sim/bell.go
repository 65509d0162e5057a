package sim

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"pocbakery/pkg/alarm"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/store"
)

// errScheduler is a scheduler that does not answer.
var errScheduler = errors.New("sim: the scheduler did not answer")

// bell is the scheduler. A healthy one fires every one-shot within a minute of
// its instant, at least once; a moody one drops, doubles, delays, hurries and
// fires what was deleted.
type bell struct {
	w    *World
	set  map[string]*shot
	rest []*shot       // firings to come of one-shots that are no longer listed
	made map[made]bool // every instant that was ever asked for
}

type made struct {
	hub string
	at  int64
}

// shot is a one-shot with its fate.
type shot struct {
	alarm.Schedule
	at      time.Time // when it fires
	dropped bool
	again   time.Duration // it fires once more so much later; 0 for once
	mood    State
}

// maxLag bounds how late a healthy scheduler is.
const maxLag = 50 * time.Second

func newBell(w *World) *bell {
	return &bell{w: w, set: map[string]*shot{}, made: map[made]bool{}}
}

// Create is alarm.Scheduler's.
func (b *bell) Create(_ context.Context, s alarm.Schedule) error {
	keys := []store.Key{{PK: s.Hub}}
	f := b.w.before(create, keys)
	if f == refused {
		return errScheduler
	}
	if !s.At.Equal(alarm.Ceil(s.At)) || len(s.Name()) > 64 {
		b.w.violated("schedules", "no scheduler takes %s at %v", s.Name(), s.At)
	}
	b.made[made{s.Hub, s.At.Unix()}] = true
	if b.set[s.Name()] == nil {
		b.set[s.Name()] = b.fate(s)
	}
	if f == applied {
		return errScheduler
	}
	b.w.after(keys)
	return nil
}

// fate decides when a one-shot fires.
func (b *bell) fate(s alarm.Schedule) *shot {
	d, x := b.w.dice, &shot{Schedule: s, at: s.At}
	if !b.w.weather.alarms {
		x.at = later(x.at, b.w.now)
		return x
	}
	if d.in(2) {
		x.at = x.at.Add(time.Duration(d.IntN(int(maxLag/time.Second))) * time.Second)
	}
	if d.in(6) {
		x.again = time.Duration(1+d.IntN(120)) * time.Second
	}
	if b.w.mode == Chaos {
		switch d.IntN(10) {
		case 0, 1:
			x.dropped = true
		case 2:
			x.at, x.mood = x.at.Add(time.Duration(d.IntN(240))*time.Minute), AlarmLate
		case 3:
			if ahead := x.at.Sub(b.w.now); ahead > time.Minute {
				x.at, x.mood = b.w.now.Add(time.Duration(d.Int64N(int64(ahead)))).Truncate(time.Second), AlarmEarly
			}
		}
	}
	x.at = later(x.at, b.w.now.Add(time.Second))
	return x
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// List is alarm.Scheduler's.
func (b *bell) List(_ context.Context, id string) ([]alarm.Schedule, error) {
	keys := []store.Key{{PK: id}}
	if id == "" {
		keys = nil
	}
	if b.w.before(read, keys) != none {
		return nil, errScheduler
	}
	lock.Lock()
	out := b.listed(id)
	lock.Unlock()
	b.w.after(keys)
	return out, nil
}

// listed is what a hub has scheduled.
func (b *bell) listed(id string) []alarm.Schedule {
	var out []alarm.Schedule
	for _, s := range b.set {
		if id == "" || s.Hub == id {
			out = append(out, s.Schedule)
		}
	}
	slices.SortFunc(out, func(x, y alarm.Schedule) int {
		if d := x.At.Compare(y.At); d != 0 {
			return d
		}
		return strings.Compare(x.Name(), y.Name())
	})
	return out
}

// Delete is alarm.Scheduler's.
func (b *bell) Delete(_ context.Context, s alarm.Schedule) error {
	keys := []store.Key{{PK: s.Hub}}
	if b.w.before(read, keys) != none {
		return errScheduler
	}
	lock.Lock()
	if x := b.set[s.Name()]; x != nil {
		delete(b.set, s.Name())
		if b.w.mode == Chaos && b.w.weather.alarms && hash(s.Name())%2 == 0 { // it was on its way
			x.mood, x.again, x.dropped = AlarmAfterWipe, 0, false
			b.rest = append(b.rest, x)
		}
	}
	lock.Unlock()
	b.w.after(keys)
	return nil
}

// next is the firing that comes first.
func (b *bell) next() *shot {
	var first *shot
	earlier := func(x *shot) {
		if first == nil || x.at.Before(first.at) || (x.at.Equal(first.at) && x.Name() < first.Name()) {
			first = x
		}
	}
	for _, x := range b.set {
		earlier(x)
	}
	for _, x := range b.rest {
		earlier(x)
	}
	return first
}

// ring takes a firing off the list and fires it.
func (b *bell) ring(x *shot) {
	if b.set[x.Name()] == x {
		delete(b.set, x.Name())
	} else {
		b.rest = slices.DeleteFunc(b.rest, func(y *shot) bool { return y == x })
	}
	w := b.w
	if x.dropped || w.weather.outage {
		w.reached(AlarmDropped)
		w.tell("the alarm of %s for %s is dropped", w.name(hub.ID(x.Hub)), at(x.At))
		return
	}
	if x.again > 0 {
		b.rest = append(b.rest, &shot{Schedule: x.Schedule, at: w.now.Add(x.again), mood: AlarmDoubled})
	}
	if x.mood != "" {
		w.reached(x.mood)
	}
	w.fire(x.Schedule)
}

// armed is the earliest instant for which a hub has a one-shot that is still
// to fire.
func (b *bell) armed(id hub.ID) time.Time {
	var first time.Time
	for _, x := range b.set {
		if x.Hub == string(id) && !x.dropped && (first.IsZero() || x.At.Before(first)) {
			first = x.At
		}
	}
	return first
}
