package access

import (
	"time"

	"pocbakery/pkg/hub"
	"pocbakery/pkg/refusal"
)

// Ticket opens one live connection to a hub, once.
type Ticket struct {
	Hub     hub.ID
	Session string // that asked for it, empty for a token's
	ID      string // its own name, under which it is spent
	EndsAt  time.Time
}

// Tickets signs tickets and reads them back.
type Tickets struct{ signed Sessions }

// Tickets are the tickets of a ring. They have keys of their own: a ticket is
// no session, and a session no ticket.
func (k *Keyring) Tickets() *Tickets { return &Tickets{Sessions{k, "live ticket", "lt1."}} }

// Sign is the ticket as a text.
func (t *Tickets) Sign(v Ticket) string {
	return t.signed.Sign(Session{Hub: v.Hub, Kind: v.Session, ID: v.ID, EndsAt: v.EndsAt})
}

// Verify reads a ticket. One that is forged or past its end is refused as
// unauthenticated, without a read.
func (t *Tickets) Verify(text string, now time.Time) (Ticket, error) {
	s, err := t.signed.Verify(text, now)
	if err != nil {
		return Ticket{}, refusal.New(refusal.Unauthenticated, "This ticket is none of ours, or its minute is over. Ask for another.")
	}
	return Ticket{Hub: s.Hub, Session: s.Kind, ID: s.ID, EndsAt: s.EndsAt}, nil
}
