package app_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	mathrand "math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pocbakery/pkg/admission"
	alarmlocal "pocbakery/pkg/alarm/local"
	"pocbakery/pkg/app"
	"pocbakery/pkg/store"
	"pocbakery/pkg/store/bolt"
)

// counter is the bakery over a file, at a clock that the test holds.
type counter struct {
	t       testing.TB
	app     *app.App
	meter   store.Meter
	creates atomic.Int64 // of the scheduler
	ahead   atomic.Int64 // nanoseconds after noon
}

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func (c *counter) now() time.Time { return noon.Add(time.Duration(c.ahead.Load())) }

func openCounter(t testing.TB) *counter {
	t.Helper()
	c := &counter{t: t}
	file, err := bolt.Open(filepath.Join(t.TempDir(), "bakery.db"), &c.meter)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	alarms, err := alarmlocal.New(file, func(op string) {
		if op == "create" {
			c.creates.Add(1)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	settings := admission.DefaultSettings()
	settings.RateLimit = admission.Off // many come from one address
	settings.Cap, settings.GuestShare = 1000, 1000
	c.app = app.New(app.Config{
		Table: file, Alarms: alarms, Clock: c.now, Secrets: [][]byte{[]byte("a master secret of 32 characters")},
		Random: rand.Reader, Marks: mathrand.Uint64, Human: everybody{}, WipeGrace: 45 * time.Second,
		Settings: settings, Log: slog.New(slog.NewTextHandler(complaint{t}, nil)),
	})
	return c
}

// everybody is a person here.
type everybody struct{}

func (everybody) Check(context.Context, string, string) error { return nil }

// complaint makes whatever is logged the test's failure.
type complaint struct{ t testing.TB }

func (c complaint) Write(b []byte) (int, error) {
	c.t.Errorf("logged: %s", b)
	return len(b), nil
}

// visitor is somebody with a session.
type visitor struct {
	*counter
	token, id string
}

// do asks, and wants this status. The answer is read into what is not nil.
func (v visitor) do(want int, method, path, key, body string, into any) {
	v.t.Helper()
	w := v.ask(method, path, key, body)
	if w.Code != want {
		v.t.Errorf("%s %s %s: %d %s, want %d", method, path, body, w.Code, w.Body, want)
		return
	}
	if into != nil {
		if err := json.Unmarshal(w.Body.Bytes(), into); err != nil {
			v.t.Errorf("%s %s: %v", method, path, err)
		}
	}
}

func (v visitor) ask(method, path, key, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	if v.token != "" {
		r.Header.Set("Authorization", "Bearer "+v.token)
	}
	w := httptest.NewRecorder()
	v.app.Handler.ServeHTTP(w, r)
	return w
}

// enter admits a guest.
func (c *counter) enter(name string) visitor {
	c.t.Helper()
	v := visitor{counter: c}
	var in struct {
		Sandbox struct{ ID string }
		Session struct{ Token string }
	}
	v.do(http.StatusCreated, "POST", "/v1/sandboxes", "the-key-of-a-sandbox-of-"+name, `{"kind":"guest","turnstile_token":"a token"}`, &in)
	v.token, v.id = in.Session.Token, in.Sandbox.ID
	return v
}

type placed struct {
	Ref, State, Pickup string
	Total              json.RawMessage
	Revived            bool
}

type room struct {
	ID                                     string
	Capacity, Held, Confirmed, Taken, Free int
}

func (v visitor) slot(id string) (s room) {
	v.t.Helper()
	v.do(200, "GET", "/v1/slots/"+id, "", "", &s)
	return s
}

// The day after tomorrow's, at 10:15 in Stockholm.
const slotID = "20261202T0915Z"

func TestOfAThousandAtOnceForOneSlotOfSixExactlySixArePlacedAndARefusalTakesOneWriteAtMost(t *testing.T) {
	c := openCounter(t)
	v := c.enter("thousand")
	const guests, capacity = 1000, 6
	c.meter.Reset()
	c.creates.Store(0)
	var placed, full, other atomic.Int64
	var all sync.WaitGroup
	gate := make(chan struct{})
	for i := range guests {
		all.Go(func() {
			<-gate
			w := v.ask("POST", "/v1/orders", fmt.Sprintf("thousand-%d", i), order(slotID))
			switch {
			case w.Code == 201:
				placed.Add(1)
			case w.Code == 409 && strings.Contains(w.Body.String(), `"slot-full"`):
				full.Add(1)
			default:
				other.Add(1)
				t.Errorf("%d %s", w.Code, w.Body)
			}
		})
	}
	close(gate)
	all.Wait()
	if placed.Load() != capacity || full.Load() != guests-capacity {
		t.Errorf("%d placed, %d refused, %d else", placed.Load(), full.Load(), other.Load())
	}
	writes := int64(0)
	for name, n := range c.meter.Snapshot() {
		switch name {
		case "put", "update", "delete", "transact":
			writes += n.Requests
		}
	}
	// A placement is two writes, and one for each alarm that it made.
	tried := float64(writes-2*capacity-c.creates.Load()) / float64(full.Load())
	t.Logf("%d writes, %.3f write attempts a refused one", writes, tried)
	if tried > 1.1 {
		t.Errorf("%.3f write attempts a refused one, 1.1 allowed", tried)
	}
	if s := v.slot(slotID); s.Held != capacity || s.Free != 0 || s.Confirmed != 0 {
		t.Errorf("the slot is %+v", s)
	}
}

func TestFiftyVisitorsAtOnceGoTheWholeWayAndTheCountsStayRight(t *testing.T) {
	c := openCounter(t)
	shared := c.enter("shared")
	// Four or five to a slot: with dozens at one slot the losers' tries run out.
	sharedSlot := func(i int) string { return fmt.Sprintf("20261203T%02d%02dZ", 8+i%12/4, 15*(i%4)) }
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			mine := c.enter(fmt.Sprintf("visitor-%d", i))
			journey(mine, fmt.Sprintf("alone-%d", i), slotID, i)
			journey(shared, fmt.Sprintf("together-%d", i), sharedSlot(i), i) // and all of them in one shop
			if s := mine.slot(slotID); s.Held != 0 || s.Confirmed != journeys[i%3].confirmed {
				t.Errorf("after journey %d alone the slot is %+v", i%3, s)
			}
			mine.do(204, "DELETE", "/v1/sandbox", "", "", nil)
			mine.do(410, "GET", "/v1/sandbox", "", "", nil)
		})
	}
	all.Wait()
	want := map[string]int{}
	for i := range 50 {
		want[sharedSlot(i)] += journeys[i%3].confirmed
	}
	for id, confirmed := range want {
		if s := shared.slot(id); s.Held != 0 || s.Confirmed != confirmed || s.Taken != confirmed || s.Free != max(0, s.Capacity-confirmed) {
			t.Errorf("the slot is %+v, want %d confirmed", s, confirmed)
		}
	}
}

