package sim

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"pocbakery/pkg/admission"
	"pocbakery/pkg/bakery"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/store"
	"pocbakery/pkg/store/mem"
)

const (
	// grace is how long after a pass over a sandbox the next one comes.
	grace = 45 * time.Second
	// longest is how long a request may last, and as long again may a write of
	// it be under way: less than the grace in all.
	longest = 10 * time.Second
	// maxSkew bounds how far a worker's clock is off.
	maxSkew = 3 * time.Second
	// places is how many places a slot has: few, so that they fill.
	places = 2
)

// World is the bakery under simulation: the table, the scheduler, the workers
// that run its code, the people who ask it things, and the true wall clock.
type World struct {
	mode    Mode
	now     time.Time
	dice    dice // of the step that is being played
	table   *mem.Store
	bell    *bell
	workers []*worker
	stack   []*request // under way, the innermost last
	late    []*lateWrite
	weather weather
	hours   bakery.Hours
	marks   uint64
	last    time.Time // the turn of the rule that was run last
	made    int       // keys made up so far
	script  script    // what is to befall the next request
	doomed  int       // the next request dies at this call; 0 for chance

	visitors []*visitor
	orders   []*placement
	boxes    map[hub.ID]*box
	counted  map[string]*day

	Reach *Reach
	story []string
	wrong error // the first thing that did not hold
}

// weather is how rough it is.
type weather struct {
	rough   int  // one request in so many meets faults; 0 for none
	crash   int  // one request in so many dies; 0 for none
	meddle  int  // one call in so many is preempted, in requests that can be; 0 for none
	rule    bool // the sweep is on
	alarms  bool // the scheduler has its moods
	reap    int  // a passing of time in so many reaps what is past its ttl; 0 for never
	outage  bool // neither the scheduler nor the rule does anything
	skewed  bool
	clamour bool // people come back for what others hold
}

// box is a sandbox as its birth was seen.
type box struct {
	id      hub.ID
	born    time.Time
	ends    time.Time
	wipeAt  time.Time
	ttl     int64
	offset  time.Duration
	movedAt time.Time // when its offset last grew
	// blurred is an offset that grew under a request which may have read the older one:
	// until the next run alarm_at may be empty.
	blurred bool
	pickups []bakery.SlotID
	gone    bool                      // its row has ended
	erased  int                       // passes that erased something
	effects map[string]map[int64]bool // what was seen to happen, by type and thing: when
	lives   map[string]bool           // of holds that are over
	ghosts  map[string]bool           // orders that had a hold when they had come to their end
	seen    map[string]bool
}

// day is what was seen admitted on a day of the ledger.
type day struct{ used, guests, demo int }

// begin is a world whose clock and weather come from the first word.
func begin(mode Mode, word uint64) *World {
	d := diceOf(word, 0)
	starts := []time.Duration{9 * time.Hour, 9*time.Hour + 50*time.Minute, 12 * time.Hour, 23*time.Hour + 55*time.Minute, 8 * time.Hour}
	w := open(mode, time.Date(2026, 11, 29, 0, 0, 0, 0, time.UTC).Add(pick(d, starts)+time.Duration(d.IntN(300))*time.Second))
	w.weather = weather{rough: 4, crash: 9, meddle: 14, rule: true, alarms: true, reap: pick(d, []int{0, 1, 4}), skewed: d.in(2), clamour: d.in(2)}
	if d.in(4) {
		w.weather.rough, w.weather.crash = 0, 0
	}
	if mode == Healthy {
		w.weather.crash, w.weather.rule, w.weather.rough = 0, false, 5
	}
	for i := range w.workers {
		if w.weather.skewed {
			w.workers[i].skew = time.Duration(d.IntN(int(2*maxSkew/time.Millisecond)))*time.Millisecond - maxSkew
		}
	}
	w.dice = d
	return w
}

// open is a world in fine weather, with two workers.
func open(mode Mode, now time.Time) *World {
	w := &World{
		mode: mode, now: now, dice: diceOf(1, 1), table: mem.New(nil), hours: bakery.DefaultHours(), boxes: map[hub.ID]*box{}, counted: map[string]*day{},
		Reach: NewReach(), last: now.Truncate(ruleEvery),
	}
	w.hours.Capacity = places
	w.bell = newBell(w)
	w.workers = []*worker{w.hire("one"), w.hire("two")}
	return w
}

// settings are caps that a history can come to.
func settings() admission.Settings {
	return admission.Settings{Flag: admission.On, Cap: 5, GuestShare: 3, DemoCap: 3}
}

// violated notes the first thing that did not hold.
func (w *World) violated(oracle, format string, args ...any) {
	if w.wrong == nil {
		w.wrong = fmt.Errorf("%s: "+format, append([]any{oracle}, args...)...)
		w.tell("VIOLATED %v", w.wrong)
	}
}

// tell adds a line to the story.
func (w *World) tell(format string, args ...any) {
	indent := ""
	for range w.stack {
		indent += "    "
	}
	w.story = append(w.story, clock(w.now)+"  "+indent+fmt.Sprintf(format, args...))
}

func (w *World) reached(s State) { w.Reach.States[s]++ }

// clock shows an instant as stories do: the day of the month and the time.
func clock(t time.Time) string {
	if t.Nanosecond() == 0 {
		return t.Format("02 15:04:05    ")
	}
	return t.Format("02 15:04:05.000")
}

// at shows an instant inside a line.
func at(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	if t.Nanosecond() == 0 {
		return t.Format("02 15:04:05")
	}
	return t.Format("02 15:04:05.000")
}

// sandboxes are all that were born, in the order of their ids.
func (w *World) sandboxes() []*box {
	var all []*box
	for _, id := range slices.Sorted(maps.Keys(w.boxes)) {
		all = append(all, w.boxes[id])
	}
	return all
}

// items are what the table really holds of a hub, past its ttl or not.
func (w *World) items(id hub.ID) []store.Item {
	page, err := w.table.List(quiet, time.Time{}, string(id), store.Range{})
	if err != nil {
		panic(err)
	}
	return page.Items
}

// item is what the table really holds under a key.
func (w *World) item(k store.Key) store.Item {
	items, err := w.table.Get(quiet, time.Time{}, k)
	if err != nil {
		panic(err)
	}
	return items[0]
}

// root is a hub's root as it really stands now.
func (w *World) root(id hub.ID) hub.Root {
	i := w.item(store.Key{PK: string(id), SK: hub.RootSK})
	if i.ExpiredAt(w.now) {
		i = store.Item{}
	}
	return hub.RootOf(id, i)
}
