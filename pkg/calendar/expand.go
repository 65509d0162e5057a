package calendar

import (
	"slices"
	"strings"
	"time"
)

// maxOccurrences bounds an expansion.
const maxOccurrences = 20_000

// Expand lists what takes place in [from, until), by start, for a person in a
// zone. What cannot be expanded is told, and the rest is expanded all the same.
func (f Feed) Expand(from, until time.Time, person *time.Location) ([]Occurrence, []Problem) {
	steps := maxSteps
	x := expansion{
		from: from, until: until, zones: newZones(f, from, until, person, &steps),
		replaced: map[string]map[int64]bool{}, steps: steps,
	}
	for _, e := range f.Events {
		if e.Replaces == nil {
			continue
		}
		if x.replaced[e.UID] == nil {
			x.replaced[e.UID] = map[int64]bool{}
		}
		x.replaced[e.UID][x.zones.instant(*e.Replaces).Unix()] = true
	}
	for _, e := range f.Events {
		x.event(e)
	}
	slices.SortFunc(x.all, func(a, b Occurrence) int {
		if c := a.Start.Compare(b.Start); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	if len(x.all) > maxOccurrences {
		x.all = x.all[:maxOccurrences]
		x.problems = append(x.problems, Problem{What: "more takes place than is listed"})
	}
	return x.all, x.problems
}

// expansion is one expansion on its way.
type expansion struct {
	from, until time.Time
	zones       *zones
	replaced    map[string]map[int64]bool // by series, the starts that others stand for
	steps       int
	all         []Occurrence
	problems    []Problem
}

func (x *expansion) event(e Event) {
	if e.Cancelled {
		return
	}
	start := x.zones.instant(e.Start)
	length := x.zones.instant(e.End).Sub(start)
	if e.Replaces != nil || len(e.Rules)+len(e.More) == 0 {
		x.add(e, e.Start, start, length)
		return
	}
	except := map[int64]bool{}
	for _, s := range e.Except {
		except[x.zones.instant(s).Unix()] = true
	}
	had := map[int64]bool{}
	for _, clock := range x.clocks(e, length) {
		at := x.zones.instant(clock)
		if n := at.Unix(); !had[n] && !except[n] && !x.replaced[e.UID][n] {
			had[n] = true
			x.add(e, clock, at, length)
		}
	}
}

// clocks are the readings at which a series may take place in the range.
func (x *expansion) clocks(e Event, length time.Duration) []Stamp {
	stamp := func(clock time.Time) Stamp { return Stamp{Clock: clock, Zone: e.Start.Zone, Date: e.Start.Date} }
	// Two days on either side are more than any zone is off.
	from, until := x.from.Add(-length-48*time.Hour), x.until.Add(48*time.Hour)
	clocks := append([]Stamp{e.Start}, e.More...)
	clock := inUTC // of a date
	if !e.Start.Date {
		clock = x.zones.clock(e.Start.Zone)
	}
	for _, text := range e.Rules {
		r, err := readRule(text, e.Start.Clock, clock)
		if err != nil {
			x.problems = append(x.problems, Problem{e.Line, err.Error()})
			continue
		}
		for _, c := range r.between(from, until, &x.steps) {
			clocks = append(clocks, stamp(c))
		}
		if x.steps <= 0 {
			x.problems = append(x.problems, Problem{e.Line, "its rules take too long to follow; what comes after is left out"})
			break
		}
	}
	return clocks
}

// add adds an occurrence that reaches into the range.
func (x *expansion) add(e Event, clock Stamp, start time.Time, length time.Duration) {
	end := start.Add(length)
	if clock.Date { // so many days, of 23 to 25 hours
		days := e.End.Clock.Sub(e.Start.Clock)
		end = x.zones.instant(Stamp{Clock: clock.Clock.Add(days), Date: true})
	}
	if !start.Before(x.until) || !x.from.Before(end) || !start.Before(end) {
		return
	}
	id := e.ID
	if e.Replaces == nil && len(e.Rules)+len(e.More) > 0 {
		id += "@" + clock.Clock.Format("20060102T150405")
	} else if e.Replaces != nil {
		id = e.UID + "@" + e.Replaces.Clock.Format("20060102T150405")
	}
	x.all = append(x.all, Occurrence{ID: id, Title: e.Title, Start: start, End: end, AllDay: clock.Date, Busy: !e.Free})
}
