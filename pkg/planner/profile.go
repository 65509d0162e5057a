package planner

import (
	"fmt"
	"slices"
	"time"

	"pocbakery/pkg/localtime"
	"pocbakery/pkg/planner/pack"
	"pocbakery/pkg/refusal"
)

// Profile is how a person works.
type Profile struct {
	Zone     string  `json:"z"`
	Hours    Hours   `json:"h"`
	Briefing string  `json:"b"` // local time, "07:00"
	Buffer   int     `json:"f"` // minutes kept before an event
	Next     instant `json:"n,omitzero"`
}

// Hours are the working hours of a week, by time.Weekday: half-open intervals
// of local time, "09:00" to "24:00". One whose end is at or before its start
// ends the next day.
type Hours [7][][2]string

const (
	maxIntervals = 12
	maxBuffer    = 240 // minutes
	lastMinute   = 24 * 60
)

// DefaultProfile is what a person has who never said otherwise.
func DefaultProfile() Profile {
	p := Profile{Zone: "Europe/Stockholm", Briefing: "07:00"}
	for d := time.Monday; d <= time.Friday; d++ {
		p.Hours[d] = [][2]string{{"09:00", "17:00"}}
	}
	return p
}

// check refuses what no day can be planned by.
func (p Profile) check() error {
	if p.Zone == "" || p.Zone == "Local" {
		return invalid("time_zone", "This must be the name of a time zone, such as Europe/Stockholm.")
	}
	if _, err := time.LoadLocation(p.Zone); err != nil {
		return invalid("time_zone", "There is no time zone of this name.")
	}
	if m, ok := clockOf(p.Briefing); !ok || m == lastMinute {
		return invalid("briefing_at", "This must be a local time such as 07:00.")
	}
	if p.Buffer < 0 || p.Buffer > maxBuffer {
		return invalid("buffer_minutes", fmt.Sprintf("This must be 0 to %d minutes.", maxBuffer))
	}
	for _, day := range p.Hours {
		if len(day) > maxIntervals {
			return invalid("working_hours", fmt.Sprintf("A day has at most %d intervals.", maxIntervals))
		}
		for _, i := range day {
			from, ok := clockOf(i[0])
			if _, ended := clockOf(i[1]); !ok || !ended || from == lastMinute {
				return invalid("working_hours", "An interval is two local times such as 09:00 and 17:00; 24:00 may be the second.")
			}
		}
	}
	return nil
}

// clockOf reads "15:04", and "24:00", in minutes.
func clockOf(s string) (minutes int, ok bool) {
	if s == "24:00" {
		return lastMinute, true
	}
	t, err := time.Parse("15:04", s)
	if err != nil || len(s) != 5 {
		return 0, false
	}
	return t.Hour()*60 + t.Minute(), true
}

func (p Profile) zone() *time.Location {
	z, err := time.LoadLocation(p.Zone)
	if err != nil { // it was checked when it was saved, by a program with more zones
		return time.UTC
	}
	return z
}

func (p Profile) dateAt(t time.Time) localtime.Date { return localtime.DateOf(t.In(p.zone())) }

// work is the working time between two instants, intervals that meet joined.
func (p Profile) work(from, until time.Time) []pack.Span {
	zone := p.zone()
	var all []pack.Span
	for d := localtime.DateOf(from.In(zone)).AddDays(-1); ; d = d.AddDays(1) {
		begins, ends := localtime.WallOf(zone, d), localtime.WallOf(zone, d.AddDays(1))
		if time.Unix(begins.First(0), 0).After(until) {
			break
		}
		for _, i := range p.Hours[d.Weekday()] {
			a, _ := clockOf(i[0])
			b, _ := clockOf(i[1])
			s := pack.Span{From: time.Unix(begins.First(time.Duration(a)*time.Minute), 0).UTC()}
			if b > a {
				s.Until = time.Unix(begins.First(time.Duration(b)*time.Minute), 0).UTC()
			} else {
				s.Until = time.Unix(ends.First(time.Duration(b)*time.Minute), 0).UTC()
			}
			if s.Until.After(from) && s.From.Before(until) && s.From.Before(s.Until) {
				all = append(all, s)
			}
		}
	}
	slices.SortFunc(all, func(a, b pack.Span) int { return a.From.Compare(b.From) })
	joined := all[:0]
	for _, s := range all {
		if n := len(joined); n > 0 && !joined[n-1].Until.Before(s.From) {
			if s.Until.After(joined[n-1].Until) {
				joined[n-1].Until = s.Until
			}
			continue
		}
		joined = append(joined, s)
	}
	return joined
}

// briefingOn is when a date's briefing is made.
func (p Profile) briefingOn(d localtime.Date) time.Time {
	m, _ := clockOf(p.Briefing)
	return localtime.Instant(p.zone(), d, time.Duration(m)*time.Minute)
}

// briefingAfter is the first briefing that is due after an instant.
func (p Profile) briefingAfter(t time.Time) time.Time {
	for d := p.dateAt(t).AddDays(-1); ; d = d.AddDays(1) {
		if at := p.briefingOn(d); at.After(t) {
			return at
		}
	}
}

func invalid(field, detail string) error { return refusal.At(refusal.Invalid, field, detail) }
