package calendar

import (
	"fmt"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"
)

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

// at reads "2026-03-29 02:30" as a clock shows it.
func at(t testing.TB, s string) time.Time {
	t.Helper()
	v, err := time.Parse("2006-01-02 15:04", s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestC3AReadingOnAClockBecomesOneInstant(t *testing.T) {
	for _, c := range []struct{ zone, clock, want, why string }{
		{"Europe/Stockholm", "2026-06-01 09:00", "2026-06-01 07:00", "in summer"},
		{"Europe/Stockholm", "2026-03-29 02:30", "2026-03-29 01:30", "in the gap of spring: with the offset before it"},
		{"Europe/Stockholm", "2026-03-29 03:00", "2026-03-29 01:00", "right after the gap"},
		{"Europe/Stockholm", "2026-10-25 02:30", "2026-10-25 00:30", "twice in autumn: the first"},
		{"Europe/Stockholm", "2026-10-25 03:00", "2026-10-25 02:00", "after the second"},
		{"America/Havana", "2026-03-08 00:00", "2026-03-08 05:00", "a midnight that is not there"},
		{"Africa/Cairo", "2026-04-24 00:00", "2026-04-23 22:00", "another"},
		{"Asia/Beirut", "2026-03-29 00:00", "2026-03-28 22:00", "another"},
		{"America/Santiago", "2026-09-06 00:30", "2026-09-06 04:30", "half an hour into one"},
		{"Australia/Lord_Howe", "2026-10-04 02:15", "2026-10-03 15:45", "a gap of half an hour"},
		{"Australia/Lord_Howe", "2026-04-05 01:45", "2026-04-04 14:45", "half an hour twice: the first"},
		{"Pacific/Apia", "2011-12-30 12:00", "2011-12-30 22:00", "a day that is not there"},
	} {
		got := Instant(at(t, c.clock), zone(t, c.zone)).Format("2006-01-02 15:04")
		if got != c.want {
			t.Errorf("%s in %s, %s: got %s, want %s", c.clock, c.zone, c.why, got, c.want)
		}
	}
}

// series is an event as the tests write it.
type series struct {
	start, end, zone string // "2026-03-02 09:00", or a date
	rules            []string
	except           []string
	replaces         string
	id               string
}

func (s series) event(t testing.TB) Event {
	t.Helper()
	stamp := func(v string) Stamp {
		if len(v) == len(time.DateOnly) {
			return Stamp{Clock: at(t, v+" 00:00"), Date: true}
		}
		return Stamp{Clock: at(t, v), Zone: s.zone}
	}
	e := Event{ID: "e" + s.id, UID: "e", Title: "Meeting", Start: stamp(s.start), End: stamp(s.end), Rules: s.rules, Line: 7}
	for _, x := range s.except {
		e.Except = append(e.Except, stamp(x))
	}
	if s.replaces != "" {
		r := stamp(s.replaces)
		e.Replaces = &r
	}
	return e
}

func expand(t testing.TB, person, from, until string, all ...series) (string, []Problem) {
	t.Helper()
	var f Feed
	for _, s := range all {
		f.Events = append(f.Events, s.event(t))
	}
	occurrences, problems := f.Expand(at(t, from+" 00:00"), at(t, until+" 00:00"), zone(t, person))
	var lines []string
	for _, o := range occurrences {
		lines = append(lines, o.Start.Format("01-02 15:04")+" to "+o.End.Format("01-02 15:04"))
	}
	return strings.Join(lines, ", "), problems
}

func TestASeriesTakesPlaceByTheClockOfItsZone(t *testing.T) {
	for _, c := range []struct {
		name        string
		from, until string
		events      []series
		want        string
	}{
		{"across the change of clocks", "2026-03-28", "2026-03-31", []series{
			{start: "2026-03-02 09:00", end: "2026-03-02 10:00", zone: "Europe/Stockholm", rules: []string{"FREQ=DAILY"}},
		}, "03-28 08:00 to 03-28 09:00, 03-29 07:00 to 03-29 08:00, 03-30 07:00 to 03-30 08:00"},
		{"without a zone it is the person's", "2026-03-30", "2026-03-31", []series{
			{start: "2026-03-02 09:00", end: "2026-03-02 10:00", rules: []string{"FREQ=WEEKLY;BYDAY=MO"}},
		}, "03-30 07:00 to 03-30 08:00"},
		{"an exception and one moved", "2026-03-02", "2026-03-06", []series{
			{start: "2026-03-02 09:00", end: "2026-03-02 10:00", zone: "UTC", rules: []string{"FREQ=DAILY;COUNT=4"}, except: []string{"2026-03-03 09:00"}},
			{start: "2026-03-04 15:00", end: "2026-03-04 16:00", zone: "UTC", replaces: "2026-03-04 09:00", id: "moved"},
		}, "03-02 09:00 to 03-02 10:00, 03-04 15:00 to 03-04 16:00, 03-05 09:00 to 03-05 10:00"},
		{"until in UTC, of a series by another clock", "2026-06-01", "2026-06-10", []series{
			{start: "2026-06-01 01:00", end: "2026-06-01 02:00", zone: "Europe/Stockholm", rules: []string{"FREQ=DAILY;UNTIL=20260602T230000Z"}},
		}, "06-01 23:00 to 06-02 00:00, 06-02 23:00 to 06-03 00:00"},
		{"until a date counts that day", "2026-06-01", "2026-06-10", []series{
			{start: "2026-06-01 09:00", end: "2026-06-01 10:00", zone: "UTC", rules: []string{"FREQ=DAILY;UNTIL=20260602"}},
		}, "06-01 09:00 to 06-01 10:00, 06-02 09:00 to 06-02 10:00"},
		{"every other week keeps its phase over the years", "2026-11-30", "2026-12-15", []series{
			{start: "2001-01-01 09:00", end: "2001-01-01 10:00", zone: "UTC", rules: []string{"FREQ=WEEKLY;INTERVAL=2"}},
		}, "11-30 09:00 to 11-30 10:00, 12-14 09:00 to 12-14 10:00"},
		{"the last Friday of the month", "2026-11-20", "2026-12-30", []series{
			{start: "2020-01-31 09:00", end: "2020-01-31 10:00", zone: "UTC", rules: []string{"FREQ=MONTHLY;BYDAY=-1FR"}},
		}, "11-27 09:00 to 11-27 10:00, 12-25 09:00 to 12-25 10:00"},
		{"a start that its rule does not give counts", "2026-03-02", "2026-03-06", []series{
			{start: "2026-03-02 09:00", end: "2026-03-02 10:00", zone: "UTC", rules: []string{"FREQ=WEEKLY;BYDAY=TU;COUNT=1"}},
		}, "03-02 09:00 to 03-02 10:00, 03-03 09:00 to 03-03 10:00"},
		{"one that began before the range and reaches into it", "2026-03-03", "2026-03-04", []series{
			{start: "2026-03-01 22:00", end: "2026-03-03 02:00", zone: "UTC"},
		}, "03-01 22:00 to 03-03 02:00"},
		{"half-open at both ends", "2026-03-03", "2026-03-04", []series{
			{start: "2026-03-02 22:00", end: "2026-03-03 00:00", zone: "UTC"},
			{start: "2026-03-04 00:00", end: "2026-03-04 01:00", zone: "UTC"},
		}, ""},
	} {
		got, problems := expand(t, "Europe/Stockholm", c.from, c.until, c.events...)
		if got != c.want || len(problems) > 0 {
			t.Errorf("%s:\n got %s\nwant %s\n%v", c.name, got, c.want, problems)
		}
	}
}

func TestC4AnAllDayEventTakesTheDaysOfThePersonsZone(t *testing.T) {
	day := series{start: "2026-03-29", end: "2026-03-30"}
	for person, want := range map[string]string{
		"Europe/Stockholm": "03-28 23:00 to 03-29 22:00", // 23 hours
		"America/New_York": "03-29 04:00 to 03-30 04:00",
		"Pacific/Auckland": "03-28 11:00 to 03-29 11:00",
		"UTC":              "03-29 00:00 to 03-30 00:00",
	} {
		if got, _ := expand(t, person, "2026-03-28", "2026-03-31", day); got != want {
			t.Errorf("in %s: got %s, want %s", person, got, want)
		}
	}
	weekly := series{start: "2026-10-18", end: "2026-10-19", rules: []string{"FREQ=WEEKLY;UNTIL=20261025"}}
	if got, _ := expand(t, "Europe/Stockholm", "2026-10-01", "2026-12-01", weekly); got != "10-17 22:00 to 10-18 22:00, 10-24 22:00 to 10-25 23:00" {
		t.Errorf("a series of days: got %s", got)
	}
}

func TestC1ARuleThatWouldNeverEndIsCutShortOrRefused(t *testing.T) {
	for _, rule := range []string{
		"FREQ=SECONDLY", "FREQ=MINUTELY;INTERVAL=1", "FREQ=DAILY;BYHOUR=0,1,2,3,4;BYMINUTE=0,1,2,3,4,5,6,7,8,9;BYSECOND=0,1,2,3,4,5,6,7,8,9",
		"FREQ=HOURLY;INTERVAL=24;BYHOUR=3", "FREQ=DAILY;INTERVAL=2000000000", "FREQ=YEARLY;BYMONTH=13", "FREQ=NEVER", "", ";;;", "FREQ=DAILY;FREQ",
		"FREQ=DAILY;COUNT=-1", "FREQ=MONTHLY;BYMONTHDAY=" + strings.Repeat("1,", 800) + "1",
	} {
		_, problems := expand(t, "UTC", "2026-03-01", "2026-05-01", series{start: "1970-01-01 05:00", end: "1970-01-01 06:00", zone: "UTC", rules: []string{rule}})
		if len(problems) != 1 || problems[0].Line != 7 || (len(rule) > 8 && strings.Contains(problems[0].What, rule)) {
			t.Errorf("%.40q: %v", rule, problems)
		}
	}
	for _, rule := range []string{"FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "FREQ=HOURLY;COUNT=1000000000", "FREQ=YEARLY;INTERVAL=9999", "FREQ=WEEKLY;BYDAY=SU;BYMONTH=2;BYMONTHDAY=31"} {
		var many []series
		for n := range 100 {
			many = append(many, series{id: fmt.Sprint(n), start: "0001-01-01 05:00", end: "0001-01-01 06:00", zone: "UTC", rules: []string{rule}})
		}
		const budget = 100_000
		steps := budget
		var f Feed
		for _, s := range many {
			f.Events = append(f.Events, s.event(t))
		}
		x := expansion{from: at(t, "2026-03-01 00:00"), until: at(t, "2026-05-01 00:00"), steps: steps, zones: newZones(f, time.Time{}, time.Time{}, time.UTC, &steps)}
		for _, e := range f.Events {
			x.event(e)
		}
		if x.steps < -50_000 { // of the one that went over
			t.Errorf("%s took %d steps of %d", rule, budget-x.steps, budget)
		}
	}
}

func TestAZoneOfTheFilesOwnHasItsRules(t *testing.T) {
	own := Zone{Name: "Shop time", Shifts: []Shift{
		{From: 3600, To: 7200, Start: at(t, "1996-03-31 02:00"), Rule: "FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU"},
		{From: 7200, To: 3600, Start: at(t, "1996-10-27 03:00"), Rule: "FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU"},
	}}
	stockholm := zone(t, "Europe/Stockholm")
	steps := maxSteps
	around := own.around(at(t, "2026-01-01 00:00"), at(t, "2027-01-01 00:00"), &steps)
	for clock := at(t, "2026-01-01 00:00"); clock.Year() == 2026; clock = clock.Add(15 * time.Minute) {
		want := Instant(clock, stockholm)
		if got := around.instant(clock); !got.Equal(want) {
			t.Fatalf("%s: got %s, want %s", clock, got, want)
		}
		if got := around.clock(want); !around.instant(got).Equal(want) {
			t.Fatalf("%s is no reading of %s", got, want)
		}
	}
}

func TestAFeedIsReadAsItWasWritten(t *testing.T) {
	moved := series{start: "2026-03-04 15:00", end: "2026-03-04 16:00", zone: "UTC", replaces: "2026-03-04 09:00", id: "x"}.event(t)
	f := Feed{Name: "Åsa's", Events: []Event{moved, series{start: "2026-03-29", end: "2026-03-30", rules: []string{"FREQ=DAILY"}}.event(t)}}
	b, err := f.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	again, _ := got.Encode()
	if string(again) != string(b) || got.Name != f.Name || len(got.Events) != 2 {
		t.Errorf("got %+v", got)
	}
	for _, bad := range [][]byte{nil, []byte("no"), b[:len(b)/2]} {
		if _, err := Decode(bad); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}

func BenchmarkExpand(b *testing.B) {
	var f Feed
	for n := range 2000 {
		f.Events = append(f.Events, series{id: fmt.Sprint(n), start: "2020-01-06 09:00", end: "2020-01-06 10:00", zone: "Europe/Stockholm", rules: []string{"FREQ=WEEKLY;BYDAY=MO,WE"}}.event(b))
		f.Events[n].UID = f.Events[n].ID
	}
	for b.Loop() {
		f.Expand(at(b, "2026-03-01 00:00"), at(b, "2026-05-02 00:00"), zone(b, "Europe/Stockholm"))
	}
}
