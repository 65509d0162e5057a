package lambda

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"pocbakery/pkg/app"
)

const (
	// reread is how old a reading of the secrets may be.
	reread = 10 * time.Minute
	// again is the pause after a reading that failed, where there is no older one.
	again = 5 * time.Second
)

// program is the bakery over the secrets as they were last read.
type program struct {
	read  func(context.Context) (Secrets, error)
	wire  func(Secrets) *app.App
	clock func() time.Time
	log   *slog.Logger

	mu      sync.Mutex
	secrets Secrets
	app     *app.App // nil while there is nothing to wire it with
	next    time.Time
}

// current is the bakery, nil while its secrets cannot be read.
func (p *program) current(ctx context.Context) *app.App {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.clock()
	if now.Before(p.next) {
		return p.app
	}
	s, err := p.read(ctx)
	switch {
	case err != nil && p.app == nil:
		p.log.Error("misconfigured", "event", "misconfigured", "error", err.Error())
		p.next = now.Add(again)
		return nil
	case err != nil:
		p.log.Warn("secrets_unread", "event", "secrets_unread", "error", err.Error())
	case p.app == nil || !s.equal(p.secrets):
		p.secrets, p.app = s, p.wire(s)
	}
	p.next = now.Add(reread)
	return p.app
}

// origin is the secret of a distribution in front.
func (p *program) origin() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.secrets.Origin
}
