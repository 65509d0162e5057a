package main_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// keys makes keys that nobody used before, with which anything can be asked.
var keys atomic.Int64

func newKey(of string) string { return fmt.Sprintf("%s-key-abcdefghijkl-%d", of, keys.Add(1)) }

// guest is a sandbox and its session.
type guest struct {
	id, token string
	ends      time.Time
}

type admittedJSON struct {
	Sandbox struct {
		ID     string
		EndsAt time.Time `json:"ends_at"`
	}
	Session struct{ Token string }
}

func (a admittedJSON) guest() guest {
	return guest{a.Sandbox.ID, a.Session.Token, a.Sandbox.EndsAt}
}

func admission(key string) ask {
	return ask{method: "POST", path: "/v1/sandboxes", key: key, body: `{"kind":"guest","turnstile_token":"` + passToken + `"}`}
}

// enter makes a guest.
func (p *program) enter() guest {
	p.t.Helper()
	var in admittedJSON
	p.want(admission(newKey("enter")), 201).read(p.t, &in)
	return in.guest()
}

type slotJSON struct {
	ID                                     string
	Capacity, Held, Confirmed, Taken, Free int
}

// slots are the slots of all days offered from tomorrow on.
func (p *program) slots(g guest) []slotJSON {
	p.t.Helper()
	var got struct{ Days []struct{ Slots []slotJSON } }
	tomorrow := p.now().AddDate(0, 0, 1).Format(time.DateOnly)
	p.want(ask{method: "GET", path: "/v1/slots?days=13&date=" + tomorrow, token: g.token}, 200).read(p.t, &got)
	var all []slotJSON
	for _, d := range got.Days {
		all = append(all, d.Slots...)
	}
	if len(all) < 300 {
		p.t.Fatalf("only %d slots in 13 days", len(all))
	}
	return all
}

type orderJSON struct {
	Ref, State, Pickup, Name string
	Total                    json.RawMessage
	SecondsLeft              int  `json:"seconds_left"`
	Revived                  bool `json:"revived"`
	Payments                 []struct{ ID, State string }
}

// orders lists the guest's orders for slots from this one on.
func (p *program) orders(g guest, from string) []orderJSON {
	p.t.Helper()
	var all []orderJSON
	for cursor := ""; ; {
		var page struct {
			Orders     []orderJSON
			NextCursor string `json:"next_cursor"`
		}
		p.want(ask{method: "GET", path: "/v1/orders?limit=100&cursor=" + cursor, token: g.token}, 200).read(p.t, &page)
		for _, o := range page.Orders {
			if o.Pickup < from {
				return all // latest first: the rest is the shop's past
			}
			all = append(all, o)
		}
		if cursor = page.NextCursor; cursor == "" {
			return all
		}
	}
}

// told is one order as its customer knows it: what was answered, and the one
// command whose outcome never came.
type told struct {
	guest     guest
	slot, key string
	payKey    string

	ref     string // empty until it was answered
	total   json.RawMessage
	state   string // as last answered
	payment string // the id of the payment that was answered for
	refused bool

	open string // place, pay or cancel; empty where nothing is unknown
}

// after is the order's state once a command has done its work.
var after = map[string]string{"place": "placed", "pay": "paid", "cancel": "cancelled"}

func (o *told) command(name string) ask {
	switch name {
	case "place":
		// The key is the name, too, so that two orders of one key are seen.
		return ask{method: "POST", path: "/v1/orders", token: o.guest.token, key: o.key,
			body: fmt.Sprintf(`{"pickup":%q,"lines":[{"sku":"cardamom-bun","quantity":2}],"name":%q}`, o.slot, o.key)}
	case "pay":
		return ask{method: "POST", path: "/v1/orders/" + o.ref + "/payments", token: o.guest.token, key: o.payKey,
			body: `{"amount":` + string(o.total) + `}`}
	}
	return ask{method: "POST", path: "/v1/orders/" + o.ref + "/cancel", token: o.guest.token}
}

// do sends a command and remembers what came of it. It reports whether an
// answer came: a 503 leaves the outcome open and is one.
func (o *told) do(t testing.TB, p *program, name string) bool {
	a, err := p.send(o.command(name))
	if err != nil {
		o.open = name
		return false
	}
	if wrong := malformed(a); wrong != "" {
		t.Errorf("%s: %s: %d %.300s", name, wrong, a.status, a.body)
	}
	if a.status == 503 {
		o.open = name
		return true
	}
	o.open = ""
	var got struct {
		orderJSON
		Payment struct{ ID, State string }
		Order   orderJSON
	}
	switch {
	case name == "place" && (a.code() == "slot-full" || a.code() == "hold-lost"):
		o.refused = true
		return true
	case a.status != 200 && a.status != 201:
		t.Errorf("%s of an order that is %q: %d %.300s", name, o.state, a.status, a.body)
		return true
	}
	a.read(t, &got)
	order := got.orderJSON
	if name == "pay" {
		order = got.Order
		if o.payment = got.Payment.ID; got.Payment.State != "accepted" {
			t.Errorf("the payment of an order that was %q is %s", o.state, got.Payment.State)
		}
	}
	if order.State != after[name] {
		t.Errorf("%s makes an order that was %q %s", name, o.state, order.State)
	}
	o.ref, o.state, o.total = order.Ref, order.State, order.Total
	return true
}

// check wants the order to be what was answered, or what the command whose
// outcome is open makes of it.
func (o *told) check(p *program) {
	p.t.Helper()
	if o.ref == "" {
		return
	}
	var got orderJSON
	p.want(ask{method: "GET", path: "/v1/orders/" + o.ref, token: o.guest.token}, 200).read(p.t, &got)
	if got.State != o.state && (o.open == "" || got.State != after[o.open]) {
		p.t.Errorf("an order that was answered %s, then asked to %q, is %s", o.state, o.open, got.State)
	}
	if o.payment != "" && !slices.Contains(got.Payments, struct{ ID, State string }{o.payment, "accepted"}) {
		p.t.Errorf("a payment that was answered is lost: %v", got.Payments)
	}
}

