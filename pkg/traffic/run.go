package traffic

import (
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"pocbakery/pkg/hub"
	"pocbakery/pkg/store"
)

const (
	// MinutesPerDay is how many minutes of traffic a sandbox has each UTC day.
	MinutesPerDay = 30
	// MaxPerMinute is how many people come in a minute at most: so many orders,
	// paid for, are a few seconds of a run's work.
	MaxPerMinute = 30

	trafficSK = "traffic"
)

// Counts is what became of people.
type Counts struct {
	Placed    int // of whom some paid and the others went away
	Paid      int
	Abandoned int
	Refused   int
}

func (c Counts) plus(d Counts) Counts {
	return Counts{c.Placed + d.Placed, c.Paid + d.Paid, c.Abandoned + d.Abandoned, c.Refused + d.Refused}
}

// Names of the item's fields.
const (
	fieldDay     = "day"  // UTC date that used is about
	fieldUsed    = "used" // minutes taken on that day and not returned
	fieldSeed    = "seed"
	fieldStarted = "started"
	fieldMinutes = "minutes"
	fieldRate    = "rate"
	fieldStopped = "stopped" // when the run was stopped, or ended
	fieldMinute  = "minute"  // the minute to be played next
	fieldDone    = "done"    // how many of its people have been already
	fieldBasis   = "basis"   // the business instant from which that minute's people choose
	fieldSeries  = "series"  // what became of people, minute by minute
)

// state is the hub's item: its minutes, and its run.
type state struct {
	item store.Item

	day     string
	used    int
	seed    int64
	started time.Time // zero where there never was a run
	minutes int
	rate    int
	stopped time.Time // zero while the run is under way

	minute, done int
	basis        time.Time // zero before the minute's first
	series       []Counts
}

func decode(i store.Item) (state, error) {
	s := state{
		item: i, day: i.String(fieldDay), used: int(i.Int(fieldUsed)), seed: i.Int(fieldSeed),
		started: i.Time(fieldStarted), minutes: int(i.Int(fieldMinutes)), rate: int(i.Int(fieldRate)), stopped: i.Time(fieldStopped),
		minute: int(i.Int(fieldMinute)), done: int(i.Int(fieldDone)), basis: i.Time(fieldBasis),
	}
	var rows [][4]int
	if text := i.String(fieldSeries); text != "" {
		if err := json.Unmarshal([]byte(text), &rows); err != nil {
			return s, fmt.Errorf("traffic: a run cannot be read: %w", err)
		}
	}
	for _, r := range rows {
		s.series = append(s.series, Counts{r[0], r[1], r[2], r[3]})
	}
	return s, nil
}

func encodeSeries(series []Counts) string {
	rows := make([][4]int, len(series))
	for n, c := range series {
		rows[n] = [4]int{c.Placed, c.Paid, c.Abandoned, c.Refused}
	}
	b, err := json.Marshal(rows)
	if err != nil { // numbers always encode
		panic(err)
	}
	return string(b)
}

// minuteAt is when a minute of the run begins; that after its last is its end.
func (s state) minuteAt(n int) time.Time { return s.started.Add(time.Duration(n) * time.Minute) }

func (s state) end() time.Time { return s.minuteAt(s.minutes) }

// open reports whether the run was neither stopped nor seen to end.
func (s state) open() bool { return !s.started.IsZero() && s.stopped.IsZero() }

// runsAt reports whether a run is under way: it is over at its end, and from
// then on.
func (s state) runsAt(wall time.Time) bool { return s.open() && wall.Before(s.end()) }

// begunAt is how many of its minutes the run has begun.
func (s state) begunAt(wall time.Time) int {
	return min(int(max(wall.Sub(s.started), 0)/time.Minute)+1, s.minutes)
}

// dayOf is the UTC date of a wall instant. A clock that is behind does not take
// the hub back to the day before.
func (s state) dayOf(wall time.Time) string { return max(wall.UTC().Format(time.DateOnly), s.day) }

func (s state) usedOn(day string) int {
	if s.day != day {
		return 0
	}
	return s.used
}

// write changes the item by its revision. Whatever is written of it is a fresh
// start for the hub's count of its failures.
func (s state) write(root hub.Root, set store.Fields, remove ...string) store.Write {
	w := store.Write{Op: store.OpUpdate, Key: root.Key(trafficSK), Guard: store.IfStill(s.item), Set: set}
	for _, name := range append(remove, hub.FieldTries, hub.FieldAside) {
		if s.item.Has(name) {
			w.Remove = append(w.Remove, name)
		}
	}
	return w
}

// due puts the next end into what is written.
func due(set store.Fields, at time.Time) store.Fields {
	set[store.FieldDue], set[store.FieldWake] = store.DueAt(store.Wall, at), store.FormatInstant(at)
	return set
}
