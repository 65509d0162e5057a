package bakery

import (
	"slices"
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

// daily is a shop with the same intervals every day, else as by default.
func daily(z *time.Location, open ...Interval) Hours {
	h := DefaultHours()
	h.Zone = z
	for d := range h.Open {
		h.Open[d] = open
	}
	return h
}

func always(z *time.Location) Hours { return daily(z, Interval{0, 24 * time.Hour}) }

func clock(hour, minute int) time.Duration {
	return time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute
}

// testZones has every kind of change there is today: by an hour, by half an
// hour, by two; at midnight, over it and up to it; south and north; in the
// weeks of Ramadan; and offsets of three quarters of an hour.
var testZones = []string{
	"UTC", "Europe/Stockholm", "Europe/London", "Europe/Dublin", "America/New_York", "America/St_Johns", "America/Havana",
	"America/Santiago", "America/Asuncion", "America/Nuuk", "America/Scoresbysund", "Atlantic/Azores", "Africa/Casablanca",
	"Africa/Cairo", "Asia/Beirut", "Asia/Gaza", "Asia/Jerusalem", "Asia/Kathmandu", "Asia/Kolkata", "Asia/Tokyo",
	"Australia/Adelaide", "Australia/Lord_Howe", "Antarctica/Troll", "Pacific/Chatham", "Pacific/Auckland",
	"Pacific/Easter", "Pacific/Kiritimati", "Pacific/Pago_Pago", "Pacific/Norfolk",
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

func TestByDefaultADayHasItsSlotsFromSevenToQuarterToSix(t *testing.T) {
	h := DefaultHours()
	d := day(t, "2026-12-05")
	slots := h.SlotsOf(d)
	if len(slots) != 44 || slots[0] != "20261205T0600Z" || h.Local(slots[0]) != "07:00" || h.Local(slots[43]) != "17:45" {
		t.Fatal(len(slots), slots)
	}
	if s := SlotID("20261205T0915Z"); h.Local(s) != "10:15" || h.DateOf(s) != d || !slices.Contains(slots, s) {
		t.Error(h.Local(s), h.DateOf(s))
	}
	if h.Local("20261205T0915") != "" || h.DateOf("yesterday") != (Date{}) {
		t.Error("what is no slot id has no place on the wall")
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
		first, last, times := wallOf(zone(t, c.zone), day(t, c.date)).at(c.clock)
		if first != instant(t, c.first).Unix() || last != instant(t, c.last).Unix() || times != c.times {
			t.Errorf("%s %s %v: %v, %v, %d times", c.zone, c.date, c.clock, slotAt(first), slotAt(last), times)
		}
	}
}

func TestAnOpenNightHasTheHourThatComesTwiceTwice(t *testing.T) {
	h := always(zone(t, "Europe/Stockholm"))
	var at []SlotID
	slots := h.SlotsOf(day(t, "2026-10-25"))
	for _, s := range slots {
		if h.Local(s) == "02:15" {
			at = append(at, s)
		}
	}
	if len(slots) != 100 || !slices.Equal(at, []SlotID{"20261025T0015Z", "20261025T0115Z"}) {
		t.Error(len(slots), at)
	}
}

func TestNoSlotLiesInTheHourThatNeverComes(t *testing.T) {
	h := always(zone(t, "Europe/Stockholm"))
	slots := h.SlotsOf(day(t, "2026-03-29"))
	for _, s := range slots {
		if h.Local(s)[:2] == "02" {
			t.Error(s)
		}
	}
	if len(slots) != 92 {
		t.Error(len(slots))
	}
}

func TestAnIntervalBeginsWhenTheClocksJumpOverItsBeginning(t *testing.T) {
	h := daily(zone(t, "Europe/Stockholm"), Interval{clock(2, 30), clock(4, 0)})
	slots := h.SlotsOf(day(t, "2026-03-29"))
	if len(slots) != 4 || h.Local(slots[0]) != "03:00" || h.Local(slots[3]) != "03:45" {
		t.Error(slots)
	}
	h = daily(h.Zone, Interval{clock(2, 0), clock(3, 0)})
	if slots := h.SlotsOf(day(t, "2026-03-29")); len(slots) != 0 {
		t.Error(slots)
	}
}

func TestIntervalsThatTouchNeverShareASlot(t *testing.T) {
	h := daily(zone(t, "Europe/Stockholm"), Interval{0, clock(2, 30)}, Interval{clock(2, 30), clock(24, 0)})
	for _, d := range []string{"2026-10-25", "2026-03-29", "2026-06-01"} {
		if slots := h.SlotsOf(day(t, d)); !slices.Equal(slots, always(h.Zone).SlotsOf(day(t, d))) {
			t.Error(d, slots)
		}
	}
}

func TestASlotThatWouldOutlastTheIntervalIsNone(t *testing.T) {
	h := daily(time.UTC, Interval{clock(9, 0), clock(9, 40)})
	slots := h.SlotsOf(day(t, "2026-06-01"))
	if !slices.Equal(slots, []SlotID{"20260601T0900Z", "20260601T0915Z"}) || h.Check("20260601T0930Z", instant(t, "2026-06-01T00:00:00Z")) != SlotNone {
		t.Error(slots)
	}
}

func TestAClosedDayHasNoSlots(t *testing.T) {
	h := DefaultHours()
	delete(h.Open, time.Monday)
	now := instant(t, "2026-11-30T08:00:00Z") // a Monday
	if slots := h.SlotsOf(h.Today(now)); len(slots) != 0 {
		t.Error(slots)
	}
	if h.Check("20261130T0915Z", now) != SlotNone {
		t.Error("a slot of a closed day")
	}
	for s := range h.Next("20261130T0915Z", now) {
		if s != "20261201T0600Z" {
			t.Error(s)
		}
		break
	}
}

func TestSlotsWithoutALengthAreNone(t *testing.T) {
	h := DefaultHours()
	h.SlotLength = 0
	now := instant(t, "2026-11-30T00:00:00Z")
	if slots := h.SlotsOf(h.Today(now)); len(slots) != 0 || h.Check("20261130T0915Z", now) != SlotNone {
		t.Error(slots)
	}
}

// Everywhere, on every date of three years, and slot by slot on the dates
// around a change of clocks and a few others of each month.
func TestSlotsOfADateAreRealQuartersOfItAndRangesTile(t *testing.T) {
	for _, name := range testZones {
		z := zone(t, name)
		for _, h := range []Hours{always(z), daily(z, Interval{clock(1, 30), clock(5, 0)}, Interval{clock(22, 30), clock(24, 0)})} {
			_, end := h.DayRange(day(t, "2025-12-31"))
			for d := day(t, "2026-01-01"); d.Year < 2029; d = d.AddDays(1) {
				from, to := h.DayRange(d)
				if from != end || to <= from {
					t.Fatalf("%s %v: from %s to %s after %s", name, d, from, to, end)
				}
				end = to
				if w := wallOf(z, d); w.before == w.after && d.Day%15 != 1 {
					continue
				}
				slots := h.SlotsOf(d)
				var before time.Time
				for i, s := range slots {
					at, ok := s.Start()
					if !ok || h.DateOf(s) != d || s < from || s >= to {
						t.Fatalf("%s %v: %s is of %v, from %s to %s", name, d, s, h.DateOf(s), from, to)
					}
					if local := at.In(z).Format("15:04"); h.Local(s) != local {
						t.Fatalf("%s %v: %s reads %s, not %s", name, d, s, h.Local(s), local)
					}
					apart := at.Sub(before)
					if i > 0 && apart < h.SlotLength || i > 0 && len(h.Open[0]) == 1 && apart != h.SlotLength {
						t.Fatalf("%s %v: %s comes %v after the one before", name, d, s, apart)
					}
					before = at
				}
				if first, ok := from.Start(); len(h.Open[0]) == 1 && (!ok || len(slots) == 0 || slots[0] != SlotAt(first)) {
					t.Fatalf("%s %v: a shop that is always open opens at %v", name, d, slots[0])
				}
			}
		}
	}
}

// Check does arithmetic; the list of the day is the rule.
func TestCheckAgreesWithTheListOfTheDay(t *testing.T) {
	for _, name := range testZones {
		z := zone(t, name)
		h := daily(z, Interval{0, clock(2, 30)}, Interval{clock(2, 45), clock(24, 0)})
		for d := day(t, "2026-01-01"); d.Year < 2028; d = d.AddDays(1) {
			w := wallOf(z, d)
			if w.before == w.after && d.Day != 1 {
				continue
			}
			slots := h.SlotsOf(d)
			now := time.Unix(w.first(0), 0).Add(-time.Hour)
			for at, end := w.first(0), w.first(24*time.Hour); at < end; at += 300 {
				want := SlotNone
				if slices.Contains(slots, slotAt(at)) {
					want = SlotOpen
				}
				if got := h.Check(slotAt(at), now); got != want {
					t.Fatalf("%s: %s is %v, not %v", name, slotAt(at), got, want)
				}
			}
		}
	}
}

func TestASlotIsPastFromTheInstantItBegins(t *testing.T) {
	h := DefaultHours()
	start := instant(t, "2026-12-05T09:15:00Z")
	for _, c := range []struct {
		slot SlotID
		now  time.Time
		want SlotStatus
	}{
		{"20261205T0915Z", start.Add(-1), SlotOpen},
		{"20261205T0915Z", start, SlotPast},
		{"20261205T0600Z", start, SlotPast},
		{"20261205T2259Z", start, SlotNone},
		{"20261205T0916Z", start, SlotNone},
		{"20261205T0545Z", start, SlotNone}, // 06:45
		{"20261205T1645Z", start, SlotOpen}, // 17:45
		{"20261205T1700Z", start, SlotNone}, // 18:00
		{"20261204T0915Z", start, SlotNone}, // yesterday
		{"20261218T1645Z", start, SlotOpen}, // the last of the 14 days
		{"20261219T0600Z", start, SlotNone},
		{"20261205T0915Z", instant(t, "2026-11-21T23:00:00Z"), SlotOpen}, // just offered: it is the 22nd in the shop
		{"20261205T0915Z", instant(t, "2026-11-21T22:59:59.999Z"), SlotNone},
		{"20261205T0915Z", instant(t, "2026-12-05T22:59:59.999Z"), SlotPast},
		{"20261205T0915Z", instant(t, "2026-12-05T23:00:00Z"), SlotNone},
		{"", start, SlotNone},
		{"20261205T0915z", start, SlotNone},
		{"20261305T0915Z", start, SlotNone},
	} {
		if got := h.Check(c.slot, c.now); got != c.want {
			t.Errorf("%q at %v is %v, not %v", c.slot, c.now, got, c.want)
		}
	}
}

func TestTodayThroughTheThirteenthDayAfterItAreOffered(t *testing.T) {
	from, to := DefaultHours().Offered(instant(t, "2026-11-30T23:30:00Z"))
	if from.String() != "2026-12-01" || to.String() != "2026-12-14" {
		t.Error(from, to)
	}
}

func TestNextIsEverySlotAfterThisOneThatHasNotBegun(t *testing.T) {
	h := DefaultHours()
	now := instant(t, "2026-12-05T09:15:00Z")
	next := func(s SlotID) []SlotID { return slices.Collect(h.Next(s, now)) }
	if got := next("20261205T1000Z"); len(got) != 27+13*44 || got[0] != "20261205T1015Z" || got[len(got)-1] != "20261218T1645Z" {
		t.Error(len(got), got[0])
	}
	for _, s := range []SlotID{"20261205T0600Z", "20261205T0915Z", "20261103T0600Z"} {
		if got := next(s); len(got) != 30+13*44 || got[0] != "20261205T0930Z" {
			t.Error(s, len(got), got[0])
		}
	}
	for _, s := range []SlotID{"20261218T1645Z", "20270101T0600Z", "no slot"} {
		if got := next(s); len(got) != 0 {
			t.Error(s, got)
		}
	}
}

func FuzzSlotIDsAreReadAndWrittenAsTheSlowWayDoes(f *testing.F) {
	for _, s := range []string{"20261205T0915Z", "20260230T0915Z", "20261205T2400Z", "00000101T0000Z", "99991231T2359Z", "2026120 T0915Z", ""} {
		f.Add(s, int64(1_800_000_000))
	}
	f.Fuzz(func(t *testing.T, s string, at int64) {
		want, ok := SlotID(s).Start()
		got, read := SlotID(s).unix()
		if read != ok || ok && got != want.Unix() {
			t.Errorf("%q reads as %v %v, not %v %v", s, got, read, want, ok)
		}
		if at = at % (200 * 365 * 86400); slotAt(at) != SlotAt(time.Unix(at, 0)) {
			t.Errorf("%d is written %s", at, slotAt(at))
		}
	})
}

func TestIDsStayInTheOrderOfTimeAtTheEndsOfTime(t *testing.T) {
	h := always(zone(t, "America/New_York"))
	from, to := h.DayRange(day(t, "9999-12-31").AddDays(3))
	if earlier, _ := h.DayRange(day(t, "9999-12-31")); from < earlier || to < from {
		t.Error(earlier, from, to)
	}
}

func BenchmarkADayOfSlotsWithTheirTimes(b *testing.B) {
	h := DefaultHours()
	d := Date{2026, time.December, 5}
	b.ReportAllocs()
	for b.Loop() {
		for _, s := range h.SlotsOf(d) {
			h.Local(s)
		}
	}
}

// As slow as it gets: a zone of rules, away from the half-year of today.
func BenchmarkADayOfSlotsFarFromToday(b *testing.B) {
	h := daily(zone(b, "Australia/Lord_Howe"), DefaultHours().Open[0]...)
	d := Date{2047, time.June, 5}
	for b.Loop() {
		for _, s := range h.SlotsOf(d) {
			h.Local(s)
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	h := DefaultHours()
	now := time.Date(2026, time.November, 30, 9, 0, 0, 0, time.UTC)
	for b.Loop() {
		if h.Check("20261205T0915Z", now) != SlotOpen {
			b.Fatal("not open")
		}
	}
}
