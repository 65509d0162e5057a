package local

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"pocbakery/pkg/hub"
	"pocbakery/pkg/live"
	"pocbakery/pkg/refusal"
)

// Connections are what live connections are made to.
type Connections interface {
	Connect(ctx context.Context, ticket, connection string) (hub.ID, error)
	Disconnect(ctx context.Context, id hub.ID, connection string) error
}

const (
	// postFor bounds a post: a client that does not read is left behind.
	postFor = 300 * time.Millisecond
	// pingEvery finds out that a client is gone without a word.
	pingEvery = 30 * time.Second
)

// Sockets are the WebSocket connections of this process: what API Gateway is on
// AWS. Rows of connections of an earlier process are found gone by the first
// post.
type Sockets struct {
	// Lines is who is told of connections that come and go.
	Lines Connections
	// Name makes a name that no other connection has.
	Name func() string
	// Limit refuses who upgrades too often; nil for nobody.
	Limit func(*http.Request) error

	mu   sync.Mutex
	open map[string]*websocket.Conn
	all  sync.WaitGroup
}

var _ live.Poster = (*Sockets)(nil)

// ServeHTTP makes a connection of whoever has a ticket. A refusal is an answer
// of HTTP, before anything is a WebSocket.
func (s *Sockets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		w.Header().Set("Upgrade", "websocket")
		(&problem{http.StatusUpgradeRequired, "upgrade-required", "Connect here with a WebSocket and a ticket."}).write(w)
		return
	}
	if s.Limit != nil {
		if err := s.Limit(r); err != nil {
			w.Header().Set("Retry-After", "60")
			(&problem{http.StatusTooManyRequests, "rate-limited", "Six connections a minute are made at the most."}).write(w)
			return
		}
	}
	name := s.Name()
	id, err := s.Lines.Connect(r.Context(), r.URL.Query().Get("ticket"), name)
	if err != nil {
		refused(w, err)
		return
	}
	s.all.Add(1)
	defer s.all.Done()
	defer func() { _ = s.Lines.Disconnect(context.WithoutCancel(r.Context()), id, name) }()
	// A ticket is the whole credential, so a page of any origin may use one.
	c, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
	if err != nil {
		return // it has been answered
	}
	s.keep(name, c)
	defer s.drop(name)
	s.listen(c)
}

// refused answers a ticket that opens nothing.
func refused(w http.ResponseWriter, err error) {
	var no *refusal.Refusal
	if !errors.As(err, &no) {
		(&problem{http.StatusServiceUnavailable, "table-unavailable", "The table did not answer. Try again."}).write(w)
		return
	}
	status := map[refusal.Code]int{refusal.SandboxEnded: http.StatusGone, refusal.TooMany: http.StatusConflict}[no.Code]
	if status == 0 {
		status = http.StatusUnauthorized
	}
	(&problem{status, string(no.Code), no.Detail}).write(w)
}

// listen returns when the client is gone. What it says is nothing to us, but
// that it is there.
func (s *Sockets) listen(c *websocket.Conn) {
	ctx := c.CloseRead(context.Background())
	tick := time.NewTicker(pingEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			ping, cancel := context.WithTimeout(ctx, pingEvery)
			err := c.Ping(ping)
			cancel()
			if err != nil {
				_ = c.CloseNow()
				return
			}
		}
	}
}

func (s *Sockets) keep(name string, c *websocket.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		s.open = map[string]*websocket.Conn{}
	}
	s.open[name] = c
}

func (s *Sockets) drop(name string) *websocket.Conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.open[name]
	delete(s.open, name)
	return c
}

// Post sends messages to a connection.
func (s *Sockets) Post(ctx context.Context, name string, messages [][]byte) error {
	s.mu.Lock()
	c := s.open[name]
	s.mu.Unlock()
	if c == nil {
		return live.ErrGone
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), postFor)
	defer cancel()
	for _, m := range messages {
		if err := c.Write(ctx, websocket.MessageText, m); err != nil {
			// A write that was cut short leaves the connection of no use.
			s.drop(name)
			_ = c.CloseNow()
			return live.ErrGone
		}
	}
	return nil
}

// Close ends a connection. Its client gets some seconds to say goodbye, for
// which nobody waits.
func (s *Sockets) Close(_ context.Context, name string) error {
	if c := s.drop(name); c != nil {
		s.all.Go(func() { _ = c.Close(websocket.StatusGoingAway, "This connection is over.") })
	}
	return nil
}

// Shutdown ends all connections, as their process does.
func (s *Sockets) Shutdown() {
	s.mu.Lock()
	open := s.open
	s.open = nil
	s.mu.Unlock()
	var all sync.WaitGroup
	for _, c := range open {
		all.Go(func() { _ = c.Close(websocket.StatusServiceRestart, "The bakery is closing.") })
	}
	all.Wait()
	s.all.Wait()
}
