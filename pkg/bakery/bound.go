package bakery

import (
	"context"
	"fmt"
	"sync"

	"pocbakery/pkg/hub"
	"pocbakery/pkg/refusal"
)

const (
	// MaxOrders is how many orders a sandbox takes of its visitor's own, those of
	// its traffic among them. It bounds what a hub can cost to keep, read and wipe.
	MaxOrders = 3_000
	// countedAt is how many placements of a hub a process remembers before it
	// writes them down.
	countedAt = 50
	// maxCounted bounds the hubs of which a process remembers any.
	maxCounted = 1_024
)

// placements counts what this process has placed in each hub and not written
// down yet. The root carries the rest, and is read for every placement anyway:
// so the bound costs one more write for every fiftieth order, and no read. What
// a process has not written down when it ends is not counted: the bound may be
// passed by up to 49 orders for each process that ended, and by what is placed at
// the same moment.
type placements struct {
	mu sync.Mutex
	by map[hub.ID]int
}

// of is how many there are of a hub.
func (p *placements) of(id hub.ID) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.by[id]
}

// add counts one more, and returns how many are to be written down now, which
// count as written.
func (p *placements) add(id hub.ID) (due int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.by == nil {
		p.by = map[hub.ID]int{}
	}
	p.by[id]++
	if p.by[id] >= countedAt {
		due = p.by[id]
		delete(p.by, id)
	}
	for other := range p.by {
		if len(p.by) <= maxCounted {
			break
		}
		if other != id {
			delete(p.by, other)
		}
	}
	return due
}

// back takes back what could not be written down.
func (p *placements) back(id hub.ID, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.by[id] += n
}

// bounded refuses one order more than a sandbox takes.
func (s *Shop) bounded(view hub.View) error {
	r := view.Root
	if r.EndsAt.IsZero() || r.Orders+s.placed.of(r.ID) < MaxOrders { // a shop that stays has no bound
		return nil
	}
	return refusal.New(refusal.HubFull, fmt.Sprintf("This sandbox has taken %d orders, as many as it can. It ends at %s; another one is empty.",
		MaxOrders, r.EndsAt.Format("15:04 UTC"))).After(r.EndsAt.Sub(view.Now.Wall))
}

// counted notes an order that was placed. That the count could not be written
// down is no failure of the order: the next order tries again.
func (s *Shop) counted(ctx context.Context, view hub.View) {
	r := view.Root
	if r.EndsAt.IsZero() {
		return
	}
	if due := s.placed.add(r.ID); due > 0 {
		if err := s.engine.Commit(ctx, r, view.Now, r.OrdersWrite(due)); err != nil {
			s.placed.back(r.ID, due)
		}
	}
}
