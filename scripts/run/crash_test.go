package main_test

import (
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// clock is a guest whose clock is moved by a second under each of many keys.
type clock struct {
	guest guest
	tried []string
	open  string // the key whose outcome is unknown
}

func (c *clock) move(t testing.TB, p *program, key string) bool {
	a, err := p.send(ask{method: "POST", path: "/v1/sandbox/clock/advance", token: c.guest.token, key: key, body: `{"seconds":1}`})
	if err != nil {
		c.open = key
		return false
	}
	if wrong := malformed(a); wrong != "" {
		t.Errorf("the move of a clock: %s: %d %.300s", wrong, a.status, a.body)
	}
	switch a.status {
	case 200:
		c.open = ""
	case 503:
		c.open = key
	default:
		t.Errorf("the move of a clock: %d %.300s", a.status, a.body)
	}
	return true
}

// step moves the clock under a new key, or under the one whose outcome is open.
func (c *clock) step(t testing.TB, p *program) bool {
	if c.open == "" {
		c.tried = append(c.tried, newKey("clock"))
	}
	return c.move(t, p, c.tried[len(c.tried)-1])
}

// settle repeats what is open; then each key has moved the clock once.
func (c *clock) settle(p *program) {
	p.t.Helper()
	if c.open != "" {
		c.move(p.t, p, c.open)
	}
	var got struct {
		Clock struct {
			OffsetSeconds int `json:"offset_seconds"`
		}
	}
	p.want(ask{method: "GET", path: "/v1/sandbox", token: c.guest.token}, 200).read(p.t, &got)
	if got.Clock.OffsetSeconds != len(c.tried) || c.open != "" {
		p.t.Errorf("a clock moved by a second under %d keys is %d ahead", len(c.tried), got.Clock.OffsetSeconds)
	}
}

// porter admits guests.
type porter struct {
	admitted map[string]guest // by key; of none where the outcome is unknown
	at       string           // the key that is being asked under
}

func (d *porter) ask(t testing.TB, p *program, key string) bool {
	d.at = key
	if d.admitted == nil {
		d.admitted = map[string]guest{}
	}
	known := d.admitted[key]
	d.admitted[key] = known
	a, err := p.send(admission(key))
	if err != nil {
		return false
	}
	if wrong := malformed(a); wrong != "" {
		t.Errorf("an admission: %s: %d %.300s", wrong, a.status, a.body)
	}
	switch a.status {
	case 200, 201:
		var in admittedJSON
		a.read(t, &in)
		if known.id != "" && known.id != in.Sandbox.ID {
			t.Errorf("one key was given the sandboxes %s and %s", known.id, in.Sandbox.ID)
		}
		d.admitted[key] = in.guest()
	case 503:
	default:
		t.Errorf("an admission: %d %.300s", a.status, a.body)
	}
	return true
}

// settle repeats every admission; the day has counted each key once, beside
// the others that it knows of.
func (d *porter) settle(p *program, others int) {
	p.t.Helper()
	ids := map[string]bool{}
	for key := range d.admitted {
		d.ask(p.t, p, key)
		ids[d.admitted[key].id] = true
	}
	if ids[""] {
		p.t.Error("a repeated admission gets no answer")
	}
	var status struct{ Sandboxes struct{ Used int } }
	p.want(ask{method: "GET", path: "/v1/status"}, 200).read(p.t, &status)
	if status.Sandboxes.Used != len(ids)+others {
		p.t.Errorf("%d sandboxes are counted, %d keys and %d others were admitted", status.Sandboxes.Used, len(ids), others)
	}
}

func TestKilledAtAnyInstantItHasLostNothingItAnsweredFor(t *testing.T) {
	t.Parallel()
	rounds := 20
	if testing.Short() {
		rounds = 2
	}
	p, dir := begin(t)
	p.open()
	shops := gather(p, 3, 3)
	hands := &clock{guest: p.enter()}
	door := &porter{}
	slots := p.slots(shops.guests[0])
	answers, open := 0, 0
	for round := range rounds {
		some := slots[round*20 : round*20+20]
		var answered atomic.Int64
		enough, until := make(chan struct{}), 20+rand.Int64N(200)
		count := func(ok bool) bool {
			if answered.Add(1) == until {
				close(enough)
			}
			return ok
		}
		works := []func() bool{
			func() bool { return count(hands.step(t, p)) },
			func() bool { return len(door.admitted) < round*10+10 && count(door.ask(t, p, newKey("door"))) },
		}
		for _, c := range shops.customers {
			works = append(works, func() bool { return count(c.order(t, p, some)) })
		}
		all := together(works...)
		<-enough
		time.Sleep(time.Duration(rand.IntN(3000)) * time.Microsecond) // whatever they are at
		p.kill()
		all.Wait()
		answers += int(answered.Load())

		p = start(t, dir)
		open += shops.settle(p, false)
		hands.settle(p)
		door.settle(p, len(shops.guests)+1)
	}
	t.Logf("%d answers in %d lives, %d orders whose outcome was unknown", answers, rounds, open)

	// What a kill between a hold and its alarm left unarmed, the sweep finds.
	everyHoldEnds(p, shops)
	p.pastTheEnd()
	onlyControlIsLeft(p)
	p.stop()
}

// everyHoldEnds moves the clock past all of them: what is not paid has ended,
// and the books are right.
func everyHoldEnds(p *program, shops *crowd) {
	p.t.Helper()
	p.moveWall(20 * time.Minute)
	expired := 0
	for _, o := range shops.known() {
		if o.state == "placed" {
			o.state = "expired"
			expired++
		}
		o.check(p)
	}
	p.t.Logf("of %d orders %d were left to their holds' end", len(shops.known()), expired)
	for _, g := range shops.guests {
		audit(p, g, shops.known(), false)
		for _, s := range p.slots(g) {
			if s.Held > 0 {
				p.t.Errorf("%d holds of %s have not ended", s.Held, s.ID)
			}
		}
		nothingDue(p, g)
	}
}

// nothingDue wants every end of the guest's shop that has come to be settled,
// and no alarm but for the sandbox's own end.
func nothingDue(p *program, g guest) {
	p.t.Helper()
	now := p.now()
	var got struct {
		Items []struct {
			SK  string
			Due time.Time
		}
	}
	p.want(ask{method: "GET", path: "/_local/items?hub=" + g.id}, 200).read(p.t, &got)
	for _, i := range got.Items {
		if kind, _, _ := strings.Cut(i.SK, "#"); !i.Due.IsZero() && kind == "slot" {
			p.t.Errorf("%s is still due at %s, it is %s", i.SK, i.Due, now)
		}
	}
	for _, s := range p.schedules() {
		if s.Hub == g.id && s.At.Before(g.ends) {
			p.t.Errorf("the alarm %s is left at %s", s.Name, now)
		}
	}
}

// onlyControlIsLeft wants every sandbox to be gone.
func onlyControlIsLeft(p *program) {
	p.t.Helper()
	var got struct {
		Hubs []struct {
			Hub   string
			Count int
		}
	}
	p.want(ask{method: "GET", path: "/_local/items"}, 200).read(p.t, &got)
	for _, h := range got.Hubs {
		if h.Hub != "control" {
			p.t.Errorf("%d items are left of sandbox %s", h.Count, h.Hub)
		}
	}
}

func TestWithThreeOfTenTableCallsFailingEveryRequestGetsASoundAnswer(t *testing.T) {
	t.Parallel()
	each := 60
	if testing.Short() {
		each = 15
	}
	p, _ := begin(t)
	p.open()
	shops := gather(p, 2, 3)
	hands := &clock{guest: p.enter()}
	door := &porter{}
	slots := p.slots(shops.guests[0])[:20]
	reader := shops.guests[0]
	date := slots[0].ID[:4] + "-" + slots[0].ID[4:6] + "-" + slots[0].ID[6:8]
	var unavailable atomic.Int64
	look := func(a ask) int {
		got, err := p.send(a)
		if err != nil {
			t.Errorf("%s %s: %v", a.method, a.path, err)
			return 0
		}
		if wrong := malformed(got); wrong != "" {
			t.Errorf("%s %s: %s: %d %.300s", a.method, a.path, wrong, got.status, got.body)
		}
		if got.status == 503 {
			unavailable.Add(1)
		}
		return got.status
	}

	p.fail(0.3)
	times := func(n int, work func() bool) func() bool {
		return func() bool { n--; return work() && n > 0 }
	}
	works := []func() bool{
		times(each, func() bool { return hands.step(t, p) }),
		times(each, func() bool {
			for _, path := range []string{"/v1/orders?q=place&limit=20", "/v1/slots?date=" + date, "/v1/slots?days=14&date=" + date,
				"/v1/menu", "/v1/events?limit=100", "/v1/sandbox", "/v1/session", "/v1/status", "/v1/slots/" + slots[0].ID} {
				if s := look(ask{method: "GET", path: path, token: reader.token}); s != 200 && s != 503 {
					t.Errorf("GET %s: %d", path, s)
				}
			}
			return true
		}),
		// Admits, and wipes every other of them.
		times(each/2, func() bool {
			ok := door.ask(t, p, newKey("door"))
			if g := door.admitted[door.at]; ok && g.id != "" && len(door.admitted)%2 == 0 {
				look(ask{method: "DELETE", path: "/v1/sandbox", token: g.token})
			}
			return ok
		}),
	}
	for _, c := range shops.customers {
		works = append(works, times(each, func() bool { return c.order(t, p, slots) }))
	}
	together(works...).Wait()
	p.fail(0)

	open := shops.settle(p, true)
	t.Logf("%d orders, of which %d had no outcome; %d other requests were answered 503", len(shops.known()), open, unavailable.Load())
	if open == 0 || unavailable.Load() == 0 {
		t.Error("no request met with a fault")
	}
	hands.settle(p)
	var used struct{ Sandboxes struct{ Used int } }
	for key, g := range door.admitted {
		a := p.want(admission(key), 200, 201, 410)
		if a.status == 410 {
			continue // wiped
		}
		var in admittedJSON
		a.read(t, &in)
		if g.id != "" && in.Sandbox.ID != g.id {
			t.Errorf("one key was given the sandboxes %s and %s", g.id, in.Sandbox.ID)
		}
		p.want(ask{method: "DELETE", path: "/v1/sandbox", token: in.Session.Token}, 204)
		var left struct{ Count int }
		p.want(ask{method: "GET", path: "/_local/items?hub=" + in.Sandbox.ID}, 200).read(t, &left)
		if left.Count != 0 {
			t.Errorf("%d items are left after a wipe", left.Count)
		}
	}
	p.want(ask{method: "GET", path: "/v1/status"}, 200).read(t, &used)
	if want := len(door.admitted) + len(shops.guests) + 1; used.Sandboxes.Used != want {
		t.Errorf("%d sandboxes are counted, %d keys were admitted", used.Sandboxes.Used, want)
	}
	everyHoldEnds(p, shops)
	p.pastTheEnd()
	onlyControlIsLeft(p)
	p.stop()
}

func TestToldToStopItAnswersWhatHasBegunAndEndsWell(t *testing.T) {
	t.Parallel()
	p, dir := begin(t)
	p.open()
	shops := gather(p, 2, 4)
	slots := p.slots(shops.guests[0])
	// A connection a request: one that the program has taken up is answered,
	// and one that it has not is refused.
	p.client.CloseIdleConnections()
	p.client = newClient()
	p.client.Transport.(*http.Transport).DisableKeepAlives = true
	var answered atomic.Int64
	enough := make(chan struct{})
	var works []func() bool
	for _, c := range shops.customers {
		works = append(works, func() bool {
			if !c.order(t, p, slots[:100]) {
				return false
			}
			if answered.Add(1) == 100 {
				close(enough)
			}
			return true
		})
	}
	all := together(works...)
	<-enough
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	all.Wait()
	p.ended()
	p.checkLog()

	p = start(t, dir)
	unheard := 0
	for _, o := range shops.known() {
		if o.open == "" {
			continue
		}
		unheard++
		o.open = ""
		o.check(p) // of what was refused there is no trace
		if o.ref == "" && slices.ContainsFunc(p.orders(o.guest, slots[0].ID), func(got orderJSON) bool { return got.Name == o.key }) {
			t.Errorf("a placement that got no answer was made all the same")
		}
	}
	for _, g := range shops.guests {
		audit(p, g, shops.known(), false)
	}
	t.Logf("%d orders were answered, %d requests refused", len(shops.known())-unheard, unheard)
	p.stop()
}
