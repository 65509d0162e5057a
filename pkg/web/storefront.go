package web

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"pocbakery/pkg/bakery"
	"pocbakery/pkg/refusal"
)

// storefront is the body of /shop.
type storefront struct {
	Card    *card
	Key     string
	Items   []item
	Days    []day
	Date    string
	DayName string
	Chips   []chip
	NextRow string // what is free next on this day, in a sentence
	Other   *day   // the next day with room, where this one has none
	Empty   string // why there are no chips
	Name    string
	Note    string
	Basket  []row // what was chosen, as far as the server was told
	Total   string
	Pieces  string // how many things are in the basket
	Pickup  string
	Unit    string
	Digits  int
	Most    int // of one thing
	Orders  []placedRow
	Ends    bool // the visitor can end the sandbox
	EndKey  string
}

// item is a thing on the menu.
type item struct {
	SKU, Name, Description string
	Price                  string
	Minor                  int64
	Quantity               string
	Available              bool
	Bad                    bool // the quantity typed is none
}

// day is a day to choose. Label is what its button says where it stands alone.
type day struct {
	Date, Weekday, Number string
	Name                  string
	Current               bool
	Label                 string
}

// row is a line of the basket or of an order.
type row struct{ What, Price string }

func (s *Site) storefront(w http.ResponseWriter, r *http.Request) {
	b := readBasket(r.URL.Query())
	if start, ok := b.pickup.Start(); ok && b.date != "" && b.date != s.words.date(start) {
		b.pickup = "" // another day is shown now
	}
	// The day picker sends the whole form; the address keeps what is in it.
	if clean := b.values(); clean.Encode() != r.URL.Query().Encode() {
		http.Redirect(w, r, shopURL(clean), http.StatusSeeOther)
		return
	}
	v, ok := s.visit(w, r, shopURL(b.values()))
	if !ok {
		return
	}
	s.showShop(w, r, v, b, "", nil)
}

// place takes an order.
func (s *Site) place(w http.ResponseWriter, r *http.Request) {
	b := readBasket(r.PostForm)
	who, ok := s.asker(w, r, shopURL(b.values()))
	if !ok {
		return
	}
	key, err := postedKey(r)
	var p bakery.Placement
	if err == nil {
		p, err = b.placement()
	}
	var o bakery.OrderView
	if err == nil {
		o, _, err = s.Shop.Place(r.Context(), who, key, p)
	}
	if err == nil {
		personal(w)
		http.Redirect(w, r, "/orders/"+string(o.Ref()), http.StatusSeeOther)
		return
	}
	if refusal.Is(err, refusal.Unauthenticated) || refusal.Is(err, refusal.SandboxEnded) {
		s.turnedAway(w, r, err, shopURL(b.values()))
		return
	}
	v, unread := s.open(r, who)
	if unread != nil { // sent again, it is refused on a page that can say so
		s.failed(w, r, unread, "/shop")
		return
	}
	if refusal.Is(err, refusal.KeyReused) || refusal.Is(err, refusal.KeyInvalid) {
		key = ""
	}
	s.showShop(w, r, v, b, key, err)
}

// showShop renders the storefront with a basket in it, under a key (a new one
// where it is empty), and with the refusal that brought it back.
func (s *Site) showShop(w http.ResponseWriter, r *http.Request, v visit, b basket, key string, no error) {
	personal(w)
	var err error
	if key == "" {
		if key, err = s.newKey(); err != nil {
			s.failed(w, r, err, "/shop")
			return
		}
	}
	menu, err := s.Shop.Menu(r.Context(), v.who)
	if err != nil {
		s.shopFailed(w, r, err)
		return
	}
	body := storefront{Most: bakery.MaxQuantity, Key: key, Name: b.name, Note: b.note}
	slots, err := s.showDay(r, v, b, &body)
	if err != nil {
		s.shopFailed(w, r, err)
		return
	}
	s.showMenu(menu, b, &body)
	status := http.StatusOK
	if no != nil {
		status = s.headRefusal(w, no)
		held := 0
		if i := slices.IndexFunc(slots, func(v bakery.SlotView) bool { return v.ID == b.pickup }); i >= 0 {
			held = slots[i].Held
		}
		body.Card = s.placeCard(no, b.pickup, held, v.now)
		for i := range body.Items {
			body.Items[i].Bad = body.Card.Field == qtyPrefix+body.Items[i].SKU
		}
	}
	body.Orders = s.placed(r, v, menu)
	if body.Ends = !v.root.EndsAt.IsZero(); body.Ends {
		if body.EndKey, err = s.newKey(); err != nil {
			body.Ends = false
		}
	}
	f := s.frame(v, "Order for pickup", "shop", body, shopURL(basket{date: body.Date}.values()))
	f.Strip.Form = "order"
	if no != nil {
		b.date = body.Date
		f.Here = shopURL(b.values())
	}
	s.render(w, r, status, "shop", f)
}

