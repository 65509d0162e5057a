package bakery

import (
	"context"
	"errors"
	"strings"

	"pocbakery/pkg/hub"
	"pocbakery/pkg/store"
)

// settle ends the holds of a slot whose time is over. Each order is asked
// first, and settled by its own version: placed becomes expired; one that was
// paid keeps its place; where there is none, or only a void of an earlier end,
// a void is put, so that a writer still on its way cannot bring it back. Then
// the slot is written once, by its revision.
func (s *Shop) settle(ctx context.Context, turn hub.Turn) ([]hub.Event, error) {
	id := SlotID(strings.TrimPrefix(turn.Item.SK, slotPrefix))
	var events []hub.Event
	i := turn.Item
	for range maxTries {
		slot, err := decodeSlot(id, i, s.hours.Capacity)
		if err != nil {
			return events, err
		}
		ended := slot.Ended(turn.Now.Business)
		if len(ended) == 0 {
			return events, nil
		}
		asked, err := s.ask(ctx, turn, id, ended)
		events = append(events, asked.events...)
		if err != nil {
			return events, err
		}
		for _, h := range ended {
			if asked.paid[h.Code] {
				slot.Confirm(h.Code, turn.Now)
			} else {
				delete(slot.Holds, h.Code)
			}
		}
		err = s.engine.Commit(ctx, turn.Root, turn.Now, slot.write(turn.Root))
		failed := store.FailedGuard(err)
		if failed == nil {
			return events, err
		}
		i = failed.Items[0]
	}
	return events, store.ErrConflict
}

// asked is what the orders of ended holds answered.
type asked struct {
	paid   map[Code]bool // those that keep their place
	events []hub.Event
}

// ask settles the orders of holds that have ended.
func (s *Shop) ask(ctx context.Context, turn hub.Turn, id SlotID, ended []Hold) (asked, error) {
	a := asked{paid: map[Code]bool{}}
	keys := make([]store.Key, len(ended))
	for n, h := range ended {
		keys[n] = turn.Root.Key(orderSK(id, h.Code))
	}
	items, err := s.engine.Store().Get(ctx, turn.Now.Wall, keys...)
	if err != nil {
		return a, err
	}
	for n, h := range ended {
		if err := s.askOne(ctx, turn, id, h, items[n], &a); err != nil {
			return a, err
		}
	}
	return a, nil
}

// askOne settles one order, anew for as long as others write it first.
func (s *Shop) askOne(ctx context.Context, turn hub.Turn, id SlotID, h Hold, item store.Item, a *asked) error {
	for range maxTries {
		o, err := decodeOrder(id, h.Code, item)
		if err != nil {
			return err
		}
		w, events := ends(turn, o, h)
		if w == nil {
			a.paid[h.Code] = o.stands() && o.HasPlace()
			return nil
		}
		err = s.engine.Commit(ctx, turn.Root, turn.Now, *w)
		if failed := store.FailedGuard(err); failed != nil {
			item = failed.Items[0]
			continue
		}
		if errors.Is(err, store.ErrConflict) {
			items, err := s.engine.Store().Get(ctx, turn.Now.Wall, w.Key)
			if err != nil {
				return err
			}
			item = items[0]
			continue
		}
		a.events = append(a.events, events...)
		return err
	}
	return store.ErrConflict
}

// ends decides what the end of its hold does to an order: the write, with the
// events it makes true, or nothing where the order is settled already.
func ends(turn hub.Turn, o storedOrder, h Hold) (*store.Write, []hub.Event) {
	fresh := []hub.Event{h.released(o.Slot, turn.Now.Wall, h.End, ReasonHoldExpired)}
	record := append(h.Events(o.Slot), fresh...)
	switch {
	case o.Rev == 0 || (o.isVoid() && o.HoldEnd.Before(h.End)):
		v := void(o.Slot, h, o)
		v.record(record...)
		guard := store.IfAbsent()
		if o.Rev > 0 {
			guard = store.IfRev(o.Rev)
		}
		w := v.put(turn.Root, guard)
		return &w, fresh
	case o.State == Placed && !h.End.Before(o.HoldEnd): // else its key has retaken the place meanwhile
		o.Expire(h, turn.Now)
		fresh = append(fresh, o.History[len(o.History)-1])
		o.record(record...)
		w := o.change(turn.Root)
		return &w, fresh
	}
	return nil, nil
}
