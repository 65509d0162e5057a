package web

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"pocbakery/pkg/bakery"
)

// placedRow is an order of the visitor's.
type placedRow struct{ Href, Pickup, What, State string }

// listed is how many of the visitor's orders the storefront looks through.
const listed = 50

// placed lists the orders of this sandbox, without the past it was born with:
// what ends next on top, then by pickup. A list that cannot be read is left
// out: the page is about the next order.
func (s *Site) placed(r *http.Request, v visit, menu bakery.Menu) []placedRow {
	page, err := s.Shop.Orders(r.Context(), v.who, bakery.OrderQuery{Limit: listed})
	if err != nil {
		s.Log.Warn("orders_left_out", "error", err)
		return nil
	}
	names := namesIn(menu)
	orders := slices.DeleteFunc(page.Orders, func(o bakery.OrderView) bool { return o.PlacedAt.Before(v.root.BornAt) })
	slices.SortStableFunc(orders, func(a, b bakery.OrderView) int {
		x, holdsX := a.HeldUntil()
		y, holdsY := b.HeldUntil()
		switch {
		case holdsX && holdsY:
			return cmp.Or(x.Compare(y), cmp.Compare(a.Slot, b.Slot))
		case holdsX:
			return -1
		case holdsY:
			return 1
		}
		return cmp.Compare(a.Slot, b.Slot)
	})
	var rows []placedRow
	for _, o := range orders {
		local, start := s.words.slot(o.Slot)
		var what []string
		for _, l := range o.Lines {
			what = append(what, strconv.Itoa(l.Quantity)+" × "+cmp.Or(names[l.SKU], l.SKU))
		}
		rows = append(rows, placedRow{Href: "/orders/" + string(o.Ref()), Pickup: local + ", " + s.words.day(start),
			What: strings.Join(what, ", "), State: s.stateRow(o)})
	}
	return rows
}

// stateRow is an order's state in a few words.
func (s *Site) stateRow(o bakery.OrderView) string {
	name := ""
	if n := strings.TrimSpace(o.Name); n != "" {
		name = n + ": "
	}
	switch o.State {
	case bakery.Placed:
		return name + "held until " + s.words.at(o.HoldEnd, o.Now) + ", not paid"
	case bakery.Paid:
		return name + "paid, " + money(bakery.Total(o.Lines))
	case bakery.Expired:
		return name + "not paid in time"
	default:
		return name + strings.ToLower(string(o.State))
	}
}
