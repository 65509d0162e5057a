package explore

import (
	"fmt"

	"pocbakery/pkg/store"
)

// Preemptions is how often a bounded search leaves a process that could have
// gone on. Bugs that need more are rare.
const Preemptions = 3

// maxDepth bounds how long one way may get before a process is said never to
// come to an end.
const maxDepth = 200

// Result is what an exploration came to.
type Result struct {
	Cast      string
	States    int
	Finals    int   // states in which every process has come to its end
	Bounded   bool  // not all interleavings, but those with few preemptions
	Violation error // what did not hold, and where; nil where all did
	Trail     []string
}

func (r Result) String() string {
	how := "exhausted"
	if r.Bounded {
		how = "bounded"
	}
	return fmt.Sprintf("%-44s %9d states %8d final  %s", r.Cast, r.States, r.Finals, how)
}

// explorer is one exploration at work.
type explorer struct {
	cast Cast
	// Everything that is large has a number, so that a state is small: equal
	// things have equal numbers.
	tables   *tables
	shots    *numbers[shots]
	requests *numbers[*request]
	replies  *numbers[*reply]
	lates    *numbers[lateWrites]
	answers  map[asked]answered
	sights   map[sight]uint8
	hearings map[hearing]error
	twins    []int // of each program: the first that is the same

	points   []point
	begun    map[[2]int]int32   // by process and attempt
	advanced map[[2]int32]int32 // by point and reply
	ended    map[ending]int32   // by process and answer
	always   map[[2]int32]error // by table and scheduler
	finals   map[ended]error
	instants []int32 // the replies of the clock
	unknown  int32   // the reply of a lost commit
	refused  int32   // the reply of a failed create

	bound  int // preemptions; -1 for any number
	seen   map[state]struct{}
	trail  []move
	moved  []move // of all states on the way, one after the other
	result Result
}

// Explore visits every state a cast can come to, or, where these are more than
// its budget, every one it can come to with few preemptions. It stops at the
// first violation.
func Explore(c Cast) Result {
	x := newExplorer(c)
	begin := x.initial()
	if x.search(begin, -1, c.Budget) {
		return x.result
	}
	if !x.search(begin, Preemptions, 0) {
		panic("explore: a search without a budget does not run out of it")
	}
	return x.result
}

func newExplorer(c Cast) *explorer {
	x := &explorer{
		cast: c, tables: newTables(), shots: newNumbers[shots](), requests: newNumbers[*request](), replies: newNumbers[*reply](),
		lates: newNumbers[lateWrites](), answers: map[asked]answered{}, sights: map[sight]uint8{}, hearings: map[hearing]error{}, begun: map[[2]int]int32{},
		advanced: map[[2]int32]int32{}, ended: map[ending]int32{}, always: map[[2]int32]error{}, finals: map[ended]error{},
	}
	if len(c.Programs) > MaxPrograms || len(c.Instants) == 0 {
		panic("explore: a cast has an instant and at most MaxPrograms programs")
	}
	for n, p := range c.Programs {
		x.twins = append(x.twins, n)
		if n > 0 && c.Programs[n-1].Name == p.Name && !c.Faults.marksMatter() {
			x.twins[n] = x.twins[n-1]
		}
	}
	for _, t := range c.Instants {
		x.instants = append(x.instants, x.replies.number(&reply{at: t}))
	}
	x.unknown, x.refused = x.replies.number(&reply{err: store.ErrUnknown}), x.replies.number(&reply{err: errNotCreated})
	x.lates.number(nil)
	return x
}

func (x *explorer) initial() state {
	t, err := table(nil), error(nil)
	for _, w := range x.cast.Items {
		if t, err = t.commit(x.cast.Instants[0], []store.Write{w}); err != nil {
			panic(fmt.Sprintf("explore: %s cannot begin: %v", x.cast.Name, err))
		}
	}
	var s shots
	for _, shot := range x.cast.Waiting {
		s = s.create(shot)
	}
	s.used = x.cast.Used
	begin := state{table: x.tables.number(t), shots: x.shots.number(s), left: x.cast.Faults, last: -1}
	for n := range x.cast.Programs {
		begin.seats[n].at = x.begin(n, 0)
	}
	return begin
}

// search visits all states from here on. It is false where the budget did not
// suffice.
func (x *explorer) search(begin state, bound, budget int) bool {
	x.bound, x.seen, x.trail, x.moved = bound, map[state]struct{}{}, nil, nil
	x.result = Result{Cast: x.cast.Name, Bounded: bound >= 0}
	ok := x.visit(begin, budget)
	x.result.States = len(x.seen)
	return ok
}

// visit goes on from a state, depth first. It is false to end the search for
// want of budget.
func (x *explorer) visit(s state, budget int) bool {
	if _, ok := x.seen[s]; ok {
		return true
	}
	if budget > 0 && len(x.seen) == budget {
		return false
	}
	x.seen[s] = struct{}{}
	if err := x.judge(&s); err != nil {
		x.violated(err)
		return true
	}
	if len(x.trail) == maxDepth {
		x.violated(fmt.Errorf("endless: the processes do not come to an end in %d moves", maxDepth))
		return true
	}
	first := len(x.moved)
	x.moved = x.moves(&s, x.moved)
	last := len(x.moved)
	ok := true
	for n := first; n < last && ok && x.result.Violation == nil; n++ {
		m := x.moved[n]
		x.trail = append(x.trail, m)
		if m.wrong != nil {
			x.violated(m.wrong)
		} else {
			ok = x.visit(m.to, budget)
		}
		x.trail = x.trail[:len(x.trail)-1]
	}
	x.moved = x.moved[:first]
	return ok
}

func (x *explorer) violated(err error) {
	x.result.Violation = err
	for _, m := range x.trail {
		x.result.Trail = append(x.result.Trail, x.tell(m))
	}
}
