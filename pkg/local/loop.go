package local

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"pocbakery/pkg/alarm"
	alarmlocal "pocbakery/pkg/alarm/local"
	"pocbakery/pkg/store/bolt"
)

// reapBatch is how many expired items are taken at once.
const reapBatch = 1000

// Loop fires what is due as the wall clock reaches it.
type Loop struct {
	file   *bolt.Store
	wall   *Wall
	alarms *alarmlocal.Clock
	fire   alarmlocal.Fire
	report func(event string, err error)

	ttlOff atomic.Bool
	moving sync.Mutex // one move of the wall clock at a time
}

// NewLoop is a loop over a file, its wall clock and its alarm clock.
func NewLoop(file *bolt.Store, w *Wall, a *alarmlocal.Clock, fire alarmlocal.Fire, report func(event string, err error)) *Loop {
	return &Loop{file: file, wall: w, alarms: a, fire: fire, report: report}
}

// Run fires alarms and lets TTL take what has expired until the context ends.
// In between it sleeps until the next of either.
func (l *Loop) Run(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		case <-l.alarms.Moved():
		}
		if err := l.settle(ctx, l.wall.Now()); err != nil && ctx.Err() == nil {
			l.report("loop_failed", err)
			timer.Reset(time.Second)
			continue
		}
		if next, ok := l.next(); ok {
			timer.Reset(max(next.Sub(l.wall.Now()), 0))
		}
	}
}

// next is the next instant at which something is due by itself.
func (l *Loop) next() (time.Time, bool) {
	at, ok := l.alarms.Next()
	if ttl, some := l.file.NextTTL(); some && !l.ttlOff.Load() && (!ok || ttl.Before(at)) {
		at, ok = ttl, true
	}
	return at, ok
}

// settle runs what is due at an instant: alarms, then TTL.
func (l *Loop) settle(ctx context.Context, now time.Time) error {
	err := l.alarms.FireDue(ctx, now, l.fire, func(s alarm.Schedule, err error) { l.report("run_failed", err) })
	if err != nil || l.ttlOff.Load() {
		return err
	}
	for {
		n, err := l.file.Reap(ctx, now, reapBatch)
		if err != nil || n < reapBatch {
			return err
		}
	}
}

// Advance moves the wall clock forward from end to end, running what each
// makes due at its own instant, and then to the target.
func (l *Loop) Advance(ctx context.Context, by time.Duration) error {
	l.moving.Lock()
	defer l.moving.Unlock()
	defer l.alarms.Poke()
	target := l.wall.Now().Add(by)
	for {
		next, ok := l.next()
		if !ok || next.After(target) {
			break
		}
		if err := l.wall.MoveTo(ctx, next); err != nil {
			return err
		}
		if err := l.settle(ctx, l.wall.Now()); err != nil {
			return err
		}
	}
	if err := l.wall.MoveTo(ctx, target); err != nil {
		return err
	}
	return l.settle(ctx, l.wall.Now())
}

// SetTTL switches TTL on or off.
func (l *Loop) SetTTL(on bool) { l.ttlOff.Store(!on) }

// TTL reports whether TTL is on.
func (l *Loop) TTL() bool { return !l.ttlOff.Load() }
