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

// ruleEvery is the one rule's period: cron(0/5 * * * ? *).
const ruleEvery = 5 * time.Minute

// reapBatch is how many expired items are taken at once.
const reapBatch = 1000

// Loop fires what is due as the wall clock reaches it.
type Loop struct {
	file   *bolt.Store
	wall   *Wall
	alarms *alarmlocal.Clock
	fire   alarmlocal.Fire
	sweep  func(context.Context) error
	report func(event string, err error)

	ttlOff   atomic.Bool
	rulesOff atomic.Bool
	swept    atomic.Int64 // the rule's last instant, in unix seconds
	// moving is held by a move of the wall clock, and while the loop settles: a
	// run that has begun may yet arm for an end that a move must not pass.
	moving sync.Mutex
}

// NewLoop is a loop over a file, its wall clock and its alarm clock.
func NewLoop(file *bolt.Store, w *Wall, a *alarmlocal.Clock, fire alarmlocal.Fire,
	sweep func(context.Context) error, report func(event string, err error)) *Loop {
	l := &Loop{file: file, wall: w, alarms: a, fire: fire, sweep: sweep, report: report}
	l.swept.Store(w.Now().Truncate(ruleEvery).Unix())
	return l
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
		if !l.moving.TryLock() {
			continue // a move settles everything itself, and wakes the loop at its end
		}
		err := l.settle(ctx, l.wall.Now())
		l.moving.Unlock()
		if err != nil && ctx.Err() == nil {
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
	if rule := l.nextRule(); (!ok || rule.Before(at)) && !l.rulesOff.Load() && l.anyEnd() {
		at, ok = rule, true
	}
	return at, ok
}

// anyEnd reports whether there is anything that the rule could find: an item
// with an end, or a one-shot. Where there is none it is spared, and a move of
// the wall clock by months does not stop every five minutes.
func (l *Loop) anyEnd() bool {
	if _, armed := l.alarms.Next(); armed {
		return true
	}
	refs, err := l.file.Overdue(context.Background(), endOfTime, 1)
	return err != nil || len(refs) > 0
}

// endOfTime is later than every end.
var endOfTime = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// nextRule is the next instant at which the rule fires.
func (l *Loop) nextRule() time.Time { return time.Unix(l.swept.Load(), 0).Add(ruleEvery).UTC() }

// settle runs what is due at an instant: alarms, then the rule, then TTL.
func (l *Loop) settle(ctx context.Context, now time.Time) error {
	err := l.alarms.FireDue(ctx, now, l.fire, func(s alarm.Schedule, err error) { l.report("run_failed", err) })
	if err != nil {
		return err
	}
	if !now.Before(l.nextRule()) {
		l.swept.Store(now.Truncate(ruleEvery).Unix())
		if !l.rulesOff.Load() && l.anyEnd() {
			if err := l.sweep(ctx); err != nil {
				l.report("sweep_failed", err)
			}
		}
	}
	if l.ttlOff.Load() {
		return nil
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
	defer l.alarms.Poke() // after the unlock, or the loop would find it locked
	defer l.moving.Unlock()
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

// SetTTL switches TTL on or off. Switched on, it takes what expired meanwhile.
func (l *Loop) SetTTL(on bool) {
	l.ttlOff.Store(!on)
	l.alarms.Poke()
}

// SetRules switches the rule on or off.
func (l *Loop) SetRules(on bool) {
	l.rulesOff.Store(!on)
	l.alarms.Poke()
}

// Rules reports whether the rule is on.
func (l *Loop) Rules() bool { return !l.rulesOff.Load() }

// TTL reports whether TTL is on.
func (l *Loop) TTL() bool { return !l.ttlOff.Load() }
