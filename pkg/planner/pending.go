package planner

import (
	"sync"
	"time"
)

// pending remembers of channels until when a sync that is to come covers all
// their pushes, so that a burst of them costs no reads. It may forget.
type pending struct {
	mu    sync.Mutex
	until map[string]time.Time
}

// maxPending bounds what is remembered.
const maxPending = 10_000

// covered reports whether a push at this instant needs nothing done.
func (p *pending) covered(channel string, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return now.Before(p.until[channel])
}

func (p *pending) cover(channel string, until time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.until == nil || len(p.until) >= maxPending {
		p.until = map[string]time.Time{}
	}
	p.until[channel] = until
}
