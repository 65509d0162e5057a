package planner

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"pocbakery/pkg/hub"
	"pocbakery/pkg/localtime"
	"pocbakery/pkg/store"
)

// Keys and fields; see the package doc.
const (
	headSK      = "planner"
	keyPrefix   = "planner#"
	calPrefix   = keyPrefix + "cal#"
	dayPrefix   = keyPrefix + "day#"
	profileSK   = keyPrefix + "profile"
	taskPrefix  = keyPrefix + "task#"
	feedPrefix  = "feed#"
	logPrefix   = "plog#"
	briefPrefix = "briefing#"
	oncePrefix  = "once#"

	fieldRow = "row"
)

// head is what the planner of a hub knows beside its rows. Every change writes
// it, guarded by its revision: whoever decided on older rows decides again.
type head struct {
	Seq      int64            `json:"s"` // of events
	Unplaced []left           `json:"u,omitzero"`
	Late     map[string]cause `json:"l,omitzero"` // by task
	Visited  string           `json:"v,omitzero"` // the local date of the last visit
	Asleep   bool             `json:"z,omitzero"`
	FeedKey  int              `json:"f,omitzero"` // how often the address of plan.ics was changed
	Saved    bool             `json:"p,omitzero"` // there is a profile that somebody saved
	NoMail   bool             `json:"m,omitzero"` // its person wants no briefings by mail
	// Connected is how many calendars were connected on a day of wall time in UTC.
	Connected int    `json:"c,omitzero"`
	On        string `json:"o,omitzero"`

	Unknown jsontext.Value `json:",embed"`
}

type left struct {
	Task    string `json:"t"`
	Because string `json:"b"`
}

type cause struct {
	Minutes int    `json:"m"`
	Because string `json:"b"`
}

type dayRow struct {
	Blocks []*Block `json:"b"`

	Unknown jsontext.Value `json:",embed"`
}

// state is the planner of one hub, as a request found it and as it becomes.
type state struct {
	root    hub.Root
	now     hub.Now
	head    head
	profile Profile
	tasks   []*Task // oldest first
	blocks  []*Block
	cals    []*Calendar
	from    localtime.Date // blocks of earlier dates are not here

	busy    []busy // what takes time, by start
	pickups []Pickup

	events    []hub.Event
	briefings []Briefing
	drop      []dropped
	found     map[string]store.Item // as read, by sk
	more      []store.Write         // beside the rows
}

// isNew reports whether nothing of a planner was ever written.
func (s *state) isNew() bool { return !s.found[headSK].Exists() }

func (s *state) zone() *time.Location { return s.profile.zone() }

func (s *state) task(id string) *Task {
	for _, t := range s.tasks {
		if t.ID == id {
			return t
		}
	}
	return nil
}

func (s *state) calendar(id string) *Calendar {
	for _, c := range s.cals {
		if c.ID == id {
			return c
		}
	}
	return nil
}

// decode reads rows. Those of a hub that never had any are a new planner.
func (s *state) decode(items []store.Item) error {
	s.profile, s.found = DefaultProfile(), make(map[string]store.Item, len(items))
	for _, i := range items {
		s.found[i.SK] = i
		row := []byte(i.String(fieldRow))
		var err error
		switch {
		case i.SK == headSK:
			err = json.Unmarshal(row, &s.head)
		case i.SK == profileSK:
			err = json.Unmarshal(row, &s.profile)
		case strings.HasPrefix(i.SK, taskPrefix):
			t := new(Task)
			err = json.Unmarshal(row, t)
			s.tasks = append(s.tasks, t)
		case strings.HasPrefix(i.SK, calPrefix):
			c := new(Calendar)
			err = json.Unmarshal(row, c)
			s.cals = append(s.cals, c)
		case strings.HasPrefix(i.SK, dayPrefix):
			var d dayRow
			err = json.Unmarshal(row, &d)
			on, _ := localtime.ParseDate(strings.TrimPrefix(i.SK, dayPrefix))
			for _, b := range d.Blocks {
				b.day = on
			}
			s.blocks = append(s.blocks, d.Blocks...)
		}
		if err != nil {
			return err
		}
	}
	slices.SortStableFunc(s.tasks, func(a, b *Task) int {
		return cmp.Or(a.Made.Time().Compare(b.Made.Time()), strings.Compare(a.ID, b.ID))
	})
	slices.SortStableFunc(s.cals, func(a, b *Calendar) int { return a.Made.Time().Compare(b.Made.Time()) })
	sortBlocks(s.blocks)
	return nil
}

