package ics

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"pocbakery/pkg/calendar"
)

const (
	// MaxFile is the longest file that is read, in bytes, after decompression.
	MaxFile = 10 << 20
	// MaxEvents bounds the events that are taken of a file; the first count.
	MaxEvents = 20_000

	maxProblems = 50
)

// errNoCalendar is a file that is something else.
var errNoCalendar = errors.New("this is no calendar")

// Read reads a file. An error is of one that is no calendar at all; what of a
// calendar cannot be read is told by line.
func Read(file []byte) (calendar.Feed, []calendar.Problem, error) {
	r := reader{events: map[string]found{}, zones: map[string]*ownZone{}}
	lines(file, r.line, r.bad)
	if !r.calendar {
		return calendar.Feed{}, nil, errNoCalendar
	}
	if r.event != nil {
		r.bad(r.event.number, "the event has no end in the file")
		r.endEvent()
	}
	return r.feed(), r.problems, nil
}

// reader is a file being read.
type reader struct {
	calendar bool // a VCALENDAR began
	within   []string
	event    *component
	zone     *ownZone
	name     string

	order    []string // the ids of events, as they came
	events   map[string]found
	zones    map[string]*ownZone
	full     bool
	problems []calendar.Problem
}

// found is an event with what tells which of two is the later.
type found struct {
	calendar.Event
	sequence int
}

// component is the lines of one component, by name.
type component struct {
	number int
	lines  map[string][]line
}

// first is the first line of a name.
func (c component) first(name string) (line, bool) {
	if l := c.lines[name]; len(l) > 0 {
		return l[0], true
	}
	return line{}, false
}

func (c component) value(name string) string {
	l, _ := c.first(name)
	return strings.TrimSpace(l.value)
}

// bad notes a problem; of the same line only the first.
func (r *reader) bad(number int, what string) {
	if n := len(r.problems); n < maxProblems && (n == 0 || r.problems[n-1].Line != number) {
		r.problems = append(r.problems, calendar.Problem{Line: number, What: what})
	}
}

func (r *reader) line(l line) {
	switch l.name {
	case "BEGIN":
		r.begin(strings.ToUpper(strings.TrimSpace(l.value)), l.number)
	case "END":
		r.end(strings.ToUpper(strings.TrimSpace(l.value)))
	default:
		r.property(l)
	}
}

func (r *reader) begin(what string, number int) {
	switch what {
	case "VCALENDAR":
		r.calendar, r.within = true, nil
	case "VEVENT":
		if r.event != nil {
			r.bad(r.event.number, "the event has no end in the file")
			r.endEvent()
		}
		r.within = []string{what}
		r.event = &component{number: number, lines: map[string][]line{}}
		return
	case "VTIMEZONE":
		r.zone, r.within = &ownZone{}, nil
	case "STANDARD", "DAYLIGHT":
		if r.zone != nil {
			r.zone.parts = append(r.zone.parts, component{number: number, lines: map[string][]line{}})
		}
	}
	r.within = append(r.within, what)
}

func (r *reader) end(what string) {
	for i := len(r.within) - 1; i >= 0; i-- {
		if r.within[i] == what {
			r.within = r.within[:i]
			break
		}
	}
	switch {
	case what == "VEVENT" && r.event != nil:
		r.endEvent()
	case what == "VTIMEZONE" && r.zone != nil:
		if r.zone.id != "" {
			r.zones[r.zone.id] = r.zone
		}
		r.zone = nil
	}
}

// property gives a line to the component that it stands in.
func (r *reader) property(l line) {
	in := ""
	if n := len(r.within); n > 0 {
		in = r.within[n-1]
	}
	switch {
	case in == "VEVENT" && r.event != nil:
		// No list of a name is longer than this; a series of a day each, of years.
		if all := r.event.lines[l.name]; len(all) < 4000 {
			r.event.lines[l.name] = append(all, l)
		}
	case in == "VTIMEZONE" && r.zone != nil && l.name == "TZID":
		r.zone.id = strings.TrimSpace(l.value)
	case in == "VTIMEZONE" && r.zone != nil && l.name == "X-LIC-LOCATION":
		r.zone.location = strings.TrimSpace(l.value)
	case (in == "STANDARD" || in == "DAYLIGHT") && r.zone != nil && len(r.zone.parts) > 0:
		part := r.zone.parts[len(r.zone.parts)-1]
		part.lines[l.name] = append(part.lines[l.name], l)
	case l.name == "X-WR-CALNAME" && r.name == "":
		r.name = short(l.value)
	}
}

// endEvent takes the event that is being read, or tells what is wrong with it.
// Of two under one name the one of the higher sequence counts, then the later.
func (r *reader) endEvent() {
	c := *r.event
	r.event = nil
	if len(r.events) >= MaxEvents {
		if !r.full {
			r.bad(c.number, fmt.Sprintf("the calendar has more than %d events; the rest is left out", MaxEvents))
			r.full = true
		}
		return
	}
	e, err := eventOf(c, r.bad)
	if err != nil {
		r.bad(c.number, err.Error())
		return
	}
	sequence, _ := strconv.Atoi(c.value("SEQUENCE"))
	had, known := r.events[e.ID]
	if known && had.sequence > sequence {
		return
	}
	if !known {
		r.order = append(r.order, e.ID)
	}
	r.events[e.ID] = found{e, sequence}
}

// feed is what was read, with the names of its zones resolved.
func (r *reader) feed() calendar.Feed {
	f := calendar.Feed{Name: r.name}
	named := zoneNames{file: r.zones, known: map[string]string{}}
	for _, id := range r.order {
		e := r.events[id].Event
		for _, s := range stampsOf(&e) {
			name, ok := named.resolve(s.Zone)
			if !ok {
				r.bad(e.Line, "its time zone is unknown; its times are taken for yours")
			}
			s.Zone = name
		}
		f.Events = append(f.Events, e)
	}
	f.Zones = named.own(r.bad)
	return f
}

func stampsOf(e *calendar.Event) []*calendar.Stamp {
	all := []*calendar.Stamp{&e.Start, &e.End}
	if e.Replaces != nil {
		all = append(all, e.Replaces)
	}
	for i := range e.Except {
		all = append(all, &e.Except[i])
	}
	for i := range e.More {
		all = append(all, &e.More[i])
	}
	return all
}
