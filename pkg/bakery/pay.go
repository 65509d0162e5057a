package bakery

import (
	"context"
	"fmt"

	"pocbakery/pkg/hub"
	"pocbakery/pkg/refusal"
	"pocbakery/pkg/store"
)

// Pay records a payment on the order and then makes its place sure, or
// replays what the key paid before. Once recorded a payment is never lost: if
// the second step does not happen here, the end of the hold asks the order and
// does it.
func (s *Shop) Pay(ctx context.Context, who hub.Who, ref OrderRef, key string, amount Money) (p Payment, order OrderView, replayed bool, err error) {
	id := "p_" + short(s.mac("payment", string(who.Hub), string(ref), key))
	err = again(ctx, func() (err error) {
		p, order, replayed, err = s.pay(ctx, who, ref, id, amount)
		return err
	})
	return p, order, replayed, err
}

func (s *Shop) pay(ctx context.Context, who hub.Who, ref OrderRef, id string, amount Money) (Payment, OrderView, bool, error) {
	view, o, slot, err := s.openOrder(ctx, s.engine.OpenToChange, who, ref)
	if err != nil {
		return Payment{}, OrderView{}, false, err
	}
	p, replayed := o.Payment(id)
	switch {
	case replayed && p.Amount != amount:
		return Payment{}, OrderView{}, false, keyReused()
	case !replayed:
		if total := Total(o.Lines); amount != total {
			return Payment{}, OrderView{}, false, refusal.At(refusal.AmountMismatch, "amount",
				fmt.Sprintf("The order's total is %d %s, in minor units.", total.Amount, total.Currency))
		}
		var ok bool
		if p, ok = o.Pay(id, amount, view.Now); !ok {
			return Payment{}, OrderView{}, false, refusal.New(refusal.TooManyPayments,
				fmt.Sprintf("The order has %d payments already.", MaxPayments))
		}
		err := s.engine.Commit(ctx, view.Root, view.Now, o.change(view.Root))
		if store.FailedGuard(err) != nil {
			return Payment{}, OrderView{}, false, errAgain
		}
		if err != nil {
			return Payment{}, OrderView{}, false, err
		}
	}
	if p.State == PaymentAccepted && o.HasPlace() {
		if slot, err = s.confirm(ctx, view, o.Order, slot); err != nil {
			// The payment stands whatever this step met with: the hold's end will
			// find the order paid.
			s.engine.Report("confirm_left_to_the_alarm", who.Hub, err)
		}
	}
	v, err := viewOrder(o.Order, slot, view.Now.Business)
	s.tell(ctx, view, v.History)
	return p, v, replayed, err
}

// confirm makes a paid order's place sure. The slot is read before the order:
// a place that was released is only taken back if the order, asked after
// that, still stands, and a cancellation in between moves the slot's revision.
func (s *Shop) confirm(ctx context.Context, view hub.View, o Order, i store.Item) (store.Item, error) {
	for n := range maxTries {
		slot, err := decodeSlot(o.Slot, i, s.hours.Capacity)
		if err != nil {
			return i, err
		}
		switch h := slot.Holds[o.Code]; {
		case h.State == Confirmed:
			return i, nil
		case h.State == Held && n == 0:
		default: // also a held one that is seen after the payment: the write that made it may have landed late
			items, err := s.engine.Store().Get(ctx, view.Now.Wall, view.Root.Key(orderSK(o.Slot, o.Code)))
			if err != nil {
				return i, err
			}
			if now, err := decodeOrder(o.Slot, o.Code, items[0]); err != nil || !now.HasPlace() {
				return i, err
			}
		}
		w := slot.confirm(view, i, o.Code)
		err = s.engine.Commit(ctx, view.Root, view.Now, w)
		if err == nil {
			return w.Apply(i), nil
		}
		failed := store.FailedGuard(err)
		if failed == nil {
			return i, err
		}
		i = failed.Items[0]
		view.Now = view.Root.Now(s.engine.Wall())
		if view.Root.EndedAt(view.Now.Wall) {
			return i, hub.Over()
		}
	}
	return i, store.ErrConflict
}

// confirm is the write that confirms a place.
func (s Slot) confirm(view hub.View, i store.Item, code Code) store.Write {
	before := s.Holds[code]
	s.Confirm(code, view.Now)
	after := s.Holds[code]
	if w, ok := s.alone(view.Root, i, before, &after); ok {
		return w
	}
	return s.write(view.Root)
}

