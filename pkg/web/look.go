package web

import (
	"net/http"
	"time"

	"pocbakery/pkg/bakery"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/refusal"
	"pocbakery/pkg/traffic"
)

// lookPage is every piece in its states.
type lookPage struct {
	Rings  []ringState
	Chips  []chipState
	Events []eventLine
	Cards  []cardState
	Ends   []endLine
	Runs   []runState
}

type ringState struct {
	Name string
	Ring *ring
}

type chipState struct {
	Name string
	Chip chip
}

type runState struct {
	Name string
	Run  *trafficPanel
}

type cardState struct {
	Name string
	Card *card
}

// look shows the pieces, or one of them.
func (s *Site) look(w http.ResponseWriter, r *http.Request) {
	now := s.Now()
	p := lookPage{Rings: s.ringStates(now), Chips: s.chipStates(now), Events: s.eventStates(now), Cards: s.cardStates(now), Ends: s.endStates(now), Runs: s.runStates(now)}
	switch r.PathValue("piece") {
	case "":
	case "ring":
		p = lookPage{Rings: p.Rings}
	case "slot-chip":
		p = lookPage{Chips: p.Chips}
	case "event-line":
		p = lookPage{Events: p.Events}
	case "refusal-card":
		p = lookPage{Cards: p.Cards}
	case "ends-board":
		p = lookPage{Ends: p.Ends}
	case "traffic-chart":
		p = lookPage{Runs: p.Runs}
	default:
		s.notFound(w, r)
		return
	}
	s.render(w, r, http.StatusOK, "look", frame{Title: "The pieces of these pages", At: "look", Body: p})
}

func (s *Site) ringStates(now time.Time) (states []ringState) {
	for _, c := range []struct {
		name string
		left time.Duration
	}{{"Just made", bakery.HoldFor}, {"Running", 9*time.Minute + 30*time.Second}, {"Almost over", 59 * time.Second}, {"Over", 0}} {
		states = append(states, ringState{c.name, s.ring(now.Add(c.left-bakery.HoldFor), now.Add(c.left), now)})
	}
	return states
}

func (s *Site) chipStates(now time.Time) (states []chipState) {
	start := now.Truncate(15 * time.Minute).Add(time.Hour)
	for _, c := range []struct {
		name                      string
		capacity, held, confirmed int
		next, checked             bool
	}{
		{name: "Untouched", capacity: 6},
		{name: "The next free one", capacity: 6, next: true},
		{name: "Chosen", capacity: 6, held: 1, confirmed: 2, checked: true},
		{name: "One held", capacity: 6, held: 1},
		{name: "Held and paid", capacity: 6, held: 2, confirmed: 3},
		{name: "Full, some held", capacity: 6, held: 2, confirmed: 4},
		{name: "Full, all paid", capacity: 6, confirmed: 6},
		{name: "Past its capacity", capacity: 6, confirmed: 7},
		{name: "No places", capacity: 0},
		{name: "200 places", capacity: 200},
		{name: "Many of 200 taken", capacity: 200, held: 43, confirmed: 121},
	} {
		chip := s.chip(bakery.SlotView{ID: bakery.SlotAt(start), StartsAt: start, Local: s.words.clock(start),
			Capacity: c.capacity, Held: c.held, Confirmed: c.confirmed})
		chip.Next, chip.Checked = c.next, c.checked
		states = append(states, chipState{c.name, chip})
		start = start.Add(15 * time.Minute)
	}
	return states
}

