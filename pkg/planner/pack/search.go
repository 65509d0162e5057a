package pack

import (
	"cmp"
	"math"
	"slices"
)

// effort bounds a search, in tasks placed: the same for all sizes, so that a
// long list is searched less and never takes longer.
const effort = 16_000

// Pack is the plan of a problem.
func Pack(p Problem) Plan {
	g, l := solve(p)
	plan := g.plan(p, l)
	explain(p, g, l, &plan)
	return plan
}

// solve finds the layout.
func solve(p Problem) (*grid, *layout) {
	g := newGrid(p)
	s := search{g: g, t: newTable(g), left: effort}
	s.run()
	return g, s.best
}

type search struct {
	g    *grid
	t    *table
	left int // of the effort
	best *layout
}

func (s *search) run() {
	keep := make([]bool, len(s.g.tasks))
	movable := false
	for i := range s.g.tasks {
		keep[i] = s.g.tasks[i].stays()
		movable = movable || keep[i]
	}
	s.offer(keep, s.order(s.g.byDue), false)
	if movable {
		s.offer(keep, s.order(s.g.byDue), true)
	}
	if s.best.score.lateness == 0 {
		return // nothing moves that could stay, for nobody would be earlier for it
	}
	if movable {
		s.around(keep)
	}
	order, lateness := s.freely()
	if lateness >= s.best.score.lateness {
		return
	}
	s.best = nil // somebody is late for what stays
	s.putBack(keep, s.order(order))
}

// order is the order of all tasks, those that can be late in front.
func (s *search) order(byDue []int) []int { return slices.Concat(byDue, s.g.rest) }

// offer lays tasks and keeps the layout if it is the best so far.
func (s *search) offer(keep []bool, order []int, near bool) bool {
	s.left -= len(s.g.tasks)
	l := s.t.lay(keep, order, near)
	if s.best != nil && l.score.compare(&s.best.score) >= 0 {
		return false
	}
	if s.best == nil {
		s.best = &layout{places: make([][]span, len(l.places)), left: make([]int32, len(l.left))}
	}
	copy(s.best.left, l.left)
	for i := range l.places {
		s.best.places[i] = append(s.best.places[i][:0], l.places[i]...)
	}
	s.best.score = l.score
	return true
}

// around searches for the order of those that cannot stay, with everything
// else where it stood.
func (s *search) around(keep []bool) {
	o := orders{g: s.g, t: s.t, left: effort / 4, keep: keep}
	var loose []int
	for _, i := range s.g.byDue {
		if !keep[i] {
			loose = append(loose, i)
		}
	}
	if len(loose) < 2 {
		return
	}
	o.offer(loose)
	o.improve()
	s.offer(keep, s.order(o.best), false)
	s.offer(keep, s.order(o.best), true)
}

// freely searches for the order of the tasks that can be late, as if nothing
// stood anywhere, and returns it with its lateness.
func (s *search) freely() ([]int, int64) {
	f := orders{g: s.g, t: s.t, left: effort / 2}
	for _, rule := range []func(j *job) float64{
		func(j *job) float64 { return float64(j.due) },
		func(j *job) float64 { return float64(j.due-j.minutes) - 60*float64(j.weight) },
		func(j *job) float64 { return float64(j.minutes) / float64(j.weight) },
		func(j *job) float64 { return float64(max(j.due, j.after+j.minutes)) },
	} {
		order := slices.Clone(s.g.byDue)
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rule(&s.g.tasks[a]), rule(&s.g.tasks[b])) })
		f.offer(order)
	}
	for _, look := range []float64{0.5, 2, 5} {
		f.offer(f.urgent(look))
	}
	f.improve()
	return f.best, f.lateness
}

// putBack puts back to where it stood as much as makes nobody later and costs
// nobody the room they had, in halves: all at once, and where that fails each
// half by itself.
func (s *search) putBack(can []bool, order []int) {
	var all []int
	for i, ok := range can {
		if ok {
			all = append(all, i)
		}
	}
	keep := make([]bool, len(can))
	bound := s.t.lay(nil, order, false).score
	var try func(some []int)
	try = func(some []int) {
		if len(some) == 0 || s.left <= 0 {
			return
		}
		for _, i := range some {
			keep[i] = true
		}
		s.left -= len(s.g.tasks)
		if l := s.t.lay(keep, order, false); l.score.holds(&bound) {
			return
		}
		for _, i := range some {
			keep[i] = false
		}
		if len(some) > 1 {
			try(some[:len(some)/2])
			try(some[len(some)/2:])
		}
	}
	try(all)
	for _, i := range all { // once more, one by one: what stays makes room for others to
		if !keep[i] {
			try([]int{i})
		}
	}
	s.offer(keep, order, false)
	s.offer(keep, order, true)
}

