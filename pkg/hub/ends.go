package hub

import (
	"context"
	"slices"
	"strings"
	"time"

	"pocbakery/pkg/store"
)

// Loan is an item of a hub with its end.
type Loan struct {
	SK    string
	Clock store.Clock
	At    time.Time // the end, on its clock
	Wall  time.Time // the wall instant of it, while the offset is what it is
}

// Aside is an item that was set aside: its end will not be honoured any more.
type Aside struct{ SK, Why string }

// Ends are the next ends of a hub, earliest first, at most limit of them, and
// what was set aside: as far as a first page of the items of each kind with
// ends has it.
func (e *Engine) Ends(ctx context.Context, who Who, limit int) (loans []Loan, aside []Aside, err error) {
	view, err := e.Open(ctx, who)
	if err != nil {
		return nil, nil, err
	}
	for _, c := range []store.Clock{store.Business, store.Wall} {
		refs, err := e.store.Due(ctx, string(view.Root.ID), c, farFuture, limit)
		if err != nil {
			return nil, nil, err
		}
		for _, ref := range refs {
			loans = append(loans, Loan{SK: ref.SK, Clock: c, At: ref.At, Wall: view.Root.wall(c, ref.At)})
		}
	}
	slices.SortStableFunc(loans, func(a, b Loan) int { return a.Wall.Compare(b.Wall) })
	loans = loans[:min(limit, len(loans))]

	for kind := range e.kinds {
		page, err := e.store.List(ctx, view.Now.Wall, string(view.Root.ID), store.Range{From: kind, To: kind + "$"}) // "#" comes before "$"
		if err != nil {
			return nil, nil, err
		}
		for _, i := range page.Items {
			if i.Has(FieldAside) {
				aside = append(aside, Aside{SK: i.SK, Why: i.String(FieldAside)})
			}
		}
	}
	slices.SortFunc(aside, func(a, b Aside) int { return strings.Compare(a.SK, b.SK) })
	return loans, aside, nil
}
