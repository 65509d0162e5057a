package pack

import (
	"slices"
)

// layout is tasks in their places.
type layout struct {
	places [][]span // by task, in order; nil where it is not placed
	left   []int32  // minutes of each that found no room
	score  score
}

// table is where a layout is being made: reused from one to the next.
type table struct {
	g    *grid
	free []span
	out  layout
	cut  []span // of one task, while it is placed
	best []span
	// near places a task that had to move as near as it can to where it stood,
	// where that makes it no later; else at its first place.
	near bool
}

func newTable(g *grid) *table {
	n := len(g.tasks)
	return &table{g: g, out: layout{places: make([][]span, n), left: make([]int32, n)}}
}

// lay keeps the tasks of keep where they stood, places the others in this
// order, and scores what came of it. The layout is good until the next.
func (t *table) lay(keep []bool, order []int, near bool) *layout {
	t.free = append(t.free[:0], t.g.free...)
	t.near = near
	for i := range t.g.tasks {
		t.out.places[i] = t.out.places[i][:0]
		t.out.left[i] = t.g.tasks[i].minutes
	}
	for _, changed := range []bool{false, true} { // who grew gives way to who did not
		for i := range t.g.tasks {
			if j := &t.g.tasks[i]; keep != nil && keep[i] && j.changed == changed {
				if !t.keep(i, j.was) {
					t.keep(i, j.part)
				}
			}
		}
	}
	for _, i := range order {
		if t.out.left[i] > 0 {
			t.place(i)
		}
	}
	t.out.score = t.g.score(&t.out)
	return &t.out
}

// keep puts a task where it stood, if that is free still.
func (t *table) keep(i int, spans []span) bool {
	for _, s := range spans {
		if t.window(s) < 0 {
			return false
		}
	}
	t.put(i, spans)
	return spans != nil
}

func (t *table) put(i int, spans []span) {
	for _, s := range spans {
		t.take(t.window(s), s)
		t.out.left[i] -= s.until - s.from
	}
	t.out.places[i] = append(t.out.places[i], spans...)
}

// window is the free stretch that a span lies in, -1 for none.
func (t *table) window(s span) int {
	lo, hi := 0, len(t.free)
	for lo < hi {
		if mid := (lo + hi) / 2; t.free[mid].until < s.until {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == len(t.free) || t.free[lo].from > s.from {
		return -1
	}
	return lo
}

// take takes a span out of the free stretch w.
func (t *table) take(w int, s span) {
	before, after := span{t.free[w].from, s.from}, span{s.until, t.free[w].until}
	keepBefore, keepAfter := up(before.from) < before.until, up(after.from) < after.until
	switch {
	case keepBefore && keepAfter:
		t.free[w] = before
		t.free = slices.Insert(t.free, w+1, after)
	case keepBefore:
		t.free[w] = before
	case keepAfter:
		t.free[w] = after
	default:
		t.free = slices.Delete(t.free, w, w+1)
	}
}

// ask is what is still to be placed of a task.
type ask struct {
	minutes, chunk, after, due int32
}

// place finds a task its place: one piece if that is on time, else as few as
// are, else whatever ends first. Of a task that stayed in part it is the rest.
func (t *table) place(i int) {
	j := &t.g.tasks[i]
	a := ask{t.out.left[i], j.chunk, j.after, j.due}
	if had := t.out.places[i]; len(had) > 0 {
		a.after = max(a.after, had[len(had)-1].until)
	} else if t.near && len(j.stood) == 1 {
		if s, ok := t.nearest(a, j.stood[0]); ok {
			t.put(i, append(t.cut[:0], s))
			return
		}
	}
	t.cut = t.cut[:0]
	if s, ok := t.first(a); ok {
		t.cut = append(t.cut, s)
		if s.until <= a.due {
			t.put(i, t.cut)
			return
		}
	}
	if a.chunk > 0 {
		t.split(a)
	}
	t.put(i, t.cut)
}

// first is the first place in one piece.
func (t *table) first(a ask) (span, bool) {
	for _, w := range t.free {
		if s := up(max(w.from, a.after)); s+a.minutes <= w.until {
			return span{s, s + a.minutes}, true
		}
	}
	return span{}, false
}

// nearest is the place in one piece that is nearest to where the task stood and
// not late.
func (t *table) nearest(a ask, stood int32) (best span, ok bool) {
	for _, w := range t.free {
		from, last := up(max(w.from, a.after)), min(w.until, a.due)-a.minutes
		if last < from {
			continue
		}
		s := min(max(up(stood), from), down(last))
		if s >= from && (!ok || apart(s, stood) < apart(best.from, stood)) {
			best, ok = span{s, s + a.minutes}, true
		}
	}
	return best, ok
}

func apart(a, b int32) int32 { return max(a-b, b-a) }

// maxEven is up to how many pieces a split is tried evenly, before it takes
// every gap there is.
const maxEven = 4

// split looks for a better place in several pieces than the one in t.cut, if
// that is one, and leaves it there.
func (t *table) split(a ask) {
	for pieces := int32(2); pieces <= maxEven+1; pieces++ {
		least := max(a.chunk, (a.minutes+pieces-1)/pieces)
		if pieces > maxEven {
			least = a.chunk
		}
		t.best = t.pieces(a, least, t.best[:0])
		left, until := a.rest(t.best)
		wasLeft, wasUntil := a.rest(t.cut)
		if len(t.cut) == 0 || left < wasLeft || (left == wasLeft && until < wasUntil) {
			t.cut, t.best = t.best, t.cut
			if left == 0 && until <= a.due {
				return
			}
		}
		if least == a.chunk {
			return
		}
	}
}

// rest is what some pieces leave of the task, and when they end.
func (a ask) rest(pieces []span) (left, until int32) {
	left = a.minutes
	for _, s := range pieces {
		left, until = left-(s.until-s.from), s.until
	}
	return left, until
}

// pieces fills the free stretches with pieces of at least this length, but for
// a last remainder.
func (t *table) pieces(a ask, least int32, into []span) []span {
	left := a.minutes
	for _, w := range t.free {
		s := up(max(w.from, a.after))
		if length := min(w.until-s, left); length >= min(least, left) && length > 0 {
			into = append(into, span{s, s + length})
			if left -= length; left == 0 {
				break
			}
		}
	}
	return into
}
