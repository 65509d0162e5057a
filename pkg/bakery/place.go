package bakery

import (
	"context"
	"fmt"
	"time"

	"pocbakery/pkg/hub"
	"pocbakery/pkg/refusal"
	"pocbakery/pkg/store"
)

// Place holds a place and writes the order, or replays what the key placed
// before. Two writes on two items, in this order: the hold in the slot, then
// the order where there is none. A crash between leaves a hold without an
// order, which ends like any other, and a repeat under the key goes on where
// the first try stopped.
func (s *Shop) Place(ctx context.Context, who hub.Who, key string, p Placement) (order OrderView, replayed bool, err error) {
	if err := p.check(); err != nil {
		return OrderView{}, false, err
	}
	if _, ok := p.Pickup.Start(); !ok {
		return OrderView{}, false, noSuchSlot()
	}
	a := placing{
		Shop: s, who: who, want: p, fingerprint: p.fingerprint(),
		code: Code(short(s.mac("order", string(who.Hub), string(p.Pickup), key))),
	}
	err = again(ctx, func() (err error) {
		order, replayed, err = a.try(ctx)
		return err
	})
	return order, replayed, err
}

// placing is one placement on its way, over all its tries.
type placing struct {
	*Shop
	who         hub.Who
	want        Placement
	code        Code
	fingerprint string
}

// try is one try: the order is asked first, then the slot decides, then the
// order is written.
func (a *placing) try(ctx context.Context) (OrderView, bool, error) {
	view, err := a.engine.OpenToChange(ctx, a.who, slotSK(a.want.Pickup), orderSK(a.want.Pickup, a.code), menuSK)
	if err != nil {
		return OrderView{}, false, err
	}
	slot := view.Items[0]
	before, err := decodeOrder(a.want.Pickup, a.code, view.Items[1])
	if err != nil {
		return OrderView{}, false, err
	}
	if before.stands() {
		return a.replay(view, before, slot)
	}
	lines, err := a.price(view.Items[2])
	if err != nil {
		return OrderView{}, false, err
	}
	if before.isVoid() && before.Fingerprint != a.fingerprint {
		return OrderView{}, false, keyReused()
	}
	if err := a.bounded(view); err != nil {
		return OrderView{}, false, err
	}
	hold, view, err := a.hold(ctx, view, slot, before)
	if err != nil {
		return OrderView{}, false, err
	}
	o := Order{
		Slot: a.want.Pickup, Code: a.code, State: Placed, Lines: lines, Name: a.want.Name, Note: a.want.Note,
		PlacedAt: hold.Made, HoldEnd: hold.End, Fingerprint: a.fingerprint, History: before.History,
	}
	o.note(OrderPlaced, view.Now)
	guard := store.IfAbsent()
	if hold.Retaken || before.isVoid() { // a hold made before its void was seen is not marked retaken
		guard = voidBefore(hold.End).OrAbsent()
	}
	err = a.engine.Commit(ctx, view.Root, view.Now, o.put(view.Root, guard))
	if failed := store.FailedGuard(err); failed != nil {
		return a.overtaken(view, failed.Items[0])
	}
	if err != nil {
		return OrderView{}, false, err
	}
	a.engine.Arm(ctx, a.who.Hub, store.Business, hold.End)
	a.counted(ctx, view)
	o.record(hold.Events(o.Slot)...)
	a.tell(ctx, view, o.History)
	return OrderView{Order: o, Now: view.Now.Business}, false, nil
}

// overtaken is what another try under the same key, or the hold's end, left in
// the order's place while this one was writing.
func (a *placing) overtaken(view hub.View, stood store.Item) (OrderView, bool, error) {
	o, err := decodeOrder(a.want.Pickup, a.code, stood)
	if err != nil {
		return OrderView{}, false, err
	}
	if !o.stands() {
		return OrderView{}, false, errAgain
	}
	return a.replay(view, o, store.Item{})
}

func (a *placing) replay(view hub.View, o storedOrder, slot store.Item) (OrderView, bool, error) {
	if o.Fingerprint != a.fingerprint {
		return OrderView{}, false, keyReused()
	}
	v, err := viewOrder(o.Order, slot, view.Now.Business)
	return v, true, err
}

func keyReused() error {
	return refusal.New(refusal.KeyReused, "This Idempotency-Key was used before with another body.")
}