// orders is a search for the order of the tasks that can be late.
type orders struct {
	g        *grid
	t        *table
	keep     []bool // what stays where it stood; nil: nothing
	left     int
	best     []int
	lateness int64
	dice     uint32
}

// offer keeps an order if it is the best so far.
func (o *orders) offer(order []int) bool {
	o.left -= o.cost(order)
	lateness := o.t.lay(o.keep, order, false).due(o.g)
	if o.best != nil && lateness >= o.lateness {
		return false
	}
	o.best, o.lateness = append(o.best[:0], order...), lateness
	return true
}

// cost is what it takes to lay an order, in tasks placed.
func (o *orders) cost(order []int) int {
	if o.keep != nil {
		return len(o.keep)
	}
	return len(order)
}

// due is the lateness of the tasks that were laid; the others are not looked at.
func (l *layout) due(g *grid) (sum int64) {
	for _, i := range g.byDue {
		sum += g.tasks[i].weight * int64(g.late(l, i))
	}
	return sum
}

// urgent orders by apparent urgency: the weight a minute, the less the more
// slack there is. look is how far ahead slack counts, in mean lengths.
func (o *orders) urgent(look float64) []int {
	tasks := o.g.tasks
	rest := slices.Clone(o.g.byDue)
	mean := 0.0
	for _, i := range rest {
		mean += float64(tasks[i].minutes) / float64(len(rest))
	}
	order := make([]int, 0, len(rest))
	pace, worked := o.pace(), 0.0
	for len(rest) > 0 {
		best, most := 0, math.Inf(-1)
		now := worked * pace
		for n, i := range rest {
			j := &tasks[i]
			slack := max(float64(j.due)-now-float64(j.minutes), 0) / pace
			if u := float64(j.weight) / float64(j.minutes) * math.Exp(-slack/(look*mean)); u > most {
				best, most = n, u
			}
		}
		order = append(order, rest[best])
		worked += float64(tasks[rest[best]].minutes)
		rest = slices.Delete(rest, best, best+1)
	}
	return order
}

// pace is how much time passes for a minute of work.
func (o *orders) pace() float64 {
	work := int32(0)
	for _, w := range o.g.free {
		work += w.until - w.from
	}
	return max(float64(o.g.end)/float64(max(work, 1)), 1)
}

// improve moves tasks to other places of the order for as long as that makes
// less late, then goes on from a shaken one.
func (o *orders) improve() {
	n := len(o.best)
	at := slices.Clone(o.best)
	for o.lateness > 0 && o.left > 0 {
		o.descend(at)
		if n < 3 {
			return
		}
		at = append(at[:0], o.best...)
		for range 2 + int(o.roll()%2) { // so many are taken out and put elsewhere
			move(at, int(o.roll())%n, int(o.roll())%n)
		}
	}
}

// descend walks from an order downhill.
func (o *orders) descend(at []int) {
	o.left -= o.cost(at)
	here := o.t.lay(o.keep, at, false).due(o.g)
	for better := true; better && o.left > 0; {
		better = false
		for from := 0; from < len(at) && o.left > 0; from++ {
			for to := 0; to < len(at) && o.left > 0; to++ {
				if to == from || to == from+1 { // as far as its neighbour is the same as the neighbour's move
					continue
				}
				move(at, from, to)
				o.left -= o.cost(at)
				l := o.t.lay(o.keep, at, false).due(o.g)
				if l < here {
					here, better = l, true
					break
				}
				move(at, to, from)
			}
		}
	}
	if here < o.lateness {
		o.best, o.lateness = append(o.best[:0], at...), here
	}
}

// roll is a number that is the same in every run.
func (o *orders) roll() uint32 {
	o.dice = o.dice*1664525 + 1013904223
	return o.dice >> 8
}

// move takes one out of an order and puts it back elsewhere.
func move(order []int, from, to int) {
	v := order[from]
	if from < to {
		copy(order[from:to], order[from+1:to+1])
	} else {
		copy(order[to+1:from+1], order[to:from])
	}
	order[to] = v
}
