package bakery

import (
	"slices"

	"pocbakery/pkg/hub"
	"pocbakery/pkg/refusal"
)

// Bounds of an order.
const (
	MaxLines    = 50
	MaxQuantity = 50
	MaxName     = 80  // characters
	MaxNote     = 500 // characters
	MaxPayments = 10
	MaxCapacity = 200
)

// note appends to the order's history.
func (o *Order) note(t hub.EventType, now hub.Now) *Event {
	o.History = append(o.History, Event{Type: t, Wall: now.Wall, At: now.Business, Ref: string(o.Ref())})
	return &o.History[len(o.History)-1]
}

func (o *Order) refund(p Payment, reason RefundReason, now hub.Now) {
	r := Refund{ID: "r" + p.ID[1:], Payment: p.ID, Reason: reason, Amount: p.Amount}
	o.Refunds = append(o.Refunds, r)
	e := o.note(RefundRequested, now)
	e.Payment, e.Refund, e.Reason = p.ID, r.ID, string(reason)
}

// Pay decides what a payment is. The order's state as it stands draws the
// line, whatever became of its hold: placed takes it, paid and collected ones
// have been paid, all else is late. ok is false, and nothing changed, where
// the order has all the payments it can take.
func (o *Order) Pay(id string, amount Money, now hub.Now) (p Payment, ok bool) {
	if len(o.Payments) >= MaxPayments {
		return Payment{}, false
	}
	p = Payment{ID: id, Amount: amount, At: now.Business}
	switch o.State {
	case Placed:
		p.State = PaymentAccepted
		o.State = Paid
		o.note(OrderPaid, now).Payment = id
	case Paid, Collected:
		p.State = PaymentDuplicate
	default:
		p.State = PaymentLate
		o.note(OrderPaymentLate, now).Payment = id
	}
	o.Payments = append(o.Payments, p)
	switch p.State {
	case PaymentDuplicate:
		o.refund(p, RefundDuplicate, now)
	case PaymentLate:
		o.refund(p, RefundLate, now)
	}
	return p, true
}

// Payment finds a payment by its id.
func (o *Order) Payment(id string) (Payment, bool) {
	i := slices.IndexFunc(o.Payments, func(p Payment) bool { return p.ID == id })
	if i < 0 {
		return Payment{}, false
	}
	return o.Payments[i], true
}

// HasPlace reports whether the order has been paid for and so has its place
// for good.
func (o *Order) HasPlace() bool { return o.State == Paid || o.State == Collected }

// Cancel calls the order off. What was paid is to be refunded. The place goes
// with the same commit.
func (o *Order) Cancel(now hub.Now) (changed bool, err error) {
	switch o.State {
	case Cancelled:
		return false, nil
	case Placed, Paid:
	default:
		return false, refusal.New(refusal.OrderFinal, "This order is "+string(o.State)+" and cannot be cancelled any more.")
	}
	o.State = Cancelled
	o.note(OrderCancelled, now)
	for _, p := range o.Payments {
		if p.State == PaymentAccepted {
			o.refund(p, RefundCancelled, now)
		}
	}
	return true, nil
}

// Collect hands the order over.
func (o *Order) Collect(now hub.Now) (changed bool, err error) {
	switch o.State {
	case Collected:
		return false, nil
	case Paid:
		o.State = Collected
		o.note(OrderCollected, now)
		return true, nil
	case Placed:
		return false, refusal.New(refusal.OrderNotPaid, "This order is not paid yet.")
	default:
		return false, refusal.New(refusal.OrderFinal, "This order is "+string(o.State)+" and cannot be collected.")
	}
}

// Expire ends an order whose hold ended unpaid, at the hold's own end.
func (o *Order) Expire(h Hold, now hub.Now) {
	o.State = Expired
	o.note(OrderExpired, now).At = h.End
}

// record moves what the slot knows of a hold into the order's history, before
// the hold is dropped.
func (o *Order) record(events ...Event) {
	o.History = hub.SortEvents(append(slices.Clone(o.History), events...))
}