// price prices the lines by the menu as the hub has it.
func (a *placing) price(overlay store.Item) ([]Line, error) {
	lines, no := menuOf(a.menu, overlay).Price(a.want.Lines)
	if no == nil {
		return lines, nil
	}
	field := fmt.Sprintf("lines[%d].sku", no.Line)
	if no.SoldOut {
		return nil, refusal.At(refusal.SoldOut, field, fmt.Sprintf("%q is sold out.", no.SKU))
	}
	return nil, unknownSKU(field, no.SKU)
}

// hold gets the place: the one this key holds already, or a new one. It
// returns the view at the instant of its last decision.
func (a *placing) hold(ctx context.Context, view hub.View, slot store.Item, before storedOrder) (Hold, hub.View, error) {
	for range maxTries {
		d, err := a.decide(view, slot, before.isVoid())
		switch {
		case err != nil:
			return Hold{}, view, err
		case d.ended != nil && (!before.isVoid() || before.HoldEnd.Before(d.ended.End)):
			return Hold{}, view, a.bury(ctx, view, before, *d.ended)
		case d.full != nil:
			return Hold{}, view, a.refuse(ctx, view, *d.full)
		case d.write == nil:
			return d.hold, view, nil
		}
		err = a.engine.Commit(ctx, view.Root, view.Now, *d.write)
		failed := store.FailedGuard(err)
		if failed == nil {
			return d.hold, view, err
		}
		// Somebody was faster. The slot as it stands came with the failure;
		// decide anew, at a fresh instant.
		slot = failed.Items[0]
		view.Now = view.Root.Now(a.engine.Wall())
		if view.Root.EndedAt(view.Now.Wall) {
			return Hold{}, view, hub.Over()
		}
	}
	return Hold{}, view, store.ErrConflict
}

// bury puts a void for the hold that this key had and whose order was never
// written, as the hub's run would, before the place is taken again: so the end
// of each of its lives is told, once, by the order's version. Then the placement
// begins anew.
func (a *placing) bury(ctx context.Context, view hub.View, before storedOrder, h Hold) error {
	w, _ := ends(hub.Turn{Root: view.Root, Now: view.Now}, before, h)
	err := store.IgnoreGuard(a.engine.Commit(ctx, view.Root, view.Now, *w)) // the run, or another try, was faster
	if err != nil {
		return err
	}
	return errAgain
}

// decision is the slot's on a placement: a hold that is there already, one with
// the write that makes it, or a no.
type decision struct {
	hold  Hold
	ended *Hold // what the key held here before, if that is still in the slot
	write *store.Write
	full  *noRoom
}

// noRoom is the slot's no, with what it knows of when room appears.
type noRoom struct {
	lost     bool      // the key held a place here before
	roomFrom time.Time // zero where paid orders fill the slot
}

// decide decides on a placement from the slot as it stands.
func (a *placing) decide(view hub.View, i store.Item, voided bool) (decision, error) {
	now := view.Now
	if !i.Has(holdPrefix + string(a.code)) {
		at := momentOf(now.Business)
		if held, confirmed, ok := counts(i, at); ok {
			if err := a.offered(now); err != nil {
				return decision{}, err
			}
			return a.decideFast(view, i, at, held, confirmed, voided)
		}
	}
	slot, err := decodeSlot(a.want.Pickup, i, a.hours.Capacity)
	if err != nil {
		return decision{}, err
	}
	h, had := slot.Holds[a.code]
	switch {
	case had && h.Fingerprint != a.fingerprint:
		return decision{}, keyReused()
	case had && h.OpenAt(now.Business):
		return decision{hold: h}, nil
	case had && h.State == Confirmed: // its order stands, and was written after it was read
		return decision{}, errAgain
	}
	if err := a.offered(now); err != nil {
		return decision{}, err
	}
	slot.ReleaseEnded(now)
	if !slot.RoomAt(now.Business) {
		from, _ := slot.RoomFrom(now.Business)
		return decision{full: &noRoom{lost: had || voided, roomFrom: from}}, nil
	}
	var ended *Hold
	if had {
		ended = &h
	}
	made := slot.Hold(a.code, a.fingerprint, now, had || voided)
	w := slot.write(view.Root)
	return decision{hold: made, ended: ended, write: &w}, nil
}

