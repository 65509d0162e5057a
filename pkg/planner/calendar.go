package planner

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"pocbakery/pkg/calendar"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/refusal"
)

// The kinds of calendars.
const (
	ICS    = "ics"
	Google = "google"
	ShopOf = "shop"
	Demo   = "demo"
)

// The states of a calendar.
const (
	CalendarOK        = "ok"
	CalendarError     = "error"
	CalendarReconnect = "reconnect"
	CalendarAsleep    = "asleep"
)

// What a calendar's events are taken for, whatever they say themselves.
const (
	TreatBusy = "busy"
	TreatFree = "free"
)

const (
	maxCalendars = 5
	maxPickup    = 60 // minutes
	maxName      = 80 // characters
	// behind and ahead are how far around business now a calendar is expanded.
	behind = 2 * 24 * time.Hour
	ahead  = 60 * 24 * time.Hour
)

// Calendar is a calendar that somebody connected.
type Calendar struct {
	ID       string  `json:"i"`
	Kind     string  `json:"k"`
	Name     string  `json:"n"`
	State    string  `json:"s"`
	Error    string  `json:"x,omitzero"`
	TreatAs  string  `json:"t,omitzero"` // busy or free; empty as the events say
	Pickup   int     `json:"p,omitzero"` // minutes that a slot with pickups takes
	Address  string  `json:"a,omitzero"` // of an ICS file; of a calendar of Google's its grant, sealed
	Foreign  string  `json:"y,omitzero"` // what Google calls it
	Watches  []Watch `json:"b,omitzero"`
	WatchGen int     `json:"v,omitzero"`
	Renew    instant `json:"r,omitzero"` // wall time: when a channel is opened
	Shop     string  `json:"h,omitzero"` // the hub whose pickups these are
	Made     instant `json:"m"`
	LastSync instant `json:"l,omitzero"` // wall time, as is the next
	NextSync instant `json:"w,omitzero"`
	Fails    int     `json:"f,omitzero"` // in a row
	Gen      int     `json:"g,omitzero"` // of what is stored of it; 0: nothing
	Chunks   int     `json:"c,omitzero"`
	ETag     string  `json:"e,omitzero"`
	Modified string  `json:"d,omitzero"`
	Token    string  `json:"o,omitzero"`

	feed calendar.Feed
}

// end is when something is asked of the other side next.
func (c *Calendar) end() time.Time {
	next, renew := c.NextSync.Time(), c.Renew.Time()
	if next.IsZero() || (!renew.IsZero() && renew.Before(next)) {
		return renew
	}
	return next
}

// busy is something in a calendar, in time.
type busy struct {
	id, title, calendar string
	from, until         time.Time
	busy                bool
	pickup              bool
}

// Pickup is a slot at which orders are handed over.
type Pickup struct {
	Slot   string
	At     time.Time
	Orders int // confirmed
}

// expand works out what takes time around business now.
func (s *state) expand() {
	s.busy = s.busy[:0]
	for _, c := range s.cals {
		switch c.Kind {
		case ShopOf:
			for _, p := range s.pickups {
				until := p.At.Add(time.Duration(c.Pickup) * time.Minute)
				wall := c.TreatAs != TreatFree && c.Pickup > 0 // 0 lists them without a wall
				s.busy = append(s.busy, busy{c.ID + "-" + p.Slot, pickupTitle(p.Orders), c.ID, p.At, until, wall, true})
			}
		default:
			now := s.now.Business
			occurrences, _ := c.feed.Expand(now.Add(-behind), now.Add(ahead), s.zone())
			for _, o := range occurrences {
				takes := o.Busy
				if c.TreatAs != "" {
					takes = c.TreatAs == TreatBusy
				}
				s.busy = append(s.busy, busy{eventID(c.ID, o.ID), o.Title, c.ID, o.Start, o.End, takes, false})
			}
		}
	}
	slices.SortStableFunc(s.busy, func(a, b busy) int { return a.from.Compare(b.from) })
}

// eventID names an event of a calendar, whatever its own name is made of.
func eventID(cal, id string) string {
	sum := sha256.Sum256([]byte(id))
	return cal + "-" + hex.EncodeToString(sum[:8])
}

// fetched takes what a calendar's other side answered, or why it did not.
func (s *state) fetched(c *Calendar, f calendar.Fetched, err error, wall time.Time) {
	c.LastSync = instant(wall)
	switch {
	case err == nil:
		c.State, c.Error, c.Fails = CalendarOK, problems(f.Problems), 0
		c.ETag, c.Modified, c.Token = f.State.ETag, f.State.Modified, f.State.Token
		if f.Changed {
			c.feed = f.State.Feed
		}
		if c.Name == "" && f.State.Feed.Name != "" {
			c.Name = cut(f.State.Feed.Name, maxName)
		}
		c.NextSync = instant(s.nextSync(wall, 0))
		if c.Kind == Google && len(c.Watches) == 0 && c.Renew.IsZero() {
			c.Renew = instant(wall)
		}
		s.tell(hub.Event{Type: CalendarSynced, Calendar: c.ID}, s.now.Business)
	case isReconnect(err):
		c.State, c.Error, c.NextSync = CalendarReconnect, cut(err.Error(), maxReason), instant{}
		c.Watches, c.Renew = nil, instant{} // nobody lets us stop them; they end by themselves
		s.tell(hub.Event{Type: CalendarFailed, Calendar: c.ID, Reason: CalendarReconnect}, s.now.Business)
	default:
		c.Fails++
		c.State, c.Error = CalendarError, cut(err.Error(), maxReason)
		c.NextSync = instant(s.nextSync(wall, c.Fails))
		s.tell(hub.Event{Type: CalendarFailed, Calendar: c.ID, Reason: CalendarError}, s.now.Business)
	}
}

const maxReason = 200 // characters

func cut(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most])
	}
	return text
}

func noSuchCalendar() error { return refusal.New(refusal.NoSuchCalendar, "No calendar has this id.") }
