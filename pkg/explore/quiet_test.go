package explore_test

import (
	"context"
	"slices"
	"strings"
	"time"

	"pocbakery/pkg/alarm"
	"pocbakery/pkg/explore"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/store"
)

// quiet is a world in which nobody arms, so that what holds and orders do is
// not multiplied by what the hub's alarm does, which is explored apart. The
// root stands still: whoever reads nothing but the root, or writes it, or asks
// for the ends on the wall clock, of which the root has the only one, is
// answered on the spot, as the root is; and the scheduler takes everything.
func quiet(w explore.World, root store.Item) explore.World {
	return explore.World{Table: quietTable{w.Table, root}, Alarms: quietAlarms{}, Clock: w.Clock}
}

// rootItem is the root as its readers find it; over is what lets one who has
// come to arm go at once.
func rootItem(over bool) store.Item {
	w := shopRoot.Birth()
	i := w.Apply(store.Item{})
	if over {
		i = shopRoot.OverWrite().Apply(i)
	}
	return i
}

type quietTable struct {
	store.Store
	root store.Item
}

func (q quietTable) Get(ctx context.Context, now time.Time, keys ...store.Key) ([]store.Item, error) {
	if len(keys) == 1 && keys[0].SK == hub.RootSK {
		return []store.Item{q.root.Clone()}, nil
	}
	return q.Store.Get(ctx, now, keys...)
}

func (q quietTable) Due(ctx context.Context, pk string, c store.Clock, until time.Time, limit int) ([]store.Ref, error) {
	if c == store.Wall {
		return []store.Ref{{Key: q.root.Key, At: shopRoot.WipeAt}}, nil
	}
	return q.Store.Due(ctx, pk, c, until, limit)
}

func (q quietTable) Commit(ctx context.Context, now time.Time, writes ...store.Write) error {
	if len(writes) == 1 && writes[0].Key.SK == hub.RootSK {
		return nil
	}
	return q.Store.Commit(ctx, now, writes...)
}

type quietAlarms struct{}

func (quietAlarms) Create(context.Context, alarm.Schedule) error { return nil }

func (quietAlarms) List(context.Context, string) ([]alarm.Schedule, error) { return nil, nil }

func (quietAlarms) Delete(context.Context, alarm.Schedule) error { return nil }

// torn is a program whose reads of a slot and its orders see one item after
// the other, in their order or backwards: a Get is a batch, not a snapshot.
func torn(p explore.Program, backwards bool) explore.Program {
	call := p.Call
	p.Call = func(ctx context.Context, w explore.World) (string, error) {
		w.Table = tornTable{w.Table, backwards}
		return call(ctx, w)
	}
	return p
}

type tornTable struct {
	store.Store
	backwards bool
}

func (t tornTable) Get(ctx context.Context, now time.Time, keys ...store.Key) ([]store.Item, error) {
	order := make([]int, len(keys))
	for n := range order {
		order[n] = n
	}
	if t.backwards {
		slices.Reverse(order)
	}
	items := make([]store.Item, len(keys))
	for _, n := range order {
		items[n] = store.Item{Key: keys[n]}
		switch kind, _, _ := strings.Cut(keys[n].SK, "#"); kind {
		case "menu": // nobody changes it
		case hub.RootSK:
			items[n] = rootItem(false)
		default:
			one, err := t.Store.Get(ctx, now, keys[n])
			if err != nil {
				return nil, err
			}
			items[n] = one[0]
		}
	}
	return items, nil
}
