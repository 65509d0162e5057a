package explore

import "fmt"

// moves appends all ways on from a state.
//
// Looking at the clock commutes with everything but the clock's own moves, so
// a process that is to look is gone on with before all else: it looks now, or
// after the next move of the clock.
func (x *explorer) moves(s *state, out []move) []move {
	for n := range x.cast.Programs {
		p := &x.points[s.seats[n].at]
		if p.pending < 0 || s.seats[n].waits || x.requests.all[p.pending].verb != readClock || x.prompt(s, n) {
			continue
		}
		out = x.step(s, n, looks, p.pending, answered{table: s.table, shots: s.shots, reply: x.instants[s.clock]}, out)
		if int(s.clock) < len(x.instants)-1 {
			to := *s
			to.seats[n].waits = true
			x.sort(&to)
			out = append(out, move{kind: waits, process: int8(n), request: -1, to: to})
		}
		return out
	}
	for n := range x.cast.Programs {
		p := &x.points[s.seats[n].at]
		switch {
		case p.pending < 0 || s.seats[n].waits:
		case x.requests.all[p.pending].verb == readClock: // a prompt one
			looked := *s
			looked.seats[n].at = x.advance(s.seats[n].at, x.instants[s.clock])
			out = x.ask(&looked, n, x.points[looked.seats[n].at].pending, out)
		default:
			out = x.ask(s, n, p.pending, out)
		}
	}
	if int(s.clock) < len(x.instants)-1 && !x.over(s) {
		to := *s
		to.clock++
		for n := range to.seats {
			to.seats[n].waits = false
		}
		x.sort(&to)
		out = append(out, move{kind: ticks, process: -1, request: -1, to: to})
	}
	for n, request := range x.lates.all[s.late] {
		a := x.answer(s.table, s.shots, request)
		to := *s
		to.table, to.shots, to.late = a.table, a.shots, x.lates.number(x.lates.all[s.late].without(n))
		x.watch(&to)
		x.sort(&to)
		out = append(out, move{kind: lands, process: -1, request: request, to: to})
	}
	return out
}

// prompt reports whether a process that is to look at the clock does so with
// the read that follows.
func (x *explorer) prompt(s *state, n int) bool {
	if !x.cast.Prompt {
		return false
	}
	next := x.points[x.advance(s.seats[n].at, x.instants[s.clock])].pending
	if next < 0 {
		return false
	}
	switch x.requests.all[next].verb {
	case getItems, listItems, dueItems, overdueItems, listShots:
		return true
	}
	return false
}

// ask appends what may come of a process's request.
func (x *explorer) ask(s *state, n int, request int32, out []move) []move {
	from := *s
	if x.bound >= 0 {
		if l := from.last; l >= 0 && int(l) != n && x.points[from.seats[l].at].pending >= 0 && !from.seats[l].waits {
			if from.switches++; int(from.switches) > x.bound {
				return out
			}
		}
		from.last = int8(n)
	}
	a := x.answer(s.table, s.shots, request)
	out = x.step(&from, n, steps, request, a, out)
	verb := x.requests.all[request].verb
	if a.changed && from.left.Crash > 0 {
		with := from
		with.left.Crash--
		with.table, with.shots = a.table, a.shots
		x.restart(&with, n)
		x.sort(&with)
		out = append(out, move{kind: crashes, process: int8(n), request: request, to: with})
	}
	if verb == commitWrites && a.changed && from.left.Lost > 0 {
		with := from
		with.left.Lost--
		a := a
		a.reply = x.unknown
		out = x.step(&with, n, loses, request, a, out)
	}
	if verb == commitWrites && from.left.Late > 0 {
		with := from
		with.left.Late--
		with.late = x.lates.number(x.lates.all[s.late].with(request))
		out = x.step(&with, n, delays, request, answered{table: s.table, shots: s.shots, reply: x.unknown}, out)
	}
	if verb == createShot && from.left.CreateFails > 0 {
		with := from
		with.left.CreateFails--
		out = x.step(&with, n, refuses, request, answered{table: s.table, shots: s.shots, reply: x.refused}, out)
	}
	if verb == createShot && from.left.CreateLate > 0 {
		with := from
		with.left.CreateLate--
		with.late = x.lates.number(x.lates.all[s.late].with(request))
		out = x.step(&with, n, delays, request, answered{table: s.table, shots: s.shots, reply: x.refused}, out)
	}
	return out
}

// step appends the state in which a process has heard an answer.
func (x *explorer) step(s *state, n int, kind uint8, request int32, a answered, out []move) []move {
	m := move{kind: kind, process: int8(n), request: request, to: *s}
	to := &m.to
	to.table, to.shots = a.table, a.shots
	at := x.advance(s.seats[n].at, a.reply)
	if int(s.clock) == len(x.instants)-1 { // what a look will say is certain
		for p := x.points[at].pending; p >= 0 && x.requests.all[p].verb == readClock; p = x.points[at].pending {
			at = x.advance(at, x.instants[s.clock])
		}
	}
	to.seats[n].at = at
	x.watch(to)
	p, program := x.points[at], &x.cast.Programs[n]
	switch {
	case p.wrong != nil:
		m.wrong = fmt.Errorf("unsteady: %s: %w", program.Name, p.wrong)
	case p.pending >= 0:
	case p.failed && program.Insist && int(p.attempt) < program.Retries:
		x.restart(to, n)
	default:
		end := x.end(n, p.answer)
		m.wrong = x.answered(to, n, end)
		to.seats[n] = seat{at: end}
	}
	x.sort(to)
	return append(out, m)
}
