package ics

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"time"

	golangical "github.com/arran4/golang-ical"

	"pocbakery/pkg/calendar"
)

// maxText bounds a title and a name, in characters; maxID an id, in bytes.
const (
	maxText = 200
	maxID   = 256
)

// short is a text on one line, of at most maxText characters.
func short(s string) string {
	s = strings.Join(strings.Fields(golangical.FromText(s)), " ")
	if r := []rune(s); len(r) > maxText {
		return string(r[:maxText])
	}
	return s
}

// eventOf reads an event. bad is told of what is left out of one that counts
// all the same.
func eventOf(c component, bad func(int, string)) (calendar.Event, error) {
	start, ok := c.first("DTSTART")
	if !ok {
		return calendar.Event{}, errors.New("the event has no start")
	}
	e := calendar.Event{Title: short(c.value("SUMMARY")), Line: c.number}
	var err error
	if e.Start, err = stampOf(start, start.value); err != nil {
		return e, errors.New("the event's start cannot be read")
	}
	if e.End, err = endOf(c, e.Start); err != nil {
		bad(c.number, err.Error())
		e.End = e.Start
	}
	e.Cancelled = strings.EqualFold(c.value("STATUS"), "CANCELLED")
	e.Free = strings.EqualFold(c.value("TRANSP"), "TRANSPARENT") || strings.EqualFold(c.value("X-MICROSOFT-CDO-BUSYSTATUS"), "FREE") || declined(c)
	for _, l := range c.lines["RRULE"] {
		e.Rules = append(e.Rules, strings.TrimSpace(l.value))
	}
	e.Except = stampsOfLines(c.lines["EXDATE"], bad)
	e.More = stampsOfLines(c.lines["RDATE"], bad)
	e.UID = idOf(c.value("UID"))
	if e.UID == "" {
		e.UID = idOf("without#" + e.Title + "#" + start.value + "#" + strings.Join(e.Rules, "#"))
	}
	e.ID = e.UID
	if l, ok := c.first("RECURRENCE-ID"); ok {
		s, err := stampOf(l, l.value)
		if err != nil {
			return e, errors.New("which of its series the event replaces cannot be read")
		}
		e.Replaces, e.Rules, e.More, e.Except = &s, nil, nil, nil
		e.ID += "@" + l.value
	}
	return e, nil
}

// declined reports whether the one person who was asked declined. Of several
// nobody tells which is the calendar's.
func declined(c component) bool {
	asked := c.lines["ATTENDEE"]
	return len(asked) == 1 && strings.EqualFold(asked[0].param("PARTSTAT"), "DECLINED")
}

// idOf is an id of bounded length.
func idOf(s string) string {
	if len(s) <= maxID {
		return s
	}
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// endOf is an event's end: its own, by its length, or that of what has none: a
// date is its day, a time takes none.
func endOf(c component, start calendar.Stamp) (calendar.Stamp, error) {
	if l, ok := c.first("DTEND"); ok {
		end, err := stampOf(l, l.value)
		switch {
		case err != nil:
			return end, errors.New("the event's end cannot be read; it takes no time")
		case end.Date != start.Date:
			return end, errors.New("of the event's start and end only one is a date; it takes no time")
		case end.Zone == start.Zone && end.Clock.Before(start.Clock):
			return end, errors.New("the event ends before it starts; it takes no time")
		}
		return end, nil
	}
	end := start
	if l, ok := c.first("DURATION"); ok {
		length, err := durationOf(l.value)
		if err != nil {
			return end, err
		}
		end.Clock = end.Clock.Add(length)
	} else if start.Date {
		end.Clock = end.Clock.AddDate(0, 0, 1)
	}
	return end, nil
}

var durationForm = regexp.MustCompile(`^\+?P(?:(\d{1,4})W)?(?:(\d{1,5})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:(\d{1,7})S)?)?$`)

func durationOf(s string) (time.Duration, error) {
	parts := durationForm.FindStringSubmatch(strings.ToUpper(strings.TrimSpace(s)))
	if parts == nil {
		return 0, errors.New("the event's length cannot be read; it takes no time")
	}
	var all time.Duration
	for i, unit := range []time.Duration{7 * 24 * time.Hour, 24 * time.Hour, time.Hour, time.Minute, time.Second} {
		n, _ := strconv.Atoi("0" + parts[i+1])
		all += time.Duration(n) * unit
	}
	return all, nil
}

// stampsOfLines reads lists of times, of which a period counts by its start.
func stampsOfLines(lines []line, bad func(int, string)) (all []calendar.Stamp) {
	for _, l := range lines {
		for value := range strings.SplitSeq(l.value, ",") {
			value, _, _ = strings.Cut(value, "/")
			if value = strings.TrimSpace(value); value == "" {
				continue
			}
			s, err := stampOf(l, value)
			if err != nil {
				bad(l.number, "a time in the list cannot be read")
				continue
			}
			all = append(all, s)
		}
	}
	return all
}

var errStamp = errors.New("this is no time")

// stampOf reads a time or a date. Its zone is the name that the file gives.
func stampOf(l line, value string) (calendar.Stamp, error) {
	value = strings.ToUpper(strings.TrimSpace(value))
	utc := strings.HasSuffix(value, "Z")
	value = strings.TrimSuffix(value, "Z")
	for _, form := range []string{"20060102T150405", "20060102T1504", "20060102"} {
		if len(value) != len(form) {
			continue
		}
		t, err := time.Parse(form, value)
		if err != nil || t.Year() < 1 {
			return calendar.Stamp{}, errStamp
		}
		s := calendar.Stamp{Clock: t, Date: form == "20060102"}
		switch {
		case s.Date:
		case utc:
			s.Zone = "UTC"
		default:
			s.Zone = strings.Trim(l.param("TZID"), `"`)
		}
		return s, nil
	}
	return calendar.Stamp{}, errStamp
}

// Recur gives an event the recurrence that lines of a file would: RRULE, RDATE
// and EXDATE. bad is told of what cannot be read.
func Recur(e *calendar.Event, all []string, bad func(what string)) {
	told := func(_ int, what string) { bad(what) }
	found := map[string][]line{}
	each := func(l line) { found[l.name] = append(found[l.name], l) }
	for _, text := range all {
		lines([]byte(text), each, told)
	}
	for _, l := range found["RRULE"] {
		e.Rules = append(e.Rules, strings.TrimSpace(l.value))
	}
	e.Except, e.More = stampsOfLines(found["EXDATE"], told), stampsOfLines(found["RDATE"], told)
	for _, list := range [][]calendar.Stamp{e.Except, e.More} {
		for i := range list {
			if !list[i].Date && !iana(list[i].Zone) {
				list[i].Zone = e.Start.Zone
			}
		}
	}
}
