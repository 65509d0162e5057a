package calendar

import (
	"context"
	"errors"
	"time"
)

// State is what a fetch leaves for the next: the feed as it stands, and how to
// ask for what changed since. The zero State has never fetched.
type State struct {
	Feed Feed
	// ETag and Modified are the validators of a file, of HTTP; Token is the
	// other side's own mark of how far it was read.
	ETag     string
	Modified string
	Token    string
}

// Fetched is what a fetch found.
type Fetched struct {
	State   State
	Changed bool // the feed is another than it was
	// Problems tell what of it could not be read.
	Problems []Problem
}

// Side is the other side of a kind of calendar. Fetch asks it for the calendar
// as it stands, where it can for what changed since the last time. It takes at
// most 5 seconds and gives up earlier with its context. An error leaves the
// state as it was.
type Side interface {
	Fetch(ctx context.Context, address string, last State, now time.Time) (Fetched, error)
}

// Why a fetch failed, for the person whose calendar it is; with errors.Is.
var (
	// ErrNotAllowed is an address that may not be asked: never tried again.
	ErrNotAllowed = errors.New("this address cannot be a calendar's")
	// ErrReconnect means that the other side no longer lets us in.
	ErrReconnect = errors.New("the other side asks to be connected again")
	// ErrUnread is everything else: tried again later.
	ErrUnread = errors.New("the calendar could not be read")
)
