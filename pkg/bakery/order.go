package bakery

import "time"

// OrderState is where an order is in its life; see the package doc.
type OrderState string

// The states of an order. Void is no order: it is what stands in the place of
// one whose hold ended before the order was written, so that a slow writer
// cannot bring it back.
const (
	Placed    OrderState = "placed"
	Paid      OrderState = "paid"
	Collected OrderState = "collected"
	Expired   OrderState = "expired"
	Cancelled OrderState = "cancelled"
	Void      OrderState = "void"
)

// Line is one position of an order, at the price of the day it was placed.
type Line struct {
	SKU       string
	Quantity  int
	UnitPrice Money
}

// Total is the price of all lines.
func Total(lines []Line) Money {
	var sum Money
	for _, l := range lines {
		sum = sum.Plus(l.UnitPrice.Times(l.Quantity))
	}
	return sum
}

// PaymentState is what became of a payment.
type PaymentState string

// The states of a payment: the first of a placed order is accepted, one of an
// order that is paid already is a duplicate, one of an order that has ended is
// late. Duplicate and late ones are to be refunded.
const (
	PaymentAccepted  PaymentState = "accepted"
	PaymentDuplicate PaymentState = "duplicate"
	PaymentLate      PaymentState = "late"
)

// Payment is money that came in for an order.
type Payment struct {
	ID     string
	State  PaymentState
	Amount Money
	At     time.Time // business time
}

// RefundReason says why money is to go back.
type RefundReason string

// The reasons of a refund.
const (
	RefundLate      RefundReason = "late"
	RefundDuplicate RefundReason = "duplicate"
	RefundCancelled RefundReason = "cancelled"
)

// Refund is a request that a payment be paid back. Requests stay requests:
// paying out is the payment provider's.
type Refund struct {
	ID      string
	Payment string
	Reason  RefundReason
	Amount  Money
}

// Order is what somebody asked for, and what became of it.
type Order struct {
	Slot  SlotID
	Code  Code
	State OrderState
	Lines []Line
	Name  string // of who collects; may be empty
	Note  string

	PlacedAt    time.Time // business time: the hold's birth
	HoldEnd     time.Time // the end of the hold it was placed under; of a void, of the hold it stands for
	Fingerprint string    // of the body that placed it

	Payments []Payment
	Refunds  []Refund
	History  []Event // what happened to it, oldest first
}

// Ref is the order's name.
func (o Order) Ref() OrderRef { return o.Slot.Ref(o.Code) }

// HeldUntil is the end of the order's hold while it waits to be paid.
func (o Order) HeldUntil() (time.Time, bool) { return o.HoldEnd, o.State == Placed }
