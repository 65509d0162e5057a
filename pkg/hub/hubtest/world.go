// Package hubtest is a world for tests: a table in memory that can be made to
// fail, a scheduler that fires when it is told to, and a clock that stands
// still until it is moved.
package hubtest

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pocbakery/pkg/alarm"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/store"
	"pocbakery/pkg/store/faults"
	"pocbakery/pkg/store/mem"
)

// World is a table, a scheduler, a clock and the engine over them.
type World struct {
	T      testing.TB
	Mem    *mem.Store    // the table itself
	Faults *faults.Store // what the engine's table calls pass through
	Alarms *Alarms
	Engine *hub.Engine
	Meter  *store.Meter

	mu      sync.Mutex
	now     time.Time
	reports []string
}

// At is a world whose wall clock reads "2006-01-02 15:04:05" in UTC.
func At(t testing.TB, clock string) *World {
	t.Helper()
	now, err := time.Parse(time.DateTime, clock)
	if err != nil {
		t.Fatal(err)
	}
	w := &World{T: t, Alarms: &Alarms{}, Meter: &store.Meter{}, now: now}
	w.Mem = mem.New(w.Meter)
	w.Faults = faults.Wrap(w.Mem, rand.New(rand.NewPCG(1, 2)))
	w.Engine = hub.New(store.NewTable(w.Faults, rand.New(&locked{src: rand.NewPCG(3, 4)}).Uint64), w.Alarms, w.Now,
		func(event string, id hub.ID, err error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.reports = append(w.reports, event)
		})
	return w
}

// Now reads the wall clock.
func (w *World) Now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

// Set moves the wall clock, and fires nothing.
func (w *World) Set(t time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = t
}

// Reports are the names of what the engine reported so far.
func (w *World) Reports() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.reports)
}

// Advance moves the wall clock forward from one-shot to one-shot, firing each
// at its own instant.
func (w *World) Advance(d time.Duration) {
	w.T.Helper()
	target := w.Now().Add(d)
	for {
		s, ok := w.Alarms.take(target)
		if !ok {
			break
		}
		if s.At.After(w.Now()) {
			w.Set(s.At)
		}
		w.Fire(s)
	}
	w.Set(target)
}

// Fire runs the hub that a one-shot wakes, as often as it takes to succeed,
// three times at most.
func (w *World) Fire(s alarm.Schedule) {
	w.T.Helper()
	var err error
	for range 3 {
		if _, err = w.Engine.Run(context.Background(), s); err == nil {
			return
		}
	}
	w.T.Logf("the run of %s failed: %v", s.Hub, err)
}

// Alarms is a scheduler that keeps its one-shots until a test takes them.
type Alarms struct {
	mu   sync.Mutex
	set  map[string]alarm.Schedule
	Fail error // what the next Create answers, once
}

// Create is alarm.Scheduler's.
func (a *Alarms) Create(_ context.Context, s alarm.Schedule) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.Fail; err != nil {
		a.Fail = nil
		return err
	}
	if !s.At.Equal(alarm.Ceil(s.At)) || len(s.Name()) > 64 {
		return errors.New("hubtest: no scheduler takes such a one-shot")
	}
	if a.set == nil {
		a.set = map[string]alarm.Schedule{}
	}
	a.set[s.Name()] = s
	return nil
}

// List is alarm.Scheduler's; an empty hub lists them all.
func (a *Alarms) List(_ context.Context, id string) ([]alarm.Schedule, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var out []alarm.Schedule
	for _, s := range a.set {
		if id == "" || s.Hub == id {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(x, y alarm.Schedule) int {
		if d := x.At.Compare(y.At); d != 0 {
			return d
		}
		return strings.Compare(x.Name(), y.Name())
	})
	return out, nil
}

// Delete is alarm.Scheduler's.
func (a *Alarms) Delete(_ context.Context, s alarm.Schedule) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.set, s.Name())
	return nil
}

// take removes the earliest one-shot at or before an instant.
func (a *Alarms) take(until time.Time) (alarm.Schedule, bool) {
	all, _ := a.List(context.Background(), "")
	if len(all) == 0 || all[0].At.After(until) {
		return alarm.Schedule{}, false
	}
	_ = a.Delete(context.Background(), all[0])
	return all[0], true
}

// locked is a random source that many goroutines may draw from.
type locked struct {
	mu  sync.Mutex
	src rand.Source
}

func (l *locked) Uint64() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.src.Uint64()
}
