package explore

// begin is the point at which a process begins, for the first time or again.
func (x *explorer) begin(n int, attempt uint8) int32 {
	n = x.twins[n]
	key := [2]int{n, int(attempt)}
	at, ok := x.begun[key]
	if !ok {
		at = x.place(point{program: n, attempt: attempt, asked: -1})
		x.begun[key] = at
	}
	return at
}

// advance is the point of a process that has heard an answer.
func (x *explorer) advance(from, got int32) int32 {
	key := [2]int32{from, got}
	at, ok := x.advanced[key]
	if !ok {
		p := x.points[from]
		p.before, p.asked, p.got = from, p.pending, got
		if x.requests.all[p.asked].verb != readClock {
			p.touched = true
		} else if p.since.IsZero() {
			p.since = x.replies.all[got].at
		}
		at = x.place(p)
		x.advanced[key] = at
	}
	return at
}

// end is the point of a process that has come to its end with an answer.
func (x *explorer) end(n int, answer string) int32 {
	n = x.twins[n]
	key := ending{n, answer}
	at, ok := x.ended[key]
	if !ok {
		at = int32(len(x.points))
		x.points = append(x.points, point{program: n, asked: -1, pending: -1, answer: answer})
		x.ended[key] = at
	}
	return at
}

func (x *explorer) place(p point) int32 {
	x.follow(&p)
	x.points = append(x.points, p)
	return int32(len(x.points) - 1)
}

type ending struct {
	process int
	answer  string
}
