// Package innocent does what a hub may do.
package innocent

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"time"

	"planted/behind/adapter"
)

// Run is a hub's code.
func Run(ctx context.Context, now time.Time, all iter.Seq[time.Time]) error {
	var mu sync.Mutex
	mu.Lock()
	defer mu.Unlock()
	next, stop := iter.Pull(all)
	defer stop()
	if end, ok := next(); ok && end.Before(now.Add(time.Minute)) {
		return fmt.Errorf("ended %s ago: %w", now.Sub(end), ctx.Err())
	}
	return adapter.Table{}.Commit()
}
