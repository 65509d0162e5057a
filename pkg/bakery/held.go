package bakery

import (
	"cmp"
	"context"
	"slices"
	"time"

	"pocbakery/pkg/hub"
)

// HeldPlace is a place that is lent until its end, which may have passed
// without having been honoured yet.
type HeldPlace struct {
	Ref OrderRef
	End time.Time // business time
}

// Held lists the places held in some slots, earliest end first. A slot that
// cannot be read has none: what is wrong with it is told where it is settled.
func (s *Shop) Held(ctx context.Context, who hub.Who, slots []SlotID) ([]HeldPlace, error) {
	sks := make([]string, len(slots))
	for n, id := range slots {
		sks[n] = slotSK(id)
	}
	view, err := s.engine.Open(ctx, who, sks...)
	if err != nil {
		return nil, err
	}
	var held []HeldPlace
	for n, id := range slots {
		slot, err := decodeSlot(id, view.Items[n], s.hours.Capacity)
		if err != nil {
			continue
		}
		for _, h := range slot.Holds {
			if h.State == Held {
				held = append(held, HeldPlace{id.Ref(h.Code), h.End})
			}
		}
	}
	slices.SortFunc(held, func(a, b HeldPlace) int {
		return cmp.Or(a.End.Compare(b.End), cmp.Compare(a.Ref, b.Ref))
	})
	return held, nil
}

// SlotOf is the slot that a sort key of the hub's is of, if it is one's.
func SlotOf(sk string) (SlotID, bool) {
	if len(sk) <= len(slotPrefix) || sk[:len(slotPrefix)] != slotPrefix {
		return "", false
	}
	return SlotID(sk[len(slotPrefix):]), true
}