// decideFast decides for a slot in which no hold has ended: one update that
// many placers can make side by side, guarded by room, not by the revision.
// Its guard keeps first_end exactly the earliest open hold's end.
func (a *placing) decideFast(view hub.View, i store.Item, at moment, held, confirmed int, voided bool) (decision, error) {
	now := view.Now
	capacity := a.hours.Capacity
	if i.Exists() {
		capacity = int(i.Int(fieldCapacity))
	}
	if held+confirmed >= capacity {
		no := &noRoom{lost: voided}
		switch {
		case confirmed >= capacity:
		case held+confirmed == capacity: // the first to end makes room
			no.roomFrom = i.Time(fieldFirstEnd)
		default:
			slot, err := decodeSlot(a.want.Pickup, i, capacity)
			if err != nil {
				return decision{}, err
			}
			no.roomFrom, _ = slot.RoomFrom(now.Business)
		}
		return decision{full: no}, nil
	}
	h := Slot{ID: a.want.Pickup, Holds: map[Code]Hold{}}.Hold(a.code, a.fingerprint, now, voided)
	end := store.FormatInstant(h.End)
	due, wake := store.DueAt(store.Business, h.End), view.Root.Wake(h.End)
	room := []store.Cond{store.Missing(holdPrefix + string(a.code)), store.LtField(fieldTaken, fieldCapacity)}
	w := store.Write{
		Op: store.OpUpdate, Key: view.Root.Key(slotSK(a.want.Pickup)),
		Set: store.Fields{holdPrefix + string(a.code): h.encode()},
		Add: map[string]int64{fieldTaken: 1, fieldHeld: 1},
	}
	switch {
	case i.String(fieldFirstEnd) <= end: // the usual case: ends come in their order
		w.Guard = store.If(append(room,
			store.Gt(fieldFirstEnd, at.text).OrMissingField(),
			store.Le(fieldFirstEnd, end).OrMissingField())...).OrAbsent()
		w.Init = store.Fields{fieldCapacity: int64(capacity), fieldFirstEnd: end, store.FieldDue: due, store.FieldWake: wake}
	case i.String(store.FieldDue) > due: // another clock is ahead of ours: this hold ends first
		w.Guard = store.If(append(room, store.Gt(fieldFirstEnd, end), store.Gt(store.FieldDue, due))...)
		w.Set[fieldFirstEnd], w.Set[store.FieldDue], w.Set[store.FieldWake] = end, due, wake
	default: // and a released one, not asked yet, keeps the due it has
		w.Guard = store.If(append(room, store.Gt(fieldFirstEnd, end), store.Le(store.FieldDue, due))...)
		w.Set[fieldFirstEnd] = end
	}
	return decision{hold: h, write: &w}, nil
}

// offered refuses slots that have begun or are none.
func (a *placing) offered(now hub.Now) error {
	switch a.hours.Check(a.want.Pickup, now.Business) {
	case SlotOpen:
		return nil
	case SlotPast:
		return refusal.New(refusal.SlotPast, fmt.Sprintf("The slot at %s has begun.", a.hours.Local(a.want.Pickup)))
	default:
		return noSuchSlot()
	}
}

// refuse turns the slot's no into an answer that says where else there is room.
func (a *placing) refuse(ctx context.Context, view hub.View, no noRoom) error {
	next, err := a.nextFree(ctx, view, a.want.Pickup)
	if err != nil {
		return err
	}
	local := a.hours.Local(a.want.Pickup)
	elsewhere := " No later slot has room."
	if next != nil {
		elsewhere = fmt.Sprintf(" %s has %s.", a.hours.Moment(next.ID, a.want.Pickup), places(next.Free()))
	}
	if no.lost {
		return refusal.New(refusal.HoldLost, "Your hold at "+local+" has ended and the place is taken."+elsewhere).With(Full{NextFree: next})
	}
	r := refusal.New(refusal.SlotFull, local+" is full."+elsewhere).With(Full{NextFree: next, EarliestHoldEnd: no.roomFrom})
	if !no.roomFrom.IsZero() {
		r = r.After(max(no.roomFrom.Sub(view.Now.Business), time.Second))
	}
	return r
}

func places(n int) string {
	if n == 1 {
		return "1 place"
	}
	return fmt.Sprintf("%d places", n)
}

func noSuchSlot() error { return refusal.New(refusal.NoSuchSlot, "There is no such pickup slot.") }