func (s *Site) eventStates(now time.Time) []eventLine {
	start := now.Truncate(15 * time.Minute).Add(time.Hour)
	price := bakery.Money{Amount: 9000, Currency: "SEK"}
	o := bakery.OrderView{Now: now, Order: bakery.Order{
		Slot:     bakery.SlotAt(start),
		Payments: []bakery.Payment{{ID: "p", Amount: price}},
		Refunds:  []bakery.Refund{{ID: "r", Payment: "p", Reason: bakery.RefundLate, Amount: price}},
		History: []bakery.Event{
			{Type: bakery.OrderPlaced}, {Type: bakery.HoldMade}, {Type: bakery.OrderPaid}, {Type: bakery.HoldConfirmed},
			{Type: bakery.HoldConfirmed, Revived: true}, {Type: bakery.HoldReleased, Reason: bakery.ReasonHoldExpired},
			{Type: bakery.OrderExpired}, {Type: bakery.HoldRetaken}, {Type: bakery.HoldReleased, Reason: bakery.ReasonCancelled},
			{Type: bakery.OrderCancelled}, {Type: bakery.OrderPaymentLate}, {Type: bakery.RefundRequested}, {Type: bakery.OrderCollected},
		},
	}}
	for i := range o.History {
		e := &o.History[i]
		e.At, e.Payment, e.Refund = now.Add(time.Duration(i-len(o.History))*2*time.Minute), "p", "r"
	}
	return s.story(o)
}

// endStates are loans in the order of their ends, in a copy whose clock is an
// hour ahead.
func (s *Site) endStates(now time.Time) []endLine {
	v := visit{root: hub.Root{Offset: time.Hour}, now: now, wall: now.Add(-time.Hour)}
	return []endLine{
		s.endLine(v, now.Add(-3*time.Second), "The hold on a place at 10:15, its alarm late", true),
		s.endLine(v, now.Add(40*time.Second), loanName("traffic"), false),
		s.endLine(v, now.Add(9*time.Minute+30*time.Second), "The hold on a place at 10:30", true),
		s.endLine(v, now.Add(20*time.Hour), loanName(hub.RootSK), false),
	}
}

func (s *Site) runStates(now time.Time) []runState {
	v := visit{now: now, wall: now}
	quiet := traffic.Traffic{Running: true, StartedAt: now, EndsAt: now.Add(10 * time.Minute), UsedToday: 10, Minutes: 10, Series: []traffic.Counts{{}}}
	few, busy := quiet, quiet
	few.Series = []traffic.Counts{{Placed: 1, Paid: 1}, {Refused: 1}, {Placed: 1, Abandoned: 1}}
	busy.Running, busy.Minutes, busy.UsedToday, busy.Series = false, 30, 30, nil
	for n := range 30 {
		placed := 30 - n
		busy.Series = append(busy.Series, traffic.Counts{Placed: placed, Paid: placed * 2 / 3, Abandoned: placed - placed*2/3, Refused: n})
	}
	return []runState{{"Just started, and nobody came", s.trafficPanel(quiet, v)}, {"One person a minute", s.trafficPanel(few, v)}, {"A busy half hour, over", s.trafficPanel(busy, v)}}
}

func (s *Site) cardStates(now time.Time) []cardState {
	start := now.Truncate(15 * time.Minute).Add(time.Hour)
	free := bakery.SlotView{ID: bakery.SlotAt(start.Add(15 * time.Minute)), StartsAt: start.Add(15 * time.Minute), Capacity: 6, Held: 2}
	pickup := bakery.SlotAt(start)
	placed := func(no *refusal.Refusal, held int) *card { return s.placeCard(no, pickup, held, now) }
	return []cardState{
		{"A full slot in which two orders are not paid", placed(refusal.New(refusal.SlotFull, "").With(
			bakery.Full{NextFree: &free, EarliestHoldEnd: now.Add(12*time.Minute + 30*time.Second)}), 2)},
		{"A full slot, all paid, and no other", placed(refusal.New(refusal.SlotFull, "").With(bakery.Full{}), 0)},
		{"A place that was given away", placed(refusal.New(refusal.HoldLost, "").With(bakery.Full{NextFree: &free}), 0)},
		{"A value out of bounds", s.card(refusal.At(refusal.Invalid, "lines", "Nothing is in the order yet. Choose how many you want of something on the menu."), now)},
		{"A full day", s.card(refusal.New(refusal.DayFull, "All 300 sandboxes of today are lent.").After(3*time.Hour), now)},
		{"A human check that was not done", s.card(refusal.New(refusal.TurnstileMissing, ""), now)},
		{"A switch with no known end", s.card(refusal.New(refusal.AdmissionsOff, ""), now)},
		{"A fault of ours", s.card(refusal.New(refusal.Internal, ""), now)},
	}
}