// journeys are what a visitor may do with a placed order.
var journeys = []struct {
	steps     []string
	confirmed int
}{
	{[]string{"pay", "pay again", "collect"}, 1},
	{[]string{"pay", "cancel"}, 0},
	{[]string{"cancel", "pay late"}, 0},
}

// journey is one visitor's way, from the menu to the order's end.
func journey(v visitor, name, slot string, nth int) {
	var menu struct {
		Items []struct{ SKU string }
	}
	v.do(200, "GET", "/v1/menu", "", "", &menu)
	v.do(200, "PATCH", "/v1/slots/"+slot, "", `{"capacity":7}`, nil)
	v.do(200, "GET", "/v1/slots?date=2026-12-02&days=2", "", "", nil)
	var o, again placed
	v.do(201, "POST", "/v1/orders", "place-"+name, order(slot), &o)
	v.do(200, "POST", "/v1/orders", "place-"+name, order(slot), &again)
	if o.Ref != again.Ref || o.Ref == "" {
		v.t.Errorf("one key placed %q and %q", o.Ref, again.Ref)
		return
	}
	path, amount := "/v1/orders/"+o.Ref, `{"amount":`+string(o.Total)+`}`
	var got struct{ Payment struct{ State string } }
	pay := func(key, state string) {
		if v.do(200, "POST", path+"/payments", key+"-"+name, amount, &got); got.Payment.State != state {
			v.t.Errorf("the payment is %s, want %s", got.Payment.State, state)
		}
	}
	for _, step := range journeys[nth%3].steps {
		switch step {
		case "pay":
			pay("pays-once", "accepted")
		case "pay again":
			pay("pays-once", "accepted")
			pay("pays-twice", "duplicate")
		case "pay late":
			pay("pays-late", "late")
		case "collect":
			v.do(200, "POST", path+"/collect", "", "", nil)
			v.do(409, "POST", path+"/cancel", "", "", nil)
		case "cancel":
			v.do(200, "POST", path+"/cancel", "", "", nil)
		}
	}
	v.do(200, "GET", path, "", "", nil)
	v.do(200, "GET", "/v1/orders?date=2026-12-02&limit=10", "", "", nil)
	v.do(200, "GET", "/v1/events?limit=100", "", "", nil)
}

