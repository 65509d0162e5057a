package planner

import (
	"time"

	"pocbakery/pkg/hub"
	"pocbakery/pkg/localtime"
)

// paces are how often calendars are asked, by how many local days ago the
// person was last here; after the last of them never.
var paces = []struct {
	days  int
	every time.Duration
}{
	{0, 15 * time.Minute}, {3, time.Hour}, {7, 6 * time.Hour}, {14, 24 * time.Hour}, {30, 7 * 24 * time.Hour},
}

// maxBackOff is the longest pause after failures in a row.
const maxBackOff = 6 * time.Hour

// lasts reports whether the hub is one that goes to sleep, and not one that
// ends before it could.
func (s *state) lasts() bool { return s.root.EndsAt.IsZero() }

func (s *state) quietDays(at time.Time) int {
	visited, ok := localtime.ParseDate(s.head.Visited)
	if !ok || !s.lasts() {
		return 0
	}
	return s.today(at).DaysSince(visited)
}

// nextSync is when a calendar is asked after one answer, or after so many
// failures in a row; zero where nobody has been here for a month.
func (s *state) nextSync(wall time.Time, fails int) time.Time {
	days := s.quietDays(s.now.Business)
	for _, p := range paces {
		if days > p.days {
			continue
		}
		pause := p.every
		if fails > 0 {
			pause = max(pause, min(p.every<<min(fails-1, 8), maxBackOff))
		}
		return wall.Add(pause)
	}
	return time.Time{}
}

// sleepsAt is when a lasting hub goes to sleep unless somebody comes.
func (s *state) sleepsAt() time.Time {
	visited, ok := localtime.ParseDate(s.head.Visited)
	if !ok || !s.lasts() {
		return time.Time{}
	}
	return localtime.Instant(s.zone(), visited.AddDays(paces[len(paces)-1].days+1), 0)
}

// sleep lets go of everything that would wake the hub: from then on it has no
// end, until somebody comes.
func (s *state) sleep() {
	if s.head.Asleep || s.sleepsAt().IsZero() || s.now.Wall.Before(s.sleepsAt()) {
		return
	}
	s.head.Asleep = true
	for _, c := range s.cals {
		s.drop = append(s.drop, dropped{c: c, watches: c.Watches})
		c.Watches, c.Renew = nil, instant{}
	}
	s.tell(hub.Event{Type: HubAsleep}, s.now.Business)
}

// visit notes that the person is here. It changes the state at most once a
// local day.
func (s *state) visit() {
	today := s.today(s.now.Business).String()
	if !s.lasts() || s.head.Visited == today {
		return
	}
	slept := s.head.Asleep
	s.head.Visited, s.head.Asleep = today, false
	wall := s.now.Wall
	if slept {
		s.tell(hub.Event{Type: HubAwake}, s.now.Business)
		if s.head.Saved {
			s.profile.Next = instant(s.profile.briefingAfter(s.now.Business))
		}
	}
	for _, c := range s.cals {
		if !c.syncs() || c.State == CalendarReconnect {
			continue
		}
		next := wall
		if !slept {
			next = c.LastSync.Time().Add(paces[0].every)
		}
		if next.Before(wall) {
			next = wall
		}
		if c.NextSync.IsZero() || next.Before(c.NextSync.Time()) {
			c.NextSync = instant(next)
		}
	}
}

// syncs reports whether the calendar has another side that is asked.
func (c *Calendar) syncs() bool { return c.Kind != Demo }
