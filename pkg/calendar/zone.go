package calendar

import (
	"slices"
	"sort"
	"time"

	"pocbakery/pkg/localtime"
)

// Zone is a time zone of a calendar's own, by the rules that its file gives.
type Zone struct {
	Name   string  `json:"n"`
	Shifts []Shift `json:"s"`
}

// Shift is a change of clocks, once or by a rule.
type Shift struct {
	From  int         `json:"f"` // seconds east of UTC before it
	To    int         `json:"t"` // and after
	Start time.Time   `json:"s"` // its first onset, on the clock before it
	Rule  string      `json:"r,omitzero"`
	More  []time.Time `json:"m,omitzero"`
}

// zones turn clock readings into instants, for one expansion.
type zones struct {
	person *time.Location
	own    map[string]ownZone
	iana   map[string]*time.Location
}

// ownZone is a zone's onsets around the expansion, in their order.
type ownZone []onset

type onset struct {
	clock    time.Time // on the clock before it
	from, to int
}

func newZones(feed Feed, from, until time.Time, person *time.Location, steps *int) *zones {
	z := &zones{person: person, own: map[string]ownZone{}, iana: map[string]*time.Location{}}
	for _, own := range feed.Zones {
		z.own[own.Name] = own.around(from, until, steps)
	}
	return z
}

// around lists the onsets that count for a range: those in it and in the two
// years before it, and each shift's first.
func (z Zone) around(from, until time.Time, steps *int) ownZone {
	var all ownZone
	for _, s := range z.Shifts {
		clocks := append([]time.Time{s.Start}, s.More...)
		if r, err := readRule(s.Rule, s.Start, inUTC); s.Rule != "" && err == nil {
			clocks = append(clocks, r.between(from.AddDate(-2, 0, 0), until.AddDate(0, 0, 2), steps)...)
		}
		for _, c := range clocks {
			all = append(all, onset{c, s.From, s.To})
		}
	}
	slices.SortStableFunc(all, func(a, b onset) int { return a.clock.Compare(b.clock) })
	return all
}

// instant is the reading's instant. One that comes twice is before the onset
// that turns the clock back, so it is the first.
func (z ownZone) instant(clock time.Time) time.Time {
	i := sort.Search(len(z), func(i int) bool { return z[i].clock.After(clock) })
	switch {
	case len(z) == 0:
		return clock
	case i == 0:
		return clock.Add(-time.Duration(z[0].from) * time.Second)
	}
	last := z[i-1]
	gap := time.Duration(last.to-last.from) * time.Second
	offset := last.to
	if clock.Before(last.clock.Add(gap)) { // in a gap: the clock before it goes on
		offset = last.from
	}
	return clock.Add(-time.Duration(offset) * time.Second)
}

// clock is what the zone's clock shows at an instant, carried in UTC.
func (z ownZone) clock(t time.Time) time.Time {
	for _, o := range z {
		for _, offset := range []int{o.to, o.from} {
			if c := t.Add(time.Duration(offset) * time.Second).UTC(); z.instant(c).Equal(t) {
				return c
			}
		}
	}
	return t.UTC()
}

// clock is the turn of a zone's instants to readings of its clock.
func (z *zones) clock(name string) func(time.Time) time.Time {
	if own, ok := z.own[name]; ok {
		return own.clock
	}
	loc := z.location(name)
	return func(t time.Time) time.Time {
		t = t.In(loc)
		return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
	}
}

func inUTC(t time.Time) time.Time { return t.UTC() }

// location is the zone of an IANA name; of none, and of one that is unknown
// here, it is the person's.
func (z *zones) location(name string) *time.Location {
	if name == "" {
		return z.person
	}
	if loc, ok := z.iana[name]; ok {
		return loc
	}
	loc, err := time.LoadLocation(name)
	if err != nil || name == "Local" {
		loc = z.person
	}
	z.iana[name] = loc
	return loc
}

// instant is a stamp's instant; a date's is its midnight in the person's zone.
func (z *zones) instant(s Stamp) time.Time {
	if s.Date {
		return Instant(s.Clock, z.person)
	}
	if own, ok := z.own[s.Zone]; ok {
		return own.instant(s.Clock)
	}
	return Instant(s.Clock, z.location(s.Zone))
}

// Instant is when a clock in a zone shows these fields (those of clock, as UTC).
// A reading that the clock skips counts with the offset before the gap; of one
// that it shows twice it is the first.
func Instant(clock time.Time, loc *time.Location) time.Time {
	date := localtime.DateOf(clock)
	reading := clock.Sub(date.UTC())
	wall := localtime.WallOf(loc, date)
	at, _, times := wall.At(reading)
	if times == 0 {
		at = wall.Unchanged(reading)
	}
	return time.Unix(at, 0).UTC()
}
