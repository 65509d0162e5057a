package ics

import (
	"fmt"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"pocbakery/pkg/calendar"
)

// file is a calendar of these lines.
func file(lines ...string) []byte {
	return []byte("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//test//EN\r\n" + strings.Join(lines, "\r\n") + "\r\nEND:VCALENDAR\r\n")
}

// event is the lines of an event.
func event(lines ...string) string {
	return "BEGIN:VEVENT\r\n" + strings.Join(lines, "\r\n") + "\r\nEND:VEVENT"
}

func read(t testing.TB, b []byte) (calendar.Feed, string) {
	t.Helper()
	f, problems, err := Read(b)
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, p := range problems {
		told = append(told, fmt.Sprintf("%d: %s", p.Line, p.What))
	}
	return f, strings.Join(told, "; ")
}

// march lists what takes place in March 2026, for somebody in Stockholm.
func march(t testing.TB, f calendar.Feed) string {
	t.Helper()
	loc, err := time.LoadLocation("Europe/Stockholm")
	if err != nil {
		t.Fatal(err)
	}
	all, problems := f.Expand(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC), loc)
	var lines []string
	for _, o := range all {
		free := ""
		if !o.Busy {
			free = " free"
		}
		lines = append(lines, o.Title+" "+o.Start.In(loc).Format("02 15:04")+"-"+o.End.In(loc).Format("02 15:04")+free)
	}
	for _, p := range problems {
		lines = append(lines, fmt.Sprintf("problem %d: %s", p.Line, p.What))
	}
	return strings.Join(lines, ", ")
}

