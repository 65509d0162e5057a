package sim

import (
	"context"
	"fmt"
	"slices"
	"time"

	"pocbakery/pkg/admission"
	"pocbakery/pkg/bakery"
	"pocbakery/pkg/hub"
)

// visitor is somebody who asked for a sandbox, and what they were answered.
type visitor struct {
	name string
	key  string
	kind admission.Kind
	id   hub.ID // once answered
	ends time.Time
	desk *admission.Desk // who lent it
}

func (v *visitor) who() hub.Who { return hub.Who{Hub: v.id, EndsAt: v.ends, Role: hub.Baker} }

func (b *box) who() hub.Who { return hub.Who{Hub: b.id, EndsAt: b.ends, Role: hub.Baker} }

// placement is an order that was asked for, and what was answered.
type placement struct {
	visitor  *visitor
	id       hub.ID
	who      hub.Who
	key      string
	want     bakery.Placement
	answered bool
	order    bakery.Order // the first answer
	payments int
	paidKeys map[string]string // what each payment's key was answered
}

// name is how stories call a hub.
func (w *World) name(id hub.ID) string {
	for _, v := range w.visitors {
		if v.id == id && id != "" {
			return v.name + "'s sandbox"
		}
	}
	if id == hub.Control {
		return "the control hub"
	}
	return "sandbox " + string(id[:min(len(id), 5)])
}

// short shows a slot by its time of day.
func short(s bakery.SlotID) string { return string(s[len("20261202T"):]) }

// worker picks who serves the next request.
func (w *World) worker() *worker { return pick(w.dice, w.workers) }

// someBox is a sandbox that stands, most often the latest.
func (w *World) someBox() *box {
	if p := w.somePlacement(); p != nil && !w.dice.in(4) {
		return w.boxes[p.id]
	}
	if v := w.someVisitor(); v != nil {
		return w.boxes[v.id]
	}
	return nil
}

// someVisitor is one who has a sandbox, most often the latest.
func (w *World) someVisitor() *visitor {
	var have []*visitor
	for _, v := range w.visitors {
		if v.id != "" {
			have = append(have, v)
		}
	}
	if len(have) > 1 && !w.dice.in(3) {
		return have[len(have)-1]
	}
	return pick(w.dice, have)
}

// somePlacement is one of the latest.
func (w *World) somePlacement() *placement {
	recent := w.orders[max(0, len(w.orders)-8):]
	return pick(w.dice, recent)
}

// admit asks for a sandbox, under a new key or one that was used before.
func (w *World) admit(again bool) {
	var v *visitor
	if again {
		if v = pick(w.dice, w.visitors[max(0, len(w.visitors)-4):]); v == nil {
			return
		}
	} else {
		w.made++
		v = &visitor{name: string(rune('A' + w.made%26)), key: fmt.Sprintf("a-key-hard-to-guess-%04d", w.made)}
		if v.kind = admission.Guest; w.dice.in(3) {
			v.kind = admission.Demo
		}
		w.visitors = append(w.visitors, v)
	}
	asked := admission.Request{Kind: v.kind, Key: v.key, TurnstileToken: "a token"}
	if again && w.dice.in(12) && v.kind == admission.Guest {
		asked.Kind = admission.Demo
	}
	k := w.worker()
	if b := w.boxes[v.id]; b != nil && w.now.Unix()+int64(maxSkew/time.Second) >= b.ttl { // the record may be gone as well
		v.id = ""
	}
	had := v.id != "" // before this began
	var a admission.Admitted
	w.tell("%s asks worker %s for a sandbox as %s", v.name, k.name, asked.Kind)
	_, lived, err := w.ask(k, false, func(ctx context.Context) (err error) {
		w.current().admits = true
		a, err = k.desk.Admit(ctx, asked)
		return err
	})
	if !lived {
		return
	}
	if err == nil && !a.Replayed {
		v.desk = k.desk
	}
	w.admitted(v, had && (v.desk == k.desk || !closed[w.answer(err)]), asked, a, w.answer(err))
}

// closed are the refusals that a process may give from what it read a moment
// before, also to a key that another one has admitted.
var closed = map[string]bool{"day-full": true, "guest-share-full": true, "demo-full": true, "admissions-off": true, "read-only": true}

var admissionStates = map[string]State{
	"day-full": DayFull, "guest-share-full": GuestsFull, "demo-full": DemoFull, "admissions-off": SwitchedOff,
	"read-only": ReadOnly, "idempotency-key-reused": KeyReused, "sandbox-ended": Ended,
}

