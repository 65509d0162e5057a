package sim

import (
	"fmt"
	"time"

	"pocbakery/pkg/store"
)

// business is the latest instant that a sandbox's business clock may show to
// anybody now.
func (w *World) business(b *box) time.Time { return w.now.Add(maxSkew + b.offset) }

// judgeSlot asks of a slot that its counts and ends are those of its holds, and
// of each hold that it went a way a hold may go.
func (w *World) judgeSlot(b *box, c change) {
	was, is := slotOf(c.before), slotOf(c.after)
	if !c.after.Exists() {
		w.violated("slots", "the slot %s is deleted", was.id)
		return
	}
	w.recount(is)
	taking := false
	for code, h := range is.holds {
		p, had := was.holds[code]
		if w.judgeHold(b, c.now, is, code, p, had, h) {
			taking = true
		}
	}
	if taking && is.taken > is.capacity {
		w.violated("capacity", "%s has %d of %d places taken by one that was not taken back", short(is.id), is.taken, is.capacity)
	}
	if is.taken > is.capacity && is.capacity < was.capacity {
		w.reached(BelowTaken)
	}
	for code, p := range was.holds {
		if _, kept := is.holds[code]; !kept {
			w.judgeDrop(b, c.now, is, code, p)
		}
	}
}

// recount holds a slot's counts and ends against its holds.
func (w *World) recount(s slotRow) {
	var held, confirmed int64
	var first, due time.Time
	earlier := func(t *time.Time, end time.Time) {
		if t.IsZero() || end.Before(*t) {
			*t = end
		}
	}
	for _, h := range s.holds {
		switch h.State {
		case "h":
			held++
			earlier(&first, h.end())
			earlier(&due, h.end())
		case "c":
			confirmed++
		case "r":
			earlier(&due, h.end())
		default:
			w.violated("counts", "a hold in state %q", h.State)
		}
	}
	if held != s.held || confirmed != s.confirmed || held+confirmed != s.taken {
		w.violated("counts", "%s counts held %d, confirmed %d, taken %d and has %d and %d", short(s.id), s.held, s.confirmed, s.taken, held, confirmed)
	}
	text, dueText := "", ""
	if !first.IsZero() {
		text = store.FormatInstant(first)
	}
	if !due.IsZero() {
		dueText = store.DueAt(store.Business, due)
	}
	if s.firstEnd != text {
		w.violated("first_end", "%s says %q and its earliest open hold ends at %q", short(s.id), s.firstEnd, text)
	}
	if s.due != dueText || (s.wake != "") != (s.due != "") {
		w.violated("due", "%s is due %q (wake %q) and should be due %q", short(s.id), s.due, s.wake, dueText)
	}
}

// judgeHold asks of one hold that it may be as it is after what it was; true
// for one that newly takes a place without having had it.
func (w *World) judgeHold(b *box, now time.Time, s slotRow, code string, p holdRow, had bool, h holdRow) bool {
	ref := string(s.id) + "-" + code
	switch {
	case h.State == "h" && had && p.State == "h" && p.Made == h.Made:
		if p.End != h.End {
			w.violated("holds", "the end of %s moves from %s to %s", code, at(p.end()), at(h.end()))
		}
	case h.State == "h":
		if h.End-h.Made != (15 * time.Minute).Milliseconds() {
			w.violated("holds", "%s is held for %d ms", code, h.End-h.Made)
		}
		if had && p.State == "c" {
			w.violated("holds", "%s loses its confirmed place", code)
		}
		if had && p.State == "h" { // ended, released and held again in one write
			w.released(b, now, ref, p)
		}
		if o := orderOf(w.item(orderKeyOf(b, s, code))); o.state != "" && o.state != "void" {
			// by a try that was overtaken: its order has come to its end, and it
			// will come to its own without a word
			b.lives[fmt.Sprint(ref, " ", h.Made)], b.ghosts[ref] = true, true
			return true
		}
		if h.Retaken {
			w.reached(Retaken)
			w.happened(b, now, "HoldRetaken", ref)
		} else {
			w.happened(b, now, "HoldMade", ref)
		}
		return true
	case h.State == "r" && had && p.State == "h":
		w.reached(ReleasedLazily)
		w.released(b, now, ref, p)
	case h.State == "r" && (!had || p.State != "r"):
		w.violated("holds", "%s is released from nothing", code)
	case h.State == "c" && (!had || p.State != "c"):
		w.judgeConfirm(b, now, s, code, p, had, h)
	}
	return false
}

// judgeConfirm asks of a place made sure that it was paid for, and is marked
// revived exactly if it had been given up.
func (w *World) judgeConfirm(b *box, now time.Time, s slotRow, code string, p holdRow, had bool, h holdRow) {
	ref := string(s.id) + "-" + code
	if o := orderOf(w.item(orderKeyOf(b, s, code))); !o.paid() {
		w.violated("confirm", "the place of %s is confirmed and its order is %q", code, o.state)
	}
	open := had && p.State == "h"
	if h.Revived == open {
		w.violated("confirm", "%s is marked revived: %v, and was held: %v", code, h.Revived, open)
	}
	if h.Revived {
		delete(b.lives, fmt.Sprint(ref, " ", h.Made)) // it can be given back once more
		w.reached(Revived)
		if s.taken > s.capacity {
			w.reached(OverCapacity)
		}
	}
	if !had {
		w.happened(b, now, "HoldMade", ref)
	}
	if len(w.stack) > 0 && w.current().run {
		w.reached(AlarmFinished)
	}
	w.happened(b, now, "HoldConfirmed", ref)
}

func orderKeyOf(b *box, s slotRow, code string) store.Key {
	return store.Key{PK: string(b.id), SK: "order#" + string(s.id) + "#" + code}
}

// released notes a release, and asks that it was time.
func (w *World) released(b *box, now time.Time, ref string, h holdRow) {
	if h.end().After(w.business(b)) {
		w.violated("ends", "%s is released at %s, before its end %s", ref, at(w.business(b)), at(h.end()))
	}
	w.ended(b, now, ref, h)
}

// ended notes that a hold's life is over. One that a late write brought back
// has ended before: it goes without a word.
func (w *World) ended(b *box, now time.Time, ref string, h holdRow) {
	life := fmt.Sprint(ref, " ", h.Made)
	if b.lives[life] {
		w.reached(Ghost)
		return
	}
	b.lives[life] = true
	w.happened(b, now, "HoldReleased", ref)
}

// judgeDrop asks of a hold that left its slot that its order was asked: one
// that stands keeps its place, one that has none has its void.
func (w *World) judgeDrop(b *box, now time.Time, s slotRow, code string, h holdRow) {
	ref := string(s.id) + "-" + code
	o := orderOf(w.item(orderKeyOf(b, s, code)))
	switch {
	case o.state == "cancelled":
	case h.State == "c":
		w.violated("places", "the confirmed place of %s is given up and its order is %q", code, o.state)
	case o.paid():
		w.violated("payments", "the place of %s is given up and its order is %s", code, o.state)
	case o.state == "expired":
	case o.state == "void" && !o.end.Before(h.end()):
	default:
		w.violated("ends", "the hold of %s is dropped and its order is %q, of the end %s", code, o.state, at(o.end))
	}
	switch {
	case h.State == "r":
	case o.state == "cancelled":
		w.ended(b, now, ref, h)
	default:
		w.reached(Lapsed)
		w.released(b, now, ref, h)
	}
}
