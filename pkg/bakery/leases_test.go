package bakery_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pocbakery/pkg/bakery"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/refusal"
	"pocbakery/pkg/store"
	"pocbakery/pkg/store/faults"
)

var anything = store.Range{}

func TestCase17AHoldAcrossTheAutumnNightLasts15RealMinutes(t *testing.T) {
	hours := bakery.DefaultHours()
	for d := range hours.Open {
		hours.Open[d] = []bakery.Interval{{From: 0, To: 24 * time.Hour}}
	}
	s := openWith(t, "2026-10-24 22:00:00", hours)
	first, second := bakery.SlotID("20261025T0015Z"), bakery.SlotID("20261025T0115Z")
	s.Set(time.Date(2026, 10, 25, 0, 50, 0, 0, time.UTC)) // 02:50, ten minutes before it is 02:00 again
	o := s.placed(second, "k")
	same(t, o.HoldEnd.Sub(o.PlacedAt), 15*time.Minute, "the hold")
	v := s.slot(second)
	same(t, v.Local, "02:15", "the second 02:15")
	same(t, s.slot(first).Local, "02:15", "the first")
	s.Advance(15 * time.Minute)
	same(t, s.order(o.Ref()).State, bakery.Expired, "the order")
}

func TestAHoldThatHasEndedNeverKeepsACustomerOut(t *testing.T) {
	s := open(t, monday)
	for i := range 6 {
		s.placed(at1030, fmt.Sprint(i))
	}
	s.Set(s.Now().Add(15 * time.Minute)) // and no alarm
	for i := range 6 {
		s.placed(at1030, fmt.Sprint("next", i))
	}
	_, code := s.place(at1030, "seventh")
	same(t, code, "slot-full", "the seventh")
	s.run()
	same(t, s.counts(at1030), "6/0/0", "held/confirmed/free")
}

func TestAFullSlotNamesTheNextFreeOneAndWhenRoomAppears(t *testing.T) {
	s := open(t, monday)
	first := s.placed(at1015, "first")
	s.Set(s.Now().Add(time.Second))
	second := s.placed(at1015, "second")
	for i := range 4 {
		s.placed(at1015, fmt.Sprint(i))
	}
	for i := range 6 {
		s.placed(at1030, fmt.Sprint("other", i))
	}
	full := func() (bakery.Full, time.Duration) {
		_, _, err := s.shop.Place(t.Context(), s.who, "seventh", s.want(at1015))
		var r *refusal.Refusal
		if !errors.As(err, &r) || r.Code != refusal.SlotFull {
			t.Fatalf("not full: %v", err)
		}
		return r.More.(bakery.Full), r.RetryAfter
	}
	f, after := full()
	same(t, f.NextFree.ID, "20261130T0945Z", "the next free slot")
	same(t, f.EarliestHoldEnd, first.HoldEnd, "when room appears")
	same(t, after, first.HoldEnd.Sub(s.Now()), "when to come back")
	s.capacity(at1015, 5)
	f, _ = full()
	same(t, f.EarliestHoldEnd, second.HoldEnd, "when room appears, with one place less")
}

func TestAPlacementThatCrashedAfterItsHoldGoesOn(t *testing.T) {
	s := open(t, monday)
	for n := 2; n <= 4; n++ { // the order's write is lost with all its tries
		s.Faults.Next(faults.Commit, n, faults.Refused)
	}
	_, code := s.place(at1030, "k")
	same(t, code, "unavailable", "the first try")
	same(t, s.counts(at1030), "1/0/5", "its hold stands")
	s.Set(s.Now().Add(time.Minute))
	o := s.placed(at1030, "k")
	same(t, o.HoldEnd.Sub(s.Now()), 14*time.Minute, "the retry has the first try's hold")
	same(t, s.counts(at1030), "1/0/5", "held/confirmed/free")
}

func TestARetryAfterTheEndRetakesThePlaceOrSaysThatItIsLost(t *testing.T) {
	for _, released := range []bool{false, true} {
		t.Run(fmt.Sprint("run before the retry: ", released), func(t *testing.T) {
			s := open(t, monday)
			s.capacity(at1030, 1)
			for n := 2; n <= 4; n++ {
				s.Faults.Next(faults.Commit, n, faults.Refused)
			}
			s.place(at1030, "k")
			s.Set(s.Now().Add(15 * time.Minute))
			if released {
				s.run()
			}
			o := s.placed(at1030, "k")
			same(t, o.HoldEnd.Sub(s.Now()), 15*time.Minute, "the retaken hold")
			same(t, o.PlacedAt, s.Now(), "placed at")
			same(t, strings.Contains(s.events(o.Ref()), "HoldMade"), true, "the first life is told")
			same(t, strings.Contains(s.events(o.Ref()), "HoldRetaken"), true, "and the retake")

			s = open(t, monday)
			s.capacity(at1030, 1)
			for n := 2; n <= 4; n++ {
				s.Faults.Next(faults.Commit, n, faults.Refused)
			}
			s.place(at1030, "k")
			s.Set(s.Now().Add(15 * time.Minute))
			if released {
				s.run()
			}
			s.placed(at1030, "another")
			_, code := s.place(at1030, "k")
			same(t, code, "hold-lost", "when somebody has the place")
		})
	}
}

