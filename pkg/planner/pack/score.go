package pack

import "cmp"

// score is what a layout is judged by; see P3 to P7.
type score struct {
	lateness int64    // weighted minutes
	placed   [5]int32 // minutes, by priority
	held     [5]int32 // minutes of those that stood somewhere, by priority
	moves    int32
	distance int64
	pieces   int32
	ends     [5]int64 // sums of the ends, by priority
}

func (g *grid) score(l *layout) (s score) {
	for i := range g.tasks {
		j := &g.tasks[i]
		places := l.places[i]
		s.lateness += j.weight * int64(g.late(l, i))
		s.placed[j.prio] += j.minutes - l.left[i]
		if len(j.stood) > 0 {
			s.held[j.prio] += j.minutes - l.left[i]
		}
		s.pieces += int32(len(places))
		for n, p := range places {
			if n < len(j.stood) && j.stood[n] != p.from {
				s.moves++
				s.distance += int64(apart(j.stood[n], p.from))
			}
			s.ends[j.prio] += int64(p.until)
		}
	}
	return s
}

// late is by how many minutes a task ends after its due instant; where it is
// not placed in full, up to the horizon.
func (g *grid) late(l *layout, i int) int32 {
	j := &g.tasks[i]
	if j.due == never {
		return 0
	}
	end := g.end
	if l.left[i] == 0 {
		end = l.places[i][len(l.places[i])-1].until
	}
	return max(end-j.due, 0)
}

// compare is negative where a is the better.
func (a *score) compare(b *score) int {
	if c := cmp.Or(cmp.Compare(a.lateness, b.lateness), more(&a.placed, &b.placed)); c != 0 {
		return c
	}
	if c := cmp.Or(cmp.Compare(a.moves, b.moves), cmp.Compare(a.distance, b.distance), cmp.Compare(a.pieces, b.pieces)); c != 0 {
		return c
	}
	for p := range a.ends {
		if c := cmp.Compare(a.ends[p], b.ends[p]); c != 0 {
			return c
		}
	}
	return 0
}

// holds reports whether a is no worse than b by what something may be moved
// for: lateness, and the room of those that had some.
func (a *score) holds(b *score) bool {
	return a.lateness < b.lateness || (a.lateness == b.lateness && more(&a.held, &b.held) <= 0)
}

// more is negative where a has more minutes, of the first priority that differs.
func more(a, b *[5]int32) int {
	for p := range a {
		if c := cmp.Compare(b[p], a[p]); c != 0 {
			return c
		}
	}
	return 0
}
