package bakery

import (
	"context"
	"slices"
	"strings"
	"time"

	"pocbakery/pkg/hub"
	"pocbakery/pkg/store"
)

// clocksDiffer is more than any two clocks are apart: what was decided so long
// before the hub's birth is part of the past it was born with, which ends hours
// before. Anything later was decided by somebody whose clock is behind.
const clocksDiffer = time.Minute

// Events lists what happened in the hub, in the order of the ids, and where to
// go on from. Slots are read before orders: what a run moves, it writes into
// the order first and drops from the slot then, so that nothing is missed, and
// what is seen twice has one id.
func (s *Shop) Events(ctx context.Context, who hub.Who, q EventQuery) (events []hub.Event, next string, err error) {
	limit, err := checkLimit(q.Limit)
	if err != nil {
		return nil, "", err
	}
	after, ok := hub.After(q.After)
	if !ok {
		return nil, "", invalid("after", "This is an event's id or an instant, such as 2026-12-05T09:15:00.000Z.")
	}
	view, err := s.engine.Open(ctx, who)
	if err != nil {
		return nil, "", err
	}
	of := func(prefix string) store.Range {
		if q.Date == (Date{}) {
			return store.Prefix(prefix)
		}
		from, to := s.hours.DayRange(q.Date)
		return store.Range{From: prefix + string(from), To: prefix + string(to)}
	}
	slots, err := s.engine.ListAll(ctx, view, of(slotPrefix))
	if err != nil {
		return nil, "", err
	}
	orders, err := s.engine.ListAll(ctx, view, of(orderPrefix))
	if err != nil {
		return nil, "", err
	}
	if events, err = s.engine.Log(ctx, view); err != nil {
		return nil, "", err
	}
	if q.Date != (Date{}) {
		events = slices.DeleteFunc(events, func(e hub.Event) bool { return s.hours.DateOf(SlotID(e.Slot)) != q.Date })
	}
	for _, i := range slots {
		slot, err := decodeSlot(SlotID(strings.TrimPrefix(i.SK, slotPrefix)), i, s.hours.Capacity)
		if err != nil {
			return nil, "", err
		}
		for _, h := range slot.Holds {
			events = append(events, h.Events(slot.ID)...)
		}
	}
	for _, i := range orders {
		o, err := orderOf(i)
		if err != nil {
			return nil, "", err
		}
		events = append(events, o.History...)
	}
	born := view.Root.BornAt.Add(-clocksDiffer)
	events = slices.DeleteFunc(events, func(e hub.Event) bool { return e.Wall.Before(born) || e.ID() <= after })
	events = hub.SortEvents(events)
	if q.Newest {
		events = events[max(0, len(events)-limit):]
	}
	events = events[:min(limit, len(events))]
	if next = q.After; len(events) > 0 {
		next = events[len(events)-1].ID()
	}
	return events, next, nil
}
