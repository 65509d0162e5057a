package limit

import (
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// Name names a limit, as it is called in the fields of an answer.
type Name int

// The limits.
const (
	Sandboxes Name = iota // of an address, see Limits.Enter
	Commands              // of a session
	Reads                 // of a session
	Hub                   // commands of a hub, whoever gives them
	Token                 // requests of an API token
	Sockets               // of a session: connections for live updates
	Plans                 // of the secret address of a plan: how often its file is fetched
	names
)

const minute = time.Minute

var limits = [names]struct {
	name string
	rate Rate
}{
	Sandboxes: {"sandboxes", Rate{1, minute}},
	Commands:  {"commands", Rate{60, minute}},
	Reads:     {"reads", Rate{240, minute}},
	Hub:       {"hub", Rate{300, minute}},
	Token:     {"token", Rate{60, minute}},
	Sockets:   {"sockets", Rate{6, minute}},
	Plans:     {"plans", Rate{30, 24 * time.Hour}},
}

func (n Name) String() string { return limits[n].name }

// Rate is the limit's.
func (n Name) Rate() Rate { return limits[n].rate }

// Decision is what a limit said. The zero one is that of no limit.
type Decision struct {
	Name    Name
	Applies bool // false where no limit was asked
	Refused bool
	Left    int           // how many more may pass now
	Full    time.Duration // until the whole quota is there again
}

// Limits are the limits of one process. It is safe for concurrent use. A nil
// one limits nobody.
type Limits struct {
	random io.Reader
	report func(event string, err error)

	off     atomic.Bool
	broken  atomic.Bool
	failing atomic.Bool

	drawing sync.Mutex
	hashing atomic.Pointer[hashKey]

	tables  [names]table
	repeats table // of admissions, by address and key
}

// New is limits that have counted nothing yet. random yields the key of the
// hash; report is told of what an operator should know.
func New(random io.Reader, report func(event string, err error)) *Limits {
	return &Limits{random: random, report: report}
}

// Off lets everybody pass, or ends that.
func (l *Limits) Off(off bool) {
	if l != nil {
		l.off.Store(off)
	}
}

// Break makes the limiter unable to count, or repairs it: to see what the
// bakery does then.
func (l *Limits) Break(broken bool) { l.broken.Store(broken) }

// Broken reports whether it was made so.
func (l *Limits) Broken() bool { return l.broken.Load() }

// Take asks a limit whether one more of who may pass now, and counts it if so.
func (l *Limits) Take(n Name, who string, now time.Time) (d Decision) {
	h, ok := l.hash(now)
	if !ok {
		return Decision{}
	}
	l.tables[n].change(h.sum(n.String(), who), func(v int64) int64 { return d.take(n, v, now) })
	return d
}

// take decides on one more of a key that has this state, and returns the next.
func (d *Decision) take(n Name, v int64, now time.Time) int64 {
	r := n.Rate()
	ok, next := r.take(tat(v), now)
	*d = Decision{Name: n, Applies: true, Refused: !ok, Left: r.left(next, now), Full: r.full(next, now)}
	return int64(next)
}
