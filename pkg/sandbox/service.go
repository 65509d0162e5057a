package sandbox

import (
	"context"
	"time"

	"pocbakery/pkg/alarm"
	"pocbakery/pkg/hub"
)

// Service looks after sandboxes.
type Service struct {
	engine *hub.Engine
	alarms alarm.Scheduler
	grace  time.Duration
	mac    MAC
}

// MAC is a keyed hash of texts, for a purpose.
type MAC func(purpose string, parts ...string) [32]byte

// New is a service. grace is how long after a pass the next one comes that
// takes what a write in flight brought back: longer than the longest request.
// It registers the handlers that wipe.
func New(e *hub.Engine, a alarm.Scheduler, grace time.Duration, mac MAC) *Service {
	s := &Service{engine: e, alarms: a, grace: grace, mac: mac}
	e.Handle("root", s.ownTimer)
	e.Handle("sandbox", s.rowTimer)
	return s
}

// Read reads a sandbox's root.
func (s *Service) Read(ctx context.Context, who hub.Who) (hub.View, error) {
	return s.engine.Open(ctx, who)
}
