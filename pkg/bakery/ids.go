package bakery

import (
	"strings"
	"time"
)

// SlotID names a pickup slot by the instant it starts at, in UTC to the
// minute: "20261205T0915Z". Text order is time order, and the two 02:15 of an
// autumn night are two ids.
type SlotID string

const slotLayout = "20060102T1504Z"

// SlotAt is the id of the slot that starts at t.
func SlotAt(t time.Time) SlotID { return SlotID(t.UTC().Format(slotLayout)) }

// Start is the instant the slot starts at; ok is false for what is no slot id.
func (s SlotID) Start() (t time.Time, ok bool) {
	t, err := time.Parse(slotLayout, string(s))
	return t, err == nil && SlotAt(t) == s
}

// Code tells apart the orders of one slot: 10 characters of 0-9 and a-z
// without i, l, o, u, drawn from a keyed hash of who asked under which
// Idempotency-Key, so that a repeat names the order it repeats.
type Code string

// CodeLen is the length of a Code, in characters of 5 bits.
const CodeLen = 10

// OrderRef names an order: its slot's id, a dash and its code.
type OrderRef string

// Ref is the ref of an order of this slot.
func (s SlotID) Ref(c Code) OrderRef { return OrderRef(string(s) + "-" + string(c)) }

// Split takes a ref apart; ok is false for what is no order's ref.
func (r OrderRef) Split() (slot SlotID, code Code, ok bool) {
	a, b, ok := strings.Cut(string(r), "-")
	slot, code = SlotID(a), Code(b)
	if _, started := slot.Start(); !ok || !started || len(b) != CodeLen {
		return "", "", false
	}
	return slot, code, strings.Trim(b, "0123456789abcdefghjkmnpqrstvwxyz") == ""
}