// stateNow asks what state the order is in.
func (o *told) stateNow(p *program) string {
	p.t.Helper()
	var got orderJSON
	p.want(ask{method: "GET", path: "/v1/orders/" + o.ref, token: o.guest.token}, 200).read(p.t, &got)
	return got.State
}

// settle repeats the command whose outcome is open. A placement may be refused
// now, if that is the truth.
func (o *told) settle(p *program) {
	p.t.Helper()
	if o.open == "" {
		return
	}
	name := o.open
	if !o.do(p.t, p, name) || o.open != "" {
		p.t.Errorf("a repeated %s gets no answer", name)
	}
	if o.refused && name == "place" {
		var slot slotJSON
		p.want(ask{method: "GET", path: "/v1/slots/" + o.slot, token: o.guest.token}, 200).read(p.t, &slot)
		if slot.Free > 0 {
			p.t.Errorf("a repeated placement is refused in a slot with %d places free", slot.Free)
		}
	}
}

// customer places orders, and pays, cancels or leaves them.
type customer struct {
	guest  guest
	rnd    *rand.Rand
	orders []*told
}

// order is one order from its placement on. It reports whether answers came.
func (c *customer) order(t testing.TB, p *program, slots []slotJSON) bool {
	o := &told{guest: c.guest, slot: slots[c.rnd.IntN(len(slots))].ID, key: newKey("place"), payKey: newKey("pay")}
	c.orders = append(c.orders, o)
	if !o.do(t, p, "place") {
		return false
	}
	for _, next := range [][]string{{}, {"pay"}, {"cancel"}, {"pay", "cancel"}, {"cancel"}}[c.rnd.IntN(5)] {
		if o.open != "" || o.refused {
			break
		}
		if !o.do(t, p, next) {
			return false
		}
	}
	return true
}

// audit holds every slot's counts against the orders there are, and these
// against what the customers of the guest were told. A paid order whose place
// could not be confirmed at once is left to its hold's end, and counts as held
// until then: where that may be, unsure is true.
func audit(p *program, g guest, known []*told, unsure bool) {
	p.t.Helper()
	slots := p.slots(g)
	type count struct{ held, confirmed, revived int }
	counts, names, refs := map[string]count{}, map[string]string{}, map[string]bool{}
	for _, o := range p.orders(g, slots[0].ID) {
		if refs[o.Ref] || names[o.Name] != "" {
			p.t.Errorf("%s is there twice", o.Ref)
		}
		refs[o.Ref], names[o.Name] = true, o.Ref
		n := counts[o.Pickup]
		switch {
		case o.State == "placed" && o.SecondsLeft > 0:
			n.held++
		case o.State == "paid" || o.State == "collected":
			n.confirmed++
		}
		if o.Revived {
			n.revived++
		}
		counts[o.Pickup] = n
	}
	for _, s := range slots {
		n := counts[s.ID]
		if late := s.Held - n.held; unsure && late > 0 && late <= n.confirmed {
			n.held, n.confirmed = n.held+late, n.confirmed-late
		}
		if s.Held != n.held || s.Confirmed != n.confirmed || s.Taken != s.Held+s.Confirmed || s.Free != max(0, s.Capacity-s.Taken) {
			p.t.Errorf("%s says %+v, its orders say %+v", s.ID, s, n)
		}
		if s.Taken > s.Capacity+n.revived {
			p.t.Errorf("%s has %d places and lends %d", s.ID, s.Capacity, s.Taken)
		}
	}
	mine := 0
	for _, o := range known {
		if o.guest.id != g.id {
			continue
		}
		if names[o.key] != o.ref {
			p.t.Errorf("the order of a key is %q, its customer was told %q", names[o.key], o.ref)
		}
		if o.ref != "" {
			mine++
		}
	}
	if len(refs) != mine {
		p.t.Errorf("%d orders, of which the customers know %d", len(refs), mine)
	}
}

// crowd is guests with customers each.
type crowd struct {
	guests    []guest
	customers []*customer
}

func gather(p *program, guests, customersEach int) *crowd {
	p.t.Helper()
	seed := rand.Uint64()
	p.t.Logf("the customers' seed is %d", seed)
	c := &crowd{}
	for range guests {
		g := p.enter()
		c.guests = append(c.guests, g)
		for range customersEach {
			c.customers = append(c.customers, &customer{guest: g, rnd: rand.New(rand.NewPCG(seed, uint64(len(c.customers))))})
		}
	}
	return c
}

// known is every order that anybody was told of, or asked for.
func (c *crowd) known() (all []*told) {
	for _, one := range c.customers {
		all = append(all, one.orders...)
	}
	return all
}

// settle repeats everything whose outcome is open and holds the books against
// each other, after a check that what was answered is there.
func (c *crowd) settle(p *program, unsure bool) (open int) {
	p.t.Helper()
	for _, o := range c.known() {
		o.check(p)
	}
	for _, o := range c.known() {
		if o.open != "" {
			open++
		}
		o.settle(p)
	}
	for _, g := range c.guests {
		audit(p, g, c.known(), unsure)
	}
	return open
}

// together runs each work in a goroutine of its own, over and over until it
// reports false. The one returned waits for all of them.
func together(works ...func() bool) *sync.WaitGroup {
	var all sync.WaitGroup
	for _, work := range works {
		all.Go(func() {
			for work() {
			}
		})
	}
	return &all
}
