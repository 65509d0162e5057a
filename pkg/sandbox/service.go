package sandbox

import (
	"context"
	"sync/atomic"
	"time"

	"pocbakery/pkg/alarm"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/store"
)

const (
	// wipesPerRun and wipesAtOnce bound one run of the control hub.
	wipesPerRun = 50
	wipesAtOnce = 8
)

// Service looks after sandboxes.
type Service struct {
	engine *hub.Engine
	alarms alarm.Scheduler
	grace  time.Duration
	mac    MAC
	wiped  func(WipeRun)
	health atomic.Pointer[seenHealth]

	// Erasing is told of what is about to be erased of a hub, so that what
	// stands outside the table for an item ends with it. Nil for nothing.
	Erasing func(ctx context.Context, keys []store.Key)
}

// MAC is a keyed hash of texts, for a purpose.
type MAC func(purpose string, parts ...string) [32]byte

// WipeRun is what one run wiped, for whoever watches.
type WipeRun struct {
	Wiped     int // sandboxes of which something was erased
	Failed    int // that could not be; each is due again within 15 minutes
	Remaining int // still due when the run ended
	Took      time.Duration
	At        time.Time // wall time
}

// New is a service. grace is how long after a pass the next one comes that
// takes what a write in flight brought back: longer than the longest request.
// wiped is told of every run that wiped. It registers the kinds that wipe.
func New(e *hub.Engine, a alarm.Scheduler, grace time.Duration, mac MAC, wiped func(WipeRun)) *Service {
	s := &Service{engine: e, alarms: a, grace: grace, mac: mac, wiped: wiped}
	e.HandleKind("root", hub.Kind{Settle: s.ownTimer, Done: s.done})
	e.HandleKind("sandbox", hub.Kind{Settle: s.rowTimer, AtOnce: wipesAtOnce, PerRun: wipesPerRun, Done: s.done})
	return s
}

func (s *Service) done(ctx context.Context, t hub.Tally) {
	run := WipeRun{Failed: t.Failed, Remaining: t.Remaining, Took: t.Took, At: s.engine.Wall()}
	for _, e := range t.Events {
		if e.Type == wipedEvent {
			run.Wiped++
		}
	}
	s.wiped(run)
	if t.Hub == hub.Control {
		s.keep(ctx, run)
	}
}

// Read reads a sandbox's root.
func (s *Service) Read(ctx context.Context, who hub.Who) (hub.View, error) {
	return s.engine.Open(ctx, who)
}
