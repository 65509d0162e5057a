package pack

import (
	"fmt"
	"time"
)

// maxTitle bounds what of a title a sentence repeats, in characters.
const maxTitle = 80

// at is an instant as the person's wall shows it, with its day where that is
// not the day of beside.
func (x *explainer) at(t, beside time.Time) string {
	t, beside = t.In(x.p.Zone), beside.In(x.p.Zone)
	if t.Year() == beside.Year() && t.YearDay() == beside.YearDay() {
		return t.Format("15:04")
	}
	return t.Format("Mon 2 Jan 15:04")
}

func (x *explainer) from(s Span, beside time.Time) string {
	return x.at(s.From, beside) + " to " + x.at(s.Until, s.From)
}

func short(title string) string {
	if r := []rune(title); len(r) > maxTitle {
		return string(r[:maxTitle-1]) + "…"
	}
	return title
}

func (x *explainer) sayMoved(i, n int, was span, c Cause) string {
	old := x.g.instant(was.from)
	return "moved from " + x.at(old, x.g.instant(x.l.places[i][n].from)) + ": " + x.say(i, c, x.g.span(was))
}

func (x *explainer) sayLate(i int, c Cause) string {
	t := x.p.Tasks[i]
	until := x.g.instant(x.l.places[i][len(x.l.places[i])-1].until)
	late := fmt.Sprintf("ends %s, due %s: ", x.at(until, x.p.Now), x.at(t.Due, x.p.Now))
	return late + x.say(i, c, Span{x.p.Now, until})
}

func (x *explainer) sayUnplaced(i int, c Cause) string {
	t := x.p.Tasks[i]
	if c.Kind == ByPiece {
		what := "in one piece"
		if chunk := x.g.tasks[i].chunk; chunk > 0 {
			what = fmt.Sprintf("in pieces of at least %d", chunk)
		}
		if day := x.longest(x.p.Work); day < time.Duration(max(x.g.tasks[i].chunk, x.least(i)))*time.Minute {
			return fmt.Sprintf("needs %d minutes %s, no day has more than %d", t.Minutes, what, day/time.Minute)
		}
		return fmt.Sprintf("needs %d minutes %s, and no gap that is left is as long", t.Minutes, what)
	}
	return fmt.Sprintf("%d minutes find no room until %s: ", x.l.left[i], x.at(x.p.Until, x.p.Now)) + x.say(i, c, Span{x.p.Now, x.p.Until})
}

// least is the shortest stretch that is any good to a task.
func (x *explainer) least(i int) int32 {
	if j := &x.g.tasks[i]; j.chunk == 0 {
		return j.minutes
	}
	return x.g.tasks[i].chunk
}

func (x *explainer) longest(work []Span) (most time.Duration) {
	for _, w := range work {
		most = max(most, w.length())
	}
	return most
}

// say is the constraint in words; about is when it matters.
func (x *explainer) say(i int, c Cause, about Span) string {
	t := x.p.Tasks[i]
	switch c.Kind {
	case ByWall:
		for _, w := range x.p.Walls {
			if w.ID == c.ID {
				return sayWall(w, x.from(w.Span, about.From), x.p.Buffer)
			}
		}
	case ByTask:
		other := x.index[c.ID]
		place := x.l.places[other][0]
		for _, s := range x.l.places[other] {
			if span := x.g.span(s); span.From.Before(about.Until) && about.From.Before(span.Until) {
				place = s
				break
			}
		}
		o := x.p.Tasks[other]
		urgency := fmt.Sprintf("priority %d", o.Priority)
		if !o.Due.IsZero() {
			urgency += ", due " + x.at(o.Due, about.From)
		}
		return fmt.Sprintf("%s (%s) takes %s", short(o.Title), urgency, x.from(x.g.span(place), about.From))
	case ByNotBefore:
		if !t.NotBefore.IsZero() {
			return "it may not begin before " + x.at(t.NotBefore, about.From)
		}
	case ByPiece:
		if x.g.tasks[i].chunk > 0 {
			return fmt.Sprintf("it has no piece under %d minutes", t.MinChunk)
		}
		return fmt.Sprintf("it is one piece of %d minutes", t.Minutes)
	case ByPriority:
		return fmt.Sprintf("with priority %d it comes behind other work", t.Priority)
	case ByDue:
		if !t.Due.IsZero() {
			return fmt.Sprintf("its %d minutes are due %s", t.Minutes, x.at(t.Due, about.From))
		}
	case ByLength:
		return fmt.Sprintf("it takes %d minutes", t.Minutes)
	case ByHorizon:
		if !t.NotBefore.IsZero() {
			return fmt.Sprintf("it may not begin before %s, and nothing is planned further ahead", x.at(t.NotBefore, about.From))
		}
		return "nothing is planned further ahead"
	case ByHours:
		if !c.At.IsZero() {
			return "working hours end at " + x.at(c.At, about.From)
		}
		return "the working hours leave no room"
	}
	panic("pack: a constraint of this kind has no words")
}

func sayWall(w Wall, span string, buffer time.Duration) string {
	title := short(w.Title)
	switch w.Kind {
	case Pin:
		return title + " is pinned " + span
	case Running:
		return title + " is under way, " + span
	case Overrun:
		return title + " is not done and runs over, " + span
	}
	if buffer > 0 {
		return fmt.Sprintf("%s now %s, with %d minutes before it", title, span, buffer/time.Minute)
	}
	return title + " now " + span
}
