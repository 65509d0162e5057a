package bakery

import (
	"pocbakery/pkg/hub"
	"time"
)

// pen writes the stories of one date's orders.
type pen struct {
	*dice
	midnight   time.Time // the date's first instant
	slotLength time.Duration
	working    bool

	*Order           // at hand
	ref    string    // its own
	pickup time.Time // its slot's start
	minute int       // of the day, when that is

	// What the orders have, each kind in one stretch of memory: a day is made of
	// hundreds of these.
	events   []Event
	lines    []Line
	payments []Payment
}

// write makes an order up. Whoever orders does so at least 40 minutes ahead,
// so that all is settled before the pickup but for the collecting, which takes
// place within the slot: all of it lies on that date or before.
func (p *pen) write(ref OrderRef) {
	o, events := p.Order, len(p.events)
	p.ref = string(ref)
	o.Slot, o.Code = SlotID(ref[:len(slotLayout)]), Code(ref[len(slotLayout)+1:])
	o.Name = p.name()
	if p.n(100) < 9 {
		o.Note = notes[p.n(len(notes))]
	}
	o.Lines = p.basket()
	o.PlacedAt = p.placedAt()
	o.HoldEnd = o.PlacedAt.Add(HoldFor)
	p.slotEvent(HoldMade, o.PlacedAt)
	p.event(OrderPlaced, o.PlacedAt)
	switch fate := p.n(1000); {
	case fate < 914:
		p.pay()
		o.State = Collected
		p.event(OrderCollected, p.pickup.Add(p.within(p.slotLength)))
	case fate < 969:
		o.State = Expired
		p.slotEvent(HoldReleased, o.HoldEnd).Reason = ReasonHoldExpired
		p.event(OrderExpired, o.HoldEnd)
		if p.n(100) < 12 {
			p.late(o.HoldEnd.Add(20*time.Second + p.within(20*time.Minute)))
		}
	case fate < 990:
		p.pay()
		paid := o.Payments[0].At
		p.cancel(paid.Add(time.Second + p.within(p.pickup.Sub(paid)-5*time.Minute)))
	default:
		p.cancel(o.PlacedAt.Add(20*time.Second + p.within(13*time.Minute)))
	}
	o.History = p.events[events:len(p.events):len(p.events)]
}

func (p *pen) name() string {
	first := firstNames[p.n(len(firstNames))]
	switch n := p.n(100); {
	case n < 6:
		return ""
	case n < 20:
		return first
	}
	return first + " " + lastNames[p.n(len(lastNames))]
}

// basket is one to four things, mostly few of each; of a working morning now
// and then a tray of buns.
func (p *pen) basket() []Line {
	from := len(p.lines)
	if p.working && p.minute < 10*60 && p.n(100) < 4 {
		p.lines = append(p.lines, Line{SKU: dishes[0].sku, Quantity: 10 + p.n(15), UnitPrice: dishPrices[0]})
		return p.lines[from:len(p.lines):len(p.lines)]
	}
	n := 1
	for roll := p.n(100); n < 4 && roll >= [...]int{50, 82, 95}[n-1]; n++ {
	}
	had := 0 // a bit for each dish
	for len(p.lines)-from < n {
		i, roll := 0, p.n(dishWeight)
		for ; roll >= dishes[i].weight; i++ {
			roll -= dishes[i].weight
		}
		if had&(1<<i) != 0 {
			continue
		}
		had |= 1 << i
		most := dishes[i].most
		p.lines = append(p.lines, Line{SKU: dishes[i].sku, Quantity: 1 + min(p.n(most), p.n(most)), UnitPrice: dishPrices[i]})
	}
	return p.lines[from:len(p.lines):len(p.lines)]
}

// placedAt is when it was ordered: the same day, though not at night; the day
// before; or up to six days ahead. In waking hours, give or take the hour of a
// change of clocks.
func (p *pen) placedAt() time.Time {
	const ahead, dawn = 40, 5*60 + 30 // minutes; minute of the day
	days, kind := 1, p.n(100)
	if kind < 45 && p.minute >= 9*60 {
		return p.pickup.Add(-ahead*time.Minute - p.within(time.Duration(min(200, p.minute-dawn-ahead))*time.Minute))
	}
	if kind >= 80 {
		days = 2 + p.n(5)
	}
	return p.midnight.Add(time.Duration(7-24*days)*time.Hour + p.within(15*time.Hour+40*time.Minute))
}

func (p *pen) pay() {
	at := p.PlacedAt.Add(15*time.Second + min(p.within(10*time.Minute), p.within(10*time.Minute)))
	p.payment(OrderPaid, PaymentAccepted, at)
	p.slotEvent(HoldConfirmed, at)
}

func (p *pen) late(at time.Time) {
	p.refund(p.payment(OrderPaymentLate, PaymentLate, at), RefundLate, at)
}

func (p *pen) cancel(at time.Time) {
	p.State = Cancelled
	p.slotEvent(HoldReleased, at).Reason = ReasonCancelled
	p.event(OrderCancelled, at)
	for _, paid := range p.Payments {
		p.refund(paid, RefundCancelled, at)
	}
}

func (p *pen) payment(what hub.EventType, state PaymentState, at time.Time) Payment {
	n := len(p.payments)
	p.payments = append(p.payments, Payment{ID: "p_" + p.word(), State: state, Amount: Total(p.Lines), At: at})
	p.Payments = p.payments[n : n+1 : n+1]
	p.event(what, at).Payment = p.payments[n].ID
	return p.payments[n]
}

func (p *pen) refund(paid Payment, why RefundReason, at time.Time) {
	r := Refund{ID: "r" + paid.ID[1:], Payment: paid.ID, Reason: why, Amount: paid.Amount}
	p.Refunds = append(p.Refunds, r)
	e := p.event(RefundRequested, at)
	e.Payment, e.Refund, e.Reason = r.Payment, r.ID, string(why)
}

// slotEvent notes what happened to the order's place.
func (p *pen) slotEvent(what hub.EventType, at time.Time) *Event {
	e := p.event(what, at)
	e.Slot = string(p.Slot)
	return e
}

// event notes what happened; nothing was late then, so wall and business time
// are one.
func (p *pen) event(what hub.EventType, at time.Time) *Event {
	p.events = append(p.events, Event{Type: what, Wall: at, At: at, Ref: p.ref})
	return &p.events[len(p.events)-1]
}
