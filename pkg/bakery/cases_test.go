package bakery_test

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"pocbakery/pkg/alarm"
	"pocbakery/pkg/bakery"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/store/faults"
)

// Reports from the field, retold: P(K) places under key K, T is the hold's
// timer, $ a payment, W the wipe. The numbers are those of the collection.

const (
	monday = "2026-11-30 09:00:00" // 10:00 in the shop
	at1015 = bakery.SlotID("20261130T0915Z")
	at1030 = bakery.SlotID("20261130T0930Z")
)

func alarmFor(id hub.ID) alarm.Schedule { return alarm.Schedule{Hub: string(id)} }

func TestCase01TenAtOnceForTheLastPlaceAreOneYesAndNineNo(t *testing.T) {
	s := open(t, monday)
	for i := range 5 {
		s.placed(at1030, fmt.Sprint("early", i))
	}
	var yes, full atomic.Int32
	together(10, func(i int) {
		switch _, code := s.place(at1030, fmt.Sprint("k", i)); code {
		case "":
			yes.Add(1)
		case "slot-full":
			full.Add(1)
		}
	})
	same(t, yes.Load(), 1, "placed")
	same(t, full.Load(), 9, "refused as full")
	same(t, s.counts(at1030), "6/0/0", "held/confirmed/free")
}

func TestCase02AnAcceptedPaymentTakesItsPlaceBackPastTheCapacity(t *testing.T) {
	s := open(t, monday)
	a := s.placed(at1030, "a")
	for i := range 5 {
		s.pay(s.placed(at1030, fmt.Sprint("full", i)), "p")
	}
	s.Set(s.Now().Add(15 * time.Minute)) // T has not come
	b := s.placed(at1030, "b")           // releases A in the same write
	together(2, func(i int) { s.pay([]bakery.OrderView{a, b}[i], "p") })
	same(t, s.counts(at1030), "0/7/0", "held/confirmed/free")
	same(t, s.order(a.Ref()).Revived, true, "A revived")
	same(t, s.order(b.Ref()).Revived, false, "B revived")
	s.run()
	same(t, s.counts(at1030), "0/7/0", "after the run")
	same(t, s.counts("20261130T0945Z"), "0/0/6", "the next slot")
}

func TestCase03AKeyOfACancelledOrderReplaysItAndTakesNoPlace(t *testing.T) {
	s := open(t, monday)
	a := s.placed(at1030, "k")
	s.cancel(a)
	s.placed(at1030, "k2")
	again, code := s.place(at1030, "k")
	same(t, code, "replayed", "the repeat")
	same(t, again.State, bakery.Cancelled, "its state")
	same(t, s.counts(at1030), "1/0/5", "held/confirmed/free")
}

func TestCase04ARepeatIsNotRefusedBecauseOfItsOwnHold(t *testing.T) {
	s := open(t, monday)
	for i := range 6 {
		s.placed(at1030, fmt.Sprint(i))
	}
	_, code := s.place(at1030, "3")
	same(t, code, "replayed", "the repeat")
}

func TestCase05PaymentAndTimerRacedPaidAlwaysWins(t *testing.T) {
	s := open(t, monday)
	for i := range 1000 {
		key := fmt.Sprint(i)
		o := s.placed(at1030, key)
		s.Set(s.Now().Add(15*time.Minute - time.Millisecond))
		var p bakery.Payment
		together(2, func(n int) {
			if n == 0 {
				p = s.pay(o, key)
			} else {
				s.Set(o.HoldEnd)
				s.run()
			}
		})
		s.run()
		v := s.order(o.Ref())
		if accepted := p.State == bakery.PaymentAccepted; accepted != (v.State == bakery.Paid) {
			t.Fatalf("round %d: payment %s, order %s", i, p.State, v.State)
		}
		want := "0/1/5"
		if v.State != bakery.Paid {
			want = "0/0/6"
		}
		same(t, s.counts(at1030), want, "held/confirmed/free")
		if v.State == bakery.Paid {
			s.cancel(v)
		}
		s.Set(s.root.BornAt)
	}
}

func TestCase06PaymentsOfACancelledOrderAreRefundedAndReviveNothing(t *testing.T) {
	s := open(t, monday)
	o := s.placed(at1030, "k")
	s.cancel(o)
	same(t, s.pay(o, "p1").State, bakery.PaymentLate, "the first")
	same(t, s.pay(o, "p2").State, bakery.PaymentLate, "the second")
	v := s.order(o.Ref())
	same(t, len(v.Refunds), 2, "refunds")
	same(t, v.Revived, false, "revived")
	same(t, s.counts(at1030), "0/0/6", "held/confirmed/free")
}

