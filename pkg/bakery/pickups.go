package bakery

import (
	"context"
	"strings"
	"time"

	"pocbakery/pkg/hub"
	"pocbakery/pkg/store"
)

// Pickup is a slot at which confirmed orders are handed over.
type Pickup struct {
	Slot   SlotID
	At     time.Time
	Orders int
}

// Pickups lists the slots of a hub's shop with confirmed orders that begin in
// [from, until), in order. A hub that is gone has none.
func (s *Shop) Pickups(ctx context.Context, id hub.ID, from, until time.Time) ([]Pickup, error) {
	view := hub.View{Root: hub.Root{ID: id}, Now: hub.Now{Wall: s.engine.Wall()}}
	items, err := s.engine.ListAll(ctx, view, store.Range{From: slotSK(slotAt(from.Unix())), To: slotSK(slotAt(until.Unix()))})
	if err != nil {
		return nil, err
	}
	var out []Pickup
	for _, i := range items {
		slot := SlotID(strings.TrimPrefix(i.SK, slotPrefix))
		if at, ok := slot.unix(); ok && i.Int(fieldConfirmed) > 0 {
			out = append(out, Pickup{slot, time.Unix(at, 0).UTC(), int(i.Int(fieldConfirmed))})
		}
	}
	return out, nil
}
