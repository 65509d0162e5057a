package bakery

import (
	"strings"
	"time"

	"pocbakery/pkg/hub"
	"pocbakery/pkg/store"
)

// Names of a slot's fields. first_end is exactly the end of the earliest open
// hold; due is that, or the end of a released hold whose order has not been
// asked yet, whichever is earlier.
const (
	slotPrefix     = "slot#"
	fieldCapacity  = "capacity"
	fieldTaken     = "taken" // held + confirmed
	fieldHeld      = "held"  // holds not released, ended or not
	fieldConfirmed = "confirmed"
	fieldFirstEnd  = "first_end"
	holdPrefix     = "h_"
)

func slotSK(id SlotID) string { return slotPrefix + string(id) }

// decodeSlot reads a slot, its holds and all. A slot never touched has the
// shop's usual capacity.
func decodeSlot(id SlotID, i store.Item, usual int) (Slot, error) {
	s := Slot{ID: id, Rev: i.Rev, Capacity: usual, Holds: make(map[Code]Hold)}
	for name, v := range i.Fields {
		switch name {
		case fieldCapacity:
			s.Capacity = int(i.Int(name))
		case hub.FieldTries, hub.FieldAside: // a write of the slot is a fresh start
		case fieldTaken, fieldHeld, fieldConfirmed, fieldFirstEnd, store.FieldDue, store.FieldWake, store.FieldTTL, store.FieldV, store.FieldBy:
		default:
			code, ok := strings.CutPrefix(name, holdPrefix)
			if !ok {
				if s.unknown == nil {
					s.unknown = store.Fields{}
				}
				s.unknown[name] = v
				continue
			}
			h, err := decodeHold(Code(code), i.String(name))
			if err != nil {
				return Slot{}, err
			}
			s.Holds[h.Code] = h
		}
	}
	return s, nil
}

// write puts the slot whole, by its revision, with its counts and ends
// computed anew.
func (s Slot) write(root hub.Root) store.Write {
	f := make(store.Fields, len(s.Holds)+len(s.unknown)+10)
	for name, v := range s.unknown {
		f[name] = v
	}
	var held, confirmed int64
	var first, due time.Time
	earlier := func(t *time.Time, end time.Time) {
		if t.IsZero() || end.Before(*t) {
			*t = end
		}
	}
	for _, h := range s.Holds {
		f[holdPrefix+string(h.Code)] = h.encode()
		switch h.State {
		case Confirmed:
			confirmed++
		case Held:
			held++
			earlier(&first, h.End)
			earlier(&due, h.End)
		case Released:
			earlier(&due, h.End)
		}
	}
	f[fieldCapacity], f[fieldHeld], f[fieldConfirmed], f[fieldTaken] = int64(s.Capacity), held, confirmed, held+confirmed
	if !first.IsZero() {
		f[fieldFirstEnd] = store.FormatInstant(first)
	}
	if !due.IsZero() {
		f[store.FieldDue], f[store.FieldWake] = store.DueAt(store.Business, due), root.Wake(due)
	}
	guard := store.IfAbsent()
	if s.Rev > 0 {
		guard = store.IfRev(s.Rev)
	}
	return store.Put(root.Key(slotSK(s.ID)), guard, f)
}

// alone writes a change of one hold, which is dropped where after is nil,
// guarded by the hold as it was read and not by the revision: so that many pay
// at once for one slot without making each other fail. ok is false for a hold
// whose end is the slot's first, or that was released: those ends are computed
// anew, by the revision.
func (s Slot) alone(root hub.Root, i store.Item, before Hold, after *Hold) (w store.Write, ok bool) {
	field := holdPrefix + string(before.Code)
	guard := store.If(store.Eq(field, i.String(field)))
	w = store.Write{Op: store.OpUpdate, Key: root.Key(slotSK(s.ID)), Add: map[string]int64{}}
	switch end := store.FormatInstant(before.End); {
	case before.State == Held && i.String(fieldFirstEnd) < end:
		guard = guard.And(store.Lt(fieldFirstEnd, end))
		w.Add[fieldHeld] = -1
	case before.State == Confirmed:
		w.Add[fieldConfirmed] = -1
	default:
		return w, false
	}
	w.Guard = guard
	if after == nil {
		w.Remove, w.Add[fieldTaken] = []string{field}, -1
		return w, true
	}
	w.Set = store.Fields{field: after.encode()}
	w.Add[fieldConfirmed]++
	return w, true
}

// moment is an instant of business time, also as the table writes it.
type moment struct {
	now  time.Time
	text string
}

func momentOf(now time.Time) moment { return moment{now, store.FormatInstant(now)} }

// counts reads how many places are held and confirmed without reading the
// holds one by one; ok is false where one has ended since the last write.
func counts(i store.Item, at moment) (held, confirmed int, ok bool) {
	if first := i.String(fieldFirstEnd); first != "" && first <= at.text {
		return 0, 0, false
	}
	return int(i.Int(fieldHeld)), int(i.Int(fieldConfirmed)), true
}

// isFull reports whether a slot has no room, where its counts tell.
func isFull(i store.Item, at moment) (full, ok bool) {
	held, confirmed, ok := counts(i, at)
	return int64(held+confirmed) >= i.Int(fieldCapacity), ok
}

// viewSlot is a slot as a visitor sees it.
func (s *Shop) viewSlot(id SlotID, i store.Item, at moment) (SlotView, error) {
	start, _ := id.unix()
	v := SlotView{ID: id, StartsAt: time.Unix(start, 0).UTC(), Local: s.hours.Local(id), Capacity: s.hours.Capacity, Rev: i.Rev}
	if !i.Exists() {
		return v, nil
	}
	v.Capacity = int(i.Int(fieldCapacity))
	var ok bool
	if v.Held, v.Confirmed, ok = counts(i, at); ok {
		return v, nil
	}
	slot, err := decodeSlot(id, i, s.hours.Capacity)
	v.Held, v.Confirmed = slot.TakenAt(at.now)
	return v, err
}