// shopFailed answers where the storefront itself cannot be read: what was sent
// can be sent again.
func (s *Site) shopFailed(w http.ResponseWriter, r *http.Request, err error) {
	if r.Method == http.MethodPost {
		s.failed(w, r, err, "/shop")
		return
	}
	s.turnedAway(w, r, err, "/shop")
}

func (s *Site) showMenu(menu bakery.Menu, b basket, body *storefront) {
	var total bakery.Money
	pieces := 0
	for _, p := range menu {
		i := item{SKU: p.SKU, Name: p.Name, Description: p.Description, Price: money(p.Price), Minor: p.Price.Amount,
			Quantity: cmp.Or(b.qty[p.SKU], "0"), Available: p.Available}
		body.Items = append(body.Items, i)
		body.Unit, body.Digits = currency(p.Price.Currency)
		n, err := quantity(i.Quantity)
		if err == nil && n > 0 && p.Available {
			cost := p.Price.Times(n)
			total = total.Plus(cost)
			pieces += n
			body.Basket = append(body.Basket, row{What: i.Quantity + " × " + p.Name, Price: money(cost)})
		}
	}
	if len(body.Basket) > 0 {
		body.Total, body.Pieces = money(total), count(int64(pieces), "piece")
	}
	if start, ok := b.pickup.Start(); ok {
		body.Pickup = s.words.clock(start) + ", " + s.words.day(start)
	}
}

// showDay fills in the day picker and the slots of the day chosen: the one
// asked for, or the pickup's, or the first with room.
func (s *Site) showDay(r *http.Request, v visit, b basket, body *storefront) ([]bakery.SlotView, error) {
	today, _ := bakery.ParseDate(s.words.date(v.now))
	date, asked := bakery.ParseDate(b.date)
	if start, ok := b.pickup.Start(); ok && (!asked || r.Method == http.MethodPost) {
		date, asked = bakery.ParseDate(s.words.date(start))
	}
	last := today.AddDays(s.OfferedDays - 1)
	if !asked || date.Before(today) || last.Before(date) {
		date, asked = today, false
	}
	days, err := s.Shop.Days(r.Context(), v.who, date, 1)
	if err != nil {
		return nil, err
	}
	free, isFree := firstFree(days, v.now)
	if !isFree && date.Before(last) {
		later, err := s.Shop.Days(r.Context(), v.who, date.AddDays(1), daysBetween(date, last))
		if err != nil {
			return nil, err
		}
		if next, ok := firstFree(later, v.now); ok && !asked {
			for _, d := range later {
				if i := slices.IndexFunc(d.Slots, func(v bakery.SlotView) bool { return v.ID == next.ID }); i >= 0 {
					date, days, free, isFree = d.Date, []bakery.Day{d}, next, true
				}
			}
		} else if ok {
			d := s.dayOf(next.StartsAt)
			d.Label = "Go to " + d.Name + ", " + next.Local
			body.Other = &d
		}
	}
	for n := range s.OfferedDays {
		d := dayOf(today.AddDays(n))
		d.Current = d.Date == date.String()
		if d.Current {
			body.DayName = d.Name
		}
		body.Days = append(body.Days, d)
	}
	body.Date = date.String()

	var slots []bakery.SlotView
	if len(days) > 0 {
		slots = days[0].Slots
	}
	for _, slot := range slots {
		if !v.now.Before(slot.StartsAt) {
			continue
		}
		c := s.chip(slot)
		c.Next = isFree && slot.ID == free.ID
		c.Checked = slot.ID == b.pickup
		body.Chips = append(body.Chips, c)
	}
	switch {
	case len(slots) == 0:
		body.Empty = "The bakery is closed on this day."
	case len(body.Chips) == 0:
		body.Empty = "All pickup times of this day have begun."
	case isFree:
		body.NextRow = "The next free time is " + free.Local + ", with " + places(free.Free()) + "."
	default:
		body.NextRow = "No place is free on this day."
	}
	return slots, nil
}

// firstFree is the first slot that has not begun and has room.
func firstFree(days []bakery.Day, now time.Time) (bakery.SlotView, bool) {
	for _, d := range days {
		for _, slot := range d.Slots {
			if now.Before(slot.StartsAt) && slot.Free() > 0 {
				return slot, true
			}
		}
	}
	return bakery.SlotView{}, false
}

func daysBetween(from, to bakery.Date) int {
	n := 0
	for from.Before(to) {
		from, n = from.AddDays(1), n+1
	}
	return n
}

func dayOf(d bakery.Date) day {
	t, _ := time.Parse(time.DateOnly, d.String())
	return day{Date: d.String(), Weekday: t.Format("Mon"), Number: t.Format("2"), Name: t.Format("Monday 2 January")}
}

func (s *Site) dayOf(t time.Time) day {
	d, _ := bakery.ParseDate(s.words.date(t))
	return dayOf(d)
}
