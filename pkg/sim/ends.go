package sim

import (
	"time"

	"pocbakery/pkg/alarm"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/sandbox"
	"pocbakery/pkg/store"
)

// onTime bounds how late an end is honoured while the scheduler is healthy: a
// minute for the scheduler, one for a run that was put off, the same again for
// the run that comes then, and a little for clocks that are off.
const onTime = 4 * time.Minute

// end is an item's end, on the wall.
type end struct {
	sk   string
	wall time.Time
}

// endsOf are a hub's ends, as the items have them; those that cannot be
// settled are left out.
func (w *World) endsOf(id hub.ID) []end {
	root := w.root(id)
	var ends []end
	for _, i := range w.items(id) {
		c, when, ok := store.ParseDue(i.String(store.FieldDue))
		if !ok || i.ExpiredAt(w.now) || kindOf(i.SK) == poisonKind || (root.EndedAt(w.now.Add(maxSkew)) && i.SK != hub.RootSK) {
			continue
		}
		if c == store.Business {
			when = when.Add(-root.Offset)
		}
		ends = append(ends, end{i.SK, when})
	}
	return ends
}

// earliest is a hub's first end, on the wall; with future, the first that is
// still to come by every clock.
func (w *World) earliest(id hub.ID, future bool) (first time.Time, ok bool) {
	for _, e := range w.endsOf(id) {
		if (!future || e.wall.After(w.now.Add(maxSkew))) && (!ok || e.wall.Before(first)) {
			first, ok = e.wall, true
		}
	}
	return first, ok
}

// near is how close to an end alarm_at need not name it: a one-shot for it may
// have fired by somebody's clock, and is then not relied on.
const near = 5*time.Second + maxSkew

// armedNear reports whether a one-shot is about to fire: the run that it wakes
// sees to alarm_at.
func (w *World) armedNear(id hub.ID) bool {
	a := w.bell.armed(id)
	return !a.IsZero() && !a.After(alarm.Ceil(w.now.Add(near)))
}

// earliestHold is the first end to come of a sandbox's holds. The end of the
// sandbox itself has a one-shot from its birth on, whatever alarm_at says.
func (w *World) earliestHold(id hub.ID) (first time.Time, ok bool) {
	for _, e := range w.endsOf(id) {
		if e.sk != hub.RootSK && e.wall.After(w.now.Add(maxSkew)) && (!ok || e.wall.Before(first)) {
			first, ok = e.wall, true
		}
	}
	return first, ok
}

// overslept counts a hub's ends that have come by a clock.
func (w *World) overslept(id hub.ID, now time.Time) int {
	n := 0
	for _, e := range w.endsOf(id) {
		if !e.wall.After(now) {
			n++
		}
	}
	return n
}

// poisoned reports whether the hub has an item that cannot be settled.
func (w *World) poisoned(id hub.ID) bool {
	for _, i := range w.items(id) {
		if kindOf(i.SK) == poisonKind && i.Has(store.FieldDue) {
			return true
		}
	}
	return false
}

// checkHealthy asks, while the scheduler is healthy and nothing is under way,
// that every end is armed for and none is late.
func (w *World) checkHealthy() {
	ids := []hub.ID{hub.Control}
	for _, b := range w.sandboxes() {
		ids = append(ids, b.id)
	}
	for _, id := range ids {
		root := w.root(id)
		if id != hub.Control && (!root.Exists || root.Over) {
			continue
		}
		for _, e := range w.endsOf(id) {
			since := e.wall
			if b := w.boxes[id]; b != nil {
				since = later(since, b.movedAt)
			}
			if w.now.Sub(since) > onTime {
				w.violated("lateness", "%s of %s ended at %s and nothing came of it", e.sk, w.name(id), at(e.wall))
			}
		}
		first, ok := w.earliest(id, true)
		if !ok {
			continue
		}
		if a := w.bell.armed(id); a.IsZero() || a.After(alarm.Ceil(first)) {
			w.violated("armed", "%s has an end at %s and its first one-shot is for %s", w.name(id), at(first), at(a))
		}
		if id == hub.Control {
			continue
		}
		first, ok = w.earliestHold(id)
		empty := w.boxes[id].blurred || w.armedNear(id) // it may be
		if a := root.AlarmAt; ok && (a.After(alarm.Ceil(first)) || a.IsZero() && !empty) {
			w.violated("alarm", "%s has an end at %s and alarm_at is %s", w.name(id), at(first), at(a))
		}
	}
}

