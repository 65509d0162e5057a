package google

import (
	"errors"
	"strings"
	"time"

	"pocbakery/pkg/calendar"
	"pocbakery/pkg/calendar/ics"
)

// event is an event as Google tells it.
type event struct {
	ID                string   `json:"id"`
	Status            string   `json:"status"`
	Summary           string   `json:"summary"`
	Transparency      string   `json:"transparency"`
	Start             moment   `json:"start"`
	End               moment   `json:"end"`
	Recurrence        []string `json:"recurrence"`
	RecurringEventID  string   `json:"recurringEventId"`
	OriginalStartTime moment   `json:"originalStartTime"`
	Attendees         []struct {
		Self           bool   `json:"self"`
		ResponseStatus string `json:"responseStatus"`
	} `json:"attendees"`
}

// moment is a date, or an instant with the zone whose clock it is read on.
type moment struct {
	Date     string `json:"date"`
	DateTime string `json:"dateTime"`
	TimeZone string `json:"timeZone"`
}

const (
	maxText       = 200 // characters of a title
	maxID         = 1024
	maxRecurrence = 4000 // lines
)

// short is a text on one line, of at most maxText characters.
func short(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > maxText {
		return string(r[:maxText])
	}
	return s
}

// read reads an event. A cancelled one of a series has no times of its own.
func (e event) read(bad func(string)) (calendar.Event, error) {
	out := calendar.Event{ID: e.ID, UID: e.ID, Title: short(e.Summary), Cancelled: e.Status == "cancelled", Free: e.Transparency == "transparent"}
	if len(e.ID) > maxID || len(e.RecurringEventID) > maxID || len(e.Recurrence) > maxRecurrence {
		return out, errors.New("an event is too large")
	}
	for _, a := range e.Attendees {
		out.Free = out.Free || a.Self && a.ResponseStatus == "declined"
	}
	var err error
	if e.RecurringEventID != "" {
		out.UID = e.RecurringEventID
		replaces, err := e.OriginalStartTime.stamp()
		if err != nil {
			return out, errors.New("which of its series an event replaces cannot be read")
		}
		out.Replaces = &replaces
		if out.Cancelled {
			out.Start, out.End, out.Title = replaces, replaces, ""
			return out, nil
		}
	}
	if out.Start, err = e.Start.stamp(); err != nil {
		return out, errors.New("an event's start cannot be read")
	}
	if out.End, err = e.End.stamp(); err != nil || out.End.Date != out.Start.Date {
		return out, errors.New("an event's end cannot be read")
	}
	if e.RecurringEventID == "" {
		ics.Recur(&out, e.Recurrence, bad)
	}
	return out, nil
}

var errMoment = errors.New("this is no time")

// stamp is the reading on the clock of its zone; of a zone that is unknown here
// it is the instant's in UTC.
func (m moment) stamp() (calendar.Stamp, error) {
	if m.Date != "" {
		t, err := time.Parse(time.DateOnly, m.Date)
		if err != nil || t.Year() < 1 {
			return calendar.Stamp{}, errMoment
		}
		return calendar.Stamp{Clock: t, Date: true}, nil
	}
	t, err := time.Parse(time.RFC3339, m.DateTime)
	if err != nil || t.Year() < 1 {
		return calendar.Stamp{}, errMoment
	}
	loc, err := time.LoadLocation(m.TimeZone)
	if err != nil || m.TimeZone == "" || m.TimeZone == "Local" {
		return calendar.Stamp{Clock: t.UTC().Truncate(time.Second), Zone: "UTC"}, nil
	}
	t = t.In(loc)
	return calendar.Stamp{Clock: time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, time.UTC), Zone: m.TimeZone}, nil
}
