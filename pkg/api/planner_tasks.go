package api

import (
	"time"

	"pocbakery/pkg/planner"
)

type taskJSON struct {
	ID         string    `json:"id"`
	Title      string    `json:"title"`
	Minutes    int       `json:"minutes"`
	Remaining  int       `json:"remaining_minutes"`
	Due        instant   `json:"due,omitzero"`
	NotBefore  instant   `json:"not_before,omitzero"`
	Priority   int       `json:"priority" doc:"1 is the most urgent"`
	MinChunk   int       `json:"min_chunk_minutes,omitzero"`
	PinnedAt   instant   `json:"pinned_at,omitzero"`
	Repeat     string    `json:"repeat,omitempty"`
	Done       bool      `json:"done"`
	FinishesAt instant   `json:"finishes_at,omitzero" doc:"By the plan, where it is placed in full"`
	Late       *lateJSON `json:"late,omitempty"`
}

type lateJSON struct {
	Minutes int    `json:"minutes"`
	Because string `json:"because"`
}

func taskOf(t planner.TaskView) taskJSON {
	out := taskJSON{
		ID: t.ID, Title: t.Title, Minutes: t.Minutes, Remaining: t.Remaining, Due: instant(t.Due), NotBefore: instant(t.NotBefore),
		Priority: t.Priority, MinChunk: t.MinChunk, PinnedAt: instant(t.PinnedAt), Repeat: t.Repeat, Done: t.Done,
		FinishesAt: instant(t.FinishesAt),
	}
	if t.Late != nil {
		out.Late = &lateJSON{t.Late.Minutes, t.Late.Because}
	}
	return out
}

type tasksQuery struct {
	Done   text `json:"done,omitempty" enum:"true,false" doc:"Only those that are done, or are not"`
	Cursor text `json:"cursor,omitempty" maxLength:"128" doc:"next_cursor of the page before"`
	Limit  int  `json:"limit" minimum:"1" maximum:"100" default:"50"`
}

type tasksJSON struct {
	Tasks []taskJSON `json:"tasks" doc:"The oldest first"`
	Next  string     `json:"next_cursor,omitempty" doc:"While there is more"`
}

func (s *server) tasks(c *call, in *tasksQuery) (out tasksJSON, err error) {
	q := planner.TaskQuery{Cursor: string(in.Cursor), Limit: in.Limit}
	if in.Done != "" {
		done := in.Done == "true"
		q.Done = &done
	}
	all, next, err := s.Planner.Tasks(c.ctx, c.who, q)
	out.Tasks, out.Next = make([]taskJSON, len(all)), next
	for i, t := range all {
		out.Tasks[i] = taskOf(t)
	}
	return out, err
}

type addTaskBody struct {
	Title     text  `json:"title" minLength:"1" maxLength:"200"`
	Minutes   int   `json:"minutes" minimum:"5" maximum:"6000"`
	Due       stamp `json:"due,omitempty" doc:"It is placed even if it is late"`
	NotBefore stamp `json:"not_before,omitempty"`
	Priority  int   `json:"priority" minimum:"1" maximum:"4" doc:"1 is the most urgent"`
	MinChunk  int   `json:"min_chunk_minutes,omitempty" minimum:"5" maximum:"6000" doc:"It may be split into pieces no shorter; one piece where it is left out"`
	PinnedAt  stamp `json:"pinned_at,omitempty" doc:"Where it stands whatever else there is"`
	Repeat    text  `json:"repeat,omitempty" maxLength:"200" doc:"An RRULE of FREQ=DAILY, WEEKLY or MONTHLY"`
}