func TestOnlySuccessBindsAKey(t *testing.T) {
	s := open(t, monday)
	s.capacity(at1030, 0)
	_, code := s.place(at1030, "k")
	same(t, code, "slot-full", "no room")
	s.capacity(at1030, 1)
	s.placed(at1030, "k")
	other := s.want(at1030)
	other.Lines[0].Quantity = 3
	_, _, err := s.shop.Place(t.Context(), s.who, "k", other)
	same(t, s.code(err), "idempotency-key-reused", "another body")
}

func TestAnOrdersStoryIsToldInOrder(t *testing.T) {
	s := open(t, monday)
	o := s.placed(at1030, "k")
	s.Advance(time.Minute)
	s.pay(o, "p")
	s.Advance(time.Minute)
	if _, err := s.shop.Collect(t.Context(), s.who, o.Ref()); err != nil {
		t.Fatal(err)
	}
	const want = "HoldMade OrderPlaced OrderPaid HoldConfirmed OrderCollected"
	same(t, s.events(o.Ref()), want, "the feed")
	var types []string
	for _, e := range s.order(o.Ref()).History {
		types = append(types, string(e.Type))
	}
	same(t, strings.Join(types, " "), want, "the order's history")

	s.Advance(time.Minute)
	p := s.placed(at1030, "k2")
	s.Advance(15 * time.Minute)
	s.pay(p, "late")
	same(t, s.events(p.Ref()), "HoldMade OrderPlaced HoldReleased OrderExpired OrderPaymentLate RefundRequested", "the feed of one that lapsed")
}

func TestEveryTryOfAPlacementUnderFaultsEndsInOneOrder(t *testing.T) {
	for _, kind := range []faults.Kind{faults.Get, faults.Commit, faults.Due} {
		for _, fault := range []faults.Fault{faults.Refused, faults.Lost, faults.Applied, faults.Late, faults.Conflict} {
			for n := 1; n <= 4; n++ {
				s := open(t, monday)
				s.Faults.Next(kind, n, fault)
				o, code := s.place(at1030, "k")
				for range 3 {
					if code != "unavailable" {
						break
					}
					o, code = s.place(at1030, "k")
				}
				if code != "" && code != "replayed" {
					t.Fatalf("kind %d fault %d call %d: %s", kind, fault, n, code)
				}
				same(t, s.counts(at1030), "1/0/5", fmt.Sprintf("kind %d fault %d call %d", kind, fault, n))
				s.Set(o.HoldEnd)
				s.run()
				same(t, s.order(o.Ref()).State, bakery.Expired, "it ends")
			}
		}
	}
}

func TestEventsOfADateTellOfItsPickupsAlone(t *testing.T) {
	s := open(t, monday)
	s.placed(at1030, "today")
	s.placed("20261201T0930Z", "tomorrow")
	s.capacity("20261201T0945Z", 3)
	date, _ := bakery.ParseDate("2026-12-01")
	events, _, err := s.shop.Events(t.Context(), s.who, bakery.EventQuery{Date: date})
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, e := range events {
		told = append(told, string(e.Type))
	}
	same(t, strings.Join(told, " "), "CapacityChanged HoldMade OrderPlaced", "tomorrow's")
}

func TestEveryEventOfTheShopHasItsPlaceInTheOrderOfADecision(t *testing.T) {
	seen := map[string]bool{}
	for _, typ := range []hub.EventType{
		hub.SandboxBorn, hub.ClockAdvanced, bakery.HoldMade, bakery.HoldRetaken, bakery.HoldConfirmed, bakery.HoldReleased,
		bakery.OrderPlaced, bakery.OrderPaid, bakery.OrderExpired, bakery.OrderPaymentLate, bakery.RefundRequested,
		bakery.OrderCancelled, bakery.OrderCollected, bakery.CapacityChanged,
	} {
		id := hub.Event{Type: typ}.ID() // panics for one that has none
		same(t, seen[id], false, string(typ)+" shares its place")
		seen[id] = true
	}
}

func TestAReleaseIsToldOnceWhoeverTookThePlaceOutOfTheCount(t *testing.T) {
	s := open(t, monday)
	s.capacity(at1030, 1)
	a := s.placed(at1030, "a")
	s.Set(a.HoldEnd)
	s.placed(at1030, "b") // finds A's hold ended and takes the place
	same(t, strings.Count(s.events(a.Ref()), "HoldReleased"), 0, "releases told before A's order was asked")
	s.Set(s.Now().Add(time.Second))
	s.run()
	before := s.order(a.Ref()).History
	s.Set(s.Now().Add(time.Second))
	s.run()
	after := s.order(a.Ref()).History
	same(t, strings.Count(s.events(a.Ref()), "HoldReleased"), 1, "releases told after")
	same(t, after[len(after)-1].ID(), before[len(before)-1].ID(), "and under one id")
}
