package localtime

import (
	"sort"
	"time"
	_ "time/tzdata" // a bare Lambda has no zones of its own
)

// Wall is how the clocks of a zone run through one date: with one offset from
// UTC, or with two and the instant of the change between them. No zone of this
// century changes twice within the 56 hours looked at.
//
// It asks the zone for offsets only: time.Date answers for a time that never
// comes with one on either side, and ZoneBounds, where its data end in a rule,
// gives an end before its own instant on the last day of leap years (Go 1.26).
type Wall struct {
	midnight      int64 // 00:00 of the date, were it UTC; all in Unix seconds
	before, after int64 // seconds east of UTC
	change        int64 // the first instant that has the offset after
}

// farthest bounds, in seconds, how far a zone has ever been from UTC.
const farthest = 16 * 60 * 60

// WallOf is how a zone's clocks run through a date.
func WallOf(zone *time.Location, d Date) Wall {
	w := Wall{midnight: d.UTC().Unix()}
	from, to := w.midnight-farthest, w.midnight+24*60*60+farthest
	w.before, w.after, w.change = offset(zone, from), offset(zone, to), from
	if w.before != w.after {
		w.change += int64(sort.Search(int(to-from), func(n int) bool { return offset(zone, from+int64(n)) != w.before }))
	}
	return w
}

func offset(zone *time.Location, t int64) int64 {
	_, east := time.Unix(t, 0).In(zone).Zone()
	return int64(east)
}

// At resolves a time of day to the instants at which the wall shows it: one;
// two, where the clocks go back over it; or none, where they go forward over
// it, and then first and last are the instant they do. Unix seconds.
func (w Wall) At(clock time.Duration) (first, last int64, times int) {
	want := w.midnight + int64(clock/time.Second)
	if t := want - w.before; t < w.change {
		first, last, times = t, t, 1
	}
	if t := want - w.after; t >= w.change {
		if times++; times == 1 {
			first = t
		}
		last = t
	}
	if times == 0 {
		first, last = w.change, w.change
	}
	return first, last, times
}

// First is the first of the instants, in Unix seconds.
func (w Wall) First(clock time.Duration) int64 {
	t, _, _ := w.At(clock)
	return t
}

// Unchanged is the instant of a time of day had the clocks not changed yet: of
// one that never comes, what RFC 5545 (section 3.3.5) takes it for. Unix seconds.
func (w Wall) Unchanged(clock time.Duration) int64 {
	return w.midnight + int64(clock/time.Second) - w.before
}

// Minute is the time of day that the wall shows at t, in minutes.
func (w Wall) Minute(t int64) int {
	east := w.after
	if t < w.change {
		east = w.before
	}
	return int(t+east-w.midnight) / 60
}

// Changes reports whether the clocks change on the date or near to it.
func (w Wall) Changes() bool { return w.before != w.after }

// Instant is the instant at which a time of day begins on a date.
func Instant(zone *time.Location, d Date, clock time.Duration) time.Time {
	return time.Unix(WallOf(zone, d).First(clock), 0).UTC()
}

// Day is when a date begins and ends in a zone.
func Day(zone *time.Location, d Date) (from, until time.Time) {
	return Instant(zone, d, 0), Instant(zone, d.AddDays(1), 0)
}
