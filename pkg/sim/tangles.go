package sim

import (
	"fmt"
	"time"

	"pocbakery/pkg/alarm"
)

// Steps that lead to where chance alone seldom gets.

// placeHalf places an order, and dies when the hold is made or soon after.
// Often others come for the place before it is asked for again, or it is asked
// for under the run that ends it.
func (w *World) placeHalf() {
	if w.mode == Chaos && w.weather.crash > 0 && w.someVisitor() != nil {
		w.doomed = 2 + w.dice.IntN(4)
	}
	w.placeNew()
	if w.mode == Chaos && len(w.stack) == 0 {
		choose(w.dice, []choice{{1, w.rivals}, {1, w.tangle}, {1, func() {}}})()
	}
}

// payHalf pays, and dies when the payment is recorded or soon after.
func (w *World) payHalf() {
	if p := w.somePlacement(); w.mode == Chaos && w.weather.crash > 0 && p != nil && p.answered {
		w.doomed = 2 + w.dice.IntN(3)
		w.payFor(p)
	}
}

// rivals take what they can get of a slot in which somebody has half an order,
// who then asks again.
func (w *World) rivals() {
	for _, p := range w.orders[max(0, len(w.orders)-8):] {
		if p.answered || w.root(p.id).EndedAt(w.now) || !w.root(p.id).Exists {
			continue
		}
		if left := w.holdLeft(p); left > 0 && left < 20*time.Minute && len(w.stack) == 0 {
			if w.mode == Healthy || w.dice.in(2) {
				w.goOn(w.now.Add(left))
			} else { // and no alarm yet
				w.now = w.now.Add(left)
			}
		}
		for range places {
			w.made++
			o := &placement{visitor: p.visitor, id: p.id, who: p.who, key: fmt.Sprintf("k%d", w.made), want: w.want(p.want.Pickup), paidKeys: map[string]string{}}
			w.orders = append(w.orders, o)
			w.place(o)
		}
		w.place(p)
		return
	}
}

// holdLeft is how long it is to the first end of a hold in the slot of an order.
func (w *World) holdLeft(p *placement) (left time.Duration) {
	for _, h := range slotOf(w.item(slotKey(p.id, string(p.want.Pickup)))).holds {
		if l := h.end().Sub(w.now.Add(w.boxes[p.id].offset)); l > 0 && (left == 0 || l < left) {
			left = l
		}
	}
	return left
}

// tangle lets somebody with half an order ask again under a run that is about
// to end the hold, or under two of them, one inside the other.
func (w *World) tangle() {
	if w.mode == Healthy || len(w.stack) > 0 {
		return
	}
	for _, p := range w.orders[max(0, len(w.orders)-8):] {
		b := w.boxes[p.id]
		end, ok := w.earliestHold(p.id)
		if p.answered || p.visitor.id != p.id || !ok || end.Sub(w.now) > 20*time.Minute {
			continue
		}
		w.now = later(w.now, end) // and no alarm yet
		ring := alarm.Schedule{Hub: string(b.id), At: alarm.Ceil(w.now)}
		if w.dice.in(3) { // or asks again while the clock is moved past the new hold's end, too
			w.script = script{between: map[int]func(){3 + w.dice.IntN(3): func() { w.advanceBy(p.visitor, 16*time.Minute, "") }}}
			w.place(p)
			return
		}
		within := func(do func()) { w.script = script{between: map[int]func(){5 + w.dice.IntN(4): do}} }
		again := func() { w.place(p) }
		if w.dice.in(2) {
			inner := again
			again = func() { within(inner); w.fire(ring) }
		}
		within(again)
		w.fire(ring)
		return
	}
}

// lateHold places an order whose hold is written twice: by the try that
// succeeded, and by an earlier one that lands when the order is cancelled.
func (w *World) lateHold() {
	if w.mode == Healthy || len(w.stack) > 0 || w.someVisitor() == nil {
		return
	}
	w.script = script{faults: map[int]fault{1: late}}
	w.placeNew()
	w.script = script{}
	p := w.orders[len(w.orders)-1]
	if p.answered {
		w.finishFor(p, "cancel")
		w.goOn(w.now.Add(longest))
	}
}

// hasty wakes a hub a moment before an end, and lets the one-shot of that very
// end fire under the run that has just armed for it once more.
func (w *World) hasty() {
	b := w.someBox()
	if b == nil || len(w.stack) > 0 {
		return
	}
	end, ok := w.earliestHold(b.id)
	if !ok || end.Sub(w.now) > 20*time.Minute {
		return
	}
	w.goOn(end.Add(-time.Millisecond))
	w.script = script{between: map[int]func(){4 + w.dice.IntN(4): func() { w.pass(w.now.Add(2 * time.Second)) }}}
	w.fire(alarm.Schedule{Hub: string(b.id), At: alarm.Ceil(end)})
	w.script = script{}
	w.placeNew()
}
