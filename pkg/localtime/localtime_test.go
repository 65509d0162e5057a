package localtime

import (
	"testing"
	"time"
)

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func day(t testing.TB, s string) Date {
	t.Helper()
	d, ok := ParseDate(s)
	if !ok {
		t.Fatalf("%q is no date", s)
	}
	return d
}

func instant(t testing.TB, s string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func clock(hour, minute int) time.Duration {
	return time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute
}

func TestADateIsWrittenInOneWayOnly(t *testing.T) {
	for _, s := range []string{"2026-12-05", "2028-02-29", "0001-01-01", "9999-12-31"} {
		if d, ok := ParseDate(s); !ok || d.String() != s {
			t.Errorf("%q reads as %v, %v", s, d, ok)
		}
	}
	for _, s := range []string{"", "2026-2-3", "tomorrow", "2026-02-30", "2027-02-29", "2026-13-01", "2026-00-10", "2026-01-00",
		"20261205", "2026-12-05 ", " 2026-12-05", "2026-12-05T00:00:00Z", "+026-12-05", "12026-12-05", "26-12-05", "٢٠٢٦-12-05"} {
		if d, ok := ParseDate(s); ok {
			t.Errorf("%q reads as %v", s, d)
		}
	}
}

func TestDatesCountOverMonthsAndYears(t *testing.T) {
	d := day(t, "2026-12-31")
	if next := d.AddDays(1); next.String() != "2027-01-01" || !d.Before(next) || next.Before(d) || d.Before(d) || next.Weekday() != time.Friday {
		t.Errorf("the day after %v is %v, a %v", d, next, next.Weekday())
	}
	if back := d.AddDays(-366); back.String() != "2025-12-30" {
		t.Error(back)
	}
}

func TestATimeOnTheWallIsOneInstantOrTwoOrNone(t *testing.T) {
	for _, c := range []struct {
		zone, date  string
		clock       time.Duration
		first, last string // instants
		times       int
	}{
		{"Europe/Stockholm", "2026-12-05", clock(10, 15), "2026-12-05T09:15:00Z", "2026-12-05T09:15:00Z", 1},
		{"Europe/Stockholm", "2026-10-25", clock(2, 15), "2026-10-25T00:15:00Z", "2026-10-25T01:15:00Z", 2},
		{"Europe/Stockholm", "2026-10-25", clock(2, 0), "2026-10-25T00:00:00Z", "2026-10-25T01:00:00Z", 2},
		{"Europe/Stockholm", "2026-10-25", clock(1, 59), "2026-10-24T23:59:00Z", "2026-10-24T23:59:00Z", 1},
		{"Europe/Stockholm", "2026-10-25", clock(3, 0), "2026-10-25T02:00:00Z", "2026-10-25T02:00:00Z", 1},
		{"Europe/Stockholm", "2027-03-28", clock(2, 15), "2027-03-28T01:00:00Z", "2027-03-28T01:00:00Z", 0},
		{"Europe/Stockholm", "2027-03-28", clock(2, 0), "2027-03-28T01:00:00Z", "2027-03-28T01:00:00Z", 0},
		{"Europe/Stockholm", "2027-03-28", clock(3, 0), "2027-03-28T01:00:00Z", "2027-03-28T01:00:00Z", 1},
		{"Europe/Stockholm", "2027-03-28", clock(1, 59), "2027-03-28T00:59:00Z", "2027-03-28T00:59:00Z", 1},
		{"Europe/Stockholm", "2027-03-28", clock(24, 0), "2027-03-28T22:00:00Z", "2027-03-28T22:00:00Z", 1},
		{"Europe/Stockholm", "2028-12-31", clock(24, 0), "2028-12-31T23:00:00Z", "2028-12-31T23:00:00Z", 1},
		// Half an hour, between +10:30 and +11:00.
		{"Australia/Lord_Howe", "2026-04-05", clock(1, 45), "2026-04-04T14:45:00Z", "2026-04-04T15:15:00Z", 2},
		{"Australia/Lord_Howe", "2026-04-05", clock(1, 15), "2026-04-04T14:15:00Z", "2026-04-04T14:15:00Z", 1},
		{"Australia/Lord_Howe", "2026-10-04", clock(2, 15), "2026-10-03T15:30:00Z", "2026-10-03T15:30:00Z", 0},
		{"Australia/Lord_Howe", "2026-10-04", clock(2, 30), "2026-10-03T15:30:00Z", "2026-10-03T15:30:00Z", 1},
		// Days that begin at 01:00.
		{"America/Santiago", "2026-09-06", 0, "2026-09-06T04:00:00Z", "2026-09-06T04:00:00Z", 0},
		{"America/Santiago", "2026-09-05", clock(24, 0), "2026-09-06T04:00:00Z", "2026-09-06T04:00:00Z", 0},
		{"Asia/Beirut", "2026-03-29", 0, "2026-03-28T22:00:00Z", "2026-03-28T22:00:00Z", 0},
		{"Asia/Beirut", "2027-03-28", clock(0, 30), "2027-03-27T22:00:00Z", "2027-03-27T22:00:00Z", 0},
		{"America/Havana", "2026-03-08", clock(0, 59), "2026-03-08T05:00:00Z", "2026-03-08T05:00:00Z", 0},
		{"Africa/Cairo", "2026-04-24", 0, "2026-04-23T22:00:00Z", "2026-04-23T22:00:00Z", 0},
		{"Africa/Cairo", "2027-04-30", clock(1, 0), "2027-04-29T22:00:00Z", "2027-04-29T22:00:00Z", 1},
		// Days whose last hour comes twice.
		{"America/Santiago", "2026-04-04", clock(23, 15), "2026-04-05T02:15:00Z", "2026-04-05T03:15:00Z", 2},
		{"America/Santiago", "2026-04-04", clock(24, 0), "2026-04-05T04:00:00Z", "2026-04-05T04:00:00Z", 1},
		{"America/Santiago", "2026-04-05", 0, "2026-04-05T04:00:00Z", "2026-04-05T04:00:00Z", 1},
		{"Asia/Beirut", "2026-10-24", clock(23, 0), "2026-10-24T20:00:00Z", "2026-10-24T21:00:00Z", 2},
		{"Africa/Cairo", "2026-10-29", clock(23, 30), "2026-10-29T20:30:00Z", "2026-10-29T21:30:00Z", 2},
		// A midnight that comes twice, within its own date.
		{"America/Havana", "2026-11-01", 0, "2026-11-01T04:00:00Z", "2026-11-01T05:00:00Z", 2},
		{"America/Havana", "2026-10-31", clock(24, 0), "2026-11-01T04:00:00Z", "2026-11-01T05:00:00Z", 2},
		// A day whose last hour never comes, and a gap of two hours.
		{"America/Nuuk", "2026-03-28", clock(23, 30), "2026-03-29T01:00:00Z", "2026-03-29T01:00:00Z", 0},
		{"Antarctica/Troll", "2026-03-29", clock(2, 59), "2026-03-29T01:00:00Z", "2026-03-29T01:00:00Z", 0},
		{"Antarctica/Troll", "2026-10-25", clock(1, 0), "2026-10-24T23:00:00Z", "2026-10-25T01:00:00Z", 2},
		// A date that an island jumped over.
		{"Pacific/Apia", "2011-12-30", clock(12, 0), "2011-12-30T10:00:00Z", "2011-12-30T10:00:00Z", 0},
	} {
		first, last, times := WallOf(zone(t, c.zone), day(t, c.date)).At(c.clock)
		if first != instant(t, c.first).Unix() || last != instant(t, c.last).Unix() || times != c.times {
			t.Errorf("%s %s %v: %v, %v, %d times", c.zone, c.date, c.clock, time.Unix(first, 0).UTC(), time.Unix(last, 0).UTC(), times)
		}
	}
}

// Rule T2, everywhere, on every date of three years.
func TestTheDatesOfAZoneTileItsTime(t *testing.T) {
	lengths := map[time.Duration]bool{}
	for _, name := range []string{"UTC", "Europe/Stockholm", "America/Havana", "America/Santiago", "Africa/Cairo", "Asia/Beirut",
		"Australia/Lord_Howe", "Antarctica/Troll", "America/Nuuk", "Asia/Kathmandu"} {
		z := zone(t, name)
		_, end := Day(z, day(t, "2025-12-31"))
		for d := day(t, "2026-01-01"); d.Year < 2029; d = d.AddDays(1) {
			from, until := Day(z, d)
			if !from.Equal(end) || DateOf(from.In(z)) != d || DateOf(until.Add(-1).In(z)) != d {
				t.Fatalf("%s %v: from %v until %v, after %v", name, d, from, until, end)
			}
			lengths[until.Sub(from)], end = true, until
		}
	}
	for _, hours := range []float64{22, 23, 23.5, 24, 24.5, 25, 26} {
		if !lengths[time.Duration(hours*float64(time.Hour))] {
			t.Errorf("no date of %v hours was looked at", hours)
		}
	}
}

func TestDaysAreCountedByTheCalendar(t *testing.T) {
	if n := day(t, "2028-03-01").DaysSince(day(t, "2028-02-01")); n != 29 {
		t.Error(n)
	}
}
