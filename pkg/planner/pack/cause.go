package pack

import (
	"slices"
	"time"
)

// Cause names one constraint that can be taken away.
type Cause struct {
	Kind CauseKind
	ID   string    // of ByWall the wall's, of ByTask the other task's
	At   time.Time // of ByHours the end of the working interval; zero: all of them
}

// CauseKind is what sort of constraint it is.
type CauseKind int

// The sorts of constraints.
const (
	ByWall      CauseKind = iota + 1
	ByTask                // another task takes the time
	ByNotBefore           // the task's own NotBefore
	ByPiece               // its own least length of a piece
	ByPriority            // its own priority
	ByDue                 // its own due instant
	ByLength              // its own length
	ByHorizon             // the end of the horizon
	ByHours               // the end of a working interval, or the hours altogether
)

// Without is the problem without one constraint; task is whose own it is.
func (p Problem) Without(task string, c Cause) Problem {
	own := func(change func(t *Task)) {
		p.Tasks = slices.Clone(p.Tasks)
		for i := range p.Tasks {
			if p.Tasks[i].ID == task {
				change(&p.Tasks[i])
			}
		}
	}
	switch c.Kind {
	case ByWall:
		p.Walls = slices.DeleteFunc(slices.Clone(p.Walls), func(w Wall) bool { return w.ID == c.ID })
	case ByTask:
		p.Tasks = slices.DeleteFunc(slices.Clone(p.Tasks), func(t Task) bool { return t.ID == c.ID })
	case ByNotBefore:
		own(func(t *Task) { t.NotBefore = time.Time{} })
	case ByPiece:
		own(func(t *Task) { t.MinChunk = step })
	case ByPriority:
		own(func(t *Task) { t.Priority = first })
	case ByDue:
		own(func(t *Task) { t.Due = time.Time{} })
	case ByLength:
		own(func(t *Task) { t.Minutes = step })
	case ByHorizon: // as long again, and never closed
		further := p.Until.Add(p.Until.Sub(p.Now))
		p.Work = append(slices.Clone(p.Work), Span{p.Until, further})
		p.Until = further
	case ByHours:
		p.Work = p.workOn(c.At)
	}
	return p
}

// workOn is the working hours if work went on where the interval ends that ends
// at this instant, up to the next; if work never stopped for the zero instant.
func (p Problem) workOn(end time.Time) []Span {
	if end.IsZero() {
		return []Span{{p.Now, p.Until}}
	}
	var out []Span
	join := false
	for i, w := range p.Work {
		switch {
		case join:
			out[len(out)-1].Until = w.Until
		default:
			out = append(out, w)
		}
		if join = w.Until.Equal(end); join && i == len(p.Work)-1 {
			out[len(out)-1].Until = p.Until
		}
	}
	return out
}
