package planner

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"pocbakery/pkg/calendar"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/localtime"
	"pocbakery/pkg/refusal"
)

// NewCalendar is what a person says of a calendar to connect.
type NewCalendar struct {
	Kind string
	URL  string // of an ICS file
	// Code and State are the way back from Google's consent, and Cookie what it is
	// known by; without a code, another calendar of who has let us in. Foreign is
	// the calendar's id at Google, the primary where it is empty.
	Code, State, Cookie, Foreign string
	// Shop is the hub whose pickups a shop's calendar shows.
	Shop hub.ID
}

// CalendarEdit is what a person changes of one; nil leaves it as it is.
type CalendarEdit struct {
	Name    *string
	TreatAs *string
	Pickup  *int // minutes
}

// defaultPickup is how long a slot with pickups takes, in minutes.
const defaultPickup = 5

// Calendars lists the calendars.
func (p *Service) Calendars(ctx context.Context, who hub.Who) ([]Calendar, error) {
	s, err := p.read(ctx, who, localtime.Date{})
	if err != nil {
		return nil, err
	}
	out := make([]Calendar, len(s.cals))
	for n, c := range s.cals {
		out[n] = s.calendarView(c)
	}
	return out, nil
}

func (s *state) calendarView(c *Calendar) Calendar {
	v := *c
	if s.head.Asleep && v.State == CalendarOK {
		v.State, v.NextSync = CalendarAsleep, instant{}
	}
	return v
}

// Connect connects a calendar and asks it once, before it answers. One that may
// not be asked is refused; one that cannot be read is connected and says so.
func (p *Service) Connect(ctx context.Context, who hub.Who, key string, n NewCalendar) (c Calendar, replayed bool, err error) {
	id, err := p.newID()
	if err != nil {
		return Calendar{}, false, err
	}
	made := Calendar{ID: id, Kind: n.Kind, State: CalendarOK, Address: n.URL, Shop: string(n.Shop)}
	switch n.Kind {
	case ShopOf:
		made.Name, made.Pickup = "Pickups", defaultPickup
	case ICS, Google:
	default:
		return Calendar{}, false, invalid("kind", "There is no calendar of this kind.")
	}
	before, err := p.read(ctx, who, localtime.Date{})
	if err != nil {
		return Calendar{}, false, err
	}
	o := once{"calendar", key, fmt.Sprint(n.Kind, " ", n.URL, " ", n.Code, " ", n.Foreign)}
	if done, c, err := p.connected(ctx, who, before, o); done || err != nil {
		return c, done, err // nobody is asked again, and a code is good once
	}
	if err := before.roomFor(1); err != nil {
		return Calendar{}, false, err
	}
	if n.Kind == Google {
		if err := p.grant(ctx, who, before, &made, n); err != nil {
			return Calendar{}, false, err
		}
	}
	fetched, failed := p.fetch(ctx, who.Hub, &made, p.Engine.Wall())
	if errors.Is(failed, calendar.ErrNotAllowed) {
		return Calendar{}, false, refusal.At(refusal.CalendarURL, "url", "This address cannot be a calendar's: it is http, https or webcal, and of a public host.")
	}
	s, id, replayed, err := p.change(ctx, who, o, func(s *state) (string, error) {
		if err := s.roomFor(1); err != nil {
			return "", err
		}
		s.connects()
		c := made
		c.Made = instant(s.now.Business)
		if failed == nil && fetched.Changed {
			chunks, err := p.storeFeed(ctx, s, id, 1, fetched.State.Feed)
			if err != nil {
				return "", err
			}
			c.Gen, c.Chunks = 1, chunks
		}
		s.cals = append(s.cals, &c)
		s.fetched(&c, fetched, failed, s.now.Wall)
		if c.Name == "" {
			c.Name = "Calendar"
		}
		if c.Kind == ShopOf {
			if err := p.loadCalendars(ctx, s); err != nil {
				return "", err
			}
		}
		s.expand()
		s.repack(s.now.Business)
		return id, nil
	})
	if err != nil {
		return Calendar{}, false, err
	}
	found := s.calendar(id)
	if found == nil {
		return Calendar{}, false, noSuchCalendar()
	}
	return s.calendarView(found), replayed, nil
}

// connected is what an earlier request under the key connected.
func (p *Service) connected(ctx context.Context, who hub.Who, s *state, o once) (bool, Calendar, error) {
	if o.key == "" {
		return false, Calendar{}, nil
	}
	items, err := p.Engine.Store().Get(ctx, s.now.Wall, s.root.Key(p.onceSK(who, o)))
	if err != nil {
		return false, Calendar{}, err
	}
	ref, known, err := o.known(items)
	if c := s.calendar(ref); known && c != nil {
		return true, s.calendarView(c), err
	}
	return false, Calendar{}, err
}

// maxConnects bounds how often a hub makes us ask an address that it names, a
// day; syncs do not count.
const maxConnects = 20

// connects counts a calendar that is connected.
func (s *state) connects() {
	today := s.now.Wall.Format(time.DateOnly)
	if s.head.On != today {
		s.head.On, s.head.Connected = today, 0
	}
	s.head.Connected++
}

func (s *state) roomFor(n int) error {
	if s.head.On == s.now.Wall.Format(time.DateOnly) && s.head.Connected+n > maxConnects {
		return refusal.New(refusal.TooMany, fmt.Sprintf("A planner connects at most %d calendars a day.", maxConnects))
	}
	if len(s.cals)+n > maxCalendars {
		return refusal.New(refusal.TooMany, fmt.Sprintf("A planner has at most %d calendars.", maxCalendars))
	}
	return nil
}

// EditCalendar changes a calendar's name and what its events are taken for.
func (p *Service) EditCalendar(ctx context.Context, who hub.Who, id string, e CalendarEdit) (Calendar, error) {
	s, _, _, err := p.change(ctx, who, once{}, func(s *state) (string, error) {
		c := s.calendar(id)
		if c == nil {
			return "", noSuchCalendar()
		}
		if e.Pickup != nil && (c.Kind != ShopOf || *e.Pickup < 0 || *e.Pickup > maxPickup) {
			return "", invalid("pickup_minutes", fmt.Sprintf("Only a shop's calendar has this: 0 to %d minutes.", maxPickup))
		}
		if e.Name != nil {
			if n := utf8.RuneCountInString(*e.Name); n < 1 || n > maxName {
				return "", invalid("name", fmt.Sprintf("A name has 1 to %d characters.", maxName))
			}
		}
		set(&c.Name, e.Name)
		set(&c.TreatAs, e.TreatAs)
		set(&c.Pickup, e.Pickup)
		s.expand()
		s.repack(s.now.Business)
		return id, nil
	})
	if err != nil {
		return Calendar{}, err
	}
	return s.calendarView(s.calendar(id)), nil
}

// Disconnect deletes a calendar and all that is stored of it.
func (p *Service) Disconnect(ctx context.Context, who hub.Who, id string) error {
	_, _, _, err := p.change(ctx, who, once{}, func(s *state) (string, error) {
		c := s.calendar(id)
		if c == nil {
			return "", noSuchCalendar()
		}
		s.forgetFeed(c)
		others := 0
		for _, o := range s.cals {
			if o != c && o.Kind == Google {
				others++
			}
		}
		s.drop = append(s.drop, dropped{c, c.Watches, others == 0})
		kept := s.cals[:0]
		for _, o := range s.cals {
			if o != c {
				kept = append(kept, o)
			}
		}
		s.cals = kept
		s.expand()
		s.repack(s.now.Business)
		return id, nil
	})
	return err
}