func TestCase07APaymentRecordedBeforeACrashIsConfirmedByTheTimer(t *testing.T) {
	s := open(t, monday)
	o := s.placed(at1030, "k")
	// The commits to come: the payment's, then the confirmation's, which is lost
	// with all its tries.
	for n := 2; n <= 4; n++ {
		s.Faults.Next(faults.Commit, n, faults.Refused)
	}
	same(t, s.pay(o, "p").State, bakery.PaymentAccepted, "the payment")
	same(t, s.counts(at1030), "1/0/5", "before T")
	s.Advance(15 * time.Minute)
	same(t, s.counts(at1030), "0/1/5", "after T")
	same(t, s.order(o.Ref()).Revived, false, "revived")
}

func TestCase08RepeatsDoNotMoveTheEnd(t *testing.T) {
	s := open(t, monday)
	o := s.placed(at1030, "k")
	for range 14 {
		s.Advance(time.Minute)
		again, code := s.place(at1030, "k")
		same(t, code, "replayed", "the repeat")
		same(t, again.HoldEnd, o.HoldEnd, "the end")
	}
}

func TestCase09TwoPaymentsOfOneOrderAreOneAcceptedAndOneDuplicate(t *testing.T) {
	s := open(t, monday)
	o := s.placed(at1030, "k")
	same(t, s.pay(o, "p1").State, bakery.PaymentAccepted, "the first")
	same(t, s.pay(o, "p2").State, bakery.PaymentDuplicate, "the second")
	same(t, s.pay(o, "p1").State, bakery.PaymentAccepted, "the first, repeated")
	v := s.order(o.Ref())
	same(t, len(v.Payments), 2, "payments")
	same(t, len(v.Refunds), 1, "refunds")
	same(t, v.Refunds[0].Reason, bakery.RefundDuplicate, "the reason")
}

func TestCase10ACapacityBelowWhatIsTakenTakesNobodysPlace(t *testing.T) {
	s := open(t, monday)
	for i := range 4 {
		s.pay(s.placed(at1030, fmt.Sprint("paid", i)), "p")
	}
	a, b := s.placed(at1030, "a"), s.placed(at1030, "b")
	s.capacity(at1030, 3)
	same(t, s.counts(at1030), "2/4/0", "after the edit")
	s.pay(a, "p")
	same(t, s.order(a.Ref()).Revived, false, "revived")
	s.Advance(15 * time.Minute)
	same(t, s.counts(at1030), "0/5/0", "after T")
	same(t, s.order(b.Ref()).State, bakery.Expired, "the unpaid one")
}

func TestCase11ADoubledTimerAndACancelGiveOnePlaceBack(t *testing.T) {
	s := open(t, monday)
	s.placed(at1030, "other")
	s.Set(s.Now().Add(time.Minute))
	o := s.placed(at1030, "k")
	s.Set(o.HoldEnd)
	s.run()
	s.run()
	_, err := s.shop.Cancel(t.Context(), s.who, o.Ref())
	same(t, s.code(err), "order-final", "cancelling what has expired")
	same(t, s.counts(at1030), "0/0/6", "held/confirmed/free")

	p := s.placed(at1030, "p")
	s.cancel(p)
	s.cancel(p)
	s.run()
	same(t, s.counts(at1030), "0/0/6", "held/confirmed/free")
}

func TestCase12AHoldWhoseSchedulerCallFailedStillEnds(t *testing.T) {
	s := open(t, monday)
	s.Alarms.Fail = errors.New("the scheduler is down")
	o := s.placed(at1030, "k")
	same(t, fmt.Sprint(s.Reports()), "[arm_failed]", "reports")
	s.Set(o.HoldEnd.Add(time.Minute))
	same(t, s.counts(at1030), "0/0/6", "the ended hold counts nowhere")
	s.placed(at1030, "next") // the next one to arm finds it
	same(t, s.order(o.Ref()).State, bakery.Expired, "the order")
}

func TestCase13AConflictAcrossTheHoldsEndIsDecidedAtAFreshInstant(t *testing.T) {
	s := open(t, monday)
	s.capacity(at1030, 1)
	o := s.placed(at1030, "k")
	s.Set(o.HoldEnd.Add(-time.Millisecond))
	s.Faults.Next(faults.Commit, 1, faults.Conflict)
	moved := false
	s.Faults.Set(faults.Config{Latency: func() { // the clock moves while the first try is on its way
		if !moved {
			moved = true
			return
		}
		s.Set(o.HoldEnd)
	}})
	p := s.pay(o, "p")
	same(t, p.State, bakery.PaymentAccepted, "the payment: the order still stood placed")
	same(t, p.At, o.HoldEnd, "decided at the fresh instant")
}

func TestCase14NoRowOfAWipedSandboxComesBack(t *testing.T) {
	s := open(t, "2026-11-30 09:50:00")
	s.placed("20261130T1030Z", "k")
	s.Advance(10 * time.Minute) // W
	_, code := s.place("20261130T1030Z", "late")
	same(t, code, "sandbox-ended", "placing after the end")
	s.Advance(10 * time.Minute) // T
	same(t, s.Mem.Snapshot(), wiped(s), "what the table holds")
	left, _ := s.Alarms.List(t.Context(), string(s.who.Hub))
	same(t, len(left), 0, "schedules")
}

