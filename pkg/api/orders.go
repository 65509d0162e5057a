package api

import "pocbakery/pkg/bakery"

type placeOrderBody struct {
	Pickup text         `json:"pickup" minLength:"1" maxLength:"64" doc:"The slot's id"`
	Lines  []wantedBody `json:"lines" minItems:"1" maxItems:"50"`
	Name   text         `json:"name,omitempty" maxLength:"80" doc:"Of who collects"`
	Note   multiline    `json:"note,omitempty" maxLength:"500"`
}

type wantedBody struct {
	SKU      text `json:"sku" minLength:"1" maxLength:"64"`
	Quantity int  `json:"quantity" minimum:"1" maximum:"50"`
}

func (s *server) placeOrder(c *call, in *placeOrderBody) (orderJSON, error) {
	p := bakery.Placement{Pickup: bakery.SlotID(in.Pickup), Name: string(in.Name), Note: string(in.Note), Lines: make([]bakery.Wanted, len(in.Lines))}
	for i, l := range in.Lines {
		p.Lines[i] = bakery.Wanted{SKU: string(l.SKU), Quantity: l.Quantity}
	}
	o, replayed, err := s.Shop.Place(c.ctx, c.who, c.key, p)
	if err != nil {
		return orderJSON{}, err
	}
	if replayed {
		c.replayed()
	}
	c.writer.Header()["Location"] = []string{"/v1/orders/" + string(o.Ref())}
	return orderOf(o), nil
}

type orderJSON struct {
	Ref         bakery.OrderRef   `json:"ref"`
	State       bakery.OrderState `json:"state" enum:"placed,paid,collected,expired,cancelled"`
	Pickup      bakery.SlotID     `json:"pickup"`
	Lines       []lineJSON        `json:"lines"`
	Total       moneyJSON         `json:"total"`
	Name        string            `json:"name,omitempty"`
	Note        string            `json:"note,omitempty"`
	PlacedAt    instant           `json:"placed_at"`
	HeldUntil   instant           `json:"held_until,omitzero" doc:"The end of the hold, while the order waits to be paid"`
	SecondsLeft *int64            `json:"seconds_left,omitempty" doc:"Of the hold, rounded up"`
	Revived     bool              `json:"revived" doc:"Its place was taken back after its hold had ended"`
	Payments    []paymentJSON     `json:"payments"`
	Refunds     []refundJSON      `json:"refunds"`
	History     []eventJSON       `json:"history"`
}

type lineJSON struct {
	SKU       string    `json:"sku"`
	Quantity  int       `json:"quantity"`
	UnitPrice moneyJSON `json:"unit_price"`
}

func orderOf(o bakery.OrderView) orderJSON {
	out := orderJSON{
		Ref: o.Ref(), State: o.State, Pickup: o.Slot, Lines: make([]lineJSON, len(o.Lines)), Total: moneyJSON(bakery.Total(o.Lines)),
		Name: o.Name, Note: o.Note, PlacedAt: instant(o.PlacedAt), Revived: o.Revived,
		Payments: make([]paymentJSON, len(o.Payments)), Refunds: make([]refundJSON, len(o.Refunds)), History: eventsOf(o.History),
	}
	for i, l := range o.Lines {
		out.Lines[i] = lineJSON{l.SKU, l.Quantity, moneyJSON(l.UnitPrice)}
	}
	for i, p := range o.Payments {
		out.Payments[i] = paymentOf(p)
	}
	for i, r := range o.Refunds {
		out.Refunds[i] = refundJSON{r.ID, r.Payment, "requested", r.Reason, moneyJSON(r.Amount)}
	}
	if until, ok := o.HeldUntil(); ok {
		left, _ := o.SecondsLeft()
		out.HeldUntil, out.SecondsLeft = instant(until), &left
	}
	return out
}

type ordersQuery struct {
	Date   text `json:"date,omitempty" format:"date" doc:"The pickup's local date"`
	State  text `json:"state,omitempty" enum:"placed,paid,collected,expired,cancelled"`
	Q      text `json:"q,omitempty" maxLength:"80" doc:"Part of a name or of a ref"`
	Cursor text `json:"cursor,omitempty" maxLength:"1024" doc:"next_cursor of the page before"`
	Limit  int  `json:"limit" minimum:"1" maximum:"100" default:"50"`
}

type ordersJSON struct {
	Orders     []orderJSON `json:"orders"`
	NextCursor string      `json:"next_cursor,omitempty" doc:"Where to go on; left out on the last page"`
}

func (s *server) orders(c *call, in *ordersQuery) (out ordersJSON, err error) {
	day, err := date("date", string(in.Date))
	if err != nil {
		return out, err
	}
	page, err := s.Shop.Orders(c.ctx, c.who, bakery.OrderQuery{Date: day, State: bakery.OrderState(in.State), Text: string(in.Q), Cursor: string(in.Cursor), Limit: in.Limit})
	if err != nil {
		return out, err
	}
	out = ordersJSON{Orders: make([]orderJSON, len(page.Orders)), NextCursor: page.Next}
	for i, o := range page.Orders {
		out.Orders[i] = orderOf(o)
	}
	return out, nil
}

func (s *server) order(c *call) (orderJSON, error) {
	return orderAnswer(s.Shop.Order(c.ctx, c.who, c.ref()))
}

func (s *server) cancel(c *call) (orderJSON, error) {
	return orderAnswer(s.Shop.Cancel(c.ctx, c.who, c.ref()))
}

func (s *server) collect(c *call) (orderJSON, error) {
	return orderAnswer(s.Shop.Collect(c.ctx, c.who, c.ref()))
}

func (c *call) ref() bakery.OrderRef { return bakery.OrderRef(c.path("ref")) }

func orderAnswer(o bakery.OrderView, err error) (orderJSON, error) {
	if err != nil {
		return orderJSON{}, err
	}
	return orderOf(o), nil
}
