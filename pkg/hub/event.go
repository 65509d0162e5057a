package hub

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// EventType names what happened, in the past tense.
type EventType string

// What happens to a hub itself. Packages on top of it add their own.
const (
	SandboxBorn   EventType = "SandboxBorn"
	ClockAdvanced EventType = "ClockAdvanced"
)

// Event is something that happened in a hub. It lives in the item it happened
// to, written by the write that made it true, so that none is lost or doubled.
type Event struct {
	Type EventType
	Wall time.Time // when it was decided, wall time; the first part of its id
	At   time.Time // the business instant it is about

	// What it is about, where the type has it.
	Slot    string
	Ref     string
	Payment string
	Refund  string
	SKU     string
	Reason  string
	Revived bool  // HoldConfirmed
	From    int64 // CapacityChanged
	To      int64 // CapacityChanged
	Seconds int64 // ClockAdvanced; TrafficStarted: for how long

	// What it is about in a planner.
	Task     string
	Block    string
	Calendar string
	Date     string // BriefingSent: the local date
	Moves    int64  // PlanChanged
	// Nth tells apart two of one type about one thing in one millisecond: the
	// revision, or the offset, they were decided on. 0 where there cannot be two.
	Nth int64
}

// order ranks what one decision makes happen, so that ids tell it in its order.
// Every type that is ever told has its place here, and keeps its letter: new
// ones go to the end.
var order = []EventType{
	SandboxBorn, ClockAdvanced, "CapacityChanged", "HoldMade", "HoldReleased", "HoldRetaken", "OrderPlaced",
	"OrderPaid", "HoldConfirmed", "OrderExpired", "OrderCancelled", "OrderPaymentLate", "OrderCollected", "RefundRequested",
	"TrafficStarted", "TrafficStopped",
	"TaskAdded", "TaskDone", "BlockOverrun", "PlanChanged", "CalendarSynced", "CalendarFailed", "WatchRenewed", "BriefingSent",
	"HubAsleep", "HubAwake",
}

// ID names the event: opaque, URL-safe, and in text order by the wall instant
// of the decision. The same event has the same id wherever it is read from.
func (e Event) ID() string {
	rank := slices.Index(order, e.Type)
	if rank < 0 {
		panic("hub: events of type " + string(e.Type) + " have no rank")
	}
	id := eventTime(e.Wall) + string(rune('a'+rank)) + "." + cmp.Or(e.Refund, e.Payment, e.Ref, e.Slot, e.SKU, e.Block, e.Task, e.Calendar, e.Date, "hub")
	if e.Nth != 0 {
		id += "." + strconv.FormatInt(e.Nth, 36)
	}
	return id
}

// lastMilli is the last millisecond that 9 characters of base 36 can write.
const lastMilli = 36*36*36*36*36*36*36*36*36 - 1

// eventTime is an instant in 9 characters of base 36 that sort as time: whole
// milliseconds, good until the year 5188.
func eventTime(t time.Time) string {
	s := strconv.FormatInt(min(max(t.UnixMilli(), 0), lastMilli), 36)
	return strings.Repeat("0", 9-len(s)) + s
}

// After is the place in the feed that a client names: the beginning (nothing),
// an event's id, or a wall instant, whose events it has all seen but those of
// that very millisecond. ok is false for what is none of them.
func After(s string) (place string, ok bool) {
	if s == "" || eventID.MatchString(s) {
		return s, true
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	return eventTime(t), err == nil
}

var eventID = regexp.MustCompile(`^[0-9a-z]{9}[a-z]\.[0-9A-Za-z._-]{1,96}$`)

// SortEvents puts events in the order of their ids and drops repeats.
func SortEvents(events []Event) []Event {
	slices.SortFunc(events, func(a, b Event) int { return strings.Compare(a.ID(), b.ID()) })
	return slices.CompactFunc(events, func(a, b Event) bool { return a.ID() == b.ID() })
}
