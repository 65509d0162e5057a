package bakery

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"pocbakery/pkg/hub"
	"pocbakery/pkg/refusal"
	"pocbakery/pkg/store"
)

// menuSK names the item that holds what a hub changed of the menu: one field
// an item of the menu, true where it is available.
const (
	menuSK          = "menu"
	availablePrefix = "a_"
)

// menuOf is the menu as a hub has it.
func menuOf(m Menu, overlay store.Item) Menu {
	changed := map[string]bool{}
	for name := range overlay.Fields {
		if sku, ok := strings.CutPrefix(name, availablePrefix); ok {
			changed[sku] = overlay.Bool(name)
		}
	}
	if len(changed) == 0 {
		return m
	}
	return m.With(changed)
}

// Menu reads the menu.
func (s *Shop) Menu(ctx context.Context, who hub.Who) (Menu, error) {
	view, err := s.engine.Open(ctx, who, menuSK)
	if err != nil {
		return nil, err
	}
	return menuOf(s.menu, view.Items[0]), nil
}

// SetAvailable takes an item off the menu, or puts it back.
func (s *Shop) SetAvailable(ctx context.Context, who hub.Who, sku string, available bool) (p Product, err error) {
	err = again(ctx, func() error {
		view, err := s.engine.OpenToChange(ctx, who)
		if err != nil {
			return err
		}
		var ok bool
		if p, ok = s.menu.Product(sku); !ok {
			return unknownSKU("sku", sku)
		}
		p.Available = available
		return s.engine.Commit(ctx, view.Root, view.Now, store.Write{
			Op: store.OpUpdate, Key: view.Root.Key(menuSK), Guard: store.If().OrAbsent(),
			Set: store.Fields{availablePrefix + sku: available},
		})
	})
	return p, err
}

func unknownSKU(field, sku string) error {
	return refusal.At(refusal.UnknownSKU, field, fmt.Sprintf("The menu has no %q.", sku))
}

// Days reads the slots of local dates in a row.
func (s *Shop) Days(ctx context.Context, who hub.Who, from Date, days int) ([]Day, error) {
	if days < 1 || days > s.hours.Days {
		return nil, invalid("days", fmt.Sprintf("Ask for 1 to %d days.", s.hours.Days))
	}
	view, err := s.engine.Open(ctx, who)
	if err != nil {
		return nil, err
	}
	first, last := s.hours.Offered(view.Now.Business)
	until := from.AddDays(days - 1)
	if until.Year > lastYear {
		return nil, invalid("days", "No date comes after 9999-12-31.")
	}
	start, _ := s.hours.DayRange(from)
	_, end := s.hours.DayRange(until)
	items, err := s.engine.ListAll(ctx, view, store.Range{From: slotSK(start), To: slotSK(end)})
	if err != nil {
		return nil, err
	}
	touched := make(map[string]store.Item, len(items))
	for _, i := range items {
		touched[i.SK] = i
	}
	at := momentOf(view.Now.Business)
	out := make([]Day, 0, days)
	for n := range days {
		day := Day{Date: from.AddDays(n), Slots: []SlotView{}}
		if !day.Date.Before(first) && !last.Before(day.Date) {
			for _, id := range s.hours.SlotsOf(day.Date) {
				v, err := s.viewSlot(id, touched[slotSK(id)], at)
				if err != nil {
					return nil, err
				}
				day.Slots = append(day.Slots, v)
			}
		}
		out = append(out, day)
	}
	return out, nil
}

// Slot reads one slot.
func (s *Shop) Slot(ctx context.Context, who hub.Who, id SlotID) (SlotView, error) {
	view, err := s.openSlot(ctx, s.engine.Open, who, id)
	if err != nil {
		return SlotView{}, err
	}
	return s.viewSlot(id, view.Items[0], momentOf(view.Now.Business))
}

// opening is how a hub is opened: to look, or to change something.
type opening func(ctx context.Context, who hub.Who, sks ...string) (hub.View, error)

func (s *Shop) openSlot(ctx context.Context, open opening, who hub.Who, id SlotID) (hub.View, error) {
	view, err := open(ctx, who, slotSK(id))
	if err == nil && s.hours.Check(id, view.Now.Business) == SlotNone {
		return view, noSuchSlot()
	}
	return view, err
}

