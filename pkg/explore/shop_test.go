package explore_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"time"

	"pocbakery/pkg/alarm"
	"pocbakery/pkg/bakery"
	"pocbakery/pkg/explore"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/refusal"
	"pocbakery/pkg/store"
)

// The shop all hold casts act in: one slot with one place, in a sandbox.
const (
	shopHub = hub.ID("shop")
	pickup  = bakery.SlotID("20261206T0915Z")
)

var (
	opening = time.Date(2026, 12, 5, 8, 0, 0, 0, time.UTC)
	// instants are those at which something can be different: a hold made at
	// the first ends at the second, one made then at the third.
	instants = []time.Time{opening, opening.Add(bakery.HoldFor), opening.Add(2 * bakery.HoldFor)}
	// afterAll is past the end of every hold.
	afterAll = opening.Add(4 * bakery.HoldFor)

	shopRoot = hub.Root{
		ID: shopHub, Exists: true, Kind: "guest", BornAt: opening.Add(-time.Hour), EndsAt: opening.Add(48 * time.Hour),
		WipeAt: opening.Add(48 * time.Hour), TTL: hub.BackstopTTL(opening.Add(24 * time.Hour)),
	}
	baker = hub.Who{Hub: shopHub, Role: hub.Customer}
)

// open builds the shop as the product is wired, over the world of a process.
func open(w explore.World, capacity int) (*hub.Engine, *bakery.Shop) {
	engine := hub.New(w.Table, w.Alarms, w.Clock, func(string, hub.ID, error) {})
	hours := bakery.DefaultHours()
	hours.Capacity = capacity
	return engine, bakery.NewShop(engine, hours, bakery.SeededMenu(), keyed)
}

func keyed(purpose string, parts ...string) [32]byte {
	return sha256.Sum256([]byte(purpose + "\x00" + strings.Join(parts, "\x00")))
}

func basket() bakery.Placement {
	return bakery.Placement{Pickup: pickup, Lines: []bakery.Wanted{{SKU: "cardamom-bun", Quantity: 2}}}
}

// begun is what the table holds after the slot was given two places and these
// keys were placed, a minute after each other and some before all else: so
// their holds end first, in this order.
func begun(keys ...string) []store.Write {
	var s explore.Scene
	do := func(minutes int, call func(context.Context, explore.World, *bakery.Shop) error) {
		now := opening.Add(time.Duration(minutes-5) * time.Minute)
		after, err := s.Alone(now, func(ctx context.Context, w explore.World) error {
			_, shop := open(quiet(w, rootItem(true)), 1)
			return call(ctx, w, shop)
		})
		if err != nil {
			panic(err)
		}
		s = after
	}
	do(0, func(ctx context.Context, w explore.World, shop *bakery.Shop) error {
		if err := w.Table.Commit(ctx, opening, shopRoot.Birth()); err != nil {
			return err
		}
		_, err := shop.SetCapacity(ctx, baker, pickup, 2, "")
		return err
	})
	for n, key := range keys {
		do(n, func(ctx context.Context, _ explore.World, shop *bakery.Shop) error {
			_, _, err := shop.Place(ctx, baker, key, basket())
			return err
		})
	}
	var writes []store.Write
	for _, i := range s.Items() {
		writes = append(writes, store.Put(i.Key, store.IfAbsent(), i.Fields))
	}
	return writes
}

var price = bakery.Money{Amount: 9000, Currency: "SEK"}

// refOf is the ref of the order that a key places, as the shop itself says.
func refOf(key string) bakery.OrderRef {
	var ref bakery.OrderRef
	c := explore.Cast{Items: []store.Write{shopRoot.Birth()}, Instants: instants[:1], Programs: []explore.Program{{
		Name: "place",
		Call: func(ctx context.Context, w explore.World) (string, error) {
			_, shop := open(w, 1)
			order, _, err := shop.Place(ctx, baker, key, basket())
			ref = order.Ref()
			return "", err
		},
	}}}
	explore.Explore(c)
	return ref
}

var refs = map[string]bakery.OrderRef{"A": refOf("A"), "B": refOf("B")}

// answerOf tells a refusal, which is an answer, from a failure.
func answerOf(answer string, err error) (string, error) {
	var no *refusal.Refusal
	if errors.As(err, &no) {
		return string(no.Code), nil
	}
	return answer, err
}

func place(key string, retries int) explore.Program {
	p := placeArmed(key, retries)
	call := p.Call
	p.Call = func(ctx context.Context, w explore.World) (string, error) { return call(ctx, quiet(w, rootItem(true))) }
	return p
}

