package sim

import (
	"context"
	"fmt"
	"time"

	"pocbakery/pkg/bakery"
	"pocbakery/pkg/sandbox"
)

var placeStates = map[string]State{"slot-full": SlotFull, "hold-lost": HoldLost, "idempotency-key-reused": KeyReused, "sandbox-ended": Ended, "read-only": ReadOnlyCommand}

// passing are answers that say nothing of what was asked for.
var passing = map[string]bool{"unavailable": true, "sandbox-ended": true, "read-only": true}

// place asks for an order, and holds the answer against what is known.
func (w *World) place(p *placement) {
	k, v, asked := w.worker(), p.visitor, p.want
	if w.dice.in(30) && asked.Note == "" {
		asked.Note = "another body"
	}
	w.tell("%s places %s at %s on worker %s", v.name, p.key, short(asked.Pickup), k.name)
	w.noticeEnds(p, k)
	had := p.answered // before this began
	var o bakery.OrderView
	var replayed bool
	r, lived, err := w.ask(k, false, func(ctx context.Context) (err error) {
		o, replayed, err = k.shop.Place(ctx, p.who, p.key, asked)
		return err
	})
	if !lived {
		return
	}
	code := w.answer(err)
	w.tell("-> %s %s", orYes(code), placedAs(o, code))
	if code != "" {
		w.reached(cmpState(placeStates, code))
		if had && asked.Note == "" && !passing[code] {
			w.violated("answered orders", "%s was answered an order, and repeating it is answered %s", p.key, code)
		}
		if (code == "slot-full" || code == "hold-lost") && r.clean() {
			w.checkFull(p, k)
		}
		return
	}
	if asked.Note != "" && had && p.want.Note == "" {
		w.violated("one key one order", "%s was answered with another body", p.key)
	}
	if asked.Note != "" { // the first body that was taken is the key's
		p.want = asked
	}
	w.checkAnswer(p, o, replayed)
}

func placedAs(o bakery.OrderView, code string) string {
	if code != "" {
		return ""
	}
	return fmt.Sprintf("%s, hold until %s", o.State, at(o.HoldEnd))
}

// checkAnswer holds an order that was answered against what was answered before.
func (w *World) checkAnswer(p *placement, o bakery.OrderView, replayed bool) {
	if replayed {
		w.reached(PlacedAgain)
	} else if o.HoldEnd.Sub(o.PlacedAt) != bakery.HoldFor {
		w.violated("holds", "%s is held from %s until %s", p.key, at(o.PlacedAt), at(o.HoldEnd))
	}
	if root := w.root(p.id); !root.Exists || root.Over { // wiped under the request
		return
	}
	if p.answered && (o.Ref() != p.order.Ref() || !o.PlacedAt.Equal(p.order.PlacedAt) || !o.HoldEnd.Equal(p.order.HoldEnd)) {
		w.violated("one key one order", "%s was answered %s placed %s, then %s placed %s",
			p.key, p.order.Ref(), at(p.order.PlacedAt), o.Ref(), at(o.PlacedAt))
	}
	p.answered, p.order = true, o.Order
	if !w.item(orderKey(p.id, o.Ref())).Exists() {
		w.violated("answered orders", "%s was answered an order that is not there", p.key)
	}
}

// pay pays for an order: rightly, again, under another key, or too little.
func (w *World) pay() {
	if p := w.somePlacement(); p != nil && p.answered {
		w.payFor(p)
	}
}

func (w *World) payFor(p *placement) {
	amount := bakery.Total(p.order.Lines)
	if w.dice.in(15) {
		amount.Amount--
	}
	n := p.payments
	if n > 0 && w.dice.in(2) {
		n--
	} else {
		p.payments++
	}
	key := fmt.Sprintf("pay%d", n)
	k := w.worker()
	w.tell("%s pays %d for %s under %s on worker %s", p.visitor.name, amount.Amount, p.key, key, k.name)
	w.noticeEnds(p, k)
	var got bakery.Payment
	var replayed bool
	_, lived, err := w.ask(k, false, func(ctx context.Context) (err error) {
		got, _, replayed, err = k.shop.Pay(ctx, p.who, p.order.Ref(), key, amount)
		return err
	})
	if !lived {
		return
	}
	code := w.answer(err)
	w.tell("-> %s %s", orYes(code), got.State)
	if code == "no-such-order" {
		w.violated("answered orders", "%s was answered an order that is not found", p.key)
	}
	if code != "" {
		return
	}
	if before := p.paidKeys[key]; before != "" && before != string(got.State) {
		w.violated("payments", "%s of %s was answered %s, then %s", key, p.key, before, got.State)
	}
	p.paidKeys[key] = string(got.State)
	if replayed {
		w.reached(PaidAgain)
	}
	if !w.root(p.id).Exists || w.root(p.id).Over {
		return
	}
	if o := orderOf(w.item(orderKey(p.id, p.order.Ref()))); o.payments[got.ID] != string(got.State) {
		w.violated("payments", "%s of %s was answered %s and the order has it as %q", key, p.key, got.State, o.payments[got.ID])
	}
}

