package planner

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/teambition/rrule-go"

	"pocbakery/pkg/localtime"
)

const (
	maxTasks   = 500 // of one hub
	minMinutes = 5
	maxMinutes = 6000
	maxTitle   = 200 // characters
	maxRepeat  = 200 // bytes
	maxEvery   = 366 // of an interval of a repeat
)

// Task is work of so many minutes.
type Task struct {
	ID        string  `json:"i"`
	Title     string  `json:"t"`
	Minutes   int     `json:"m"`
	Remaining int     `json:"r"` // not done; what is placed counts among it
	Due       instant `json:"d,omitzero"`
	NotBefore instant `json:"n,omitzero"`
	Priority  int     `json:"p"`
	MinChunk  int     `json:"k,omitzero"`
	PinnedAt  instant `json:"x,omitzero"`
	Repeat    string  `json:"e,omitzero"`
	Done      bool    `json:"o,omitzero"`
	Undo      int     `json:"u,omitzero"` // what remained when it was done
	Rolled    bool    `json:"l,omitzero"` // a block of it was left undone
	Pieces    int     `json:"c,omitzero"` // how many blocks it has had
	Round     int     `json:"q,omitzero"` // of a repeat, from 0
	Made      instant `json:"a"`
}

// NewTask is what a person says of a task.
type NewTask struct {
	Title     string
	Minutes   int
	Due       time.Time
	NotBefore time.Time
	Priority  int
	MinChunk  int
	PinnedAt  time.Time
	Repeat    string
}

// TaskEdit is what a person changes of one: nil leaves a field as it is, and
// the zero value clears it where it can be cleared.
type TaskEdit struct {
	Title     *string
	Minutes   *int
	Due       *time.Time
	NotBefore *time.Time
	Priority  *int
	MinChunk  *int
	PinnedAt  *time.Time
	Repeat    *string
	Done      *bool
}

func (t *Task) check() error {
	switch n := utf8.RuneCountInString(t.Title); {
	case n < 1 || n > maxTitle || strings.TrimSpace(t.Title) == "":
		return invalid("title", fmt.Sprintf("A title has 1 to %d characters.", maxTitle))
	case t.Minutes < minMinutes || t.Minutes > maxMinutes:
		return invalid("minutes", fmt.Sprintf("A task takes %d to %d minutes.", minMinutes, maxMinutes))
	case t.Priority < 1 || t.Priority > 4:
		return invalid("priority", "A priority is 1, the most urgent, to 4.")
	case t.MinChunk != 0 && (t.MinChunk < minMinutes || t.MinChunk > maxMinutes):
		return invalid("min_chunk_minutes", fmt.Sprintf("A piece has %d to %d minutes.", minMinutes, maxMinutes))
	}
	if t.Repeat != "" {
		if _, err := repeatOf(t.Repeat); err != nil {
			return invalid("repeat", "A repeat is an RRULE of FREQ=DAILY, WEEKLY or MONTHLY, such as FREQ=WEEKLY;BYDAY=MO.")
		}
	}
	return nil
}

func repeatOf(rule string) (*rrule.ROption, error) {
	if len(rule) > maxRepeat {
		return nil, fmt.Errorf("planner: a repeat of %d bytes", len(rule))
	}
	o, err := rrule.StrToROptionInLocation(strings.TrimPrefix(rule, "RRULE:"), time.UTC)
	switch {
	case err != nil:
		return nil, err
	case o.Freq != rrule.DAILY && o.Freq != rrule.WEEKLY && o.Freq != rrule.MONTHLY,
		o.Interval < 0 || o.Interval > maxEvery, len(o.Byhour)+len(o.Byminute)+len(o.Bysecond) > 0,
		len(o.Bysetpos)+len(o.Byyearday)+len(o.Byweekno)+len(o.Byeaster) > 0:
		return nil, fmt.Errorf("planner: a repeat of another kind")
	}
	o.Dtstart = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	_, err = rrule.NewRRule(*o)
	return o, err
}

// nextDay is the day of a repeat after the one it is on; ok is false where
// there is none, or none within two years.
func nextDay(rule string, on localtime.Date) (localtime.Date, bool) {
	o, err := repeatOf(rule)
	if err != nil {
		return localtime.Date{}, false
	}
	o.Dtstart = on.UTC()
	if until := on.AddDays(731).UTC(); o.Until.IsZero() || o.Until.After(until) {
		o.Until = until // a rule that no day fits is not followed for ever
	}
	r, err := rrule.NewRRule(*o)
	if err != nil {
		return localtime.Date{}, false
	}
	next := r.After(on.UTC(), false)
	return localtime.DateOf(next), !next.IsZero()
}

// again is the repeat's next task, not before its day, with its due instant as
// far from it as it was.
func (t *Task) again(p Profile, now time.Time) (*Task, bool) {
	on := p.dateAt(now)
	if day := p.dateAt(t.NotBefore.Time()); !t.NotBefore.IsZero() && on.Before(day) {
		on = day
	}
	day, ok := nextDay(t.Repeat, on)
	if !ok {
		return nil, false
	}
	from := p.dateAt(now)
	if !t.NotBefore.IsZero() {
		from = p.dateAt(t.NotBefore.Time())
	}
	by := day.DaysSince(from)
	next := *t
	next.NotBefore = instant(localtime.Instant(p.zone(), day, 0))
	if !t.Due.IsZero() {
		due := t.Due.Time().In(p.zone())
		clock := time.Duration(due.Hour())*time.Hour + time.Duration(due.Minute())*time.Minute
		next.Due = instant(localtime.Instant(p.zone(), localtime.DateOf(due).AddDays(by), clock))
	}
	next.PinnedAt, next.Done, next.Rolled, next.Pieces, next.Undo = instant{}, false, false, 0, 0
	next.Remaining, next.Round, next.Made = t.Minutes, t.Round+1, instant(now)
	base, _, _ := strings.Cut(t.ID, roundMark)
	next.ID = fmt.Sprintf("%s%s%d", base, roundMark, next.Round)
	return &next, true
}

// roundMark stands in an id before the round of a repeat. No drawn id has it.
const roundMark = "-r"
