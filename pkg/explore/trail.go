package explore

import (
	"strings"
	"time"
)

// Kinds of moves.
const (
	steps   = iota // a process has its request answered
	looks          // a process looks at the clock
	waits          // a process will look at the clock when that has moved
	ticks          // the clock moves
	crashes        // a request is answered, and the process dies before it hears
	loses          // a commit is applied and its reply lost
	delays         // a reply is lost, and the request may be applied later
	refuses        // the scheduler refuses
	lands          // a late request is applied
	kindsEnd
)

var kinds = [kindsEnd]string{"", "looks at the clock", "waits for the clock", "the clock moves", "and dies", "and does not hear of it",
	"and hears of no success", "and is refused", "a late request is applied"}

// move is one way on from a state.
type move struct {
	kind    uint8
	process int8 // -1 for none
	request int32
	to      state
	wrong   error
}

// tell is a move in words.
func (x *explorer) tell(m move) string {
	var b strings.Builder
	if m.process >= 0 {
		b.WriteString(x.cast.Programs[m.process].Name + " ")
	}
	if m.request >= 0 {
		r := x.requests.all[m.request]
		if r.verb != readClock {
			b.WriteString(r.tell() + " ")
		}
	}
	b.WriteString(kinds[m.kind])
	if m.kind == ticks {
		b.WriteString(" to " + x.cast.Instants[m.to.clock].Format(time.TimeOnly))
	}
	return strings.TrimSpace(b.String())
}
