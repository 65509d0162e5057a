package planner

import (
	"context"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"pocbakery/pkg/calendar"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/localtime"
	"pocbakery/pkg/refusal"
)

const (
	// debounce is how long after a push its calendar is asked: what else changes
	// in that time is in the same answer.
	debounce = 40 * time.Second
	// watchFor is how long a channel is asked for, and renewBefore how long
	// before its end it is renewed.
	watchFor    = 7 * 24 * time.Hour
	renewBefore = 24 * time.Hour
	// deafFor is how long a channel that nobody hears is not read for again: at
	// most 10 reads a minute.
	deafFor = time.Minute / 10
	// renewAgain is the pause after a channel was refused.
	renewAgain = time.Hour

	watchPurpose = "planner channel"
)

// Watch is a channel by which the other side tells of changes.
type Watch struct {
	ID       string  `json:"i"`
	Gen      int     `json:"g"`
	Resource string  `json:"r"`
	Until    instant `json:"u"`
}

// dropped is a calendar whose channels are to be stopped, and its grant taken
// back, once that is written.
type dropped struct {
	c       *Calendar
	watches []Watch
	revoke  bool
}

// watches reports whether the calendar's other side can tell of changes.
func (p *Service) watches(c *Calendar) bool {
	return c.Kind == Google && p.Google != nil && p.address() != "" && c.State != CalendarReconnect
}

func (p *Service) address() string {
	if p.Address == nil {
		return ""
	}
	return p.Address()
}

// channelToken is what comes back with each push: whose it is, signed, so that
// a forged one costs no read.
func (p *Service) channelToken(id hub.ID, cal string, gen int) string {
	return fmt.Sprintf("%s.%s.%d.%s", id, cal, gen, p.channelSum(id, cal, gen))
}

func (p *Service) channelSum(id hub.ID, cal string, gen int) string {
	sum := p.MAC(watchPurpose, string(id), cal, strconv.Itoa(gen))
	return hex.EncodeToString(sum[:16])
}

func (p *Service) channelOf(token string) (id hub.ID, cal string, gen int, ok bool) {
	parts := strings.Split(token, ".")
	if len(parts) != 4 {
		return "", "", 0, false
	}
	gen, err := strconv.Atoi(parts[2])
	id, cal = hub.ID(parts[0]), parts[1]
	return id, cal, gen, err == nil && subtle.ConstantTimeCompare([]byte(p.channelSum(id, cal, gen)), []byte(parts[3])) == 1
}

// channelID draws a channel's id: 26 characters.
func (p *Service) channelID() (string, error) {
	var b [26]byte
	if _, err := io.ReadFull(p.Random, b[:]); err != nil {
		return "", err
	}
	for i := range b {
		b[i] = alphabet[b[i]&31]
	}
	return string(b[:]), nil
}

// renew opens a new channel, and stops the old one once the new is written.
func (p *Service) renew(ctx context.Context, turn hub.Turn, s *state, id string) ([]hub.Event, error) {
	c := s.calendar(id)
	var made *Watch
	if p.watches(c) {
		var err error
		if made, err = p.watch(ctx, turn.Root.ID, c, turn.Now.Wall); err != nil {
			p.Engine.Report("watch_failed", turn.Root.ID, err)
		}
	}
	return p.settleAt(ctx, turn, func(s *state) {
		if c := s.calendar(id); c != nil {
			s.watched(c, made, turn.Now.Wall)
		}
	})
}

// watch asks the other side for a channel; nil where it does not give one.
func (p *Service) watch(ctx context.Context, id hub.ID, c *Calendar, wall time.Time) (*Watch, error) {
	g, ok := p.grantOf(id, c)
	if !ok {
		return nil, calendar.ErrReconnect
	}
	name, err := p.channelID()
	if err != nil {
		return nil, err
	}
	w := Watch{ID: name, Gen: c.WatchGen + 1}
	ch, err := p.Google.Watch(ctx, g, c.Foreign, calendar.Channel{
		ID: name, Token: p.channelToken(id, c.ID, w.Gen), Address: p.address() + "/v1/webhooks/google/" + name, Until: wall.Add(watchFor),
	})
	if err != nil {
		return nil, err
	}
	w.Resource, w.Until = ch.Resource, instant(ch.Until)
	return &w, nil
}

// watched takes a channel that was opened, or that none was.
func (s *state) watched(c *Calendar, made *Watch, wall time.Time) {
	if made == nil {
		c.Renew = instant(wall.Add(renewAgain))
		return
	}
	s.drop = append(s.drop, dropped{c: c, watches: c.Watches})
	c.Watches, c.WatchGen = []Watch{*made}, made.Gen
	c.Renew = instant(made.Until.Time().Add(-renewBefore))
	if !c.Renew.Time().After(wall) { // a channel that is shorter than the pause
		c.Renew = instant(wall.Add(made.Until.Time().Sub(wall) / 2))
	}
	s.tell(hub.Event{Type: WatchRenewed, Calendar: c.ID}, s.now.Business)
}

// letGo stops channels that are no longer written, and takes back grants that
// no calendar needs. That it fails is no harm: a channel that nobody knows is
// answered and ignored, and ends by itself.
func (p *Service) letGo(ctx context.Context, s *state) {
	for _, d := range s.drop {
		if p.Google == nil || d.c.Kind != Google {
			continue
		}
		g, ok := p.grantOf(s.root.ID, d.c)
		if !ok {
			continue
		}
		for _, w := range d.watches {
			if err := p.Google.Stop(ctx, g, calendar.Channel{ID: w.ID, Resource: w.Resource}); err != nil {
				p.Engine.Report("channel_not_stopped", s.root.ID, err)
			}
		}
		if !d.revoke {
			continue
		}
		if err := p.Google.Revoke(ctx, g); err != nil {
			p.Engine.Report("grant_not_revoked", s.root.ID, err)
		}
	}
}

// Push is the other side telling of a change on a channel: its calendar is
// asked in a moment. More pushes until then change nothing. What is forged or
// unknown is ignored.
func (p *Service) Push(ctx context.Context, channel, token string) error {
	id, cal, gen, ok := p.channelOf(token)
	if !ok || p.pushes.covered(channel, p.Engine.Wall()) {
		return nil
	}
	return again(ctx, func() error {
		view, err := p.Engine.Open(ctx, hub.Who{Hub: id})
		if refusal.Is(err, refusal.SandboxEnded) {
			p.pushes.cover(channel, p.Engine.Wall().Add(deafFor))
			return nil
		}
		if err != nil {
			return err
		}
		s, err := p.load(ctx, view, localtime.Date{})
		if err != nil {
			return err
		}
		c := s.calendar(cal)
		if c == nil || s.head.Asleep || c.State == CalendarReconnect || !c.hears(channel, gen) {
			p.pushes.cover(channel, view.Now.Wall.Add(deafFor))
			return nil
		}
		wall := view.Now.Wall
		soon := wall.Add(debounce)
		if next := c.NextSync.Time(); next.After(wall) && !next.After(soon) {
			p.pushes.cover(channel, next)
			return nil
		}
		c.NextSync = instant(soon)
		if err := p.commit(ctx, s, true); err != nil {
			return err
		}
		p.pushes.cover(channel, soon)
		return nil
	})
}

// hears reports whether the calendar knows the channel.
func (c *Calendar) hears(channel string, gen int) bool {
	for _, w := range c.Watches {
		if w.ID == channel && w.Gen == gen {
			return true
		}
	}
	return false
}