// placeArmed is a placement that arms, as the product's does.
func placeArmed(key string, retries int) explore.Program {
	return explore.Program{
		Name: "place " + key, Retries: retries,
		Call: func(ctx context.Context, w explore.World) (string, error) {
			_, shop := open(w, 1)
			order, replayed, err := shop.Place(ctx, baker, key, basket())
			if replayed {
				return answerOf("replayed, "+string(order.State), err)
			}
			return answerOf("placed", err)
		},
		Watch: watch(key),
		Answered: func(s explore.Scene, answer string, seen uint8) error {
			order, stands := orderOf(s, key)
			switch {
			case answer == "placed", answer == "replayed, "+order.state && stands:
				return check(stands, "untrue: no order stands")
			case strings.HasPrefix(answer, "replayed"): // of a moment ago
				return check(stands, "untrue: no order stands")
			case answer == string(refusal.SlotFull), answer == string(refusal.HoldLost):
				return check(seen&wasFull != 0, "untrue: the slot was not full at any time since the first look at it")
			}
			return fmt.Errorf("untrue: nobody should hear that")
		},
	}
}

func pay(key, under string, retries int) explore.Program {
	return explore.Program{
		Name: "pay " + key, Retries: retries,
		Call: func(ctx context.Context, w explore.World) (string, error) {
			_, shop := open(w, 1)
			payment, _, _, err := shop.Pay(ctx, baker, refs[key], under, price)
			return answerOf(string(payment.State), err)
		},
		Watch: watch(key),
		Answered: func(s explore.Scene, answer string, seen uint8) error {
			order, stands := orderOf(s, key)
			switch answer {
			case string(bakery.PaymentAccepted), string(bakery.PaymentLate), string(bakery.PaymentDuplicate):
				return check(stands && order.payments[answer] > 0, "untrue: the order has no payment that is %s", answer)
			case string(refusal.NoSuchOrder):
				return check(seen&hadNoOrder != 0, "untrue: the order stood all the time")
			}
			return fmt.Errorf("untrue: nobody should hear that")
		},
	}
}

func cancel(key string, retries int) explore.Program {
	return explore.Program{
		Name: "cancel " + key, Retries: retries,
		Call: func(ctx context.Context, w explore.World) (string, error) {
			_, shop := open(w, 1)
			order, err := shop.Cancel(ctx, baker, refs[key])
			return answerOf(string(order.State), err)
		},
		Watch: watch(key),
		Answered: func(s explore.Scene, answer string, seen uint8) error {
			order, _ := orderOf(s, key)
			switch answer {
			case "cancelled":
				return check(order.state == "cancelled", "untrue: the order is %s", order.state)
			case string(refusal.OrderFinal):
				return check(order.state == "expired" || order.state == "collected", "untrue: the order is %s", order.state)
			case string(refusal.NoSuchOrder):
				return check(seen&hadNoOrder != 0, "untrue: the order stood all the time")
			}
			return fmt.Errorf("untrue: nobody should hear that")
		},
	}
}

// raise gives the slot two places.
func raise() explore.Program {
	return explore.Program{
		Name: "raise",
		Call: func(ctx context.Context, w explore.World) (string, error) {
			_, shop := open(w, 1)
			slot, err := shop.SetCapacity(ctx, baker, pickup, 2, "")
			return answerOf(fmt.Sprint(slot.Capacity), err)
		},
		Answered: func(s explore.Scene, answer string, _ uint8) error {
			return check(answer == "2" && slotOf(s).capacity == 2, "untrue: the slot has %d places", slotOf(s).capacity)
		},
	}
}

// run is the hub woken, whenever that is, by the one-shot of the first end.
func run(retries int) explore.Program {
	p := runArmed(retries)
	call := p.Call
	p.Call = func(ctx context.Context, w explore.World) (string, error) {
		return call(ctx, quiet(w, rootItem(false)))
	}
	return p
}

// runArmed is a run that arms for the next end, as the product's does.
func runArmed(retries int) explore.Program {
	return explore.Program{
		Name: "run", Retries: retries,
		Call: func(ctx context.Context, w explore.World) (string, error) {
			engine, _ := open(w, 1)
			_, err := engine.Run(ctx, alarm.Schedule{Hub: string(shopHub), At: instants[1]})
			return "ran", err
		},
		Answered: func(_ explore.Scene, answer string, _ uint8) error {
			// A hold made by a clock a whole hold's time behind has the very end
			// that was settled a moment ago. The run says so and comes again.
			again := strings.Contains(answer, "stands unchanged after its turn")
			return check(answer == "ran" || again, "untrue: a run that nothing disturbed failed")
		},
	}
}

func check(ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf(format, args...)
}

// What is to be seen on the way of a call.
const (
	wasFull = 1 << iota
	hadNoOrder
)

func watch(key string) func(explore.Scene, time.Time) uint8 {
	return func(s explore.Scene, since time.Time) (seen uint8) {
		if slot := slotOf(s); slot.takenAt(since) >= slot.capacity {
			seen |= wasFull
		}
		if state := s.Item(orderKey(key)).String("state"); state == "" || state == "void" {
			seen |= hadNoOrder
		}
		return seen
	}
}
