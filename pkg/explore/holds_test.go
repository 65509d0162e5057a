package explore_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"pocbakery/pkg/alarm"
	"pocbakery/pkg/bakery"
	"pocbakery/pkg/explore"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/store"
)

// holdCast is a cast of one slot and its orders.
func holdCast(name string, faults explore.Faults, programs ...explore.Program) explore.Cast {
	return explore.Cast{
		Name: name, Items: []store.Write{shopRoot.Birth()},
		Waiting:  []alarm.Schedule{{Hub: string(shopHub), At: shopRoot.WipeAt}},
		Programs: programs, Instants: instants, Faults: faults, Budget: budget, Prompt: true,
		Always: holdsAlways, Final: holdsFinally(),
	}
}

// Budgets, in states. A cast that may be large is left out where time counts
// more.
const (
	budget = 100_000
	large  = 300_000
	vast   = 2_000_000
)

var (
	crash = explore.Faults{Crash: 1}
	lost  = explore.Faults{Lost: 1}
	late  = explore.Faults{Late: 1}
	calm  = explore.Faults{}
)

func TestEveryHoldEndsAndEveryPaidOrderHasItsPlace(t *testing.T) {
	exploreAll(t,
		atLength(holdCast("place, retry, run", crash, place("A", 1), place("A", 1), run(1))),
		holdCast("place, pay, run", crash, place("A", 1), pay("A", "first", 1), run(1)),
		holdCast("place A, place A, place B", crash, place("A", 0), place("A", 0), place("B", 0)),
		holdCast("place A, pay A, place B", crash, place("A", 1), pay("A", "first", 1), place("B", 1)),
		atLength(holdCast("place A, pay A, place B, run", crash, place("A", 1), pay("A", "first", 0), place("B", 0), run(0))),
		atLength(holdCast("place A, place A, pay A, run", crash, place("A", 0), place("A", 0), pay("A", "first", 0), run(0))),
		atLength(holdCast("place, pay, cancel, run", crash, place("A", 1), pay("A", "first", 1), cancel("A", 1), run(0))),
		holdCast("place, pay, pay, run", crash, place("A", 1), pay("A", "first", 1), pay("A", "first", 1), run(0)),
		holdCast("place, pay, pay again, run", crash, place("A", 0), pay("A", "first", 0), pay("A", "second", 0), run(0)),
		atLength(holdCast("place A, cancel A, place B, run", crash, place("A", 0), cancel("A", 0), place("B", 0), run(0))),
		holdCast("place, cancel, run", crash, place("A", 1), cancel("A", 1), run(1)),
		holdCast("place, pay, cancel", crash, place("A", 1), pay("A", "first", 1), cancel("A", 1)),
	)
}

func TestASlotOfTwoPlacesKeepsItsEarliestEnd(t *testing.T) {
	two := func(c explore.Cast) explore.Cast {
		c.Name, c.Items = c.Name+", two places", begun()
		return c
	}
	exploreAll(t,
		two(holdCast("place A, place A, place B", crash, place("A", 0), place("A", 0), place("B", 0))),
		two(atLength(holdCast("place A, place B, run", crash, place("A", 0), place("B", 0), run(0)))),
		two(holdCast("place A, pay A, place B", crash, place("A", 0), pay("A", "first", 0), place("B", 0))),
		two(atLength(holdCast("place A, pay A, place B, run", calm, place("A", 0), pay("A", "first", 0), place("B", 0), run(0)))),
		two(holdCast("place A, cancel A, place B", crash, place("A", 0), cancel("A", 0), place("B", 0))),
	)
}

func TestAChangeBesideAnEarlierHoldIsMadeAloneAndMissesNothing(t *testing.T) {
	exploreAll(t,
		beside(holdCast("place A, pay A, run", crash, place("A", 1), pay("A", "first", 1), run(1)), "B"),
		beside(holdCast("place A, pay A, cancel A", crash, place("A", 1), pay("A", "first", 1), cancel("A", 1)), "B"),
		beside(holdCast("place A, pay A, cancel A, a reply lost", lost, place("A", 0), pay("A", "first", 0), cancel("A", 0)), "B"),
		beside(atLength(holdCast("place A, pay A, pay B, run", calm, place("A", 0), pay("A", "first", 0), pay("B", "first", 0), run(0))), "B"),
		beside(atLength(holdCast("place A, pay A, cancel B, run", calm, place("A", 0), pay("A", "first", 0), cancel("B", 0), run(0))), "B"),
		beside(holdCast("pay A, cancel A, pay B", crash, pay("A", "first", 1), cancel("A", 1), pay("B", "first", 1)), "B", "A"),
		beside(atLength(holdCast("pay A, pay B, run", crash, pay("A", "first", 1), pay("B", "first", 1), run(1))), "B", "A"),
	)
}

