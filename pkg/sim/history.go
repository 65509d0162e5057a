package sim

import (
	"slices"
	"strings"
	"time"

	"pocbakery/pkg/hub"
	"pocbakery/pkg/store"
)

// Mode is which world a history is played in.
type Mode int

// The modes.
const (
	Chaos   Mode = iota // anything fails, and the sweep is on
	Healthy             // the scheduler is healthy, nobody dies, and the sweep is off
)

func (m Mode) String() string {
	if m == Healthy {
		return "healthy"
	}
	return "chaos"
}

// Play plays a history: its first word is the world, each other a step. It
// returns the first thing that did not hold, the story of what happened, and
// what it came to.
func Play(mode Mode, words []uint64) (story string, reach *Reach, err error) {
	if len(words) == 0 {
		return "", NewReach(), nil
	}
	w := begin(mode, words[0])
	w.Reach.Histories++
	w.admit(false)
	w.admit(true)
	for _, word := range words[1:] {
		w.dice = diceOf(word, uint64(mode)+1)
		w.Reach.Steps++
		if word%4 == 2 {
			w.someTime()
		} else {
			w.step()
		}
		w.atRest()
		if w.wrong != nil {
			break
		}
	}
	if w.wrong == nil {
		w.rest()
	}
	return strings.Join(w.story, "\n"), w.Reach, w.wrong
}

// Shortest drops steps from a history in which something does not hold, for as
// long as the same thing still does not.
func Shortest(mode Mode, words []uint64, wrong error) []uint64 {
	oracle, _, _ := strings.Cut(wrong.Error(), ":")
	words = slices.Clone(words)
	for size := len(words) / 2; size > 0; {
		dropped := false
		for from := len(words) - size; from >= 1; from -= size {
			shorter := slices.Delete(slices.Clone(words), from, from+size)
			if _, _, err := Play(mode, shorter); err != nil && strings.HasPrefix(err.Error(), oracle+":") {
				words, dropped = shorter, true
			}
		}
		if !dropped || size > 1 {
			size /= 2
		}
	}
	return words
}

// atRest asks what must hold whenever nothing is under way.
func (w *World) atRest() {
	if w.mode == Healthy && w.wrong == nil {
		w.checkHealthy()
	}
}

// step lets somebody do something.
func (w *World) step() {
	choose(w.dice, []choice{
		{30, w.visit},
		{3, w.operator},
		{2, w.look},
		{5, w.someTime},
		{1, w.poison},
		{1, func() { w.weather.rule = w.mode == Chaos && w.dice.in(2) }},
	})()
}

// visit lets a visitor do something.
func (w *World) visit() {
	choose(w.dice, []choice{
		{2, func() { w.admit(false) }},
		{2, func() { w.admit(true) }},
		{14, w.placeNew},
		{4, w.placeHalf},
		{2, w.payHalf},
		{3, w.rivals},
		{3, w.tangle},
		{1, w.lateHold},
		{3, w.hasty},
		{10, w.placeAgain},
		{14, w.pay},
		{4, func() { w.finish("cancel") }},
		{2, func() { w.finish("collect") }},
		{2, w.capacity},
		{4, w.advance},
		{1, w.wipeNow},
		{1, w.traffic},
	})()
}

// someTime lets time go by, often to the very instant of an end or to a
// millisecond before.
func (w *World) someTime() {
	d := w.dice
	choose(d, []choice{
		{8, func() { w.goOn(w.now.Add(time.Duration(1+d.IntN(40)) * time.Second)) }},
		{6, func() { w.goOn(w.now.Add(time.Duration(1+d.IntN(10)) * time.Minute)) }},
		{8, func() { w.toAnEnd(0) }},
		{2, func() { w.toAnEnd(-time.Millisecond) }},
		{4, func() { w.toAnEnd(time.Duration(d.IntN(70)) * time.Second) }},
		{2, func() { w.goOn(w.now.Add(time.Duration(d.IntN(120)) * time.Minute)) }},
		{1, func() { w.goOn(w.now.Truncate(24 * time.Hour).Add(24*time.Hour - time.Second)) }},
		{1, w.toTen},
		{1, w.outage},
	})()
}

// goOn lets time go by until an instant.
func (w *World) goOn(until time.Time) {
	w.pass(until)
	w.tell("it is %s", at(w.now))
}

