package sim

import (
	"context"
	"sync"
	"time"

	"pocbakery/pkg/hub"
	"pocbakery/pkg/store"
)

// lock guards what the product may use from several goroutines: only a run of
// the control hub does, which wipes several sandboxes at once.
var lock sync.Mutex

// request is one call of the product on its way.
type request struct {
	worker  *worker
	began   time.Time
	rough   int // one call in so many fails; 0 for none
	crashAt int // the call at which it dies; -1 for none
	calls   int
	failed  int  // calls in a row
	faults  int  // injected so far
	nested  int  // requests that ran inside it
	wide    bool // may use several goroutines, see lane
	seed    uint64
	lanes   map[string]*lane
	dead    bool
	cut     int // how often it may ask how much time is left; -1 for any number
	clashed bool
	script  script
	commits int
	admits  bool // somebody
	run     bool // of a hub, by an alarm or the sweep
}

// lane is what concerns one sandbox in a run that wipes several at once. Its
// chance does not depend on the others, so that the order in which goroutines
// happen to run decides nothing. A lane that dies cannot unwind the run: it is
// refused everything, and the run dies at its next call of its own.
type lane struct {
	dice dice
	dead bool
}

// script is what is to befall a request, where it is not left to chance.
type script struct {
	diesAfter int            // its commit; 0 for none
	between   map[int]func() // before its call
	faults    map[int]fault  // of its commit
	creates   bool           // its one-shots cannot be created
	down      bool           // none of its calls reaches the table
}

// follow does what the script says of a call; ok is false where it says nothing.
func (s script) follow(r *request, kind callKind) (f fault, ok bool) {
	if do := s.between[r.calls]; do != nil {
		delete(s.between, r.calls)
		do()
	}
	if s.down {
		return refused, true
	}
	switch kind {
	case commit:
		f, ok = s.faults[r.commits+1]
		r.commits++
	case create:
		f, ok = refused, s.creates
	}
	return f, ok
}

// crash unwinds a request that dies.
type crash struct{}

// endless is how many calls no request needs.
const endless = 2000

// ask makes a request of a worker, and reports whether it lived to answer.
func (w *World) ask(k *worker, wide bool, call func(context.Context) error) (r *request, lived bool, err error) {
	w.Reach.Requests++
	r = &request{worker: k, began: w.now, crashAt: -1, cut: -1, wide: wide, seed: w.dice.Uint64(), lanes: map[string]*lane{}}
	if w.weather.rough > 0 && w.dice.in(w.weather.rough) {
		r.rough = pick(w.dice, []int{3, 8, 16})
	}
	if w.weather.crash > 0 && w.dice.in(w.weather.crash) {
		r.crashAt = w.dice.IntN(11)
	}
	if w.mode == Chaos && w.weather.rough > 0 && w.dice.in(25) {
		r.cut = w.dice.IntN(3)
	}
	if w.doomed > 0 {
		r.crashAt, w.doomed = w.doomed, 0
	}
	r.script, w.script = w.script, script{}
	if r.script.faults != nil || r.script.between != nil { // nothing else is to befall it first
		r.crashAt, r.rough = -1, 0
	}
	for _, outer := range w.stack {
		outer.nested++
	}
	if len(w.stack) > 0 {
		w.Reach.Nested++
		w.reached(Preempted)
	}
	w.stack = append(w.stack, r)
	depth := len(w.stack)
	lived = true
	func() {
		defer func() {
			w.stack = w.stack[:depth-1]
			if thrown := recover(); thrown != nil {
				if _, ok := thrown.(crash); !ok {
					panic(thrown)
				}
				lived = false
			}
		}()
		err = call(quiet)
	}()
	if r.dead || !lived {
		lived = false
		w.reached(Crashed)
		w.Reach.Faults++
		w.tell("  - it dies at its call %d", r.calls)
		k.start()
	}
	return r, lived, err
}

// clean reports whether nothing befell the request.
func (r *request) clean() bool {
	return r.worker.world.now.Equal(r.began) && r.faults == 0 && r.nested == 0 && !r.dead && r.cut < 0 && r.crashAt < 0
}

// current is the request that is asking.
func (w *World) current() *request { return w.stack[len(w.stack)-1] }

// left is how long a request may still take.
func (w *World) left(context.Context) time.Duration {
	if len(w.stack) == 0 {
		return time.Hour
	}
	r := w.current()
	if r.cut < 0 {
		return time.Hour
	}
	if r.cut == 0 {
		w.reached(CutShort)
		return 0
	}
	r.cut--
	return time.Hour
}

// laneOf names the sandbox that a call of a wide request is about, if it is
// about one alone.
func (r *request) laneOf(keys []store.Key) string {
	if !r.wide || len(keys) == 0 {
		return ""
	}
	name := ""
	for _, k := range keys {
		id := k.PK
		if id == string(hub.Control) {
			id = sandboxOf(k.SK)
		}
		if id == "" || (name != "" && name != id) {
			return ""
		}
		name = id
	}
	return name
}

// before comes before every call: something else may run first, the request
// may die, or the call may fail.
func (w *World) before(kind callKind, keys []store.Key) fault {
	r := w.current()
	if name := r.laneOf(keys); name != "" {
		return w.inLane(r, name, kind)
	}
	if r.dead { // one of its goroutines died
		panic(crash{})
	}
	if w.wrong != nil { // the story is at its end
		panic(crash{})
	}
	n := r.calls
	if r.calls++; r.calls > endless {
		w.violated("endless", "a request has made %d calls and goes on", endless)
		panic(crash{})
	}
	if n == r.crashAt && w.dice.in(2) {
		panic(crash{})
	}
	if f, ok := r.script.follow(r, kind); ok {
		return f
	}
	if w.weather.meddle > 0 && len(w.stack) < 3 && w.dice.in(w.weather.meddle) {
		w.meddle()
	}
	if r.rough == 0 || !w.dice.in(r.rough) {
		r.failed = 0
		return none
	}
	return w.fail(r, w.dice, kind, keys)
}

// after comes after every call that was made.
func (w *World) after(keys []store.Key) {
	r := w.current()
	if r.script.diesAfter > 0 && r.commits == r.script.diesAfter {
		panic(crash{})
	}
	if r.laneOf(keys) == "" && r.calls == r.crashAt+1 && r.crashAt >= 0 {
		panic(crash{})
	}
}

func (w *World) inLane(r *request, name string, kind callKind) fault {
	lock.Lock()
	defer lock.Unlock()
	l := r.lanes[name]
	if l == nil {
		l = &lane{dice: diceOf(r.seed, hash(name))}
		r.lanes[name] = l
	}
	if !l.dead && r.crashAt >= 0 && l.dice.in(12) {
		l.dead, r.dead = true, true
	}
	if l.dead || w.wrong != nil { // the story is at its end
		return refused
	}
	if r.rough == 0 || !l.dice.in(r.rough) {
		return none
	}
	return w.fail(r, l.dice, kind, nil)
}
