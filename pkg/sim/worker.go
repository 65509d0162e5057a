package sim

import (
	"context"
	"errors"
	"time"

	"pocbakery/pkg/access"
	"pocbakery/pkg/admission"
	"pocbakery/pkg/bakery"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/refusal"
	"pocbakery/pkg/sandbox"
	"pocbakery/pkg/store"
	"pocbakery/pkg/traffic"
)

// ring is every worker's: keys derive from the master alone.
var ring = access.NewKeyring([]byte("the simulator's master, 32 characters or more"))

// quiet is the context of every call.
var quiet = context.Background()

// worker is a process that serves requests: the product, wired by the
// constructors that pkg/app uses, over the world's table and scheduler, with a
// clock of its own.
type worker struct {
	name  string
	skew  time.Duration
	world *World

	engine  *hub.Engine
	shop    *bakery.Shop
	boxes   *sandbox.Service
	traffic *traffic.Service
	desk    *admission.Desk
}

// hire starts a process.
func (w *World) hire(name string) *worker {
	k := &worker{name: name, world: w}
	k.start()
	return k
}

// start is the process as it begins: it remembers nothing of an earlier one.
func (k *worker) start() {
	w := k.world
	table := store.NewTable(&line{w}, w.mark)
	k.engine = hub.New(table, w.bell, k.clock, w.report)
	k.engine.Left = w.left
	k.shop = bakery.NewShop(k.engine, w.hours, bakery.SeededMenu(), ring.MAC)
	k.boxes = sandbox.New(k.engine, w.bell, grace, ring.MAC, func(sandbox.WipeRun) {})
	k.desk = admission.NewDesk(k.engine, w.bell, ring, people{}, settings(), random{w})
	k.engine.Gate = k.desk.Gate
	k.traffic = traffic.New(k.engine, k.shop, bakery.SeededMenu(), random{w})
}

// people lets everybody pass: who is a person is not this world's question.
type people struct{}

func (people) Check(context.Context, string, string) error { return nil }

// clock is the wall as this worker sees it.
func (k *worker) clock() time.Time { return k.world.now.Add(k.skew) }

// random draws ids from the step's dice.
type random struct{ w *World }

func (r random) Read(p []byte) (int, error) {
	return diceOf(r.w.dice.Uint64(), uint64(r.w.Reach.Requests)).Read(p) // also where words repeat
}

// mark numbers the commits.
func (w *World) mark() uint64 {
	lock.Lock()
	defer lock.Unlock()
	w.marks++
	return w.marks
}

// report hears what an operator would.
func (w *World) report(event string, id hub.ID, err error) {
	lock.Lock()
	defer lock.Unlock()
	switch event {
	case "backstop":
		w.reached(Backstop)
	case "end_set_aside":
		w.reached(SetAside)
	case "end_failed":
		if !infrastructure(err) && !isPoison(err) {
			w.violated("ends", "a turn in %s failed: %v", w.name(id), err)
		}
	}
	w.tell("  reported %s of %s: %v", event, w.name(id), err)
}

// infrastructure reports whether an error is the table's or the scheduler's,
// which may happen, and not the product's, which may not.
func infrastructure(err error) bool {
	for _, e := range []error{store.ErrUnavailable, store.ErrUnknown, store.ErrConflict, errScheduler} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// answer is what a call came to, in a word: nothing for success, a refusal's
// code, "unavailable", or what must not be.
func (w *World) answer(err error) string {
	var no *refusal.Refusal
	switch {
	case err == nil:
		return ""
	case errors.As(err, &no):
		return string(no.Code)
	case infrastructure(err):
		return "unavailable"
	}
	w.violated("answers", "neither an answer nor a refusal: %v", err)
	return "broken"
}
