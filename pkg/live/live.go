package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"pocbakery/pkg/access"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/refusal"
	"pocbakery/pkg/store"
)

const (
	// TicketFor is how long a ticket can be used.
	TicketFor = time.Minute
	// connectedFor is how long a connection lasts at the longest.
	connectedFor = 2 * time.Hour
	// maxConnections bounds the connections of a hub.
	maxConnections = 10
	// keptFor is how long a row is kept past its end, by ttl.
	keptFor = 24 * time.Hour

	connPrefix   = "conn#"
	ticketPrefix = "ticket#"
	connKind     = "conn"

	maxConnection = 128 // bytes of a connection's name
)

// Poster reaches connections.
type Poster interface {
	// Post sends messages to a connection, in their order, and takes 300 ms at
	// the most. ErrGone is of one that is not there any more.
	Post(ctx context.Context, connection string, messages [][]byte) error
	// Close ends a connection. One that is gone is no error.
	Close(ctx context.Context, connection string) error
}

// ErrGone is a connection that is not there any more.
var ErrGone = errors.New("live: the connection is gone")

// Render writes the messages that tell of events: the events themselves, and
// then what they changed as it stands now.
type Render func(ctx context.Context, who hub.Who, events []hub.Event) [][]byte

// Lines are the live connections of all hubs.
type Lines struct {
	engine  *hub.Engine
	tickets *access.Tickets
	poster  Poster
	render  Render
	random  io.Reader
}

// New registers the rows of connections with the engine, and is told by it of
// what happens.
func New(e *hub.Engine, ring *access.Keyring, p Poster, r Render, random io.Reader) *Lines {
	l := &Lines{engine: e, tickets: ring.Tickets(), poster: p, render: r, random: random}
	e.Handle(connKind, l.settle)
	e.Told = l.tell
	return l
}

// Ticket makes a ticket for who has just been let into a hub.
func (l *Lines) Ticket(ctx context.Context, who hub.Who) (ticket string, ends time.Time, err error) {
	view, err := l.engine.Open(ctx, who)
	if err != nil {
		return "", time.Time{}, err
	}
	id, err := access.SessionID(l.random)
	if err != nil {
		return "", time.Time{}, err
	}
	ends = view.Now.Wall.Add(TicketFor)
	return l.tickets.Sign(access.Ticket{Hub: who.Hub, Session: who.Session, ID: id, EndsAt: ends}), ends, nil
}

// Connect spends a ticket for a connection, and says to which hub.
func (l *Lines) Connect(ctx context.Context, ticket, connection string) (hub.ID, error) {
	t, err := l.tickets.Verify(ticket, l.engine.Wall())
	if err != nil {
		return "", err
	}
	if connection == "" || len(connection) > maxConnection {
		return "", refusal.At(refusal.Invalid, "connection", "A connection has a name of at most 128 bytes.")
	}
	view, err := l.engine.Open(ctx, hub.Who{Hub: t.Hub, Session: t.Session})
	if err != nil {
		return "", err
	}
	rows, err := l.engine.ListAll(ctx, view, store.Prefix(connPrefix))
	if err != nil {
		return "", err
	}
	if len(rows) >= maxConnections {
		return "", refusal.New(refusal.TooMany, fmt.Sprintf("A sandbox has %d live connections at the most.", maxConnections))
	}
	end := view.Now.Wall.Add(connectedFor)
	if over := view.Root.EndsAt; !over.IsZero() && over.Before(end) {
		end = over
	}
	err = l.engine.Commit(ctx, view.Root, view.Now,
		store.Put(view.Root.Key(ticketPrefix+t.ID), store.IfAbsent(), store.Fields{store.FieldTTL: t.EndsAt.Add(keptFor).Unix()}),
		store.Put(view.Root.Key(connPrefix+connection), store.If().OrAbsent(), store.Fields{
			store.FieldDue: store.DueAt(store.Wall, end), store.FieldWake: store.FormatInstant(end), store.FieldTTL: end.Add(keptFor).Unix(),
		}),
		view.Root.LiveWrite(end),
	)
	failed := store.FailedGuard(err)
	switch {
	case failed != nil && failed.Failed[0]:
		return "", refusal.New(refusal.Unauthenticated, "This ticket was used before. Ask for another.")
	case failed != nil:
		return "", hub.Over()
	case err != nil:
		return "", err
	}
	l.engine.Arm(ctx, t.Hub, store.Wall, end)
	return t.Hub, nil
}

// Disconnect forgets a connection that closed. Who forgets it to say so is
// found gone by the next post, or at its row's end.
func (l *Lines) Disconnect(ctx context.Context, id hub.ID, connection string) error {
	return store.IgnoreGuard(l.engine.Store().Commit(ctx, l.engine.Wall(), store.Delete(store.Key{PK: string(id), SK: connPrefix + connection}, store.If())))
}

// Erasing closes the connections among what is about to be erased.
func (l *Lines) Erasing(ctx context.Context, keys []store.Key) {
	for _, k := range keys {
		if connection, ok := strings.CutPrefix(k.SK, connPrefix); ok {
			if err := l.poster.Close(ctx, connection); err != nil {
				l.engine.Report("live_failed", hub.ID(k.PK), err)
			}
		}
	}
}

// settle ends a connection at its end.
func (l *Lines) settle(ctx context.Context, turn hub.Turn) ([]hub.Event, error) {
	connection := strings.TrimPrefix(turn.Item.SK, connPrefix)
	if err := l.poster.Close(ctx, connection); err != nil {
		return nil, err
	}
	return nil, l.Disconnect(ctx, turn.Root.ID, connection)
}

// tell posts to all connections of a hub at the same time, and forgets those
// that are gone.
func (l *Lines) tell(ctx context.Context, r hub.Root, events []hub.Event) {
	wall := l.engine.Wall()
	page, err := l.engine.Store().List(ctx, wall, string(r.ID), store.Prefix(connPrefix))
	if err != nil {
		l.engine.Report("live_failed", r.ID, err)
		return
	}
	if len(page.Items) == 0 {
		return
	}
	messages := l.render(ctx, hub.Who{Hub: r.ID, Role: hub.Baker}, events)
	var all sync.WaitGroup
	for _, row := range page.Items {
		all.Go(func() {
			connection := strings.TrimPrefix(row.SK, connPrefix)
			err := l.poster.Post(ctx, connection, messages)
			if errors.Is(err, ErrGone) {
				err = l.Disconnect(ctx, r.ID, connection)
			}
			if err != nil {
				l.engine.Report("live_failed", r.ID, err)
			}
		})
	}
	all.Wait()
}
