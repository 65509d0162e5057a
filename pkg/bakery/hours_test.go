package bakery

import (
	"slices"
	"testing"
	"time"

	"pocbakery/pkg/localtime"
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
				if w := localtime.WallOf(z, d); !w.Changes() && d.Day%15 != 1 {
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
			w := localtime.WallOf(z, d)
			if !w.Changes() && d.Day != 1 {
				continue
			}
			slots := h.SlotsOf(d)
			now := time.Unix(w.First(0), 0).Add(-time.Hour)
			for at, end := w.First(0), w.First(24*time.Hour); at < end; at += 300 {
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
	d := Date{Year: 2026, Month: time.December, Day: 5}
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
	d := Date{Year: 2047, Month: time.June, Day: 5}
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