// checkRan asks of a run that nothing befell that all that was due is settled
// and the alarm is set for the next.
func (w *World) checkRan(id hub.ID, k *worker, ran hub.Ran, overdue int) {
	now := k.clock()
	root := w.root(id)
	if b := w.boxes[id]; b != nil && len(w.stack) == 0 {
		b.blurred = false
	}
	if ran.More || w.poisoned(id) || (id != hub.Control && (!root.Exists || root.EndedAt(w.now.Add(maxSkew)))) {
		return
	}
	if left := w.overslept(id, now); left > 0 {
		w.violated("runs", "a run of %s found %d ends due and leaves %d", w.name(id), overdue, left)
	}
	first, ok := w.earliest(id, false)
	ahead := !first.After(w.now.Add(near))
	if want := alarm.Ceil(first); ok && !ahead && !root.AlarmAt.Equal(want) {
		w.violated("alarm", "after a run of %s the first end is %s and alarm_at is %s", w.name(id), at(want), at(root.AlarmAt))
	}
}

// swept is what a sweep is to find.
type swept struct {
	hubs    map[hub.ID]bool // that have overslept for over a minute
	garbage []alarm.Schedule
	turns   map[string]string // the jobs' last
}

// sweepable is what there is to find for a sweep by this worker.
func (w *World) sweepable(k *worker) swept {
	s := swept{hubs: map[hub.ID]bool{}, turns: w.turns()}
	refs, err := w.table.Overdue(quiet, k.clock().Add(-time.Minute), 500)
	if err != nil {
		panic(err)
	}
	for _, r := range refs {
		if len(s.hubs) < 50 {
			s.hubs[hub.ID(r.PK)] = true
		}
	}
	for _, a := range w.bell.listed("") {
		if id := hub.ID(a.Hub); id != hub.Control && !w.root(id).Exists {
			s.garbage = append(s.garbage, a)
		}
	}
	return s
}

// turns are the last turns of the rule's jobs.
func (w *World) turns() map[string]string {
	turns := map[string]string{}
	for _, job := range []string{"liveness", "garbage"} {
		turns[job] = w.item(store.Key{PK: string(hub.Control), SK: "job#" + job}).String("ran")
	}
	return turns
}

// checkSwept asks of a sweep that nothing befell that no hub oversleeps any more.
func (w *World) checkSwept(k *worker, before swept) {
	turns := w.turns()
	if turns["liveness"] != before.turns["liveness"] {
		for id := range before.hubs {
			if id != hub.Control && !w.root(id).Exists {
				continue
			}
			w.reached(SweptOverslept)
			if left := w.overslept(id, k.clock()); left > 0 {
				w.violated("sweep", "%s overslept, the sweep came, and %d ends are left", w.name(id), left)
			}
		}
	}
	if turns["garbage"] != before.turns["garbage"] && len(before.garbage) > 0 {
		w.reached(Collected)
		for _, a := range before.garbage {
			if w.bell.set[a.Name()] != nil {
				w.violated("sweep", "the one-shot %s of a hub that is gone is left", a.Name())
			}
		}
	}
}

// openAt counts a slot's places that are not free at an instant.
func (s slotRow) openAt(now time.Time) (n int64) {
	for _, h := range s.holds {
		if h.State == "c" || (h.State == "h" && now.Before(h.end())) {
			n++
		}
	}
	return n
}

// noticeEnds notes a request that comes at the very instant of an end.
func (w *World) noticeEnds(p *placement, k *worker) {
	b := w.boxes[p.id]
	for _, h := range slotOf(w.item(slotKey(b.id, string(p.want.Pickup)))).holds {
		if h.State == "h" && h.end().Equal(k.clock().Add(b.offset)) {
			w.reached(AtTheEnd)
		}
	}
}

// checkFull asks of a refusal for want of room that there was none.
func (w *World) checkFull(p *placement, k *worker) {
	b := w.boxes[p.id]
	s := slotOf(w.item(slotKey(b.id, string(p.want.Pickup))))
	if now := k.clock().Add(b.offset); s.openAt(now) < s.capacity {
		w.violated("room", "%s is refused and %d of %d places of %s are taken", p.key, s.openAt(now), s.capacity, short(s.id))
	}
}

// checkAdvanced asks of an answer to an advance that whatever came due on the
// way was settled before it.
func (w *World) checkAdvanced(b *box, got sandbox.Advanced) {
	for _, e := range w.endsOf(b.id) {
		if kindOf(e.sk) == "slot" && !e.wall.After(got.Now.Wall) {
			w.violated("advance", "%s ended at %s, and the clock's advance was answered without it", e.sk, at(e.wall.Add(b.offset)))
		}
	}
}
