package explore

// seat is where one process of a state is.
type seat struct {
	at    int32 // its point
	seen  uint8 // what was to be seen since its call's first request
	waits bool  // it looks at the clock only after that has moved
}

// state is everything an exploration can go on from. Two ways that lead to the
// same state are gone on from once.
type state struct {
	table, shots, late int32
	clock              uint8 // the instant, by its place among the cast's
	left               Faults
	seats              [MaxPrograms]seat
	// In a bounded search: who moved last, and how often a process was left
	// that could have gone on.
	last     int8
	switches uint8
}

// over reports whether every process has come to its end.
func (x *explorer) over(s *state) bool {
	for n := range x.cast.Programs {
		if x.points[s.seats[n].at].pending >= 0 {
			return false
		}
	}
	return true
}

// restart is the caller's next call, if it has one left.
func (x *explorer) restart(s *state, n int) {
	attempt := x.points[s.seats[n].at].attempt + 1
	if int(attempt) > x.cast.Programs[n].Retries {
		s.seats[n] = seat{at: x.end(n, Died)}
	} else {
		s.seats[n] = seat{at: x.begin(n, attempt)}
	}
	x.watch(s)
}

// sort puts twins into an order of their own: which of them is which makes no
// difference.
func (x *explorer) sort(s *state) {
	for n := range x.cast.Programs {
		for m := n; m > 0 && x.twins[m] == x.twins[m-1] && s.seats[m].before(s.seats[m-1]); m-- {
			s.seats[m], s.seats[m-1] = s.seats[m-1], s.seats[m]
			switch int(s.last) {
			case m:
				s.last--
			case m - 1:
				s.last++
			}
		}
	}
}

func (s seat) before(o seat) bool {
	if s.at != o.at {
		return s.at < o.at
	}
	return s.seen < o.seen || (s.seen == o.seen && !s.waits && o.waits)
}

func (x *explorer) scene(s *state) Scene {
	return Scene{table: x.tables.all[s.table], shots: x.shots.all[s.shots], Number: s.table}
}
