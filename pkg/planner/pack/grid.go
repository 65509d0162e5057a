package pack

import (
	"cmp"
	"slices"
	"time"
)

// step is the grid that pieces begin on, in minutes.
const step = 5

// never is a minute after every other.
const never = int32(1) << 30

// span is a stretch of minutes, half-open.
type span struct{ from, until int32 }

// grid is a problem in whole minutes from its first one.
type grid struct {
	base  time.Time // the first instant on the grid at or after now
	end   int32     // the horizon
	free  []span    // working time that no wall takes, in order
	tasks []job
	// byDue and rest are the tasks that can be late, and those that cannot.
	byDue []int
	rest  []int // by priority, then age
}

// job is a task on the grid.
type job struct {
	minutes int32
	chunk   int32 // 0: one piece
	due     int32 // never: none
	after   int32
	weight  int64
	prio    int
	age     int
	was     []span // where it can stay: nil where it was nowhere, or can not
	part    []span // what of it can stay where the whole can not
	stood   []int32
	changed bool // was is not exactly what was published
}

// up is the first minute of the grid at or after m.
func up(m int32) int32 { return m + (step-m%step)%step }

// down is the last minute of the grid at or before m.
func down(m int32) int32 { return m - m%step }

func newGrid(p Problem) *grid {
	g := &grid{base: ceil(p.Now, step*time.Minute)}
	g.end = g.floor(p.Until)
	g.clear(p)
	g.tasks = make([]job, len(p.Tasks))
	for i, t := range p.Tasks {
		j := job{minutes: int32(t.Minutes), chunk: int32(t.MinChunk), due: never, weight: weight(t.Priority), prio: t.Priority, age: t.Age}
		if j.chunk >= j.minutes {
			j.chunk = 0
		}
		if !t.Due.IsZero() {
			j.due = g.floor(t.Due)
			g.byDue = append(g.byDue, i)
		} else {
			g.rest = append(g.rest, i)
		}
		if !t.NotBefore.IsZero() {
			j.after = max(g.ceil(t.NotBefore), 0)
		}
		g.tasks[i] = j
		g.stay(i, t.Was)
	}
	by := func(key func(j *job) int) func(a, b int) int {
		return func(a, b int) int {
			x, y := &g.tasks[a], &g.tasks[b]
			return cmp.Or(cmp.Compare(key(x), key(y)), cmp.Compare(x.prio, y.prio), cmp.Compare(x.age, y.age), cmp.Compare(a, b))
		}
	}
	slices.SortFunc(g.byDue, by(func(j *job) int { return int(j.due) }))
	slices.SortFunc(g.rest, by(func(*job) int { return 0 }))
	return g
}

// clear finds the working time that no wall takes.
func (g *grid) clear(p Problem) {
	walls := make([]span, 0, len(p.Walls))
	for _, w := range p.Walls {
		from := w.From
		if w.Kind == Event {
			from = from.Add(-p.Buffer)
		}
		walls = append(walls, span{g.floor(from), g.ceil(w.Until)})
	}
	slices.SortFunc(walls, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	for _, w := range p.Work {
		at, until := max(g.ceil(w.From), 0), min(g.floor(w.Until), g.end)
		for _, busy := range walls {
			if busy.from >= until {
				break
			}
			if up(at) < busy.from {
				g.free = append(g.free, span{at, busy.from})
			}
			at = max(at, busy.until)
		}
		if up(at) < until {
			g.free = append(g.free, span{at, until})
		}
	}
}

// stay works out where a task would stand if it stayed: where it was, its last
// piece longer or shorter by what the task became.
func (g *grid) stay(i int, was []Span) {
	j := &g.tasks[i]
	if len(was) == 0 {
		return
	}
	spans := make([]span, 0, len(was))
	left := j.minutes // at least step, so that the first piece is never dropped
	j.stood = make([]int32, 0, len(was))
	for n, w := range was {
		s := span{g.floor(w.From), g.ceil(w.Until)}
		j.stood = append(j.stood, s.from)
		if left <= 0 {
			j.changed = true
			continue
		}
		length := min(s.until-s.from, left)
		if n == len(was)-1 {
			length = left
		}
		j.changed = j.changed || s.until != s.from+length
		s.until, left = s.from+length, left-length
		spans = append(spans, s)
	}
	if g.sound(j, spans) {
		j.was = spans
	}
	if j.chunk > 0 && j.changed { // what is there of it can stay, and the rest go elsewhere
		part := slices.Clone(spans)
		last := &part[len(part)-1]
		if last.until = min(last.until, g.ceil(was[len(part)-1].Until)); last.until-last.from >= j.chunk && g.sound(j, part) {
			j.part = part
		}
	}
}

// stays reports whether the task, or a part of it, might stay where it stood.
func (j *job) stays() bool { return j.was != nil || j.part != nil }

// sound reports whether pieces may stand there, whatever else does.
func (g *grid) sound(j *job, spans []span) bool {
	if len(spans) > 1 && j.chunk == 0 {
		return false
	}
	for n, s := range spans {
		if s.from < j.after || s.from%step != 0 || (n < len(spans)-1 && s.until-s.from < j.chunk) {
			return false
		}
		i, _ := slices.BinarySearchFunc(g.free, s, func(w, s span) int { return cmp.Compare(w.until, s.until) })
		if i == len(g.free) || g.free[i].from > s.from {
			return false
		}
	}
	return true
}

// ceil and floor are an instant's minute on the grid.
func (g *grid) ceil(t time.Time) int32  { return g.minute(t.Add(time.Minute - 1)) }
func (g *grid) floor(t time.Time) int32 { return g.minute(t) }

func (g *grid) minute(t time.Time) int32 {
	d := t.Sub(g.base)
	m := d / time.Minute
	if d < 0 && d%time.Minute != 0 {
		m--
	}
	return int32(min(max(m, -time.Duration(never)), time.Duration(never)))
}

func (g *grid) instant(m int32) time.Time { return g.base.Add(time.Duration(m) * time.Minute) }

func (g *grid) span(s span) Span { return Span{g.instant(s.from), g.instant(s.until)} }

// ceil is the first multiple of d at or after t.
func ceil(t time.Time, d time.Duration) time.Time {
	if c := t.Truncate(d); !c.Before(t) {
		return c
	}
	return t.Truncate(d).Add(d)
}