// admitted takes the answer to a visitor who asked for a sandbox.
func (w *World) admitted(v *visitor, had bool, asked admission.Request, a admission.Admitted, code string) {
	w.tell("-> %s %s", orYes(code), a.Root.ID)
	if code != "" {
		w.reached(cmpState(admissionStates, code))
		if had && asked.Kind == v.kind && code != "unavailable" && code != "sandbox-ended" {
			w.violated("one key one sandbox", "%s has a sandbox, and repeating the key is answered %s", v.name, code)
		}
		return
	}
	if asked.Kind != v.kind && had {
		w.violated("one key one sandbox", "%s's key admitted another body", v.name)
	}
	if v.id != "" && v.id != a.Root.ID {
		w.violated("one key one sandbox", "%s's key was answered %s, then %s", v.name, v.id, a.Root.ID)
	}
	if w.boxes[a.Root.ID] == nil {
		w.violated("admission", "the answer names a sandbox that nobody wrote: %s", a.Root.ID)
		return
	}
	switch {
	case !a.Replayed:
		w.reached(Admitted)
	case a.Session == "":
		w.reached(AdmittedNoSession)
	default:
		w.reached(AdmittedAgain)
	}
	v.kind = asked.Kind
	v.id, v.ends = a.Root.ID, a.Root.EndsAt
}

// orYes shows an answer.
func orYes(code string) string {
	if code == "" {
		return "yes"
	}
	return code
}

func cmpState(of map[string]State, code string) State {
	if s, ok := of[code]; ok {
		return s
	}
	return State("answer " + code)
}

// want composes an order.
func (w *World) want(slot bakery.SlotID) bakery.Placement {
	return bakery.Placement{Pickup: slot, Name: "N", Lines: []bakery.Wanted{{SKU: "rye-loaf", Quantity: 1 + w.dice.IntN(2)}}}
}

// slotFor chooses a pickup: mostly the one that fills.
func (w *World) slotFor(b *box) bakery.SlotID {
	if first := b.pickups[0]; w.now.Add(b.offset).Before(startOf(first).Add(-time.Hour)) {
		return b.pickups[min(w.dice.IntN(4), w.dice.IntN(len(b.pickups)))]
	}
	day := w.hours.Today(w.now.Add(b.offset)).AddDays(5)
	slots := w.hours.SlotsOf(day)
	b.pickups = slices.Clone(slots[12:15])
	return b.pickups[0]
}

func startOf(s bakery.SlotID) time.Time { t, _ := s.Start(); return t }

// placeNew places an order under a new key.
func (w *World) placeNew() {
	v := w.someVisitor()
	if v == nil {
		return
	}
	b := w.boxes[v.id]
	w.made++
	p := &placement{visitor: v, id: v.id, who: v.who(), key: fmt.Sprintf("k%d", w.made), want: w.want(w.slotFor(b)), paidKeys: map[string]string{}}
	w.orders = append(w.orders, p)
	w.place(p)
}

// placeAgain repeats a placement.
func (w *World) placeAgain() {
	p := w.somePlacement()
	if p != nil && p.answered && w.dice.in(2) {
		for _, o := range w.orders[max(0, len(w.orders)-8):] { // somebody still waits for an answer
			if !o.answered && !w.root(o.id).Over {
				p = o
			}
		}
	}
	if p != nil {
		w.place(p)
	}
}

// operator edits the caps and the switch.
func (w *World) operator() {
	n := func(max int) *int { v := w.dice.IntN(max); return &v }
	e := admission.Edit{}
	choose(w.dice, []choice{
		{3, func() { e.Cap = n(9) }},
		{2, func() { e.GuestShare = n(6) }},
		{2, func() { e.DemoCap = n(5) }},
		{2, func() {
			f := pick(w.dice, []admission.Flag{admission.Off, admission.ReadOnly, admission.On, admission.On, admission.On})
			e.Flag = &f
		}},
	})()
	k := w.worker()
	w.tell("the operator edits %s", edited(e))
	_, lived, err := w.ask(k, false, func(ctx context.Context) error { return k.desk.Edit(ctx, e) })
	if lived {
		w.tell("-> %s", orYes(w.answer(err)))
	}
}

func edited(e admission.Edit) string {
	s := ""
	if e.Flag != nil {
		s += " flag " + string(*e.Flag)
	}
	for name, n := range map[string]*int{"cap": e.Cap, "guest share": e.GuestShare, "demo cap": e.DemoCap} {
		if n != nil {
			s += fmt.Sprintf(" %s %d", name, *n)
		}
	}
	return s[1:]
}