// beside is a cast in which these keys hold places that end before all others.
func beside(c explore.Cast, keys ...string) explore.Cast {
	c.Name, c.Items = c.Name+", beside "+strings.Join(keys, " and "), begun(keys...)
	return c
}

// A change made alone is guarded by the hold's own text, not by the revision.
// So where the write that made a hold lands once more, after its order was paid
// and called off and before the payment's second step, that step cannot tell
// the hold from the one it read. Only this, and only here: it is said, until
// something tells the two apart.
func TestOnlyAHoldThatLandsAgainAfterItsCancellationIsTakenForTheFirst(t *testing.T) {
	c := beside(holdCast("place A, pay A, cancel A, a write late", late, place("A", 0), pay("A", "first", 0), cancel("A", 0)), "B")
	r := explore.Explore(c)
	switch t.Log(r); {
	case r.Violation == nil:
		t.Log("nothing is violated any more: this cast belongs among the others")
	case !strings.HasPrefix(r.Violation.Error(), "orphan: "):
		t.Errorf("violated: %v, by %q", r.Violation, r.Trail)
	default:
		t.Logf("known: %v", r.Violation)
	}
}

func TestACapacityThatIsRaisedLosesNoPlacement(t *testing.T) {
	exploreAll(t,
		holdCast("place A, place B, raise", calm, place("A", 0), place("B", 0), raise()),
		holdCast("place, pay, raise", calm, place("A", 0), pay("A", "first", 0), raise()),
		holdCast("place, raise, run", calm, place("A", 0), raise(), run(0)),
	)
}

func TestAProcessMayStandStillAtAnyPoint(t *testing.T) {
	still := func(c explore.Cast) explore.Cast {
		c.Prompt, c.Name = false, c.Name+", standing still"
		return c
	}
	exploreAll(t,
		still(holdCast("place, pay, run", crash, place("A", 1), pay("A", "first", 1), run(1))),
		still(holdCast("place A, pay A, place B", crash, place("A", 1), pay("A", "first", 1), place("B", 1))),
	)
}

func TestAReadOfSeveralItemsMaySeeThemAtDifferentTimes(t *testing.T) {
	for _, backwards := range []bool{false, true} {
		way := map[bool]string{false: ", read item by item", true: ", read backwards"}[backwards]
		one := func(p explore.Program) explore.Program { return torn(p, backwards) }
		exploreAll(t,
			holdCast("place, pay, run"+way, calm, one(place("A", 0)), one(pay("A", "first", 0)), one(run(0))),
			holdCast("place, pay, cancel"+way, crash, one(place("A", 0)), one(pay("A", "first", 0)), one(cancel("A", 0))),
			holdCast("place, cancel, run"+way, calm, one(place("A", 0)), one(cancel("A", 0)), one(run(0))),
			holdCast("place A, place A, place B"+way, calm, one(place("A", 0)), one(place("A", 0)), one(place("B", 0))),
		)
	}
}

func TestALostReplyNeitherLosesNorDoublesAPlace(t *testing.T) {
	exploreAll(t,
		holdCast("place, pay, run, a reply lost", lost, place("A", 0), pay("A", "first", 0), run(0)),
		atLength(holdCast("place A, place A, place B, a reply lost", lost, place("A", 0), place("A", 0), place("B", 0))),
		holdCast("place, pay, cancel, a reply lost", lost, place("A", 0), pay("A", "first", 0), cancel("A", 0)),
		holdCast("place, cancel, run, a reply lost", lost, place("A", 0), cancel("A", 0), run(0)),
		holdCast("place, pay, run, a write late", late, place("A", 0), pay("A", "first", 0), run(0)),
		holdCast("place A, pay A, place B, a write late", late, place("A", 0), pay("A", "first", 0), place("B", 0)),
		holdCast("place, pay, cancel, a write late", late, place("A", 0), pay("A", "first", 0), cancel("A", 0)),
		holdCast("place, cancel, run, a write late", late, place("A", 0), cancel("A", 0), run(0)),
	)
}

func TestHoldsEndByTheirOwnAlarm(t *testing.T) {
	exploreAll(t,
		atLength(holdCast("place, run, arming", crash, placeArmed("A", 1), runArmed(1))),
		atLength(holdCast("place, pay, run, arming", calm, placeArmed("A", 0), pay("A", "first", 0), runArmed(0))),
		atLength(holdCast("place A, place B, arming", crash, placeArmed("A", 0), placeArmed("B", 0))),
	)
}

