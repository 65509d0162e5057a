package hub

import (
	"context"
	"errors"
	"fmt"

	"pocbakery/pkg/store"
)

// SetAside is the event by which it is reported that an item was set aside.
const SetAside = "end_set_aside"

const (
	// FieldTries counts the turns of an item that failed in a row: whoever
	// settles it leaves the field out of what they write.
	FieldTries = "tries"
	// FieldAside is on an item that was set aside: when, and why.
	FieldAside = "aside"
	// asideAfter is how often an item's turn may fail, for reasons of its own,
	// before it is set aside: with the pauses between runs, about two hours.
	asideAfter = 7
	maxReason  = 200 // bytes
)

// stick notes that an item could not be settled. The run goes on without it
// and comes back; one whose turns keep failing is set aside, so that it does
// not keep its hub awake for ever. A table that does not answer is no fault of
// the item's.
func (r *run) stick(ctx context.Context, t turn, err error) {
	r.e.report("end_failed", r.root.ID, err)
	var later *PutOff
	if errors.As(err, &later) {
		return
	}
	r.stuck[t.Key] = true
	r.failed = errors.Join(r.failed, err)
	for _, temporary := range []error{store.ErrUnavailable, store.ErrUnknown, store.ErrConflict, store.ErrNewerSchema} {
		if errors.Is(err, temporary) {
			return
		}
	}
	w := store.Write{
		Op: store.OpUpdate, Key: t.Key, Guard: store.If(store.Eq(store.FieldDue, t.item.String(store.FieldDue))),
		Add: map[string]int64{FieldTries: 1},
	}
	aside := t.item.Int(FieldTries)+1 >= asideAfter
	if aside {
		reason := fmt.Sprintf("%s %s", store.FormatInstant(r.now.Wall), err)
		w.Set = store.Fields{FieldAside: reason[:min(len(reason), maxReason)]}
		w.Remove = []string{store.FieldDue, store.FieldWake}
	}
	if r.e.Commit(ctx, r.root, r.now, w) != nil {
		return // it will fail again, and be counted then
	}
	if aside {
		delete(r.stuck, t.Key) // it has no end any more
		r.e.report(SetAside, r.root.ID, err)
	}
}