// wiped is what a table holds whose only sandbox is gone.
func wiped(s *street) string {
	items, _ := s.Mem.List(s.T.Context(), time.Time{}, string(s.who.Hub), anything)
	if len(items.Items) > 0 {
		return "no item of the sandbox"
	}
	return s.Mem.Snapshot()
}

func TestCase15ARowPastItsTTLIsGoneThoughTheTableKeepsIt(t *testing.T) {
	s := open(t, "2026-11-30 10:00:00") // the longest life: ends in 24 hours
	s.placed("20261201T0900Z", "k")
	s.Set(s.root.BornAt.Add(36*time.Hour - time.Second))
	items, err := s.Engine.Store().Get(t.Context(), s.Now(), s.root.Key("root"))
	if err != nil || !items[0].Exists() {
		t.Fatalf("a second before its ttl the row is there: %v", err)
	}
	s.Set(s.root.BornAt.Add(36 * time.Hour))
	items, _ = s.Engine.Store().Get(t.Context(), s.Now(), s.root.Key("root"))
	same(t, items[0].Exists(), false, "at its ttl it is there")
	raw, _ := s.Mem.Get(t.Context(), time.Time{}, s.root.Key("root"))
	same(t, raw[0].Int("ttl"), s.root.BornAt.Unix()+36*3600, "its ttl, in seconds")
}

func TestCase16AnEndThatIsPastWhenItIsArmedRunsAtOnce(t *testing.T) {
	s := open(t, monday)
	o := s.placed(at1030, "k")
	s.Set(o.HoldEnd.Add(30 * time.Minute)) // the alarm was lost long ago
	s.Engine.Arm(t.Context(), s.who.Hub, 'b', o.HoldEnd)
	same(t, s.order(o.Ref()).State, bakery.Expired, "the order")
	same(t, len(s.Reports()), 0, "reports")
}

func TestCase18AtExactlyHeldUntilEveryPartAgrees(t *testing.T) {
	s := open(t, monday)
	o := s.placed(at1030, "k")
	for _, at := range []struct {
		now    time.Time
		counts string
		left   int64
	}{{o.HoldEnd.Add(-time.Millisecond), "1/0/5", 1}, {o.HoldEnd, "0/0/6", 0}} {
		s.Set(at.now)
		same(t, s.counts(at1030), at.counts, "held/confirmed/free at "+at.now.String())
		left, ok := s.order(o.Ref()).SecondsLeft()
		same(t, left, at.left, "seconds left")
		same(t, ok, true, "it reads as placed until its expiry has run")
	}
	s.run()
	same(t, s.order(o.Ref()).State, bakery.Expired, "after the run")
	same(t, s.pay(o, "p").State, bakery.PaymentLate, "a payment then")
}

func TestTwoHundredPaymentsAtOnceForOneSlotAllHaveTheirPlace(t *testing.T) {
	s := open(t, monday)
	s.capacity(at1030, 200)
	orders := make([]bakery.OrderView, 200)
	for i := range orders {
		s.Set(s.Now().Add(10 * time.Millisecond))
		orders[i] = s.placed(at1030, fmt.Sprint(i))
	}
	s.Meter.Reset()
	together(len(orders), func(i int) { s.pay(orders[i], "p") })
	same(t, s.counts(at1030), "0/200/0", "held/confirmed/free")
	same(t, len(s.Reports()), 0, "left to the alarm")
	if writes := s.Meter.Snapshot()["update"].Requests + s.Meter.Snapshot()["put"].Requests; writes > int64(3*len(orders)) {
		t.Errorf("%d writes for %d payments", writes, len(orders))
	}
	together(100, func(i int) { s.cancel(orders[i]) })
	same(t, s.counts(at1030), "0/100/100", "held/confirmed/free after a hundred cancel")
	s.Advance(20 * time.Minute)
	same(t, s.counts(at1030), "0/100/100", "and after every hold's end")
}

func TestAConfirmationThatFailsIsNotToldAsDone(t *testing.T) {
	s := open(t, monday)
	o := s.placed(at1030, "k")
	for n := 2; n <= 4; n++ {
		s.Faults.Next(faults.Commit, n, faults.Refused)
	}
	_, v, _, err := s.shop.Pay(t.Context(), s.who, o.Ref(), "p", bakery.Total(o.Lines))
	if err != nil {
		t.Fatal(err)
	}
	same(t, v.History[len(v.History)-1].Type, bakery.OrderPaid, "the last that is told")
	if _, err := s.shop.Collect(t.Context(), s.who, o.Ref()); err != nil {
		t.Fatal(err)
	}
	same(t, s.counts(at1030), "0/1/5", "handing it over makes its place sure")
}
