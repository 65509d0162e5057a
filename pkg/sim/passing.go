package sim

import (
	"context"
	"slices"
	"time"

	"pocbakery/pkg/alarm"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/store"
)

const (
	ruleEvery = 5 * time.Minute
	// soonEnough is up to how long a time the rule is run at each of its turns;
	// in a longer one only where something is overdue, and at the last.
	soonEnough = 30 * time.Minute
)

// pass lets time go by: one-shots fire, the rule turns, late writes land, each
// at its own instant.
func (w *World) pass(until time.Time) {
	for w.wrong == nil {
		next, act := until, func() {}
		found := false
		sooner := func(at time.Time, do func()) {
			if at.Before(next) || (!found && !at.After(next)) {
				next, act, found = at, do, true
			}
		}
		if x := w.bell.next(); x != nil {
			sooner(x.at, func() { w.bell.ring(x) })
		}
		for _, l := range w.late {
			sooner(l.at, func() { w.land(l) })
		}
		if turn := w.nextTurn(until); !turn.IsZero() {
			sooner(turn, func() { w.turn(turn) })
		}
		w.now = later(w.now, next)
		if !found {
			break
		}
		act()
	}
	if w.weather.reap > 0 && w.dice.in(w.weather.reap) {
		w.reap()
	}
}

// land applies a write whose caller has long given up on it.
func (w *World) land(l *lateWrite) {
	w.late = slices.DeleteFunc(w.late, func(o *lateWrite) bool { return o == l })
	l.land()
}

// reap is the table deleting what is past its ttl, as it may or may not.
func (w *World) reap() {
	if n := w.table.Reap(w.now); n > 0 {
		w.reached(Reaped)
		w.tell("%d items past their ttl are deleted", n)
	}
}

// nextTurn is the next turn of the rule in which something may be to do.
func (w *World) nextTurn(until time.Time) time.Time {
	if !w.weather.rule || w.weather.outage {
		w.last = later(w.last, until.Truncate(ruleEvery))
		return time.Time{}
	}
	turn := w.last.Add(ruleEvery)
	if until.Sub(w.now) > soonEnough {
		final := until.Truncate(ruleEvery)
		refs, err := w.table.Overdue(quiet, until, 1)
		if err != nil {
			panic(err)
		}
		if len(refs) > 0 {
			final = refs[0].At.Add(time.Minute + ruleEvery).Truncate(ruleEvery)
		}
		turn = later(turn, final)
	}
	if turn.After(until) {
		return time.Time{}
	}
	return turn
}

// turn is the rule firing, perhaps twice.
func (w *World) turn(at time.Time) {
	w.last = at
	w.sweep()
	if w.weather.alarms && w.dice.in(8) {
		w.sweep()
	}
}

// fire is a one-shot arriving. What fails is delivered again, up to twice, as
// Lambda does; in chaos it may be that nobody delivers it again.
func (w *World) fire(s alarm.Schedule) {
	id := hub.ID(s.Hub)
	for range 3 {
		k := pick(w.dice, w.workers)
		w.tell("the alarm of %s for %s wakes worker %s", w.name(id), at(s.At), k.name)
		overdue := w.overslept(id, k.clock())
		var ran hub.Ran
		r, lived, err := w.ask(k, id == hub.Control, func(ctx context.Context) (err error) {
			w.current().run = true
			ran, err = k.engine.Run(ctx, s)
			return err
		})
		if lived && err == nil {
			if r.clean() {
				w.checkRan(id, k, ran, overdue)
			}
			return
		}
		if lived && !infrastructure(err) && !isPoison(err) {
			w.violated("runs", "the run of %s failed: %v", w.name(id), err)
		}
		if w.mode == Chaos && w.dice.in(2) {
			return
		}
	}
}

// sweep is the rule's dispatcher.
func (w *World) sweep() {
	k := pick(w.dice, w.workers)
	w.tell("the rule turns, on worker %s", k.name)
	before := w.sweepable(k)
	r, lived, err := w.ask(k, true, func(ctx context.Context) error {
		w.current().run = true
		return k.engine.Dispatch(ctx, k.engine.SweepJobs())
	})
	if lived && err != nil && !infrastructure(err) && !isPoison(err) {
		w.violated("sweep", "the sweep failed: %v", err)
	}
	if lived && r.clean() {
		w.checkSwept(k, before)
	}
}

// meddle runs something while a request is under way.
func (w *World) meddle() {
	room := longest - 2*time.Second
	for _, r := range w.stack {
		room = min(room, longest-2*time.Second-w.now.Sub(r.began))
	}
	if w.current().admits && w.dice.in(2) {
		w.admit(w.dice.in(2))
		return
	}
	choose(w.dice, []choice{
		{3, func() {
			if room >= time.Second {
				w.pass(w.now.Add(time.Duration(1+w.dice.IntN(min(3, int(room/time.Second)))) * time.Second))
			}
		}},
		{4, func() {
			if b := w.someBox(); b != nil {
				w.fire(alarm.Schedule{Hub: string(b.id), At: alarm.Ceil(w.now)})
			}
		}},
		{9, w.visit},
	})()
}

// isPoison reports whether an error is that of an item which the simulator
// made so that it cannot be settled.
func isPoison(err error) bool { return onlyPoison(err) }

func onlyPoison(err error) bool {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range many.Unwrap() {
			if !onlyPoison(e) && !infrastructure(e) {
				return false
			}
		}
		return true
	}
	return err != nil && err.Error() == "hub: no handler for "+poisonKind
}

// poisonKind is the kind of an item that no handler knows.
const poisonKind = "mystery"

// poison puts an item that can never be settled into a sandbox.
func (w *World) poison() {
	b := w.someBox()
	if b == nil || w.root(b.id).EndedAt(w.now.Add(maxSkew)) || len(w.stack) > 0 {
		return
	}
	due := w.now.Add(time.Minute).Truncate(time.Second)
	w.tell("an item that cannot be settled appears in %s, due %s", w.name(b.id), at(due))
	k := w.workers[0]
	_, _, _ = w.ask(k, false, func(ctx context.Context) error {
		*w.current() = request{worker: k, began: w.now, crashAt: -1, cut: -1, lanes: map[string]*lane{}}
		view, err := k.engine.Open(ctx, hub.Who{Hub: b.id})
		if err != nil {
			return err
		}
		x := store.Put(view.Root.Key(poisonKind+"#1"), store.If().OrAbsent(), store.Fields{
			store.FieldDue: store.DueAt(store.Wall, due), store.FieldWake: store.FormatInstant(due)})
		if err := k.engine.Commit(ctx, view.Root, view.Now, x); err != nil {
			return err
		}
		k.engine.Arm(ctx, b.id, store.Wall, due)
		return nil
	})
}
