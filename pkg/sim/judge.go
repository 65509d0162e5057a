package sim

import (
	"strings"
	"time"

	"pocbakery/pkg/hub"
	"pocbakery/pkg/store"
)

// change is what a commit did to an item.
type change struct {
	before, after store.Item
	now           time.Time // the wall clock of the one who wrote
}

func (c change) key() store.Key {
	if c.after.Exists() {
		return c.after.Key
	}
	return c.before.Key
}

// judge asks of every commit what must hold of it, as soon as it is applied.
func (w *World) judge(changes []change) {
	for _, c := range changes {
		if k := c.key(); k.SK == hub.RootSK && k.PK != string(hub.Control) && !c.before.Exists() && c.after.Exists() {
			w.born(c.after)
		}
	}
	w.judgeLending(changes)
	for _, c := range changes {
		k := c.key()
		if !c.before.Exists() && !c.after.Exists() { // a delete of what was not there
			continue
		}
		if k.SK == hub.RootSK {
			w.judgeRoot(c)
		}
		if k.PK == string(hub.Control) {
			w.judgeControl(c)
			continue
		}
		b := w.boxes[hub.ID(k.PK)]
		if b == nil {
			w.violated("wipes", "an item of a hub that was never born: %s", k.SK)
			continue
		}
		w.judgeItem(b, c)
		if root := w.root(b.id); !root.Exists || root.Over { // what a write in flight brings back is the next pass's
			continue
		}
		switch kindOf(k.SK) {
		case "slot":
			w.judgeSlot(b, c)
		case "order":
			w.judgeOrder(b, c)
		case "traffic":
			w.judgeTraffic(b, c)
		case "event":
			w.happened(b, moment(k.SK), eventTypeOf(c.after), slotOfEvent(c.after))
		}
	}
}

// judgeItem asks of an item of a sandbox what holds of all of them.
func (w *World) judgeItem(b *box, c change) {
	if !c.after.Exists() {
		return
	}
	if b.gone {
		w.violated("wipes", "%s of %s comes back after its row has ended", c.after.SK, w.name(b.id))
	}
	if got := c.after.Int(store.FieldTTL); got != b.ttl {
		w.violated("backstop", "%s carries the ttl %d, its sandbox's is %d", c.after.SK, got, b.ttl)
	}
	if c.after.Has(hub.FieldAside) && (c.after.Has(store.FieldDue) || c.after.Has(store.FieldWake)) {
		w.violated("set aside", "%s was set aside and keeps its end", c.after.SK)
	}
}

// judgeRoot asks of a root that its alarm was made before it is believed, and
// that its clock only grows.
func (w *World) judgeRoot(c change) {
	if a := c.after.Time("alarm_at"); !a.IsZero() && c.after.String("alarm_at") != c.before.String("alarm_at") &&
		!w.bell.made[made{c.after.PK, a.Unix()}] {
		w.violated("alarm", "alarm_at of %s says %s and no such one-shot was ever made", w.name(hub.ID(c.after.PK)), at(a))
	}
	if b := w.boxes[hub.ID(c.key().PK)]; b != nil && c.after.Exists() {
		offset := time.Duration(c.after.Int("offset_ms")) * time.Millisecond
		if offset < b.offset {
			w.violated("clocks", "the clock of %s goes back", w.name(b.id))
		}
		if offset != b.offset {
			b.offset, b.movedAt = offset, w.now
			b.blurred = b.blurred || len(w.stack) > 1
		}
	}
	if n := c.after.Int("stalls"); n > 0 {
		w.reached(Stalled)
	}
}

// born notes a birth.
func (w *World) born(root store.Item) {
	r := hub.RootOf(hub.ID(root.PK), root)
	b := &box{id: r.ID, born: r.BornAt, ends: r.EndsAt, wipeAt: r.WipeAt, ttl: r.TTL, effects: map[string]map[int64]bool{}, seen: map[string]bool{}, lives: map[string]bool{}, ghosts: map[string]bool{}}
	slots := w.hours.SlotsOf(w.hours.Today(r.BornAt).AddDays(3))
	b.pickups = append(b.pickups, slots[12:15]...)
	if w.boxes[r.ID] != nil {
		w.violated("wipes", "%s is born twice", r.ID)
	}
	w.boxes[r.ID] = b
	end := time.Date(r.BornAt.Year(), r.BornAt.Month(), r.BornAt.Day(), 10, 0, 0, 0, time.UTC)
	if !end.After(r.BornAt) {
		end = end.AddDate(0, 0, 1)
	}
	if !r.EndsAt.Equal(end) {
		w.violated("clocks", "born at %s it ends at %s", at(r.BornAt), at(r.EndsAt))
	}
	if want := (r.BornAt.Add(36 * time.Hour).Unix()); r.TTL < want || r.TTL > want+1 {
		w.violated("backstop", "born at %s its backstop is %s", at(r.BornAt), at(time.Unix(r.TTL, 0).UTC()))
	}
	if due := root.String(store.FieldDue); due != store.DueAt(store.Wall, r.WipeAt) || r.WipeAt.Before(end) || r.WipeAt.After(end.Add(4*time.Minute)) {
		w.violated("clocks", "its own timer is %q for an end at %s", due, at(end))
	}
}

// day is a count of what was admitted on a day.
func (w *World) dayOf(name string) *day {
	if w.counted[name] == nil {
		w.counted[name] = &day{}
	}
	return w.counted[name]
}

