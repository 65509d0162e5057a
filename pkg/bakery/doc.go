// Package bakery takes orders for pickup slots of limited capacity: what a
// placement, a payment, a cancellation and the end of a hold do to a slot and
// an order.
//
// # Two aggregates
//
// A slot and an order are one item each; no transaction spans them but to
// cancel, since a confirmed place has no end that would find a half-done one.
//
//	<hub>   slot#<slot>           capacity, counts, one field h_<code> a hold
//	<hub>   order#<slot>#<code>   state, lines, payments, refunds, history
//	<hub>   menu                  what the hub changed of the menu
//
// The code is a keyed hash of the Idempotency-Key, so a repeat finds the order
// it repeats. Slots are generated from the opening hours and are items only
// once touched; so is the shop's past, which is derived from the hub's seed.
//
// # A hold
//
//	         place                      pay: Confirm
//	(none) ---------> held ----------------------------> confirmed
//	                   | |                                 ^
//	   end, unpaid     | | a placement finds it ended      | pay, while the order
//	   (order asked)   | v                                 | is still placed: revived
//	(dropped) <------ released ----------------------------+
//	            (order asked)
//
// # An order
//
//	(none) --> placed --> paid --> collected
//	   |         |  |       |
//	   |         |  |       +--> cancelled (refund requested)
//	   |         |  +----------> cancelled
//	   |         +-------------> expired    (its hold's end)
//	   +--> void --> placed  (a later hold of the same key: Retake)
//
// # Invariants
//
//	B1 Only the slot carries the end (due); an order ends with its hold and is
//	   asked first, by its own version.
//	B2 first_end is exactly the end of the earliest open hold, so a placement
//	   can be one update guarded by room and first_end instead of the revision:
//	   a thousand placers do not make each other fail. So can a confirmation or
//	   a cancellation of a hold that is not the first to end, guarded by that
//	   hold itself. Everything else goes by the revision and computes the counts
//	   and ends anew.
//	B3 taken = held + confirmed never passes capacity but by a place taken back
//	   for an accepted payment (revived) or by an edit of the capacity.
//	B4 A hold whose end has come counts nowhere, whether or not any alarm ran:
//	   a placement releases it in the write that places.
//	B5 The order's stored state alone decides what a payment is: placed takes
//	   it, paid and collected make it a duplicate, all else late.
//	B6 A void put by a hold's end is final for that hold; only a Retake, whose
//	   end is later, goes over it. A Retake that comes before the run puts the
//	   void itself, so that the end of each of a place's lives is told.
//	B7 Confirm takes a released place back only after the order, asked later
//	   than the slot, says paid; a cancellation moves the slot's revision.
//	B8 What happened is written by the write that made it true: a hold's events
//	   are its field until the run moves them into the order's history. A
//	   release is told once, by the write that settles the order; of a place
//	   that was taken back, by the slot.
//
// Who is authoritative: the slot for places, the order for money. All times
// but the events' ids are business time, in whole milliseconds. Money is whole
// minor units. A table that fails leaves one of: nothing, a hold that ends by
// itself, a payment that the hold's end confirms.
package bakery