// SetCapacity edits how many places a slot has, 0 to MaxCapacity. Below what
// is taken it is accepted too: free is 0 then, and nobody loses a place.
// ifRev, where it is given, is the revision the editor saw.
func (s *Shop) SetCapacity(ctx context.Context, who hub.Who, id SlotID, capacity int, ifRev string) (v SlotView, err error) {
	if capacity < 0 || capacity > MaxCapacity {
		return SlotView{}, invalid("capacity", fmt.Sprintf("A slot has 0 to %d places.", MaxCapacity))
	}
	err = again(ctx, func() error {
		view, err := s.openSlot(ctx, s.engine.OpenToChange, who, id)
		if err != nil {
			return err
		}
		i := view.Items[0]
		was := int64(s.hours.Capacity)
		if i.Exists() {
			was = i.Int(fieldCapacity)
		}
		if ifRev != "" && ifRev != "*" && ifRev != fmt.Sprint(i.Rev) {
			return refusal.New(refusal.ChangedMeanwhile, "The slot has changed since you read it.")
		}
		if int64(capacity) == was { // nothing changes, and nobody's revision does
			v, err = s.viewSlot(id, i, momentOf(view.Now.Business))
			return err
		}
		// Guarded by the capacity that the event tells, not by the revision: a
		// busy slot's placements do not hold up its baker.
		guard := store.IfStill(i)
		if i.Exists() && (ifRev == "" || ifRev == "*") {
			guard = store.If(store.Eq(fieldCapacity, was))
		}
		w := store.Write{
			Op: store.OpUpdate, Key: view.Root.Key(slotSK(id)), Guard: guard,
			Set:  store.Fields{fieldCapacity: int64(capacity)},
			Init: store.Fields{fieldTaken: int64(0), fieldHeld: int64(0), fieldConfirmed: int64(0)},
		}
		e := hub.Event{
			Type: CapacityChanged, Wall: view.Now.Wall, At: view.Now.Business, Slot: string(id), Nth: i.Rev,
			From: was, To: int64(capacity),
		}
		err = s.engine.Commit(ctx, view.Root, view.Now, w, view.Root.LogWrite(e))
		if store.FailedGuard(err) != nil {
			return errAgain
		}
		if err != nil {
			return err
		}
		s.engine.Tell(ctx, view.Root, e)
		v, err = s.Slot(ctx, who, id)
		return err
	})
	return v, err
}

// nextFree finds the first slot after this one that has room, nil where no
// offered one has. Slots nobody has touched are no items: the grid and the
// items are walked side by side until there is a gap or room.
func (s *Shop) nextFree(ctx context.Context, view hub.View, after SlotID) (*SlotView, error) {
	at := momentOf(view.Now.Business)
	_, last := s.hours.Offered(at.now)
	_, end := s.hours.DayRange(last)
	items, stop := iter.Pull2(s.touched(ctx, view, store.Range{From: slotSK(after) + "\x00", To: slotSK(end), Limit: firstPage}))
	defer stop()
	i, err, more := items()
	for id := range s.hours.Next(after, at.now) {
		sk := slotSK(id)
		for more && err == nil && i.SK < sk {
			i, err, more = items()
		}
		if err != nil {
			return nil, err
		}
		var slot store.Item
		if more && i.SK == sk {
			slot = i
			if full, ok := isFull(i, at); ok && full {
				continue
			}
		}
		v, err := s.viewSlot(id, slot, at)
		if err != nil {
			return nil, err
		}
		if v.Free() > 0 {
			return &v, nil
		}
	}
	return nil, nil
}

// firstPage is how many slots a search for room reads at first: a day's worth.
const firstPage = 44

// touched lists the slots of a range that are items, page by page.
func (s *Shop) touched(ctx context.Context, view hub.View, r store.Range) iter.Seq2[store.Item, error] {
	return func(yield func(store.Item, error) bool) {
		for {
			page, err := s.engine.Store().List(ctx, view.Now.Wall, string(view.Root.ID), r)
			if err != nil {
				yield(store.Item{}, err)
				return
			}
			for _, i := range page.Items {
				if !yield(i, nil) {
					return
				}
			}
			if r.After, r.Limit = page.Next, 0; page.Next == "" {
				return
			}
		}
	}
}
