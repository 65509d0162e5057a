package hub

import (
	"context"
	"time"

	"pocbakery/pkg/alarm"
	"pocbakery/pkg/store"
)

// lostAfter is how long past its instant alarm_at is still believed: a
// scheduler fires within a minute.
const lostAfter = time.Minute

// farFuture is later than every end.
var farFuture = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// Arm makes sure that the hub wakes for an end just committed. Failing to is
// no failure of the commit: it is reported, and the next placer or the sweep
// finds the end. Within a turn of the hub's own run there is nothing to do: the
// run arms for the earliest end left when it ends, and one that ran again inside
// a turn would settle what is being settled.
func (e *Engine) Arm(ctx context.Context, id ID, c store.Clock, end time.Time) {
	if ctx.Value(turnOf{}) == id {
		return
	}
	if err := e.arm(ctx, id, c, end); err != nil {
		e.report("arm_failed", id, err)
	}
}

// turnOf is the key under which the context of a turn names its hub.
type turnOf struct{}

func (e *Engine) arm(ctx context.Context, id ID, c store.Clock, end time.Time) error {
	wall := e.Wall()
	items, err := e.store.Get(ctx, wall, store.Key{PK: string(id), SK: RootSK})
	if err != nil {
		return err
	}
	root := RootOf(id, items[0])
	if root.Over || (!root.Exists && id != Control) {
		return nil
	}
	if root.believes(alarm.Ceil(root.wall(c, end)), wall) {
		return nil
	}
	refs, err := e.store.Due(ctx, string(id), c, farFuture, 1)
	if err != nil {
		return err
	}
	if len(refs) > 0 && refs[0].At.Before(end) {
		end = refs[0].At
	}
	at := root.wall(c, end)
	if !at.After(wall) { // a one-shot in the past might never fire
		_, err := e.Run(ctx, alarm.Schedule{Hub: string(id)})
		return err
	}
	return e.schedule(ctx, root, wall, alarm.Schedule{Hub: string(id), At: alarm.Ceil(at)}, 0)
}

// ArmUnread makes sure that the hub wakes at an instant, without asking what
// else is armed: for an end that is far off, where that would cost more than
// the one-shot.
func (e *Engine) ArmUnread(ctx context.Context, id ID, end time.Time) error {
	return e.schedule(ctx, Root{ID: id}, e.Wall(), alarm.Schedule{Hub: string(id), At: alarm.Ceil(end)}, 0)
}

// believes reports whether a one-shot that will fire at or before this
// instant is known to have been created.
func (r Root) believes(at, wall time.Time) bool {
	return !r.AlarmAt.IsZero() && !r.AlarmAt.After(at) && !r.AlarmAt.Before(wall.Add(-lostAfter))
}

// schedule creates the one-shot, then lowers alarm_at to it: never the other
// way round, or a crash between would leave an alarm believed that nobody set.
// stalls is noted where it changed.
func (e *Engine) schedule(ctx context.Context, r Root, wall time.Time, s alarm.Schedule, stalls int) error {
	if err := e.alarm.Create(ctx, s); err != nil {
		return err
	}
	at := store.FormatInstant(s.At)
	w := store.Write{Op: store.OpUpdate, Key: r.Key(RootSK), Set: store.Fields{fieldAlarm: at},
		Guard: store.If(store.Gt(fieldAlarm, at).OrMissingField(), store.Lt(fieldRanAt, at).OrMissingField(), r.unmoved())}
	if r.ID == Control { // the one hub whose root nobody's birth wrote
		w.Guard = w.Guard.OrAbsent()
	}
	if stalls != r.Stalls {
		w.Set[fieldStalls] = int64(stalls)
	}
	if r.Offset != 0 { // the items' own wake was written under an older offset
		wake := s.At
		if !r.WipeAt.IsZero() && r.WipeAt.Before(wake) {
			wake = r.WipeAt
		}
		w.Set[store.FieldWake] = store.FormatInstant(wake)
	}
	// Where it is lower already, a run has come since, the clock was moved or the
	// hub is gone, all is well.
	return store.IgnoreGuard(e.Commit(ctx, r, Now{Wall: wall}, w))
}
