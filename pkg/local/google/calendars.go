package google

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Event is an event as its owner writes it. Start and end are an instant, a
// date, or an object as the Calendar API has it.
type Event struct {
	ID                string         `json:"id"`
	Summary           string         `json:"summary"`
	Start             jsontext.Value `json:"start"`
	End               jsontext.Value `json:"end"`
	Status            string         `json:"status,omitzero"`
	Transparency      string         `json:"transparency,omitzero"`
	Recurrence        []string       `json:"recurrence,omitzero"`
	RecurringEventID  string         `json:"recurringEventId,omitzero"`
	OriginalStartTime jsontext.Value `json:"originalStartTime,omitzero"`
	Attendees         jsontext.Value `json:"attendees,omitzero"`
}

// moment is a start as the API tells it.
func moment(v jsontext.Value) (jsontext.Value, error) {
	if len(v) == 0 || v.Kind() != '"' {
		var m struct {
			Date     string `json:"date,omitzero"`
			DateTime string `json:"dateTime,omitzero"`
			TimeZone string `json:"timeZone,omitzero"`
		}
		if err := json.Unmarshal(v, &m); err != nil || (m.Date == "") == (m.DateTime == "") {
			return nil, fmt.Errorf("a start or an end is neither a date nor an instant")
		}
		return v, nil
	}
	var text string
	if err := json.Unmarshal(v, &text); err != nil {
		return nil, err
	}
	name := "dateTime"
	if _, err := time.Parse(time.RFC3339, text); err != nil {
		if _, err := time.Parse(time.DateOnly, text); err != nil {
			return nil, fmt.Errorf("a start or an end is neither a date nor an instant")
		}
		name = "date"
	}
	return json.Marshal(map[string]string{name: text})
}

// entry is an event with its place in the log.
type entry struct {
	Event
	seq int // of its last change
}

func (e entry) cancelled() bool { return e.Status == "cancelled" }

// book is one calendar.
type book struct {
	id, name string
	seq      int // of the last change
	entries  map[string]entry
	channels map[string]channel
	message  int // of the last push
}

// Calendars are the stand-in. It is safe for concurrent use.
type Calendars struct {
	wall func() time.Time

	mu     sync.Mutex
	books  map[string]*book
	faults Faults
	counts Counts
	codes  map[string]string // that were consented to, with their challenges
	late   sync.WaitGroup    // pushes on their way
	next   int               // names what is made
	run    string            // names this run, so that the tokens of another are told
}

// primary is the calendar that "primary" means.
const primary = "maja@bakery.example"

// New is a stand-in over a wall clock, with a primary calendar and another.
// run names it: tokens of a stand-in of another name are too old.
func New(wall func() time.Time, run string) *Calendars {
	c := &Calendars{wall: wall, run: run, books: map[string]*book{}, codes: map[string]string{}, faults: Faults{Push: "on", List: "ok"}}
	for id, name := range map[string]string{primary: "Demo calendar", "suppliers@bakery.example": "Suppliers"} {
		c.books[id] = &book{id: id, name: name, entries: map[string]entry{}, channels: map[string]channel{}}
	}
	return c
}

// book is a calendar by its id, nil for none.
func (c *Calendars) book(id string) *book {
	if id == "primary" {
		id = primary
	}
	return c.books[id]
}

// Set makes a calendar have these events and no others, as its owner's edits,
// and tells the channels. It makes the calendar if there is none.
func (c *Calendars) Set(id string, events []Event) error {
	seen := map[string]bool{}
	for i := range events {
		e := &events[i]
		var err error
		if e.ID == "" || len(e.ID) > 1024 || seen[e.ID] {
			return fmt.Errorf("an event has no id, or that of another")
		}
		seen[e.ID] = true
		for _, m := range []*jsontext.Value{&e.Start, &e.End} {
			if e.Status == "cancelled" { // it has no times of its own
				break
			}
			if *m, err = moment(*m); err != nil {
				return err
			}
		}
		if e.RecurringEventID != "" {
			if e.OriginalStartTime, err = moment(e.OriginalStartTime); err != nil {
				return err
			}
		}
	}
	c.mu.Lock()
	b := c.book(id)
	if b == nil {
		b = &book{id: id, name: id, entries: map[string]entry{}, channels: map[string]channel{}}
		c.books[id] = b
	}
	changed := b.set(events)
	c.mu.Unlock()
	if changed {
		c.push(b, "exists")
	}
	return nil
}

// set notes what changed in the log.
func (b *book) set(events []Event) (changed bool) {
	wanted := map[string]Event{}
	for _, e := range events {
		wanted[e.ID] = e
	}
	note := func(e Event) {
		b.seq++
		b.entries[e.ID] = entry{e, b.seq}
		changed = true
	}
	for _, id := range slices.Sorted(maps.Keys(b.entries)) {
		had := b.entries[id]
		if _, still := wanted[id]; !still && !had.cancelled() {
			note(Event{ID: id, Status: "cancelled", RecurringEventID: had.RecurringEventID, OriginalStartTime: had.OriginalStartTime})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(wanted)) {
		was, _ := json.Marshal(b.entries[id].Event)
		is, _ := json.Marshal(wanted[id])
		if string(was) != string(is) {
			note(wanted[id])
		}
	}
	return changed
}

// Events are a calendar's events, as their owner sees them.
func (c *Calendars) Events(id string) ([]Event, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	b := c.book(id)
	if b == nil {
		return nil, false
	}
	events := []Event{}
	for _, e := range b.list(0) {
		events = append(events, e.Event)
	}
	return events, true
}

// list are the entries that changed after a place in the log, in the order of
// their ids; from 0 the living ones, with the cancelled of living series.
func (b *book) list(after int) []entry {
	var all []entry
	for _, e := range b.entries {
		series, ok := b.entries[e.RecurringEventID]
		ofLiving := e.RecurringEventID != "" && ok && !series.cancelled()
		if e.seq > after && (after > 0 || !e.cancelled() || ofLiving) {
			all = append(all, e)
		}
	}
	slices.SortFunc(all, func(a, b entry) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// listing is a place in one listing: what a page token says.
type listing struct {
	after, until int    // of the log: what changed after, as it stood at until
	from         string // the last id given
}

func (l listing) token() string {
	return fmt.Sprintf("%d.%d.%x", l.after, l.until, l.from)
}

func listingOf(token string) (l listing, ok bool) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return listing{}, false
	}
	after, err1 := strconv.Atoi(parts[0])
	until, err2 := strconv.Atoi(parts[1])
	var from []byte
	_, err3 := fmt.Sscanf(parts[2], "%x", &from)
	return listing{after, until, string(from)}, err1 == nil && err2 == nil && err3 == nil
}