func TestEventsAreReadAsFilesAreNotAsTheyShouldBe(t *testing.T) {
	for _, c := range []struct {
		name string
		file []byte
		want string
		told string
	}{
		{"in UTC", file(event("UID:1", "DTSTART:20260302T090000Z", "DTEND:20260302T100000Z", "SUMMARY:Supplier call")), "Supplier call 02 10:00-02 11:00", ""},
		{"in a zone", file(event("UID:1", "DTSTART;TZID=America/New_York:20260302T090000", "DURATION:PT1H30M", "SUMMARY:A")), "A 02 15:00-02 16:30", ""},
		{"in a zone of Windows", file(event("UID:1", "DTSTART;TZID=\"W. Europe Standard Time\":20260302T090000", "DTEND;TZID=W. Europe Standard Time:20260302T100000", "SUMMARY:A")), "A 02 09:00-02 10:00", ""},
		{"in a zone within somebody's names", file(event("UID:1", "DTSTART;TZID=/citadel.org/20210210_1/Europe/London:20260302T090000", "DURATION:PT1H", "SUMMARY:A")), "A 02 10:00-02 11:00", ""},
		{"on the clock of whoever looks", file(event("UID:1", "DTSTART:20260302T090000", "DTEND:20260302T100000", "SUMMARY:A")), "A 02 09:00-02 10:00", ""},
		{"a day", file(event("UID:1", "DTSTART;VALUE=DATE:20260302", "SUMMARY:A")), "A 02 00:00-03 00:00", ""},
		{"two days, and the word VALUE forgotten", file(event("UID:1", "DTSTART:20260302", "DTEND:20260304", "SUMMARY:A")), "A 02 00:00-04 00:00", ""},
		{"folded in the middle of a letter", file(event("UID:1", "DTSTART:20260302T090000Z", "DURATION:PT1H", "SUMMARY:Br\xc3\r\n \xb6d\\, och\r\n\t bullar")), "Bröd, och bullar 02 10:00-02 11:00", ""},
		{"with bare line ends and a mark in front", []byte("\xef\xbb\xbfBEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nDTSTART:20260302T090000Z\nDURATION:PT1H\nSUMMARY:A\nEND:VEVENT\nEND:VCALENDAR"), "A 02 10:00-02 11:00", ""},
		{"in small letters", file("begin:vevent", "uid:1", "dtstart:20260302t090000z", "duration:pt1h", "summary:A", "end:vevent"), "A 02 10:00-02 11:00", ""},
		{"an alarm within it is not it", file("BEGIN:VEVENT", "UID:1", "DTSTART:20260302T090000Z", "DURATION:PT1H", "SUMMARY:A", "BEGIN:VALARM", "DURATION:PT5M", "SUMMARY:Alarm", "END:VALARM", "END:VEVENT"), "A 02 10:00-02 11:00", ""},
		{"cancelled", file(event("UID:1", "DTSTART:20260302T090000Z", "DURATION:PT1H", "SUMMARY:A", "STATUS:CANCELLED")), "", ""},
		{"transparent, shown as free, and declined", file(
			event("UID:1", "DTSTART:20260302T090000Z", "DURATION:PT1H", "SUMMARY:A", "TRANSP:TRANSPARENT"),
			event("UID:2", "DTSTART:20260303T090000Z", "DURATION:PT1H", "SUMMARY:B", "X-MICROSOFT-CDO-BUSYSTATUS:FREE"),
			event("UID:3", "DTSTART:20260304T090000Z", "DURATION:PT1H", "SUMMARY:C", "ATTENDEE;CN=\"Maja; baker\";PARTSTAT=DECLINED:mailto:maja@example.com"),
		), "A 02 10:00-02 11:00 free, B 03 10:00-03 11:00 free, C 04 10:00-04 11:00 free", ""},
		{"a series, but for one, one moved and one cancelled", file(
			event("UID:1", "DTSTART;TZID=Europe/Stockholm:20260302T090000", "DTEND;TZID=Europe/Stockholm:20260302T100000", "RRULE:FREQ=DAILY;COUNT=5", "EXDATE;TZID=Europe/Stockholm:20260303T090000", "SUMMARY:S"),
			event("UID:1", "RECURRENCE-ID;TZID=Europe/Stockholm:20260304T090000", "DTSTART;TZID=Europe/Stockholm:20260304T130000", "DURATION:PT2H", "SUMMARY:Moved"),
			event("UID:1", "RECURRENCE-ID:20260305T080000Z", "DTSTART;TZID=Europe/Stockholm:20260305T090000", "STATUS:CANCELLED"),
		), "S 02 09:00-02 10:00, Moved 04 13:00-04 15:00, S 06 09:00-06 10:00", ""},
		{"further times, as a list and as a period", file(event("UID:1", "DTSTART:20260302T090000Z", "DURATION:PT1H", "RDATE:20260303T090000Z,20260304T090000Z", "RDATE;VALUE=PERIOD:20260305T090000Z/PT2H", "SUMMARY:A")),
			"A 02 10:00-02 11:00, A 03 10:00-03 11:00, A 04 10:00-04 11:00, A 05 10:00-05 11:00", ""},
		{"of two under one name the later sequence", file(
			event("UID:1", "SEQUENCE:2", "DTSTART:20260302T090000Z", "DURATION:PT1H", "SUMMARY:New"),
			event("UID:1", "SEQUENCE:1", "DTSTART:20260302T070000Z", "DURATION:PT1H", "SUMMARY:Old"),
		), "New 02 10:00-02 11:00", ""},
		{"half broken: the rest is read, and the lines are told", file(
			event("UID:1", "SUMMARY:No start"),
			event("UID:2", "DTSTART:tomorrow", "SUMMARY:Bad start"),
			event("UID:3", "DTSTART:20260302T090000Z", "DTEND:20260302T080000Z", "SUMMARY:Backwards"),
			event("UID:4", "DTSTART:20260302T090000Z", "DURATION:an hour", "SUMMARY:Long"),
			"BEGIN:VEVENT", "UID:5", "DTSTART:20260303T090000Z", "DURATION:PT1H", "SUMMARY:Unended",
			event("UID:6", "DTSTART:20260304T090000Z", "DURATION:PT1H", "SUMMARY:Well", "RRULE:FREQ=SECONDLY"),
			event("UID:7", "DTSTART;TZID=Middle Earth:20260305T090000", "DURATION:PT1H", "SUMMARY:Elsewhere"),
			event("UID:8", "DTSTART;TZID:20260305T090000", "DURATION:PT1H", "SUMMARY:Odd"),
		), "Unended 03 10:00-03 11:00, Well 04 10:00-04 11:00, Elsewhere 05 09:00-05 10:00, problem 30: the rule repeats more often than every hour",
			"4: the event has no start; 8: the event's start cannot be read; 13: the event ends before it starts; it takes no time; " +
				"19: the event's length cannot be read; it takes no time; 25: the event has no end in the file; 45: the line cannot be read; 43: the event has no start; 37: its time zone is unknown; its times are taken for yours"},
	} {
		f, told := read(t, c.file)
		if got := march(t, f); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
		if told != c.told {
			t.Errorf("%s: told\n     %s\nwant %s", c.name, told, c.told)
		}
	}
}

