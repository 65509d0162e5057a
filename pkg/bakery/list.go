package bakery

import (
	"context"
	"encoding/base64"
	"fmt"
	"iter"
	"strings"
	"time"

	"pocbakery/pkg/hub"
	"pocbakery/pkg/refusal"
	"pocbakery/pkg/store"
)

const (
	defaultLimit = 50
	maxLimit     = 100
	// scanPage is how many orders a list reads from the table at once, and
	// scanPages how often, before it answers with a page that may be short.
	scanPage  = 100
	scanPages = 10
)

// viewOrder is an order as a visitor sees it, given its slot as it stands (the
// zero item where the slot knows nothing that the order does not).
func viewOrder(o Order, slot store.Item, now time.Time) (OrderView, error) {
	v := OrderView{Order: o, Now: now}
	if row := slot.String(holdPrefix + string(o.Code)); row != "" {
		h, err := decodeHold(o.Code, row)
		if err != nil {
			return v, err
		}
		v.Revived = h.Revived
		v.record(h.Events(o.Slot)...)
	}
	return v, nil
}

func checkLimit(limit int) (int, error) {
	if limit == 0 {
		return defaultLimit, nil
	}
	if limit < 1 || limit > maxLimit {
		return 0, invalid("limit", fmt.Sprintf("The limit is 1 to %d.", maxLimit))
	}
	return limit, nil
}

// Orders lists orders, latest pickup first: those of the hub, and behind them
// the shop's past, of which an order that was changed is an item of the hub.
func (s *Shop) Orders(ctx context.Context, who hub.Who, q OrderQuery) (OrderPage, error) {
	limit, err := checkLimit(q.Limit)
	if err != nil {
		return OrderPage{}, err
	}
	before, err := decodeCursor(q.Cursor)
	if err != nil {
		return OrderPage{}, err
	}
	view, err := s.engine.Open(ctx, who)
	if err != nil {
		return OrderPage{}, err
	}
	all := store.Prefix(orderPrefix)
	l := listing{Shop: s, view: view, who: who, q: q, text: strings.ToLower(q.Text), from: all.From, to: all.To, before: before}
	if q.Date != (Date{}) {
		from, to := s.hours.DayRange(q.Date)
		l.from, l.to = orderPrefix+string(from), orderPrefix+string(to)
	}
	orders, next, err := l.page(ctx, limit)
	if err != nil {
		return OrderPage{}, err
	}
	views, err := s.viewOrders(ctx, view, orders)
	return OrderPage{Orders: views, Next: encodeCursor(next)}, err
}

// listing is one list of orders on its way.
type listing struct {
	*Shop
	view     hub.View
	who      hub.Who
	q        OrderQuery
	text     string // q.Text in lower case
	from, to string // bounds of the sort keys
	before   OrderRef
}

// page merges the hub's orders and the shop's past, both newest first, and
// returns those wanted and, where there may be more, the last ref looked at.
func (l *listing) page(ctx context.Context, limit int) (orders []Order, next OrderRef, err error) {
	past, stop := iter.Pull(l.past())
	defer stop()
	older, ok := past()
	to := l.to
	if l.before != "" {
		slot, code, _ := l.before.Split()
		to = min(to, orderSK(slot, code))
	}
	r := store.Range{From: l.from, To: to, Desc: true, Limit: scanPage}
	take := func(o Order) (full bool) {
		next = o.Ref()
		if l.wanted(o) {
			orders = append(orders, o)
		}
		return len(orders) == limit
	}
	for range scanPages {
		page, err := l.engine.Store().List(ctx, l.view.Now.Wall, string(l.view.Root.ID), r)
		if err != nil {
			return nil, "", err
		}
		for _, i := range page.Items {
			o, err := orderOf(i)
			if err != nil {
				return nil, "", err
			}
			for ; ok && older.Ref() > o.Ref(); older, ok = past() {
				if take(older) {
					return orders, next, nil
				}
			}
			if ok && older.Ref() == o.Ref() {
				older, ok = past()
			}
			if take(o.Order) {
				return orders, next, nil
			}
		}
		if r.After = page.Next; r.After == "" {
			for ; ok; older, ok = past() {
				if take(older) {
					return orders, next, nil
				}
			}
			return orders, "", nil
		}
	}
	return orders, next, nil
}

// past walks the shop's derived past from the cursor on, within the bounds.
func (l *listing) past() iter.Seq[Order] {
	return func(yield func(Order) bool) {
		if l.who.Role == hub.Customer { // the shop's past is not theirs
			return
		}
		start := l.before
		if top := OrderRef(strings.TrimPrefix(l.to, orderPrefix)); start == "" || start > top {
			start = top
		}
		for o := range l.history(l.view.Root).From(start, false) {
			if orderSK(o.Slot, o.Code) < l.from || !yield(o) {
				return
			}
		}
	}
}

func (l *listing) wanted(o Order) bool {
	if o.State == Void || (l.q.State != "" && o.State != l.q.State) {
		return false
	}
	return l.text == "" || strings.Contains(strings.ToLower(o.Name), l.text) ||
		strings.Contains(strings.ToLower(string(o.Ref())), l.text)
}

// orderOf decodes an order from its item alone.
func orderOf(i store.Item) (storedOrder, error) {
	slot, code, _ := strings.Cut(strings.TrimPrefix(i.SK, orderPrefix), "#")
	return decodeOrder(SlotID(slot), Code(code), i)
}

// viewOrders shows orders as of now; the slots they are of are read once.
func (s *Shop) viewOrders(ctx context.Context, view hub.View, orders []Order) ([]OrderView, error) {
	views := make([]OrderView, 0, len(orders))
	if len(orders) == 0 {
		return views, nil
	}
	last, first := orders[0].Slot, orders[len(orders)-1].Slot
	slots := map[string]store.Item{}
	items, err := s.engine.ListAll(ctx, view, store.Range{From: slotSK(first), To: slotSK(last) + "\x00"})
	if err != nil {
		return nil, err
	}
	for _, i := range items {
		slots[i.SK] = i
	}
	for _, o := range orders {
		v, err := viewOrder(o, slots[slotSK(o.Slot)], view.Now.Business)
		if err != nil {
			return nil, err
		}
		views = append(views, v)
	}
	return views, nil
}

// history is the past that a hub's shop was born with.
func (s *Shop) history(r hub.Root) History {
	return History{Seed: r.Seed, Hours: s.hours, Born: r.BornAt}
}

func encodeCursor(r OrderRef) string { return base64.RawURLEncoding.EncodeToString([]byte(r)) }

func decodeCursor(s string) (OrderRef, error) {
	b, err := base64.RawURLEncoding.DecodeString(s)
	ref := OrderRef(b)
	if _, _, ok := ref.Split(); err != nil || (s != "" && !ok) {
		return "", refusal.At(refusal.Invalid, "cursor", "This cursor is not one the bakery handed out.")
	}
	return ref, nil
}