func TestTheLoansOfOneSandboxAreInvisibleToAnother(t *testing.T) {
	c := openCounter(t)
	a, b := c.enter("first"), c.enter("second")
	var o placed
	b.do(201, "POST", "/v1/orders", "place-of-b", order(slotID), &o)
	path := "/v1/orders/" + o.Ref
	for _, ask := range []struct{ method, path, body string }{
		{"GET", path, ""}, {"POST", path + "/payments", `{"amount":` + string(o.Total) + `}`},
		{"POST", path + "/cancel", ""}, {"POST", path + "/collect", ""},
	} {
		var no struct{ Code string }
		if a.do(404, ask.method, ask.path, "a-key-of-a", ask.body, &no); no.Code != "no-such-order" {
			t.Errorf("%s %s: %s", ask.method, ask.path, no.Code)
		}
	}
	if s := a.slot(slotID); s.Taken != 0 {
		t.Errorf("a's slot has b's hold: %+v", s)
	}
	a.do(200, "PATCH", "/v1/slots/"+slotID, "", `{"capacity":0}`, nil)
	a.do(200, "PATCH", "/v1/menu/cardamom-bun", "", `{"available":false}`, nil)
	a.do(200, "POST", "/v1/sandbox/clock/advance", "", `{"seconds":3600}`, nil)
	if s := b.slot(slotID); s.Capacity != 6 || s.Held != 1 {
		t.Errorf("b's slot is %+v", s)
	}
	for _, list := range []string{"/v1/orders?date=2026-12-02", "/v1/orders?q=" + o.Ref, "/v1/events"} {
		if w := a.ask("GET", list, "", ""); w.Code != 200 || strings.Contains(w.Body.String(), o.Ref) {
			t.Errorf("GET %s of a: %d, and b's order in it", list, w.Code)
		}
	}
	// The same key of another sandbox is another order.
	var mine placed
	a.do(422, "POST", "/v1/orders", "place-of-b", order("20261202T0930Z"), nil) // sold out here
	a.do(200, "PATCH", "/v1/menu/cardamom-bun", "", `{"available":true}`, nil)
	a.do(200, "PATCH", "/v1/slots/"+slotID, "", `{"capacity":6}`, nil)
	if a.do(201, "POST", "/v1/orders", "place-of-b", order(slotID), &mine); mine.Ref == o.Ref {
		t.Errorf("two sandboxes have the order %s", o.Ref)
	}
	a.do(204, "DELETE", "/v1/sandbox", "", "", nil)
	a.do(410, "GET", path, "", "", nil)
	var still placed
	if b.do(200, "GET", path, "", "", &still); still.State != "placed" {
		t.Errorf("b's order is %s", still.State)
	}
}
