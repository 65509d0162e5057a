package sim

import (
	"fmt"
	"sort"
	"strings"
)

// Reach counts how often a run of histories came to each named state and saw
// each event, with what it took.
type Reach struct {
	Histories, Steps, Requests, Faults, Nested int
	States                                     map[State]int
	Events                                     map[string]int
}

// NewReach is a count of nothing.
func NewReach() *Reach { return &Reach{States: map[State]int{}, Events: map[string]int{}} }

// Add adds up.
func (r *Reach) Add(o *Reach) {
	r.Histories, r.Steps, r.Requests = r.Histories+o.Histories, r.Steps+o.Steps, r.Requests+o.Requests
	r.Faults, r.Nested = r.Faults+o.Faults, r.Nested+o.Nested
	for s, n := range o.States {
		r.States[s] += n
	}
	for e, n := range o.Events {
		r.Events[e] += n
	}
}

// String is the counts, one a line.
func (r *Reach) String() string {
	var lines []string
	for _, s := range States {
		lines = append(lines, fmt.Sprintf("  %-44s %8d", s, r.States[s]))
	}
	var events []string
	for e, n := range r.Events {
		events = append(events, fmt.Sprintf("  event %-38s %8d", e, n))
	}
	sort.Strings(events)
	return strings.Join(append(lines, events...), "\n")
}

// Summary is one line.
func (r *Reach) Summary() string {
	return fmt.Sprintf("%d histories, %d steps, %d requests (%d inside others), %d faults injected",
		r.Histories, r.Steps, r.Requests, r.Nested, r.Faults)
}

// Never are the named states and events that were not come to.
func (r *Reach) Never() (names []string) {
	for _, s := range States {
		if r.States[s] == 0 {
			names = append(names, string(s))
		}
	}
	for _, e := range EventTypes {
		if r.Events[e] == 0 {
			names = append(names, "event "+e)
		}
	}
	return names
}

// State names something that a history can come to.
type State string

// The named states. A test asserts that a fixed number of histories comes to
// each of them.
const (
	Admitted          State = "admitted"
	AdmittedAgain     State = "replayed admission"
	AdmittedNoSession State = "replayed admission too late for a session"
	DayTurned         State = "day turned"
	DayFull           State = "refused day-full"
	GuestsFull        State = "refused guest-share-full"
	DemoFull          State = "refused demo-full"
	SwitchedOff       State = "refused admissions-off"
	ReadOnly          State = "refused read-only"
	ReadOnlyCommand   State = "command refused read-only"
	KeyReused         State = "refused idempotency-key-reused"
	Ended             State = "refused sandbox-ended"
	PlacedAgain       State = "replayed order"
	SlotFull          State = "refused slot-full"
	HoldLost          State = "refused hold-lost"
	Retaken           State = "retaken"
	Lapsed            State = "hold ended unpaid"
	ReleasedLazily    State = "released lazily"
	Voided            State = "void"
	Ghost             State = "hold brought back by a late write"
	VoidReplaced      State = "order over a void"
	Revived           State = "revived"
	OverCapacity      State = "revived past the capacity"
	Duplicate         State = "payment duplicate"
	LatePayment       State = "payment late"
	PaidAgain         State = "replayed payment"
	AlarmFinished     State = "payment finished by the alarm"
	BelowTaken        State = "capacity below what is taken"
	AtTheEnd          State = "asked at the very instant of an end"
	Advanced          State = "clock advanced"
	AdvancedAgain     State = "replayed advance"
	TrafficRuns       State = "refused traffic-running"
	MinutesSpent      State = "refused traffic-minutes-spent"
	MinutesReturned   State = "minutes of traffic returned"
	SetAside          State = "set aside"
	Stalled           State = "hub stalled"
	CutShort          State = "run cut short by its deadline"
	WipedNow          State = "wiped by its visitor"
	WipedByOwnTimer   State = "wiped by its own timer"
	WipedByRow        State = "wiped by its row"
	SecondPassFound   State = "second pass found something"
	RowEnded          State = "row ended"
	Backstop          State = "backstop"
	RowExpired        State = "row past its ttl"
	Crashed           State = "fault: crash"
	FaultRefused      State = "fault: throttled"
	FaultLost         State = "fault: not applied, reply lost"
	FaultApplied      State = "fault: applied, reply lost"
	FaultLate         State = "fault: applied late"
	FaultConflict     State = "fault: conflict"
	FaultCreate       State = "fault: scheduler refused"
	EraseTorn         State = "fault: half an erase"
	AlarmDropped      State = "alarm dropped"
	AlarmDoubled      State = "alarm doubled"
	AlarmLate         State = "alarm late"
	AlarmEarly        State = "alarm early"
	AlarmAfterWipe    State = "alarm after the wipe"
	Preempted         State = "request run inside another"
	SweptOverslept    State = "sweep woke an overslept hub"
	Collected         State = "garbage one-shot collected"
	Reaped            State = "reaped by ttl"
)

// States are all of them, in the order they are printed.
var States = []State{
	Admitted, AdmittedAgain, AdmittedNoSession, DayTurned, DayFull, GuestsFull, DemoFull, SwitchedOff, ReadOnly, ReadOnlyCommand, KeyReused, Ended,
	PlacedAgain, SlotFull, HoldLost, Retaken, Lapsed, ReleasedLazily, Voided, Ghost, VoidReplaced, Revived, OverCapacity, Duplicate,
	LatePayment, PaidAgain, AlarmFinished, BelowTaken, AtTheEnd, Advanced, AdvancedAgain, TrafficRuns, MinutesSpent, MinutesReturned, SetAside, Stalled, CutShort,
	WipedNow, WipedByOwnTimer, WipedByRow, SecondPassFound, RowEnded, Backstop, RowExpired,
	Crashed, FaultRefused, FaultLost, FaultApplied, FaultLate, FaultConflict, FaultCreate, EraseTorn,
	AlarmDropped, AlarmDoubled, AlarmLate, AlarmEarly, AlarmAfterWipe, Preempted, SweptOverslept, Collected, Reaped,
}

// EventTypes are the types of events that a history can make happen.
var EventTypes = []string{
	"ClockAdvanced", "TrafficStarted", "TrafficStopped", "CapacityChanged", "HoldMade", "HoldRetaken", "HoldConfirmed", "HoldReleased", "OrderPlaced", "OrderPaid",
	"OrderExpired", "OrderCancelled", "OrderCollected", "OrderPaymentLate", "RefundRequested",
}
