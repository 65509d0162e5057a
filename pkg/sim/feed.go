package sim

import (
	"fmt"

	"pocbakery/pkg/bakery"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/refusal"
)

// look reads a slot and the feed as a visitor does, and holds both against
// what the table holds.
func (w *World) look() {
	v := w.someVisitor()
	if v == nil || len(w.stack) > 0 {
		return
	}
	b, k := w.boxes[v.id], w.worker()
	w.calmly(func() {
		slot, err := k.shop.Slot(quiet, v.who(), b.pickups[0])
		if refusal.Is(err, refusal.SandboxEnded) || refusal.Is(err, refusal.NoSuchSlot) {
			w.reached(Ended)
			return
		}
		w.answer(err)
		if i := w.item(slotKey(b.id, string(slot.ID))); i.Exists() {
			s := slotOf(i)
			if now := k.clock().Add(b.offset); int64(slot.Taken()) != s.openAt(now) || int64(slot.Free()) != max(0, s.capacity-s.openAt(now)) {
				w.violated("counts", "%s is shown with %d taken, %d free and has %d of %d", short(s.id), slot.Taken(), slot.Free(), s.openAt(now), s.capacity)
			}
		}
		w.checkFeed(b, k, false)
	})
}

// calmly lets nothing befall what it does.
func (w *World) calmly(do func()) {
	was := w.weather
	w.weather = weather{skewed: was.skewed, rule: was.rule, alarms: was.alarms, reap: was.reap}
	r := &request{worker: w.workers[0], began: w.now, crashAt: -1, cut: -1, lanes: map[string]*lane{}}
	w.stack = append(w.stack, r)
	defer func() {
		w.stack, w.weather = w.stack[:0], was
		if thrown := recover(); thrown != nil && thrown != (crash{}) {
			panic(thrown)
		}
	}()
	do()
}

// checkFeed reads the whole feed: ids grow, what was shown stays, and at rest
// every effect has its event, once.
func (w *World) checkFeed(b *box, k *worker, rest bool) {
	who := hub.Who{Hub: b.id, Role: hub.Baker}
	var told []string
	got, seen, last, after := map[string]int{}, map[string]bool{}, "", ""
	for {
		events, next, err := k.shop.Events(quiet, who, bakery.EventQuery{After: after, Limit: 100})
		if refusal.Is(err, refusal.SandboxEnded) {
			return
		}
		w.answer(err)
		for _, e := range events {
			if e.ID() <= last {
				w.violated("events", "the feed's ids do not grow: %s after %s", e.ID(), last)
			}
			last = e.ID()
			seen[last] = !b.ghosts[e.Ref]
			thing := e.Ref
			if thing == "" {
				thing = e.Slot
			}
			got[string(e.Type)+" "+thing]++
			if rest {
				told = append(told, fmt.Sprintf("  told: %s %s, decided %s", e.Type, thing, at(e.Wall)))
			}
		}
		if len(events) == 0 || err != nil {
			break
		}
		after = next
	}
	for id, stays := range b.seen {
		if _, there := seen[id]; stays && !there {
			w.violated("events", "the event %s was shown and is not there any more", id)
		}
	}
	b.seen = seen
	if !rest {
		return
	}
	delete(got, "SandboxBorn ")
	ok := w.wrong == nil
	defer func() {
		if ok && w.wrong != nil {
			w.story = append(w.story, told...)
		}
	}()
	for what, when := range b.effects {
		if n := len(when); got[what] != n {
			w.violated("events", "%s happened %d times and is told %d times", what, n, got[what])
		}
	}
	for what, n := range got {
		if len(b.effects[what]) == 0 {
			w.violated("events", "%s is told %d times and happened %d times", what, n, len(b.effects[what]))
		}
	}
}