// drop is the write that gives a place back.
func (s Slot) drop(view hub.View, i store.Item, h Hold) store.Write {
	if w, ok := s.alone(view.Root, i, h, nil); ok {
		return w
	}
	delete(s.Holds, h.Code)
	return s.write(view.Root)
}

// Cancel calls the order off and gives its place back, in one transaction:
// a confirmed place has no end that would find it half done. Asked again it
// changes nothing.
func (s *Shop) Cancel(ctx context.Context, who hub.Who, ref OrderRef) (order OrderView, err error) {
	err = again(ctx, func() error {
		view, o, i, err := s.openOrder(ctx, s.engine.OpenToChange, who, ref)
		if err != nil {
			return err
		}
		changed, err := o.Cancel(view.Now)
		if err != nil {
			return err
		}
		if changed {
			slot, err := decodeSlot(o.Slot, i, s.hours.Capacity)
			if err != nil {
				return err
			}
			// The slot is written even if it holds nothing of the order, so that
			// whoever decided on its revision decides again.
			given := slot.write(view.Root)
			if h, ok := slot.Holds[o.Code]; ok {
				o.record(h.Events(o.Slot)...)
				at, reason := view.Now.Business, ReasonCancelled
				if h.State == Released {
					at, reason = h.End, ReasonHoldExpired
				}
				o.record(h.released(o.Slot, view.Now.Wall, at, reason))
				given = slot.drop(view, i, h)
			}
			err = s.engine.Commit(ctx, view.Root, view.Now, o.change(view.Root), given)
			if store.FailedGuard(err) != nil {
				return errAgain
			}
			if err != nil {
				return err
			}
			i = store.Item{}
		}
		order, err = viewOrder(o.Order, i, view.Now.Business)
		s.tell(ctx, view, order.History)
		return err
	})
	return order, err
}

// Collect hands a paid order over. Asked again it changes nothing.
func (s *Shop) Collect(ctx context.Context, who hub.Who, ref OrderRef) (order OrderView, err error) {
	err = again(ctx, func() error {
		view, o, slot, err := s.openOrder(ctx, s.engine.OpenToChange, who, ref)
		if err != nil {
			return err
		}
		changed, err := o.Collect(view.Now)
		if err != nil {
			return err
		}
		if changed {
			err := s.engine.Commit(ctx, view.Root, view.Now, o.change(view.Root))
			if store.FailedGuard(err) != nil {
				return errAgain
			}
			if err != nil {
				return err
			}
		}
		if slot.Has(holdPrefix + string(o.Code)) {
			if slot, err = s.confirm(ctx, view, o.Order, slot); err != nil {
				s.engine.Report("confirm_left_to_the_alarm", who.Hub, err)
			}
		}
		order, err = viewOrder(o.Order, slot, view.Now.Business)
		s.tell(ctx, view, order.History)
		return err
	})
	return order, err
}

// tell tells the hub's live connections what of an order's story is new: what
// was decided since the hub was opened.
func (s *Shop) tell(ctx context.Context, view hub.View, story []Event) {
	var fresh []Event
	for _, e := range story {
		if !e.Wall.Before(view.Now.Wall) {
			fresh = append(fresh, e)
		}
	}
	s.engine.Tell(ctx, view.Root, fresh...)
}

// openOrder opens the hub and reads an order with its slot. What is no item
// may be part of the shop's past.
func (s *Shop) openOrder(ctx context.Context, open opening, who hub.Who, ref OrderRef) (hub.View, storedOrder, store.Item, error) {
	id, code, ok := ref.Split()
	if !ok { // still not a word to who is not signed in
		if _, err := open(ctx, who); err != nil {
			return hub.View{}, storedOrder{}, store.Item{}, err
		}
		return hub.View{}, storedOrder{}, store.Item{}, noSuchOrder()
	}
	view, err := open(ctx, who, slotSK(id), orderSK(id, code))
	if err != nil {
		return view, storedOrder{}, store.Item{}, err
	}
	o, err := decodeOrder(id, code, view.Items[1])
	if err == nil && !o.stands() {
		past, was := s.history(view.Root).Order(ref)
		if o.Rev > 0 || !was || who.Role == hub.Customer {
			return view, o, store.Item{}, noSuchOrder()
		}
		o = storedOrder{Order: past}
	}
	return view, o, view.Items[0], err
}

// Order reads an order.
func (s *Shop) Order(ctx context.Context, who hub.Who, ref OrderRef) (OrderView, error) {
	view, o, slot, err := s.openOrder(ctx, s.engine.Open, who, ref)
	if err != nil {
		return OrderView{}, err
	}
	return viewOrder(o.Order, slot, view.Now.Business)
}
