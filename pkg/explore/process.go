package explore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"pocbakery/pkg/alarm"
	"pocbakery/pkg/store"
)

// World is what the code under exploration is handed: the table as services
// use it, the scheduler and the wall clock.
type World struct {
	Table  store.Store
	Alarms alarm.Scheduler
	Clock  func() time.Time
}

// point is where a process is: all that the world ever answered it, and what
// it asks next, or what it came to.
type point struct {
	program int
	attempt uint8
	before  int32 // the point before the last answer
	asked   int32 // the request that was answered last; -1 for none
	got     int32 // the answer
	pending int32 // the request it waits to have answered; -1 for none
	since   time.Time
	touched bool   // a request other than for the time was answered
	answer  string // what it came to, where it waits for nothing
	failed  bool   // the call returned an error
	wrong   error  // the process is not what a process must be
}

// suspended is thrown by a process that asks something nobody has answered yet.
type suspended struct{}

// desk is where a process asks. It answers what is on its tape, in order.
type desk struct {
	x       *explorer
	tape    []turn
	pending *request
	marks   uint64
}

// turn is a request that was answered, and the answer.
type turn struct{ asked, got int32 }

func (d *desk) ask(r request) reply {
	if len(d.tape) <= 1 && r.verb == commitWrites && !d.x.cast.Faults.marksMatter() {
		r.writes = unmarked(r.writes)
	}
	if len(d.tape) == 0 {
		d.pending = &r
		panic(suspended{})
	}
	t := d.tape[0]
	d.tape = d.tape[1:]
	// What was asked before the last answer was looked at when that answer was
	// the last but one, and so on: by now only its kind is.
	asked := d.x.requests.all[t.asked]
	if r.verb != asked.verb || (len(d.tape) == 0 && r.text() != asked.text()) {
		panic(fmt.Errorf("%w: it asked %s, and before %s", errUnsteady, r.text(), asked.text()))
	}
	return d.x.replies.all[t.got].clone()
}

// errUnsteady is a process that is not determined by its answers.
var errUnsteady = errors.New("explore: a process does different things on the same answers")

// follow runs a program, from its start, on the answers up to a point, and
// fills in what it asks then or what it comes to.
func (x *explorer) follow(p *point) {
	d := &desk{x: x, marks: uint64(p.program+1)<<32 | uint64(p.attempt)<<24}
	for q := p; q.asked >= 0; q = &x.points[q.before] {
		d.tape = append(d.tape, turn{q.asked, q.got})
	}
	slices.Reverse(d.tape)
	p.pending = -1
	defer func() {
		switch thrown := recover().(type) {
		case nil:
		case suspended:
			p.pending = x.requests.number(d.pending)
		case error:
			p.wrong = thrown
		default:
			p.wrong = fmt.Errorf("explore: a process panicked: %v", thrown)
		}
	}()
	answer, err := x.cast.Programs[p.program].Call(context.Background(), d.world())
	if p.answer = answer; err != nil {
		p.answer, p.failed = "failed: "+err.Error(), true
	}
}

func (d *desk) world() World {
	return World{
		Table:  store.NewTable(deskTable{d}, func() uint64 { d.marks++; return d.marks }),
		Alarms: deskAlarms{d},
		Clock:  func() time.Time { return d.ask(request{verb: readClock}).at },
	}
}

// deskTable is the adapter a process sees.
type deskTable struct{ *desk }

func (d deskTable) Get(_ context.Context, now time.Time, keys ...store.Key) ([]store.Item, error) {
	r := d.ask(request{verb: getItems, now: now, keys: keys})
	return r.items, r.err
}

func (d deskTable) List(_ context.Context, now time.Time, pk string, in store.Range) (store.Page, error) {
	r := d.ask(request{verb: listItems, now: now, pk: pk, within: in})
	return store.Page{Items: r.items, Next: r.next}, r.err
}

func (d deskTable) Due(_ context.Context, pk string, c store.Clock, until time.Time, limit int) ([]store.Ref, error) {
	r := d.ask(request{verb: dueItems, pk: pk, clock: c, until: until, limit: limit})
	return r.refs, r.err
}

func (d deskTable) Overdue(_ context.Context, until time.Time, limit int) ([]store.Ref, error) {
	r := d.ask(request{verb: overdueItems, until: until, limit: limit})
	return r.refs, r.err
}

func (d deskTable) Commit(_ context.Context, now time.Time, writes ...store.Write) error {
	return d.ask(request{verb: commitWrites, now: now, writes: writes}).err
}

func (d deskTable) Erase(_ context.Context, keys ...store.Key) error {
	return d.ask(request{verb: eraseItems, keys: keys}).err
}

// unmarked takes the marks off again. Where no outcome is ever unknown they
// say nothing, and tables that differ in them only are one.
func unmarked(writes []store.Write) []store.Write {
	out := slices.Clone(writes)
	for n := range out {
		w := &out[n]
		w.Guard.Conds = slices.DeleteFunc(slices.Clone(w.Guard.Conds), func(c store.Cond) bool { return c.Field == store.FieldBy })
		set := make(store.Fields, len(w.Set))
		for name, v := range w.Set {
			if name != store.FieldBy {
				set[name] = v
			}
		}
		w.Set = set
	}
	return out
}

// deskAlarms is the scheduler a process sees.
type deskAlarms struct{ *desk }

func (d deskAlarms) Create(_ context.Context, s alarm.Schedule) error {
	return d.ask(request{verb: createShot, shot: s}).err
}

func (d deskAlarms) List(_ context.Context, hub string) ([]alarm.Schedule, error) {
	r := d.ask(request{verb: listShots, pk: hub})
	return r.shots, r.err
}

func (d deskAlarms) Delete(_ context.Context, s alarm.Schedule) error {
	return d.ask(request{verb: deleteShot, shot: s}).err
}
