package bakery

import "pocbakery/pkg/hub"

// Event is something that happened in the shop.
type Event = hub.Event

// What can happen to a hold, an order, a slot and the menu.
const (
	HoldMade         hub.EventType = "HoldMade"
	HoldRetaken      hub.EventType = "HoldRetaken"
	HoldConfirmed    hub.EventType = "HoldConfirmed"
	HoldReleased     hub.EventType = "HoldReleased"
	OrderPlaced      hub.EventType = "OrderPlaced"
	OrderPaid        hub.EventType = "OrderPaid"
	OrderExpired     hub.EventType = "OrderExpired"
	OrderPaymentLate hub.EventType = "OrderPaymentLate"
	RefundRequested  hub.EventType = "RefundRequested"
	OrderCancelled   hub.EventType = "OrderCancelled"
	OrderCollected   hub.EventType = "OrderCollected"
	CapacityChanged  hub.EventType = "CapacityChanged"
)

// Why a hold was released.
const (
	ReasonHoldExpired = "hold_expired"
	ReasonCancelled   = "cancelled"
)
