package explore

import (
	"context"
	"time"

	"pocbakery/pkg/alarm"
	"pocbakery/pkg/store"
)

// MaxPrograms is how many processes a cast may have.
const MaxPrograms = 5

// Cast is one exploration: what there is at the beginning, who acts in it,
// what may go wrong, and what must hold.
type Cast struct {
	Name     string
	Items    []store.Write    // what the table holds at the beginning
	Waiting  []alarm.Schedule // what the scheduler holds at the beginning
	Used     []alarm.Schedule // one-shots that have fired, whose names are still taken
	Programs []Program        // at most MaxPrograms
	// Instants is where the wall clock stands, one after the other. It moves
	// on at any time.
	Instants []time.Time
	Faults   Faults
	// Prompt makes a look at the clock and the read of the table that follows
	// it one step. It leaves out processes that stand still between the two.
	Prompt bool
	// Budget is how many states are visited at most before the search is begun
	// again with at most Preemptions; 0 for no end.
	Budget int

	// Always is asked of every table and scheduler there is; Final, with the
	// answers in the order of the programs, when every process has come to its
	// end. An error is a violation, and its text names what was violated.
	Always func(Scene) error
	Final  func(Scene, []string) error
}

// Program is one process of a cast: a call of the code under exploration. Its
// requests to the table and the scheduler are its steps.
type Program struct {
	Name string // neighbours of the same name must be the same program
	// Call is the call. It may use nothing but the world it is handed, and
	// must do the same whenever the world answers the same. An error is a call
	// that failed; a refusal is an answer.
	Call func(context.Context, World) (answer string, err error)
	// Retries is how often the caller calls again where the call crashed.
	Retries int
	// Insist makes the caller also call again where the call failed.
	Insist bool
	// Watch says what is to be seen, as a set of bits, between a call's first
	// request to the table and its answer; since is when the call began.
	Watch func(s Scene, since time.Time) uint8
	// Answered judges an answer by what there is at its time and by all that
	// was to be seen on the way.
	Answered func(s Scene, answer string, seen uint8) error
}

// Faults is how often what may go wrong in one exploration, wherever it can.
type Faults struct {
	// Crash: a process dies right after a request that changed something. One
	// that dies before is as one that never began, or that died after the last
	// such: a read leaves no trace.
	Crash uint8
	// Lost: a commit is applied, and its reply lost.
	Lost uint8
	// Late: a commit's reply is lost, and it is applied any time later, or never.
	Late uint8
	// CreateFails: a one-shot is not created, and the caller told so.
	CreateFails uint8
	// CreateLate: the caller is told that a one-shot was not created, and it
	// is created later.
	CreateLate uint8
}

// marksMatter reports whether a commit may meet itself.
func (f Faults) marksMatter() bool { return f.Lost+f.Late > 0 }

// Died is the answer of a process that crashed for the last time.
const Died = "died"

// Scene is what there is at one point of an exploration.
type Scene struct {
	table table
	shots shots
	marks uint64 // how many Alone has drawn
	// Now is where the wall clock stands, for Final; zero for everybody else.
	Now time.Time
	// Number is that of the table: two scenes have equal tables exactly if
	// they have equal numbers.
	Number int32
}

// Items is what the table holds, past its ttl or not, in the order of keys.
// They are to be read only.
func (s Scene) Items() []*store.Item { return s.table }

// Item is one item, the zero Item where there is none. It is to be read only.
func (s Scene) Item(k store.Key) store.Item {
	if n, ok := s.table.find(k); ok {
		return *s.table[n]
	}
	return store.Item{}
}

// Waiting is the one-shots that have not fired, in the order of their
// instants. They are to be read only.
func (s Scene) Waiting() []alarm.Schedule { return s.shots.waiting }

// Alone calls code in a copy of the scene, with nobody beside it and nothing
// going wrong, and returns the scene it leaves.
func (s Scene) Alone(now time.Time, call func(context.Context, World) error) (Scene, error) {
	a := &alone{now: now, Scene: s}
	err := call(context.Background(), a.world())
	return a.Scene, err
}