// toAnEnd goes on to the next end of a sandbox, and a little off.
func (w *World) toAnEnd(off time.Duration) {
	b := w.someBox()
	if b == nil {
		return
	}
	if e, ok := w.earliest(b.id, true); ok && e.Sub(w.now) < 20*time.Minute {
		w.goOn(later(e.Add(off), w.now))
	}
}

// toTen goes on to about the instant at which sandboxes end.
func (w *World) toTen() {
	ten := w.now.Truncate(24 * time.Hour).Add(10 * time.Hour)
	if !ten.After(w.now) {
		ten = ten.Add(24 * time.Hour)
	}
	w.goOn(ten.Add(time.Duration(w.dice.IntN(600)-300) * time.Second))
}

// outage is a long time in which no one-shot fires and no rule turns.
func (w *World) outage() {
	if w.mode == Healthy || !w.dice.in(3) {
		return
	}
	w.weather.outage = true
	w.tell("an outage begins")
	w.pass(w.now.Add(time.Duration(pick(w.dice, []int{1, 20, 37, 40, 85, 90})) * time.Hour))
	w.weather.outage = false
	w.tell("the outage ends")
	for _, b := range w.sandboxes() {
		row := w.item(store.Key{PK: string(hub.Control), SK: "sandbox#" + string(b.id)})
		if !b.gone && (!row.Exists() || row.ExpiredAt(w.now)) {
			w.reached(RowExpired)
		}
	}
}

// rest lets everything come to its end: first whatever is held, then all that
// was lent.
func (w *World) rest() {
	w.weather.rough, w.weather.crash, w.weather.meddle = 0, 0, 0
	w.weather.rule = w.mode == Chaos
	w.tell("the weather clears")
	w.pass(w.now.Add(40 * time.Minute))
	w.atRest()
	for _, b := range w.sandboxes() {
		w.checkRest(b)
	}
	if w.wrong != nil {
		return
	}
	w.pass(w.now.Add(26 * time.Hour))
	w.atRest()
	for _, b := range w.sandboxes() {
		w.checkGone(b)
	}
}

// checkRest asks of a sandbox that stands, when every hold has had its end,
// that nothing is left open, that paid orders have their places, and that all
// that happened is told.
func (w *World) checkRest(b *box) {
	root := w.root(b.id)
	if !root.Exists || root.EndedAt(w.now.Add(-maxSkew)) {
		return
	}
	if n := w.overslept(b.id, w.now.Add(-onTime)); n > 0 && w.mode == Healthy {
		w.violated("lateness", "%s is at rest and %d ends are left", w.name(b.id), n)
	}
	for _, i := range w.items(b.id) {
		if kindOf(i.SK) != "order" {
			continue
		}
		o := orderOf(i)
		h := slotOf(w.item(slotKey(b.id, o.slot))).holds[o.code]
		if o.paid() && h.State != "c" && !o.end.After(w.now.Add(b.offset-20*time.Minute)) {
			w.violated("payments", "%s is %s and its place is %q", o.code, o.state, h.State)
		}
		if o.state == "placed" && !o.end.After(w.now.Add(b.offset-20*time.Minute)) {
			w.violated("ends", "%s is still placed, its end was %s", o.code, at(o.end))
		}
	}
	for _, p := range w.orders {
		if p.id == b.id && p.answered && orderOf(w.item(orderKey(b.id, p.order.Ref()))).state == "" {
			w.violated("answered orders", "%s was answered and is not there", p.key)
		}
	}
	w.calmly(func() { w.checkFeed(b, w.workers[0], true) })
}

// checkGone asks of a sandbox whose end is long over that nothing is left.
func (w *World) checkGone(b *box) {
	for _, i := range w.items(b.id) {
		if !i.ExpiredAt(w.now) {
			w.violated("wipes", "%s of %s is left, which ended at %s", i.SK, w.name(b.id), at(b.ends))
			return
		}
	}
	if left := w.bell.listed(string(b.id)); len(left) > 0 {
		w.violated("wipes", "the one-shot %s is left of %s", left[0].Name(), w.name(b.id))
	}
	row := w.item(store.Key{PK: string(hub.Control), SK: "sandbox#" + string(b.id)})
	if row.Exists() && !row.ExpiredAt(w.now) {
		w.violated("wipes", "the row of %s is left, due %s", w.name(b.id), row.String(store.FieldDue))
	}
}
