package planner

import (
	"time"

	"pocbakery/pkg/calendar"
	"pocbakery/pkg/localtime"
)

// seeded is the work that a new sandbox is born with.
var seeded = []struct {
	id       string
	task     NewTask
	dueAfter time.Duration // local time of the day it is due on; 0: never
}{
	{"seed-flour", NewTask{Title: "Order flour and butter", Minutes: 45, Priority: 1}, 11 * time.Hour},
	{"seed-rota", NewTask{Title: "Write next week's rota", Minutes: 90, Priority: 2}, 15 * time.Hour},
	{"seed-proofer", NewTask{Title: "Clean the proofer", Minutes: 60, Priority: 3}, 0},
	{"seed-recipe", NewTask{Title: "Try the rye recipe again", Minutes: 120, Priority: 3, MinChunk: 30}, 0},
	{"seed-photos", NewTask{Title: "Photograph the new buns", Minutes: 30, Priority: 4}, 0},
}

// seed makes the day that a sandbox is born with: derived from its birth, the
// same at every look, and written once something in its planner changes.
func (s *state) seed() {
	born, now := s.root.BornAt, s.now
	day := seedDay(born)
	begin := localtime.Instant(s.zone(), day, 0)
	for _, seed := range seeded {
		n := seed.task
		t := &Task{
			ID: seed.id, Title: n.Title, Minutes: n.Minutes, Remaining: n.Minutes, Priority: n.Priority, MinChunk: n.MinChunk,
			Made: instant(born),
		}
		if seed.dueAfter > 0 {
			t.Due = instant(localtime.Instant(s.zone(), day, seed.dueAfter))
		}
		if begin.After(born) {
			t.NotBefore = instant(begin)
		}
		s.tasks = append(s.tasks, t)
	}
	s.cals = []*Calendar{{ID: "seed-demo", Kind: Demo, Name: "Demo calendar", State: CalendarOK, Made: instant(born), feed: demoFeed(born)}}
	s.now.Business = born
	s.expand()
	s.repack(born)
	s.now = now
	s.events = nil // it was so when the sandbox was born
}

// seedDay is the day of birth, or the next working day if there is no work left
// on it.
func seedDay(born time.Time) localtime.Date {
	p := DefaultProfile()
	on := p.dateAt(born)
	for d := on; d.DaysSince(on) < 14; d = d.AddDays(1) {
		from, until := localtime.Day(p.zone(), d)
		if from.Before(born) {
			from = born
		}
		for _, w := range p.work(from, until) {
			if w.Until.After(born.Add(time.Hour)) && p.dateAt(w.From) == d {
				return d
			}
		}
	}
	return on
}

// demoFeed is the calendar that a sandbox is born with.
func demoFeed(born time.Time) calendar.Feed {
	day := seedDay(born)
	event := func(id, title string, from, until time.Duration, rules ...string) calendar.Event {
		at := func(clock time.Duration) calendar.Stamp {
			return calendar.Stamp{Clock: day.UTC().Add(clock), Zone: DefaultProfile().Zone}
		}
		return calendar.Event{ID: id, UID: id, Title: title, Start: at(from), End: at(until), Rules: rules}
	}
	return calendar.Feed{Name: "Demo calendar", Events: []calendar.Event{
		event("call", "Supplier call", 10*time.Hour, 10*time.Hour+30*time.Minute),
		event("lunch", "Lunch", 12*time.Hour, 12*time.Hour+45*time.Minute, "FREQ=DAILY"),
		event("tasting", "Tasting with the team", 14*time.Hour, 15*time.Hour, "FREQ=WEEKLY"),
	}}
}