func TestAZoneThatOnlyTheFileKnowsHasTheFilesRules(t *testing.T) {
	zone := []string{
		"BEGIN:VTIMEZONE", "TZID:Shop time",
		"BEGIN:STANDARD", "DTSTART:19961027T030000", "RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10", "TZOFFSETFROM:+0200", "TZOFFSETTO:+0100", "END:STANDARD",
		"BEGIN:DAYLIGHT", "DTSTART:19960331T020000", "RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3", "TZOFFSETFROM:+0100", "TZOFFSETTO:+0200", "END:DAYLIGHT",
		"END:VTIMEZONE",
	}
	// The zone may come after its use.
	f, told := read(t, file(append([]string{event("UID:1", "DTSTART;TZID=Shop time:20260328T090000", "DURATION:PT1H", "RRULE:FREQ=DAILY;COUNT=2", "SUMMARY:A")}, zone...)...))
	if got, want := march(t, f), "A 28 09:00-28 10:00, A 29 09:00-29 10:00"; got != want || told != "" {
		t.Errorf("got %s, want %s (%s)", got, want, told)
	}
	if len(f.Zones) != 1 {
		t.Errorf("%d zones", len(f.Zones))
	}
}

func TestWhatIsNoCalendarIsAnError(t *testing.T) {
	for _, b := range []string{"", "<html>", "BEGIN:VCARD\r\nEND:VCARD", strings.Repeat("x", 1<<20)} {
		if _, _, err := Read([]byte(b)); err == nil {
			t.Errorf("%.20q is read", b)
		}
	}
}

func TestAFileOfTooManyEventsGivesTheFirst(t *testing.T) {
	var b strings.Builder
	b.WriteString("BEGIN:VCALENDAR\n")
	for n := range MaxEvents + 5 {
		fmt.Fprintf(&b, "BEGIN:VEVENT\nUID:%d\nDTSTART:20260302T090000Z\nDURATION:PT1H\nEND:VEVENT\n", n)
	}
	f, told := read(t, []byte(b.String()))
	if len(f.Events) != MaxEvents || told != "100002: the calendar has more than 20000 events; the rest is left out" {
		t.Errorf("%d events: %s", len(f.Events), told)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(file(event("UID:1", "DTSTART;TZID=Europe/Stockholm:20260302T090000", "DTEND:20260302T100000Z", "RRULE:FREQ=DAILY;BYHOUR=1,2", "EXDATE:20260303T090000Z")))
	f.Add(file("BEGIN:VTIMEZONE", "TZID:x", "BEGIN:STANDARD", "DTSTART:19961027T030000", "TZOFFSETFROM:+0200", "TZOFFSETTO:+0100", "END:STANDARD", "END:VTIMEZONE", event("DTSTART;TZID=x:20260302T090000")))
	f.Add([]byte("BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART;VALUE=DATE:20260302\n RRULE\nEND:VEVENT"))
	f.Add([]byte("BEGIN:VCALENDAR\n;:;=\"\nDTSTART;=:\nBEGIN:VEVENT\nDTSTART;TZID=\"x:2026"))
	f.Fuzz(func(t *testing.T, b []byte) {
		feed, problems, err := Read(b)
		if err != nil {
			return
		}
		if len(problems) > maxProblems || len(feed.Events) > MaxEvents {
			t.Fatal("out of bounds")
		}
		all, _ := feed.Expand(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 5, 2, 0, 0, 0, 0, time.UTC), time.UTC)
		for _, o := range all {
			if !o.Start.Before(o.End) {
				t.Fatalf("%+v takes no time", o)
			}
		}
		text, err := feed.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := calendar.Decode(text); err != nil {
			t.Fatal(err)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	var all []string
	for n := range 5000 {
		all = append(all, event(fmt.Sprintf("UID:%d@example.com", n), "DTSTAMP:20260101T000000Z", "DTSTART;TZID=Europe/Stockholm:20260302T090000", "DTEND;TZID=Europe/Stockholm:20260302T100000", "SUMMARY:Standup", "DESCRIPTION:"+strings.Repeat("words ", 50)))
	}
	text := file(all...)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, _, err := Read(text); err != nil {
			b.Fatal(err)
		}
	}
}
