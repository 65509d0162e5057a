package planner

import (
	"context"
	"errors"
	"strings"
	"time"

	"pocbakery/pkg/calendar"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/localtime"
	"pocbakery/pkg/store"
)

// fetchReserve is how long before its deadline a run begins no fetch: a fetch
// has five seconds.
const fetchReserve = 6 * time.Second

// turn settles an item whose end has come: a day's blocks or a briefing up to
// that very instant, a calendar by asking its other side, the head by going to
// sleep.
func (p *Service) turn(ctx context.Context, turn hub.Turn) ([]hub.Event, error) {
	if id, ok := strings.CutPrefix(turn.Item.SK, calPrefix); ok {
		return p.sync(ctx, turn, id)
	}
	return p.settleAt(ctx, turn, func(s *state) {
		if turn.Item.SK == headSK {
			s.sleep()
		}
	})
}

// settleAt settles up to the end whose turn it is, then does what else there is.
func (p *Service) settleAt(ctx context.Context, turn hub.Turn, then func(s *state)) (events []hub.Event, err error) {
	clock, _, _ := store.ParseDue(turn.Item.String(store.FieldDue))
	at := turn.At
	if clock == store.Wall {
		at = turn.At.Add(turn.Root.Offset)
	}
	for more := true; more && err == nil; {
		err = again(ctx, func() error {
			s, err := p.load(ctx, hub.View{Root: turn.Root, Now: turn.Now}, localtime.DateOf(at).AddDays(-loadDays))
			if err != nil {
				return err
			}
			if more = s.settle(at, settleAtOnce); !more {
				then(s)
			}
			if err := p.commit(ctx, s, false); err != nil {
				return err
			}
			events = append(events, s.events...)
			return nil
		})
	}
	return events, err
}

// sync asks a calendar's other side and plans with its answer. The answer is
// stored under a new generation first; one write then takes it.
func (p *Service) sync(ctx context.Context, turn hub.Turn, id string) ([]hub.Event, error) {
	view := hub.View{Root: turn.Root, Now: turn.Now}
	s, err := p.load(ctx, view, localtime.Date{})
	if err != nil {
		return nil, err
	}
	c := s.calendar(id)
	if c == nil || c.end().IsZero() || c.end().After(turn.Now.Wall) {
		return nil, nil // asked meanwhile, or gone
	}
	if p.Engine.Left != nil && p.Engine.Left(ctx) < fetchReserve {
		return p.settleAt(ctx, turn, func(s *state) {
			if c := s.calendar(id); c != nil {
				c.putOff(turn.Now.Wall.Add(time.Second))
			}
		})
	}
	if due := c.Renew; !due.IsZero() && !due.Time().After(turn.Now.Wall) {
		return p.renew(ctx, turn, s, id)
	}
	asked := c.NextSync
	fetched, failed := p.fetch(ctx, turn.Root.ID, c, turn.Now.Wall)
	chunks := 0
	if failed == nil && fetched.Changed {
		if chunks, err = p.storeFeed(ctx, s, id, c.Gen+1, fetched.State.Feed); err != nil {
			return nil, err
		}
	}
	gen := c.Gen
	return p.settleAt(ctx, turn, func(s *state) {
		c := s.calendar(id)
		if c == nil || c.Gen != gen { // gone, or another was faster
			return
		}
		pushed := c.NextSync
		s.fetched(c, fetched, failed, turn.Now.Wall)
		if pushed != asked && !pushed.IsZero() && pushed.Time().Before(c.NextSync.Time()) {
			c.NextSync = pushed // while it was asked: the change may not be in the answer
		}
		if failed == nil && fetched.Changed {
			s.forgetFeed(c)
			c.Gen, c.Chunks = gen+1, chunks
		}
		s.expand()
		s.repack(s.now.Business)
	})
}

// fetch asks the other side; the shop's pickups were read with everything else.
func (p *Service) fetch(ctx context.Context, id hub.ID, c *Calendar, wall time.Time) (calendar.Fetched, error) {
	last := calendar.State{Feed: c.feed, ETag: c.ETag, Modified: c.Modified, Token: c.Token}
	side := p.Sides[c.Kind]
	if c.Kind == ShopOf {
		return calendar.Fetched{}, nil
	}
	if c.Kind == Google {
		return p.fetchGoogle(ctx, id, c, last, wall)
	}
	if side == nil {
		return calendar.Fetched{}, calendar.ErrUnread
	}
	return side.Fetch(ctx, c.Address, last, wall)
}

func isReconnect(err error) bool { return errors.Is(err, calendar.ErrReconnect) }

// putOff moves what is due of a calendar.
func (c *Calendar) putOff(to time.Time) {
	for _, end := range []*instant{&c.NextSync, &c.Renew} {
		if !end.IsZero() && end.Time().Before(to) {
			*end = instant(to)
		}
	}
}
