package pack

import (
	"cmp"
	"slices"
)

// maxTrials bounds how many problems without one constraint are packed to
// explain one plan, in tasks placed.
const maxTrials = 500_000

// plan tells the layout in instants.
func (g *grid) plan(p Problem, l *layout) Plan {
	out := Plan{Lateness: l.score.lateness}
	for i, places := range l.places {
		for n, s := range places {
			piece := Piece{Task: p.Tasks[i].ID, N: n, Span: g.span(s)}
			if j := &g.tasks[i]; n < len(j.stood) && j.stood[n] != s.from {
				piece.Moved = &Moved{From: p.Tasks[i].Was[n].From}
			}
			out.Pieces = append(out.Pieces, piece)
		}
		if l.left[i] > 0 {
			out.Unplaced = append(out.Unplaced, Unplaced{Task: p.Tasks[i].ID, Minutes: int(l.left[i])})
		}
		if late := g.late(l, i); late > 0 && l.left[i] == 0 {
			out.Late = append(out.Late, Late{Task: p.Tasks[i].ID, Minutes: int(late)})
		}
	}
	slices.SortFunc(out.Pieces, func(a, b Piece) int { return a.From.Compare(b.From) })
	return out
}

// explain finds the reason of everything in the plan that has one.
func explain(p Problem, g *grid, l *layout, plan *Plan) {
	x := explainer{p: p, g: g, l: l, tried: map[trial]*outcome{}, index: make(map[string]int, len(p.Tasks)), left: maxTrials}
	for i, t := range p.Tasks {
		x.index[t.ID] = i
	}
	for n := range plan.Pieces {
		if piece := &plan.Pieces[n]; piece.Moved != nil {
			piece.Moved.Reason = x.moved(x.index[piece.Task], piece.N)
		}
	}
	for n := range plan.Late {
		plan.Late[n].Reason = x.late(x.index[plan.Late[n].Task])
	}
	for n := range plan.Unplaced {
		plan.Unplaced[n].Reason = x.unplaced(x.index[plan.Unplaced[n].Task])
	}
}

type explainer struct {
	p     Problem
	g     *grid
	l     *layout
	index map[string]int
	tried map[trial]*outcome
	left  int
}

// trial is a constraint left out; of is whose own it is, where it is a task's own.
type trial struct {
	Cause
	of string
}

// outcome is the layout without a constraint.
type outcome struct {
	index map[string]int
	g     *grid
	l     *layout
}

// without packs the problem without a constraint; nil when the trials are used up.
func (x *explainer) without(task int, c Cause) *outcome {
	key := trial{Cause: c}
	if c.Kind != ByWall && c.Kind != ByTask && c.Kind != ByHours && c.Kind != ByHorizon {
		key.of = x.p.Tasks[task].ID
	}
	if o, ok := x.tried[key]; ok {
		return o
	}
	if x.left <= 0 {
		return nil
	}
	p := x.p.Without(x.p.Tasks[task].ID, c)
	g := newGrid(p)
	s := search{g: g, t: newTable(g), left: effort}
	s.run()
	x.left -= max(effort-s.left, len(p.Tasks))
	if s.best.score.lateness > 0 {
		x.left -= effort / 2
	}
	o := &outcome{g: g, l: s.best, index: make(map[string]int, len(p.Tasks))}
	for i, t := range p.Tasks {
		o.index[t.ID] = i
	}
	x.tried[key] = o
	return o
}

// choose is the first of the causes without which the task does better, by the
// first of the measures by which there is one; where the trials are used up,
// the likeliest.
func (x *explainer) choose(task int, causes []Cause, better ...func(o *outcome, i int) bool) Cause {
	for _, than := range better {
		seen := map[Cause]bool{}
		for _, c := range causes {
			if seen[c] {
				continue
			}
			seen[c] = true
			o := x.without(task, c)
			if o == nil {
				return causes[0]
			}
			if than(o, o.index[x.p.Tasks[task].ID]) {
				return c
			}
		}
	}
	return causes[0]
}

func last(spans []span) span { return spans[len(spans)-1] }

func (x *explainer) moved(i, n int) Reason {
	j := &x.g.tasks[i]
	old := j.stood[n]
	now := x.l.places[i][n]
	was := span{old, old + now.until - now.from}
	var causes []Cause
	add := func(c ...Cause) { causes = append(causes, c...) }
	add(x.walls(was)...)
	if j.after > old {
		add(Cause{Kind: ByNotBefore})
	}
	add(x.others(i, was)...)
	if c, ok := x.hoursAt(was); ok {
		add(c)
	}
	if now.from < old {
		add(Cause{Kind: ByDue})
	}
	add(x.others(i, span{0, x.g.end})...)
	add(x.walls(span{0, x.g.end})...)
	add(Cause{Kind: ByPriority}, Cause{Kind: ByDue}, Cause{Kind: ByNotBefore}, Cause{Kind: ByPiece}, Cause{Kind: ByHours}, Cause{Kind: ByLength})
	nearer := func(o *outcome, i int) bool {
		if n >= len(o.l.places[i]) {
			return o.l.left[i] == 0 // whole, without that piece
		}
		return apart(o.l.places[i][n].from, old) < apart(now.from, old)
	}
	end := last(x.l.places[i]).until
	sooner := func(o *outcome, i int) bool { return o.l.left[i] == 0 && last(o.l.places[i]).until < end }
	c := x.choose(i, causes, nearer, sooner)
	return Reason{x.sayMoved(i, n, was, c), c}
}

