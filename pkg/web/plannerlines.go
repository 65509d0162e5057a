package web

import (
	"fmt"
	"net/url"
	"time"

	"pocbakery/pkg/localtime"
	"pocbakery/pkg/planner"
)

// planView words a plan for its person, in their zone.
type planView struct {
	*Site
	words words
	now   time.Time // business
	today localtime.Date
}

// form is a command of the page; without a key where none can be drawn, and
// then it is refused.
func (p planView) form(action, label string, fields ...field) *command {
	key, _ := p.newKey()
	return &command{Action: action, Key: key, Label: label, Fields: fields}
}

// lines are a day's blocks and events, with now among them.
func (p planView) lines(plan planner.Plan) []planLine {
	var out []planLine
	told := plan.Date != p.today
	for _, b := range plan.Blocks {
		if !told && p.now.Before(b.StartsAt) {
			out, told = append(out, planLine{Now: p.words.clock(p.now)}), true
		}
		out = append(out, p.line(b))
	}
	if !told {
		out = append(out, planLine{Now: p.words.clock(p.now)})
	}
	return out
}

// states are what a block's state is in words.
var states = map[planner.BlockState]string{
	planner.Running: "under way", planner.Overrun: "over its time", planner.Done: "done", planner.Missed: "missed",
}

func (p planView) line(b planner.BlockView) planLine {
	l := planLine{
		Time: p.words.clock(b.StartsAt) + " to " + p.words.clock(b.EndsAt), Instant: instant(b.StartsAt), Title: b.Title,
		Event: b.Event != nil, Overrun: b.State == planner.Overrun,
	}
	if l.Event {
		return l
	}
	l.State = states[b.State]
	switch {
	case b.Overlaps:
		l.Note = "Pinned, over something in a calendar."
	case b.Pinned:
		l.Note = "Pinned."
	case b.Rolled:
		l.Note = "Left undone before, and placed again."
	}
	if b.Moved != nil {
		l.From, l.Because = p.words.at(b.Moved.From, p.now), b.Moved.Because
	}
	at := plannerPath + "/blocks/" + url.PathEscape(b.ID)
	switch b.State {
	case planner.Planned:
		l.Commands = append(l.Commands, *p.form(at+"/start", "Start now"), *p.form(at+"/done", "Done"))
	case planner.Running, planner.Overrun:
		l.Commands = append(l.Commands, *p.form(at+"/done", "Done"), *p.form(at+"/extend", "15 minutes more", field{"minutes", "15"}))
	}
	return l
}

func (p planView) task(t planner.TaskView) taskLine {
	at := plannerPath + "/tasks/" + url.PathEscape(t.ID)
	l := taskLine{Title: t.Title, Done: t.Done, About: fmt.Sprintf("%d of %d minutes left, priority %d", t.Remaining, t.Minutes, t.Priority)}
	if !t.Due.IsZero() {
		l.About += ", due " + p.words.at(t.Due.Time(), p.now)
	}
	if !t.FinishesAt.IsZero() {
		l.About += ", done by " + p.words.at(t.FinishesAt, p.now)
	}
	if t.Late != nil {
		l.Late = fmt.Sprintf("%d minutes late: %s", t.Late.Minutes, t.Late.Because)
	}
	if t.Done {
		l.About = "done"
	} else {
		l.Commands = append(l.Commands, *p.form(at+"/done", "Done"))
	}
	l.Commands = append(l.Commands, *p.form(at+"/delete", "Delete"))
	return l
}

// calendarStates are what a calendar's state is in words.
var calendarStates = map[string]string{
	planner.CalendarOK: "in order", planner.CalendarError: "could not be read", planner.CalendarReconnect: "asks to be connected again",
	planner.CalendarAsleep: "asleep until you come back",
}

func (p planView) calendar(c planner.Calendar, wall time.Time) calendarLine {
	l := calendarLine{Name: c.Name, About: calendarStates[c.State], Error: c.Error}
	if next := c.NextSync.Time(); !c.NextSync.IsZero() && next.After(wall) {
		l.About += ", asked again in " + inWords(next.Sub(wall))
	}
	l.Commands = append(l.Commands, *p.form(plannerPath+"/calendars/"+url.PathEscape(c.ID)+"/delete", "Disconnect"))
	return l
}