// row is what an item of the planner should hold.
type row struct {
	text  string
	clock store.Clock // of its end
	end   time.Time   // zero: none
}

// rows are all rows of the state.
func (s *state) rows() map[string]row {
	rows := map[string]row{}
	put := func(sk string, v any, c store.Clock, end time.Time) {
		b, err := json.Marshal(v, json.Deterministic(true))
		if err != nil { // numbers, and texts that were checked
			panic(err)
		}
		if s.head.Asleep {
			end = time.Time{}
		}
		rows[sk] = row{string(b), c, end}
	}
	put(headSK, s.head, store.Wall, s.sleepsAt())
	if s.head.Saved {
		put(profileSK, s.profile, store.Business, s.profile.Next.Time())
	}
	for _, t := range s.tasks {
		put(taskPrefix+t.ID, t, 0, time.Time{})
	}
	for _, c := range s.cals {
		put(calPrefix+c.ID, c, store.Wall, c.end())
	}
	days := map[localtime.Date]*dayRow{}
	for _, b := range s.blocks {
		d := s.profile.dateAt(b.Start.Time())
		if b.final() && b.day != (localtime.Date{}) {
			d = b.day
		}
		if days[d] == nil {
			days[d] = &dayRow{}
		}
		days[d].Blocks = append(days[d].Blocks, b)
	}
	for d, day := range days {
		var first time.Time
		for _, b := range day.Blocks {
			if end, ok := b.end(); ok && (first.IsZero() || end.Before(first)) {
				first = end
			}
		}
		put(dayPrefix+d.String(), day, store.Business, first)
	}
	return rows
}

// writes are the rows that are others than were found, the head among them if
// there are any; none if nothing changed.
func (s *state) writes() []store.Write {
	var writes []store.Write
	rows := s.rows()
	for _, sk := range slices.Sorted(maps(rows)) {
		if w, changed := s.write(sk, rows[sk]); changed && sk != headSK {
			writes = append(writes, w)
		}
	}
	for _, sk := range slices.Sorted(maps(s.found)) {
		if _, still := rows[sk]; !still {
			writes = append(writes, store.Delete(s.found[sk].Key, store.IfStill(s.found[sk])))
		}
	}
	for _, e := range s.events {
		w := s.root.LogWriteAt(logPrefix, e)
		s.expire(w.Set, keepLog)
		writes = append(writes, w)
	}
	for _, b := range s.briefings {
		writes = append(writes, s.briefingWrite(b))
	}
	writes = append(writes, s.more...)
	head, changed := s.write(headSK, rows[headSK])
	if len(writes) > 0 || changed {
		writes = append(writes, head)
	}
	return writes
}

func maps[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// keepLog is how long a lasting hub keeps what happened in its planner, and
// keepDays its past days.
const (
	keepLog  = 60 * 24 * time.Hour
	keepDays = 90 * 24 * time.Hour
)

// expire gives what a lasting hub need not keep an end; in one that ends all
// have the hub's.
func (s *state) expire(f store.Fields, after time.Duration) {
	if s.root.TTL == 0 {
		f[store.FieldTTL] = s.now.Wall.Add(after).Unix()
	}
}

// write writes a row by the revision that was read. Fields that a later
// version knows stay as they are.
func (s *state) write(sk string, r row) (w store.Write, changed bool) {
	was := s.found[sk]
	due := ""
	if !r.end.IsZero() {
		due = store.DueAt(r.clock, r.end)
	}
	changed = was.String(fieldRow) != r.text || was.String(store.FieldDue) != due
	w = store.Write{Op: store.OpUpdate, Key: s.root.Key(sk), Guard: store.IfStill(was), Set: store.Fields{fieldRow: r.text}}
	if was.Exists() {
		w.Remove = []string{hub.FieldTries, hub.FieldAside}
	}
	switch {
	case due == "" && was.Exists():
		w.Remove = append(w.Remove, store.FieldDue, store.FieldWake)
	case due != "":
		w.Set[store.FieldDue] = due
		w.Set[store.FieldWake] = s.wake(r.clock, r.end)
	}
	if strings.HasPrefix(sk, dayPrefix) {
		s.expire(w.Set, keepDays)
	}
	return w, changed
}

func (s *state) wake(c store.Clock, end time.Time) string {
	if c == store.Business {
		return s.root.Wake(end)
	}
	return store.FormatInstant(end)
}

// tell notes that something happened, at a business instant.
func (s *state) tell(e hub.Event, at time.Time) {
	s.head.Seq++
	e.Wall, e.At, e.Nth = s.now.Wall, at, s.head.Seq
	s.events = append(s.events, e)
}