// judgeLending asks of an admission that all of it is one commit, and counted once.
func (w *World) judgeLending(changes []change) {
	var ledger, record, root, row *change
	for i := range changes {
		c := &changes[i]
		switch k := c.key(); {
		case k.PK != string(hub.Control) && k.SK == hub.RootSK && !c.before.Exists() && c.after.Exists():
			root = c
		case k.PK != string(hub.Control):
		case k.SK == "ledger":
			ledger = c
		case kindOf(k.SK) == "admitted":
			record = c
		case sandboxOf(k.SK) != "" && !c.before.Exists():
			row = c
		}
	}
	if record != nil && record.before.Exists() {
		w.violated("one key one sandbox", "the record of a key is written over")
	}
	if root == nil && record == nil && ledger == nil {
		return
	}
	if (root == nil) != (record == nil) || (root == nil) != (row == nil) || (root != nil && ledger == nil) {
		w.violated("ledger", "an admission is not one commit")
		return
	}
	l := ledger.after
	d := w.dayOf(l.String("day"))
	if was := ledger.before.String("day"); was != "" && was != l.String("day") {
		if was > l.String("day") {
			w.violated("ledger", "the ledger goes back to %s", l.String("day"))
		}
		w.reached(DayTurned)
	}
	if root != nil {
		d.used++
		switch root.after.String("kind") {
		case "guest":
			d.guests++
		case "demo":
			d.demo++
		}
		w.checkCaps(ledger, root.after.String("kind"))
	}
	if int(l.Int("used")) != d.used || int(l.Int("guests")) != d.guests || int(l.Int("demo")) != d.demo {
		w.violated("ledger", "on %s it counts %d, %d guests, %d demo; admitted were %d, %d, %d",
			l.String("day"), l.Int("used"), l.Int("guests"), l.Int("demo"), d.used, d.guests, d.demo)
	}
}

// checkCaps asks that the one just admitted was within what the operator says.
func (w *World) checkCaps(ledger *change, kind string) {
	l, s := ledger.after, settings()
	limit := func(name string, usual int) int64 {
		if l.Has(name) {
			return l.Int(name)
		}
		return int64(usual)
	}
	if l.Int("used") > limit("cap", s.Cap) || kind == "guest" && l.Int("guests") > limit("guest_share", s.GuestShare) ||
		kind == "demo" && l.Int("demo") > limit("demo_cap", s.DemoCap) {
		w.violated("ledger", "a %s is admitted above a cap: used %d, guests %d, demo %d", kind, l.Int("used"), l.Int("guests"), l.Int("demo"))
	}
	if f := l.String("flag"); f != "" && f != "on" {
		w.violated("ledger", "a %s is admitted while the switch is %s", kind, f)
	}
}

// judgeControl asks of the control hub's rows of sandboxes that they outlive
// their sandboxes, and end after them.
func (w *World) judgeControl(c change) {
	k := c.key()
	id := hub.ID(sandboxOf(k.SK))
	b := w.boxes[id]
	if id == "" || b == nil {
		if strings.HasPrefix(k.SK, "admitted#") && c.after.Exists() && !c.after.Has(store.FieldTTL) {
			w.violated("backstop", "an admission record without a ttl")
		}
		return
	}
	if c.after.Exists() {
		if got := c.after.Int(store.FieldTTL); got != b.ttl+48*60*60 {
			w.violated("backstop", "the row of %s carries the ttl %d", w.name(id), got)
		}
		if !c.after.Has(store.FieldDue) {
			w.violated("wipes", "the row of %s has no end", w.name(id))
		}
		return
	}
	if !c.before.Exists() {
		return
	}
	for _, i := range w.items(id) {
		if !i.ExpiredAt(c.now) {
			w.violated("wipes", "the row of %s ends while %s is still there", w.name(id), i.SK)
			return
		}
	}
	if left := w.bell.listed(string(id)); len(left) > 0 {
		w.violated("wipes", "the row of %s ends while a one-shot for %s is still there", w.name(id), at(left[0].At))
	}
	b.gone = true
	w.reached(RowEnded)
}

// judgeErase asks of an erasure that its hub is over and that somebody will
// come back for what a write in flight brings.
func (w *World) judgeErase(keys []store.Key) {
	for _, k := range keys {
		b := w.boxes[hub.ID(k.PK)]
		if b == nil {
			w.violated("wipes", "an item of no sandbox is erased: %s %s", k.PK, k.SK)
			return
		}
		if r := w.root(b.id); r.Exists && !r.Over {
			w.violated("wipes", "%s is erased while it is not over", w.name(b.id))
		}
	}
	if len(keys) == 0 {
		return
	}
	b := w.boxes[hub.ID(keys[0].PK)]
	row := w.item(store.Key{PK: string(hub.Control), SK: "sandbox#" + string(b.id)})
	if row.Exists() && !row.ExpiredAt(w.now) {
		_, due, _ := store.ParseDue(row.String(store.FieldDue))
		if due.After(w.now.Add(grace + maxSkew)) {
			w.violated("wipes", "%s is erased and its row is due at %s only", w.name(b.id), at(due))
		}
		if due.Before(w.now.Add(grace - maxSkew - longest)) {
			w.violated("wipes", "%s is erased and its row is due already at %s", w.name(b.id), at(due))
		}
	}
	if b.erased++; b.erased > 1 {
		w.reached(SecondPassFound)
	}
	switch r := w.current(); {
	case r.wide && b.erased == 1:
		w.reached(WipedByRow)
	case r.run && b.erased == 1:
		w.reached(WipedByOwnTimer)
	}
}
