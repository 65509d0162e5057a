package local

import (
	"context"
	"sync"
	"sync/atomic"

	"pocbakery/pkg/store"
)

// Counts counts what a local run asked of its table and its scheduler.
type Counts struct {
	Table *store.Meter

	mu        sync.Mutex
	scheduler map[string]int64
}

// NewCounts starts counting.
func NewCounts() *Counts {
	return &Counts{Table: &store.Meter{}, scheduler: map[string]int64{}}
}

// Scheduler counts one call of the scheduler.
func (c *Counts) Scheduler(op string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.scheduler[op]++
}

// Snapshot is the counts so far, by operation.
func (c *Counts) Snapshot() map[string]any {
	c.mu.Lock()
	defer c.mu.Unlock()
	calls := map[string]int64{"create": 0, "list": 0, "delete": 0}
	for op, n := range c.scheduler {
		calls[op] = n
	}
	return map[string]any{"table": c.Table.Snapshot(), "scheduler": calls}
}

// Reset starts again from nothing.
func (c *Counts) Reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.scheduler)
	c.Table.Reset()
}

// WipeFault makes every wipe fail while it is set: erasing is all that only
// wipes do.
type WipeFault struct {
	store.Store
	failing atomic.Bool
}

// Set switches the fault.
func (f *WipeFault) Set(failing bool) { f.failing.Store(failing) }

// Failing reports whether the fault is on.
func (f *WipeFault) Failing() bool { return f.failing.Load() }

// Erase is store.Store's.
func (f *WipeFault) Erase(ctx context.Context, keys ...store.Key) error {
	if f.failing.Load() {
		return store.ErrUnavailable
	}
	return f.Store.Erase(ctx, keys...)
}
