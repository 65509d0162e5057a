package bakery

import "time"

// SlotView is a slot as a visitor sees it at one instant.
type SlotView struct {
	ID        SlotID
	StartsAt  time.Time
	Local     string // its start on the shop's clock, "10:15"
	Capacity  int
	Held      int // places held by orders that wait to be paid; a hold whose end has passed is none
	Confirmed int // places that are paid
	Rev       int64
}

// Taken is how many places are not free. A place taken back after its end can
// lift it above the capacity.
func (s SlotView) Taken() int { return s.Held + s.Confirmed }

// Free is how many places can still be had.
func (s SlotView) Free() int { return max(0, s.Capacity-s.Taken()) }

// OrderView is an order as a visitor sees it at one instant.
type OrderView struct {
	Order
	Now     time.Time // business time
	Revived bool      // its place was taken back after its hold had ended
}

// SecondsLeft is what is left of the order's hold, rounded up, at least 0; ok
// is false for an order that holds nothing.
func (o OrderView) SecondsLeft() (n int64, ok bool) {
	end, ok := o.HeldUntil()
	return max(0, ceilSeconds(end.Sub(o.Now))), ok
}

func ceilSeconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }

// Full is what a refusal of a full slot, or of a lost hold, says beside its
// sentence.
type Full struct {
	NextFree *SlotView // the next slot with room, nil where no offered one has any
	// EarliestHoldEnd is when room first appears in the slot asked for; zero
	// where paid orders fill it.
	EarliestHoldEnd time.Time
}

// Placement is what somebody wants to order.
type Placement struct {
	Pickup SlotID
	Lines  []Wanted // 1 to 50
	Name   string   // at most 80 characters
	Note   string   // at most 500
}

// Day is a local date's slots.
type Day struct {
	Date  Date
	Slots []SlotView
}

// OrderQuery narrows a list of orders. Zero values narrow nothing.
type OrderQuery struct {
	Date   Date       // the pickup's local date
	State  OrderState // the state as it stands
	Text   string     // part of the name, or of the ref
	Cursor string     // OrderPage.Next of the page before
	Limit  int        // 1 to 100
}

// OrderPage is a page of orders, latest pickup first.
type OrderPage struct {
	Orders []OrderView
	Next   string // empty on the last page
}

// EventQuery says where in the feed to go on.
type EventQuery struct {
	Date  Date   // of the pickups it is about; the zero date for all, and for what is about none
	After string // an event's id or a wall instant; empty for the beginning
	Limit int    // 1 to 100
	// Newest asks for the last so many instead of the first.
	Newest bool
}