// finish cancels or collects an order.
func (w *World) finish(verb string) {
	if p := w.somePlacement(); p != nil && p.answered {
		w.finishFor(p, verb)
	}
}

func (w *World) finishFor(p *placement, verb string) {
	k := w.worker()
	w.tell("%s %ss %s on worker %s", p.visitor.name, verb, p.key, k.name)
	var o bakery.OrderView
	_, lived, err := w.ask(k, false, func(ctx context.Context) (err error) {
		if verb == "cancel" {
			o, err = k.shop.Cancel(ctx, p.who, p.order.Ref())
		} else {
			o, err = k.shop.Collect(ctx, p.who, p.order.Ref())
		}
		return err
	})
	if lived {
		w.tell("-> %s %s", orYes(w.answer(err)), o.State)
	}
}

// capacity edits how many places a slot has.
func (w *World) capacity() {
	b := w.someBox()
	if b == nil {
		return
	}
	slot, n, k := b.pickups[0], w.dice.IntN(places+2), w.worker()
	w.tell("the capacity of %s in %s is set to %d on worker %s", short(slot), w.name(b.id), n, k.name)
	_, lived, err := w.ask(k, false, func(ctx context.Context) error {
		_, err := k.shop.SetCapacity(ctx, b.who(), slot, n, "")
		return err
	})
	if lived {
		w.tell("-> %s", orYes(w.answer(err)))
	}
}

// advance moves a sandbox's clock.
func (w *World) advance() {
	v := w.someVisitor()
	if v == nil {
		return
	}
	b := w.boxes[v.id]
	by := pick(w.dice, []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, 16 * time.Minute, time.Hour})
	if end, ok := w.earliest(b.id, false); ok && end.After(w.now) && w.dice.in(2) { // to the very end
		by = later(end, w.now.Add(time.Second)).Sub(w.now).Truncate(time.Second)
	}
	if w.dice.in(40) {
		by = 6 * 24 * time.Hour
	}
	key := ""
	if w.dice.in(3) {
		key = fmt.Sprintf("adv%d", w.dice.IntN(2))
		by = 5 * time.Minute
	}
	w.advanceBy(v, by, key)
}

func (w *World) advanceBy(v *visitor, by time.Duration, key string) {
	b, k := w.boxes[v.id], w.worker()
	w.tell("%s advances the clock by %s under %q on worker %s", v.name, by, key, k.name)
	var got sandbox.Advanced
	r, lived, err := w.ask(k, false, func(ctx context.Context) (err error) {
		got, err = k.boxes.Advance(ctx, v.who(), by, key)
		return err
	})
	if !lived {
		return
	}
	code := w.answer(err)
	w.tell("-> %s, %s ahead", orYes(code), got.Offset)
	if code != "" {
		return
	}
	w.reached(Advanced)
	if got.Replayed {
		w.reached(AdvancedAgain)
	}
	if r.clean() {
		w.checkAdvanced(b, got)
	}
}

// wipeNow ends a sandbox.
func (w *World) wipeNow() {
	v := w.someVisitor()
	if v == nil {
		return
	}
	k := w.worker()
	w.tell("%s wipes the sandbox on worker %s", v.name, k.name)
	r, lived, err := w.ask(k, false, func(ctx context.Context) error { return k.boxes.Wipe(ctx, v.who()) })
	if !lived {
		return
	}
	code := w.answer(err)
	w.tell("-> %s", orYes(code))
	if code == "" {
		w.reached(WipedNow)
		if left := w.items(v.id); r.clean() && len(left) > 0 {
			w.violated("wipes", "wipe now answered, and %d items are left, %s the first", len(left), left[0].SK)
		}
	}
}
