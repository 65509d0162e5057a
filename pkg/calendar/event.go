package calendar

import "time"

// Stamp is a time as a calendar writes it: a reading on the clock of a zone,
// or a date.
type Stamp struct {
	// Clock is what the clock shows; of a date its midnight.
	Clock time.Time `json:"c"`
	// Zone is an IANA name or one of the feed's own zones; empty for the zone
	// of whoever looks.
	Zone string `json:"z,omitzero"`
	Date bool   `json:"d,omitzero"`
}

// Event is an event or a series, as the other side holds it.
type Event struct {
	ID    string `json:"i"` // its own, within the calendar
	UID   string `json:"u"` // its series'; an event that replaces one of a series has the same
	Title string `json:"t,omitzero"`
	Start Stamp  `json:"s"`
	End   Stamp  `json:"e"` // not before Start

	Rules  []string `json:"r,omitzero"` // RRULE values
	Except []Stamp  `json:"x,omitzero"` // EXDATE
	More   []Stamp  `json:"m,omitzero"` // RDATE

	// Replaces is the start, by the series' rules, of the one that this event
	// stands for; nil for an event of its own and for a series.
	Replaces  *Stamp `json:"o,omitzero"`
	Cancelled bool   `json:"k,omitzero"`
	Free      bool   `json:"f,omitzero"` // transparent, or declined by its person

	// Line is where the file has it, for a problem's words; 0 where there is none.
	Line int `json:"l,omitzero"`
}

// Feed is one calendar as a fetch found it.
type Feed struct {
	Name   string  `json:"name,omitzero"`
	Zones  []Zone  `json:"zones,omitzero"` // its own, that no IANA name stands for
	Events []Event `json:"events,omitzero"`
}

// Occurrence is one event in time.
type Occurrence struct {
	ID         string // names it within the calendar, the same after each expansion
	Title      string
	Start, End time.Time // UTC, half-open; Start is before End
	AllDay     bool
	Busy       bool
}

// Problem is what could not be read, by line where there is one. It never holds
// the line itself.
type Problem struct {
	Line int
	What string
}
