package localtime

import (
	"cmp"
	"time"
)

// Date is a day of the calendar as a wall shows it; it has no zone of its own.
// The zero Date is no day.
type Date struct {
	Year  int
	Month time.Month
	Day   int
}

// ParseDate reads YYYY-MM-DD; ok is false for all else, and for days that no
// month has.
func ParseDate(s string) (d Date, ok bool) {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return Date{}, false
	}
	return DateOf(t), true
}

// DateOf is the date that t shows in its own location.
func DateOf(t time.Time) Date {
	y, m, d := t.Date()
	return Date{y, m, d}
}

// UTC is the date's midnight, were its place in UTC.
func (d Date) UTC() time.Time { return time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, time.UTC) }

// String is the date as YYYY-MM-DD.
func (d Date) String() string { return d.UTC().Format(time.DateOnly) }

// AddDays is the date so many days later, or earlier.
func (d Date) AddDays(n int) Date { return DateOf(d.UTC().AddDate(0, 0, n)) }

// DaysSince is how many days d is after o.
func (d Date) DaysSince(o Date) int { return int(d.UTC().Sub(o.UTC()) / (24 * time.Hour)) }

// Weekday is the date's day of the week.
func (d Date) Weekday() time.Weekday { return d.UTC().Weekday() }

// Compare is negative where d is before o, positive where it is after.
func (d Date) Compare(o Date) int {
	return cmp.Or(cmp.Compare(d.Year, o.Year), cmp.Compare(d.Month, o.Month), cmp.Compare(d.Day, o.Day))
}

// Before reports whether d is before o.
func (d Date) Before(o Date) bool { return d.Compare(o) < 0 }
