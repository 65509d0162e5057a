package bakery

import (
	"cmp"
	"sort"
	"time"
)

// Date is a day of the calendar as a shop's wall shows it; it has no zone of
// its own. The zero Date is no day.
type Date struct {
	Year  int
	Month time.Month
	Day   int
}

// lastYear is the last that YYYY-MM-DD can write.
const lastYear = 9999

// ParseDate reads YYYY-MM-DD; ok is false for all else, and for days that no
// month has.
func ParseDate(s string) (d Date, ok bool) {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return Date{}, false
	}
	return dateOf(t), true
}

// dateOf is the date that t shows in its own location.
func dateOf(t time.Time) Date {
	y, m, d := t.Date()
	return Date{y, m, d}
}

// utc is the date's midnight, were the shop in UTC.
func (d Date) utc() time.Time { return time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, time.UTC) }

// String is the date as YYYY-MM-DD.
func (d Date) String() string { return d.utc().Format(time.DateOnly) }

// AddDays is the date so many days later, or earlier.
func (d Date) AddDays(n int) Date { return dateOf(d.utc().AddDate(0, 0, n)) }

// Weekday is the date's day of the week.
func (d Date) Weekday() time.Weekday { return d.utc().Weekday() }

// Compare is negative where d is before o, positive where it is after.
func (d Date) Compare(o Date) int {
	return cmp.Or(cmp.Compare(d.Year, o.Year), cmp.Compare(d.Month, o.Month), cmp.Compare(d.Day, o.Day))
}

// Before reports whether d is before o.
func (d Date) Before(o Date) bool { return d.Compare(o) < 0 }

// wall is how the clocks of a zone run through one date: with one offset from
// UTC, or with two and the instant of the change between them. No zone of this
// century changes twice within the 56 hours looked at.
//
// It asks the zone for offsets only: time.Date answers for a time that never
// comes with one on either side, and ZoneBounds, where its data end in a rule,
// gives an end before its own instant on the last day of leap years (Go 1.26).
type wall struct {
	midnight      int64 // 00:00 of the date, were it UTC; all in Unix seconds
	before, after int64 // seconds east of UTC
	change        int64 // the first instant that has the offset after
}

// farthest bounds, in seconds, how far a zone has ever been from UTC.
const farthest = 16 * 60 * 60

func wallOf(zone *time.Location, d Date) wall {
	w := wall{midnight: d.utc().Unix()}
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

// at resolves a time of day to the instants at which the wall shows it: one;
// two, where the clocks go back over it; or none, where they go forward over
// it, and then first and last are the instant they do. Unix seconds.
func (w wall) at(clock time.Duration) (first, last int64, times int) {
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

func (w wall) first(clock time.Duration) int64 {
	t, _, _ := w.at(clock)
	return t
}

// minute is the time of day that the wall shows at t, in minutes.
func (w wall) minute(t int64) int {
	east := w.after
	if t < w.change {
		east = w.before
	}
	return int(t+east-w.midnight) / 60
}

// slotAt and unix do what SlotAt and Start do, ten times as fast: a page of
// slots writes and reads hundreds of ids. Years without four digits are cut to
// the nearest with, so that text order stays time order.
func slotAt(unix int64) SlotID {
	t := time.Unix(unix, 0).UTC()
	y, m, d := t.Date()
	hour, minute, _ := t.Clock()
	switch {
	case y < 0:
		return "00000101T0000Z"
	case y > 9999:
		return "99991231T2359Z"
	}
	return SlotID([]byte{
		digit(y / 1000), digit(y / 100), digit(y / 10), digit(y), digit(int(m) / 10), digit(int(m)), digit(d / 10), digit(d),
		'T', digit(hour / 10), digit(hour), digit(minute / 10), digit(minute), 'Z',
	})
}

func digit(n int) byte { return '0' + byte(n%10) }

func (s SlotID) unix() (t int64, ok bool) {
	if len(s) != len(slotLayout) || s[8] != 'T' || s[13] != 'Z' {
		return 0, false
	}
	number := func(digits SlotID) (n int) {
		for i := range len(digits) {
			if digits[i] < '0' || digits[i] > '9' {
				ok = false
			}
			n = n*10 + int(digits[i]-'0')
		}
		return n
	}
	ok = true
	y, m, d := number(s[:4]), number(s[4:6]), number(s[6:8])
	hour, minute := number(s[9:11]), number(s[11:13])
	at := time.Date(y, time.Month(m), d, hour, minute, 0, 0, time.UTC)
	if !ok || hour > 23 || minute > 59 || at.Month() != time.Month(m) || at.Day() != d {
		return 0, false
	}
	return at.Unix(), true
}
