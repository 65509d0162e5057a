package hub

import (
	"context"
	"time"

	"pocbakery/pkg/alarm"
	"pocbakery/pkg/store"
)

// Handler settles an item whose end has come. It decides at the ends' own
// instants, up to turn.Now and not beyond, writes by the items' versions, and
// does nothing where nothing is due any more: it may be called late, twice or
// early. What it made happen it returns.
type Handler func(ctx context.Context, turn Turn) ([]Event, error)

// Turn is one item's turn in a run.
type Turn struct {
	Root Root
	Item store.Item // as read after the run began
	At   time.Time  // the item's end, on its own clock
	Now  Now
}

// Kind is how items of one kind are settled.
type Kind struct {
	Settle Handler
	AtOnce int                                // turns at the same time, all joined before the next; 0 is one
	PerRun int                                // turns in one run, the rest is for the next; 0 is any number
	Done   func(ctx context.Context, t Tally) // told of a run in which the kind had turns; nil for nobody
}

// Tally is what a run did for one kind.
type Tally struct {
	Hub       ID
	Events    []Event
	Failed    int // turns that failed
	Remaining int // items still due
	Took      time.Duration
}

// PutOff is the error of a turn that failed and gave its item another end: the
// run need not come back for it.
type PutOff struct{ Err error }

func (p *PutOff) Error() string { return p.Err.Error() }

// Unwrap is why.
func (p *PutOff) Unwrap() error { return p.Err }

// Engine runs hubs: it opens them for visitors, settles what is due in them
// and keeps their one alarm. It is safe for concurrent use once all kinds are
// registered.
type Engine struct {
	store  store.Store
	alarm  alarm.Scheduler
	clock  func() time.Time
	kinds  map[string]Kind
	report Report

	// Gate is asked before each command of a visitor; an error of its refuses
	// the command. Nil lets all pass. Alarms and the sweep do not ask.
	Gate func(context.Context) error

	// Told is told of events that have happened in a hub with live connections,
	// after the commit that made them true. Nil for nobody.
	Told func(ctx context.Context, r Root, events []Event)

	// Left is how long a request may still take; nil for as long as it likes.
	// A run near its end stops, arms for at once and leaves the rest to that.
	Left func(context.Context) time.Duration

	// Overslept is told at each liveness run how many ends nobody had honoured
	// (at most as many as a run looks at) and how long ago the oldest came; nil
	// for nobody. That it is told nothing says that no sweep runs.
	Overslept func(ends int, oldest time.Duration)
}

// Report is told what an operator should know and no visitor should: the
// event's name, the hub and the failure.
type Report func(event string, hub ID, err error)

// New is an engine over a table, a scheduler and a wall clock.
func New(s store.Store, a alarm.Scheduler, clock func() time.Time, report Report) *Engine {
	return &Engine{store: s, alarm: a, clock: clock, kinds: map[string]Kind{}, report: report}
}

// Handle registers the handler of all items whose sort key is kind or begins
// with kind#, to be settled one after the other.
func (e *Engine) Handle(kind string, h Handler) { e.HandleKind(kind, Kind{Settle: h}) }

// HandleKind registers how all items are settled whose sort key is kind or
// begins with kind#. To be called before the engine is used.
func (e *Engine) HandleKind(kind string, k Kind) { e.kinds[kind] = k }

// Wall reads the wall clock, in whole milliseconds. A request reads it once;
// a decision that is taken anew after a conflict reads it anew.
func (e *Engine) Wall() time.Time { return e.clock().UTC().Truncate(time.Millisecond) }

// Report tells the operator of something no visitor should see.
func (e *Engine) Report(event string, id ID, err error) { e.report(event, id, err) }

// Tell tells the hub's live connections of what a commit has made true. A hub
// that has none costs nothing.
func (e *Engine) Tell(ctx context.Context, r Root, events ...Event) {
	if e.Told != nil && len(events) > 0 && r.LiveUntil.After(e.Wall()) {
		e.Told(ctx, r, events)
	}
}

// Store is the table, for reads that need no root.
func (e *Engine) Store() store.Store { return e.store }

// Commit writes items of one hub. In a hub that ends, everything written
// carries the hub's backstop.
func (e *Engine) Commit(ctx context.Context, r Root, now Now, writes ...store.Write) error {
	return e.store.Commit(ctx, now.Wall, r.Stamp(writes)...)
}

// Stamp puts the hub's backstop into the writes.
func (r Root) Stamp(writes []store.Write) []store.Write {
	if r.TTL == 0 {
		return writes
	}
	for i := range writes {
		switch w := &writes[i]; w.Op {
		case store.OpPut:
			w.Set[store.FieldTTL] = r.TTL
		case store.OpUpdate:
			if w.Set == nil {
				w.Set = store.Fields{}
			}
			w.Set[store.FieldTTL] = r.TTL
		}
	}
	return writes
}
