package hub

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"pocbakery/pkg/store"
)

// settle gives each item its turn, in order. An item that cannot be settled,
// or whose end stands unchanged after its turn, does not stop the others.
func (r *run) settle(ctx context.Context, due []end) error {
	keys := make([]store.Key, len(due))
	for i, d := range due {
		keys[i] = d.Key
	}
	items, err := r.e.store.Get(ctx, r.now.Wall, keys...)
	if err != nil {
		return err
	}
	var group []turn
	for i, d := range due {
		t, ok, err := r.turnOf(ctx, d, items[i])
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if len(group) > 0 && (group[0].name != t.name || len(group) >= max(t.kind.AtOnce, 1)) {
			r.take(ctx, group)
			group = group[:0]
		}
		if r.spent(ctx, t, len(group)) {
			r.ran.More = true
			break
		}
		group = append(group, t)
	}
	r.take(ctx, group)
	return nil
}

// turn is an item that is to have its turn.
type turn struct {
	end
	item store.Item
	name string // of its kind
	kind Kind
}

// turnOf prepares an item's turn; ok is false where there is none to have.
func (r *run) turnOf(ctx context.Context, d end, item store.Item) (t turn, ok bool, err error) {
	if !item.Exists() { // past its ttl, or gone since: the index is behind
		return turn{}, false, r.e.bury(ctx, r.now.Wall, d.Key)
	}
	if item.String(store.FieldDue) != store.DueAt(d.clock, d.At) {
		return turn{}, false, nil // it has another end by now
	}
	name, _, _ := strings.Cut(d.SK, "#")
	t = turn{end: d, item: item, name: name, kind: r.e.kinds[name]}
	at, had := r.turned[d.Key]
	switch {
	case t.kind.Settle == nil:
		r.stick(ctx, t, errors.New("hub: no handler for "+name))
	case had && at.Equal(d.At):
		r.stick(ctx, t, errors.New("hub: the end of a "+name+" stands unchanged after its turn"))
	default:
		return t, true, nil
	}
	return turn{}, false, nil
}

// bury removes what is past its ttl and still stands in an index.
func (e *Engine) bury(ctx context.Context, wall time.Time, k store.Key) error {
	return store.IgnoreGuard(e.store.Commit(ctx, wall, store.Delete(k, store.IfAbsent())))
}

// spent reports whether the run has given all the turns it can: its time is
// nearly over, or the kind has had its share.
func (r *run) spent(ctx context.Context, t turn, waiting int) bool {
	if r.e.Left != nil && r.e.Left(ctx) < runReserve {
		return true
	}
	return t.kind.PerRun > 0 && r.given+waiting >= t.kind.PerRun
}

// take gives a group of items of one kind their turns, at the same time, and
// returns when all have ended.
func (r *run) take(ctx context.Context, group []turn) {
	if len(group) == 0 {
		return
	}
	type outcome struct {
		events []Event
		err    error
	}
	out := make([]outcome, len(group))
	ctx = context.WithValue(ctx, turnOf{}, r.root.ID)
	settle := func(i int) {
		t := group[i]
		out[i].events, out[i].err = t.kind.Settle(ctx, Turn{Root: r.root, Item: t.item, At: t.At, Now: r.now})
	}
	var all sync.WaitGroup
	for i := range group[1:] {
		all.Go(func() { settle(i + 1) })
	}
	settle(0)
	all.Wait()

	name := group[0].name
	tally := r.tallies[name]
	if tally == nil {
		tally = &Tally{Hub: r.root.ID}
		r.tallies[name] = tally
	}
	for i, t := range group {
		r.turned[t.Key] = t.At
		r.given++
		r.ran.Events = append(r.ran.Events, out[i].events...)
		tally.Events = append(tally.Events, out[i].events...)
		if out[i].err != nil {
			tally.Failed++
			r.stick(ctx, t, out[i].err)
		}
	}
}

// tell tells whoever wants to know of each kind what the run did.
func (r *run) tell(ctx context.Context) {
	for name, t := range r.tallies {
		done := r.e.kinds[name].Done
		if done == nil {
			continue
		}
		t.Took = r.e.Wall().Sub(r.now.Wall)
		if r.ran.More {
			t.Remaining = r.due(ctx, name)
		}
		done(ctx, *t)
	}
}

// countAtMost bounds how many items a tally counts as remaining.
const countAtMost = 1000

// due counts the items of a kind that are due by wall time still.
func (r *run) due(ctx context.Context, name string) (n int) {
	refs, err := r.e.store.Due(ctx, string(r.root.ID), store.Wall, r.now.Wall, countAtMost)
	if err != nil {
		return 1 // at least what made it stop
	}
	for _, ref := range refs {
		if kind, _, _ := strings.Cut(ref.SK, "#"); kind == name {
			n++
		}
	}
	return n
}
