package calendar

import (
	"context"
	"time"
)

// Grantor is an other side that its person lets us into: Google. Its grants are
// secrets, which whoever keeps them seals.
type Grantor interface {
	// AuthURL is where the person is sent to be asked. state comes back with the
	// code; challenge is the S256 challenge of the verifier that [Grantor.Grant]
	// is given.
	AuthURL(state, challenge string) string
	// Grant turns the code into a lasting grant. ErrReconnect means that the code
	// is no good.
	Grant(ctx context.Context, code, verifier string) (Grant, error)
	// Calendars lists what can be connected under a grant, the primary first.
	Calendars(ctx context.Context, g Grant) ([]Listed, error)
	// Fetch is [Side]'s, for one calendar under a grant.
	Fetch(ctx context.Context, g Grant, id string, last State, now time.Time) (Fetched, error)
	// Watch asks to be told of changes at an address, under a channel of our
	// naming. Until is when the other side says it ends.
	Watch(ctx context.Context, g Grant, id string, c Channel) (Channel, error)
	// Stop ends a channel. One that is gone is no error.
	Stop(ctx context.Context, g Grant, c Channel) error
	// Revoke takes a grant back. One that is gone is no error.
	Revoke(ctx context.Context, g Grant) error
}

// Grant is what lets us in until its person says otherwise: a refresh token.
type Grant string

// String keeps a grant out of logs.
func (Grant) String() string { return "(a grant)" }

// Listed is a calendar that can be connected.
type Listed struct {
	ID      string
	Name    string
	Primary bool
}

// Channel is a subscription to a calendar's changes.
type Channel struct {
	ID       string    // 26 random characters, ours
	Token    string    // comes back with each push; at most 256 bytes
	Address  string    // where pushes go
	Resource string    // the other side's name of what is watched
	Until    time.Time // asked for, or as given
}