func (s *server) addTask(c *call, in *addTaskBody) (taskJSON, error) {
	n := planner.NewTask{Title: string(in.Title), Minutes: in.Minutes, Priority: in.Priority, MinChunk: in.MinChunk, Repeat: string(in.Repeat)}
	var err error
	for _, f := range []struct {
		name string
		in   stamp
		to   *time.Time
	}{{"due", in.Due, &n.Due}, {"not_before", in.NotBefore, &n.NotBefore}, {"pinned_at", in.PinnedAt, &n.PinnedAt}} {
		if *f.to, err = instantIn(f.name, f.in); err != nil {
			return taskJSON{}, err
		}
	}
	t, replayed, err := s.Planner.AddTask(c.ctx, c.who, c.key, n)
	if err != nil {
		return taskJSON{}, err
	}
	if replayed {
		c.replayed()
	}
	c.writer.Header()["Location"] = []string{"/v1/planner/tasks/" + t.ID}
	return taskOf(t), nil
}

// editTaskBody changes what it names; null clears.
type editTaskBody struct {
	Title     maybe[text]  `json:"title,omitempty" minLength:"1" maxLength:"200"`
	Minutes   maybe[int]   `json:"minutes,omitempty" minimum:"5" maximum:"6000"`
	Due       maybe[stamp] `json:"due,omitempty"`
	NotBefore maybe[stamp] `json:"not_before,omitempty"`
	Priority  maybe[int]   `json:"priority,omitempty" minimum:"1" maximum:"4"`
	MinChunk  maybe[int]   `json:"min_chunk_minutes,omitempty" minimum:"5" maximum:"6000"`
	PinnedAt  maybe[stamp] `json:"pinned_at,omitempty"`
	Repeat    maybe[text]  `json:"repeat,omitempty" maxLength:"200"`
	Done      maybe[bool]  `json:"done,omitempty"`
}

func (s *server) editTask(c *call, in *editTaskBody) (taskJSON, error) {
	for name, null := range map[string]bool{"title": in.Title.Null, "minutes": in.Minutes.Null, "priority": in.Priority.Null, "done": in.Done.Null} {
		if null {
			return taskJSON{}, invalid(name, "A task cannot be without this.")
		}
	}
	e := planner.TaskEdit{
		Title: (*string)(in.Title.or()), Minutes: in.Minutes.or(), Priority: in.Priority.or(), MinChunk: in.MinChunk.or(),
		Repeat: (*string)(in.Repeat.or()), Done: in.Done.or(),
	}
	for _, f := range []struct {
		name string
		in   maybe[stamp]
		to   **time.Time
	}{{"due", in.Due, &e.Due}, {"not_before", in.NotBefore, &e.NotBefore}, {"pinned_at", in.PinnedAt, &e.PinnedAt}} {
		if !f.in.Given {
			continue
		}
		at, err := instantIn(f.name, f.in.Value)
		if err != nil {
			return taskJSON{}, err
		}
		*f.to = &at
	}
	t, err := s.Planner.EditTask(c.ctx, c.who, c.path("id"), e)
	return taskOf(t), err
}

func (s *server) deleteTask(c *call) error { return s.Planner.DeleteTask(c.ctx, c.who, c.path("id")) }

type doneBody struct {
	Minutes int `json:"minutes,omitempty" minimum:"1" maximum:"6000" doc:"The minutes really spent; those planned where it is left out"`
}

type extendBody struct {
	Minutes int `json:"minutes" minimum:"1" maximum:"480"`
}

func (c *call) dayOf(p planner.Plan, replayed bool, err error) (planJSON, error) {
	if replayed && err == nil {
		c.replayed()
	}
	return planOf(p), err
}

func (s *server) startBlock(c *call) (planJSON, error) {
	return c.dayOf(s.Planner.StartBlock(c.ctx, c.who, c.key, c.path("id")))
}

func (s *server) finishBlock(c *call, in *doneBody) (planJSON, error) {
	return c.dayOf(s.Planner.FinishBlock(c.ctx, c.who, c.key, c.path("id"), in.Minutes))
}

func (s *server) extendBlock(c *call, in *extendBody) (planJSON, error) {
	return c.dayOf(s.Planner.ExtendBlock(c.ctx, c.who, c.key, c.path("id"), in.Minutes))
}