func (x *explainer) late(i int) Reason {
	j := &x.g.tasks[i]
	end := last(x.l.places[i]).until
	var causes []Cause
	add := func(c ...Cause) { causes = append(causes, c...) }
	if j.after > 0 && j.after+j.minutes > j.due {
		add(Cause{Kind: ByNotBefore})
	}
	if j.minutes > j.due {
		add(Cause{Kind: ByDue})
	}
	window := span{j.after, end}
	add(x.others(i, window)...)
	add(x.walls(window)...)
	for n := len(x.p.Work) - 1; n >= 0; n-- {
		if w := x.p.Work[n]; x.g.floor(w.Until) <= end && x.g.floor(w.Until) > 0 {
			add(Cause{Kind: ByHours, At: w.Until})
		}
	}
	add(Cause{Kind: ByPiece}, Cause{Kind: ByHours}, Cause{Kind: ByPriority}, Cause{Kind: ByDue}, Cause{Kind: ByLength})
	late := x.g.late(x.l, i)
	c := x.choose(i, causes, func(o *outcome, i int) bool { return o.l.left[i] == 0 && o.g.late(o.l, i) < late })
	return Reason{x.sayLate(i, c), c}
}

func (x *explainer) unplaced(i int) Reason {
	j := &x.g.tasks[i]
	var causes []Cause
	add := func(c ...Cause) { causes = append(causes, c...) }
	if j.after+j.minutes > x.g.end {
		add(Cause{Kind: ByNotBefore})
	}
	if j.chunk != step {
		add(Cause{Kind: ByPiece})
	}
	window := span{j.after, x.g.end}
	add(x.others(i, window)...)
	add(x.walls(window)...)
	for _, w := range x.p.Work {
		add(Cause{Kind: ByHours, At: w.Until})
	}
	add(Cause{Kind: ByHours}, Cause{Kind: ByPriority}, Cause{Kind: ByHorizon})
	left := x.l.left[i]
	c := x.choose(i, causes, func(o *outcome, i int) bool { return o.l.left[i] < left })
	return Reason{x.sayUnplaced(i, c), c}
}

// taker is what takes time in a window: how much.
type taker struct {
	cause Cause
	takes int32
}

func causesOf(takers []taker) []Cause {
	slices.SortStableFunc(takers, func(a, b taker) int { return cmp.Compare(b.takes, a.takes) })
	out := make([]Cause, len(takers))
	for n, t := range takers {
		out[n] = t.cause
	}
	return out
}

// walls are the walls in a window, the one that takes most of it first.
func (x *explainer) walls(in span) []Cause {
	var found []taker
	for _, w := range x.p.Walls {
		if takes := x.g.taken(x.p, w).overlap(in); takes > 0 {
			found = append(found, taker{Cause{Kind: ByWall, ID: w.ID}, takes})
		}
	}
	return causesOf(found)
}

// others are the other tasks in a window, the one that takes most of it first.
func (x *explainer) others(i int, in span) []Cause {
	var found []taker
	for other, places := range x.l.places {
		takes := int32(0)
		for _, s := range places {
			takes += s.overlap(in)
		}
		if other != i && takes > 0 {
			found = append(found, taker{Cause{Kind: ByTask, ID: x.p.Tasks[other].ID}, takes})
		}
	}
	return causesOf(found)
}

// hoursAt is the working interval that ends too early for a span.
func (x *explainer) hoursAt(s span) (Cause, bool) {
	for n := len(x.p.Work) - 1; n >= 0; n-- {
		w := x.p.Work[n]
		if from := x.g.ceil(w.From); from < s.until {
			return Cause{Kind: ByHours, At: w.Until}, x.g.floor(w.Until) < s.until
		}
	}
	return Cause{Kind: ByHours}, true
}

// taken is what a wall takes on the grid.
func (g *grid) taken(p Problem, w Wall) span {
	from := w.From
	if w.Kind == Event {
		from = from.Add(-p.Buffer)
	}
	return span{g.floor(from), g.ceil(w.Until)}
}

func (s span) overlap(o span) int32 { return max(min(s.until, o.until)-max(s.from, o.from), 0) }
