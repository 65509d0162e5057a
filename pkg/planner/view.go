package planner

import (
	"slices"
	"time"

	"pocbakery/pkg/localtime"
)

// Plan is one local day.
type Plan struct {
	Date     localtime.Date
	Blocks   []BlockView // by start, events among them
	Unplaced []Unplaced
}

// Unplaced is a task without a place, or without enough of it.
type Unplaced struct{ Task, Because string }

// BlockView is a block as a person sees it, or an event of a calendar.
type BlockView struct {
	ID       string
	Task     string    // of a block
	Event    *EventRef // of an event
	Title    string
	StartsAt time.Time
	EndsAt   time.Time
	State    BlockState
	Pinned   bool
	Rolled   bool
	Overlaps bool
	Moved    *Moved
}

// EventRef names an event of a calendar.
type EventRef struct{ ID, Title, Calendar string }

// Moved says where a block stood, and what forced it away.
type Moved struct {
	From    time.Time
	Because string
}

// TaskView is a task as a person sees it.
type TaskView struct {
	Task
	FinishesAt time.Time // zero while it is not placed in full
	Late       *Late
}

// Late is by how much a task ends after its due instant.
type Late struct {
	Minutes int
	Because string
}

// plan is a day's plan as of a business instant.
func (s *state) plan(day localtime.Date, at time.Time) Plan {
	out := Plan{Date: day}
	from, until := localtime.Day(s.zone(), day)
	over := !until.After(at)
	for _, b := range s.blocks {
		if s.today(b.Start.Time()) != day {
			continue
		}
		v := BlockView{
			ID: b.ID, Task: b.Task, Title: b.Title, StartsAt: b.Start.Time(), EndsAt: b.End.Time(), State: b.State,
			Pinned: b.Pinned, Rolled: b.Rolled, Overlaps: b.Pinned && s.overlaps(b),
		}
		if !b.From.IsZero() && !over {
			v.Moved = &Moved{b.From.Time(), b.Because}
		}
		out.Blocks = append(out.Blocks, v)
	}
	for _, o := range s.busy {
		if o.from.Before(until) && from.Before(o.until) && (o.busy || o.pickup) {
			out.Blocks = append(out.Blocks, s.eventView(o, at))
		}
	}
	slices.SortStableFunc(out.Blocks, func(a, b BlockView) int { return a.StartsAt.Compare(b.StartsAt) })
	for _, u := range s.head.Unplaced {
		out.Unplaced = append(out.Unplaced, Unplaced(u))
	}
	return out
}

func (s *state) eventView(o busy, at time.Time) BlockView {
	v := BlockView{
		ID: o.id, Event: &EventRef{o.id, o.title, o.calendar}, Title: o.title, StartsAt: o.from, EndsAt: o.until, State: Planned,
	}
	switch {
	case !o.until.After(at):
		v.State = Done
	case !o.from.After(at):
		v.State = Running
	}
	return v
}

func (s *state) overlaps(b *Block) bool {
	return slices.ContainsFunc(s.busy, func(o busy) bool {
		return o.busy && o.from.Before(b.End.Time()) && b.Start.Time().Before(o.until)
	})
}

// taskView is a task with where its blocks leave it.
func (s *state) taskView(t *Task) TaskView {
	v := TaskView{Task: *t}
	if t.Done {
		return v
	}
	placed := 0
	for _, b := range s.blocks {
		if b.Task == t.ID && !b.final() {
			placed += b.minutes()
			if b.End.Time().After(v.FinishesAt) {
				v.FinishesAt = b.End.Time()
			}
		}
	}
	if placed < t.Remaining {
		v.FinishesAt = time.Time{}
		return v
	}
	if due := t.Due.Time(); !t.Due.IsZero() && v.FinishesAt.After(due) {
		v.Late = &Late{minutesBetween(due, v.FinishesAt), s.head.Late[t.ID].Because}
		if v.Late.Because == "" {
			v.Late.Because = "ends " + v.FinishesAt.In(s.zone()).Format("15:04") + ": it stands where it was begun or pinned"
		}
	}
	return v
}