// atLength gives a cast the budget it takes to be exhausted.
func atLength(c explore.Cast) explore.Cast {
	c.Budget = vast
	return c
}

// holdsAlways is what holds in every state, whatever is under way.
func holdsAlways(s explore.Scene) error {
	slot := slotOf(s)
	if over := slot.taken - slot.capacity - slot.revived(); slot.exists && over > 0 {
		return fmt.Errorf("over: %d taken of %d, with %d revived", slot.taken, slot.capacity, slot.revived())
	}
	var held, confirmed int
	var first, due int64
	for code, h := range slot.holds {
		switch h.State {
		case "h":
			held++
			first = earlier(first, h.End)
			due = earlier(due, h.End)
		case "r":
			due = earlier(due, h.End)
		case "c":
			confirmed++
		default:
			return fmt.Errorf("counted: the hold %s is %q", code, h.State)
		}
	}
	if held != slot.held || confirmed != slot.confirmed || held+confirmed != slot.taken {
		return fmt.Errorf("counted: %d held, %d confirmed; stored %d, %d, %d", held, confirmed, slot.held, slot.confirmed, slot.taken)
	}
	want := slotSeen{}
	if first != 0 {
		want.firstEnd = store.FormatInstant(hub.Millis(first))
	}
	if due != 0 {
		want.due, want.wake = store.DueAt(store.Business, hub.Millis(due)), store.FormatInstant(hub.Millis(due))
	}
	if slot.firstEnd != want.firstEnd || slot.due != want.due || slot.wake != want.wake {
		return fmt.Errorf("ends: first_end %q, due %q, wake %q; the holds say %q, %q, %q",
			slot.firstEnd, slot.due, slot.wake, want.firstEnd, want.due, want.wake)
	}
	for code, o := range ordersOf(s) {
		if o.payments["accepted"] > 1 {
			return fmt.Errorf("twice: the order %s has %d accepted payments", code, o.payments["accepted"])
		}
		if o.payments["late"]+o.payments["duplicate"] > o.refunds {
			return fmt.Errorf("refunded: the order %s has %v and %d refunds", code, o.payments, o.refunds)
		}
		ids, paid, expired := map[string]bool{}, false, false
		for _, e := range o.log {
			paid, expired = paid || e.Type == bakery.OrderPaid, expired || e.Type == bakery.OrderExpired
			if ids[e.ID()] {
				return fmt.Errorf("doubled: the order %s has two events %s", code, e.ID())
			}
			ids[e.ID()] = true
			if e.Type == bakery.OrderExpired && e.At.Before(o.holdEnd) {
				return fmt.Errorf("early: the order %s was to expire at %s and did at %s", code, o.holdEnd, e.At)
			}
		}
		if paid && expired {
			return fmt.Errorf("late: the order %s has expired and is paid", code)
		}
	}
	return nil
}

func earlier(t, end int64) int64 {
	if t == 0 {
		return end
	}
	return min(t, end)
}

// holdsFinally is what holds once a healthy run has come after every end.
func holdsFinally() func(explore.Scene, []string) error {
	settled := map[int32]error{} // by table: what the processes answered is judged as they do
	return func(s explore.Scene, _ []string) error {
		err, ok := settled[s.Number]
		if !ok {
			err = settle(s)
			settled[s.Number] = err
		}
		return err
	}
}

func settle(s explore.Scene) error {
	s, err := s.Alone(afterAll, func(ctx context.Context, w explore.World) error {
		engine, _ := open(w, 1)
		_, err := engine.Run(ctx, alarm.Schedule{Hub: string(shopHub)})
		return err
	})
	if err != nil {
		return fmt.Errorf("settled: a healthy run fails: %w", err)
	}
	if err := holdsAlways(s); err != nil {
		return fmt.Errorf("%w, after a healthy run", err)
	}
	slot, orders := slotOf(s), ordersOf(s)
	for code, h := range slot.holds {
		if h.State != "c" {
			return fmt.Errorf("ended: the hold %s outlives its end, %q", code, h.State)
		}
		if orders[code].state != "paid" {
			return fmt.Errorf("orphan: the place %s belongs to an order that is %q", code, orders[code].state)
		}
	}
	for code, o := range orders {
		if _, has := slot.holds[code]; o.state == "paid" && !has {
			return fmt.Errorf("paid: the order %s has no place", code)
		}
		if o.state == "placed" {
			return fmt.Errorf("stranded: the order %s waits for a payment, and nothing will ever end it", code)
		}
		if o.payments["accepted"] == 0 && o.state == "paid" {
			return fmt.Errorf("paid: the order %s is, without a payment", code)
		}
	}
	return nil
}
