package hub

import (
	"context"
	"errors"
	"slices"
	"time"

	"pocbakery/pkg/alarm"
	"pocbakery/pkg/store"
)

const (
	// dueBatch is how many ends a run asks for at once.
	dueBatch = 50
	// runReserve is how long before its deadline a run starts no new work.
	runReserve = 2 * time.Second
	// maxStallPause bounds the pause of a hub in which something cannot be settled.
	maxStallPause = time.Hour
	// clocksDiffer is more than two clocks do. A one-shot that comes earlier
	// than that before its instant is none that a scheduler has fired.
	clocksDiffer = 5 * time.Second
)

// Ran is what a run did.
type Ran struct {
	Events []Event // in the order in which they were decided
	More   bool    // it stopped at its deadline; the alarm finishes the rest
}

// Run settles whatever is due in the hub and arms for the next end. fired is
// the one-shot that woke it, or names just the hub where something else did.
// A hub that is gone has nothing due. An error means that something may be
// left unsettled or unarmed: running again is always safe.
func (e *Engine) Run(ctx context.Context, fired alarm.Schedule) (Ran, error) {
	id, wall := ID(fired.Hub), e.Wall()
	items, err := e.store.Get(ctx, wall, store.Key{PK: fired.Hub, SK: RootSK})
	if err != nil {
		return Ran{}, err
	}
	root := RootOf(id, items[0])
	if !root.Exists && id != Control {
		return Ran{}, nil
	}
	if !root.AlarmAt.IsZero() || !root.EndedAt(wall) { // nobody arms in a hub that is over
		if err := e.clearAlarm(ctx, root, wall, fired.At); err != nil {
			return Ran{}, err
		}
	}
	r := run{
		e: e, root: root, now: root.Now(wall), turned: map[store.Key]time.Time{}, stuck: map[store.Key]bool{},
		tallies: map[string]*Tally{},
	}
	next, err := r.settleAll(ctx)
	if err == nil {
		err = errors.Join(r.failed, r.rearm(ctx, fired, next))
	}
	r.tell(ctx)
	e.Tell(ctx, root, r.ran.Events...)
	return r.ran, err
}

// clearAlarm takes alarm_at away, and notes in ran_at up to which instant the
// one-shots have fired: from then on nobody who is still on the way lowers
// alarm_at to one of these. That of this run has, even if this clock is behind.
func (e *Engine) clearAlarm(ctx context.Context, r Root, wall, fired time.Time) error {
	ran := wall
	if fired.After(ran) && fired.Sub(ran) < clocksDiffer {
		ran = fired
	}
	at := store.FormatInstant(ran)
	w := store.Write{
		Op: store.OpUpdate, Key: r.Key(RootSK), Guard: store.If(store.Lt(fieldRanAt, at).OrMissingField()),
		Set: store.Fields{fieldRanAt: at}, Remove: []string{fieldAlarm},
	}
	err := e.Commit(ctx, r, Now{Wall: wall}, w)
	if store.FailedGuard(err) != nil { // a later run has come, or the hub is gone
		w.Guard, w.Set = store.If(), nil
		err = e.Commit(ctx, r, Now{Wall: wall}, w)
	}
	return store.IgnoreGuard(err)
}

// run is one run's state.
type run struct {
	e      *Engine
	root   Root
	now    Now
	turned map[store.Key]time.Time // the end at which an item last had its turn
	stuck  map[store.Key]bool      // what could not be settled this time
	failed error                   // why, for the one who retries
	ran    Ran

	tallies map[string]*Tally // by kind
	given   int               // turns given
}

// end is an item's end with the wall instant it falls on.
type end struct {
	store.Ref
	clock store.Clock
	wall  time.Time
}

// settleAll settles ends in the order of their wall instants until none is
// due, and returns the earliest that is left; nil where none is.
func (r *run) settleAll(ctx context.Context) (*end, error) {
	for {
		ends, err := r.ends(ctx)
		if err != nil {
			return nil, err
		}
		due := slices.DeleteFunc(slices.Clone(ends), func(d end) bool { return d.wall.After(r.now.Wall) })
		if len(due) == 0 || r.ran.More {
			if len(ends) == 0 {
				return nil, nil
			}
			return &ends[0], nil
		}
		if err := r.settle(ctx, due); err != nil {
			return nil, err
		}
	}
}

// ends lists the hub's next ends on both clocks, without those that are stuck.
func (r *run) ends(ctx context.Context) ([]end, error) {
	var ends []end
	over := r.root.EndedAt(r.now.Wall)
	for _, c := range []store.Clock{store.Business, store.Wall} {
		refs, err := r.e.store.Due(ctx, string(r.root.ID), c, farFuture, dueBatch+len(r.stuck))
		if err != nil {
			return nil, err
		}
		for _, ref := range refs {
			if over && ref.SK != RootSK { // what is being erased is not settled
				continue
			}
			if !r.stuck[ref.Key] {
				ends = append(ends, end{ref, c, r.root.wall(c, ref.At)})
			}
		}
	}
	slices.SortStableFunc(ends, func(a, b end) int { return a.wall.Compare(b.wall) })
	return ends, nil
}

// rearm arms for the earliest end left, for a second try of what is stuck, or
// for at once where the deadline cut the run short.
func (r *run) rearm(ctx context.Context, fired alarm.Schedule, next *end) error {
	var at time.Time
	if next != nil {
		at = next.wall
	}
	if r.ran.More {
		at = r.now.Wall.Add(time.Second)
	}
	stalls := 0
	if len(r.stuck) > 0 {
		stalls = r.root.Stalls + 1
		pause := min(time.Minute<<min(r.root.Stalls, 6), maxStallPause)
		if retry := r.now.Wall.Add(pause); at.IsZero() || retry.Before(at) {
			at = retry
		}
	}
	if at.IsZero() {
		return nil
	}
	s := alarm.Schedule{Hub: fired.Hub, At: alarm.Ceil(at)}
	if s.At.Equal(fired.At) { // this name is used up
		s.Try = fired.Try + 1
	}
	return r.e.schedule(ctx, r.root, r.now.Wall, s, stalls)
}
