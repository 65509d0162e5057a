package api

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"pocbakery/pkg/access"
	"pocbakery/pkg/admission"
	"pocbakery/pkg/bakery"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/refusal"
	"pocbakery/pkg/sandbox"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 5_000_000, time.UTC)

const (
	slotA  = bakery.SlotID("20261205T0915Z")
	slotB  = bakery.SlotID("20261205T0930Z")
	theHub = hub.ID("a2b3c4d5e6f7g2h3i4j5k6l7m2")
	aKey   = "0f8fad5b-d9cb-469f-a165-70867728950e"
)

// fakeShop keeps what a shop keeps: no slot above its capacity, one order a
// key, and an end for each hold. It decides at noon, always.
type fakeShop struct {
	mu        sync.Mutex
	available map[string]bool
	slots     map[bakery.SlotID]*bakery.SlotView
	orders    map[bakery.OrderRef]*bakery.OrderView
	bodies    map[string]string // of keys
	keys      map[string]bakery.OrderRef
	events    []hub.Event

	fail    error             // instead of any answer
	hook    func()            // at the start of each call
	asked   int               // calls
	lastCtx context.Context   // of the last call
	query   bakery.OrderQuery // of the last list
	ifRev   string            // of the last edit
	refs    []string          // asked for
}

func newFakeShop() *fakeShop {
	f := &fakeShop{available: map[string]bool{"cardamom-bun": true, "semla": false}, slots: map[bakery.SlotID]*bakery.SlotView{},
		orders: map[bakery.OrderRef]*bakery.OrderView{}, bodies: map[string]string{}, keys: map[string]bakery.OrderRef{}}
	for _, id := range []bakery.SlotID{slotA, slotB} {
		at, _ := id.Start()
		f.slots[id] = &bakery.SlotView{ID: id, StartsAt: at, Local: at.Add(time.Hour).Format("15:04"), Capacity: 2}
	}
	f.events = []hub.Event{{Type: hub.SandboxBorn, Wall: noon, At: noon}, {Type: hub.ClockAdvanced, Wall: noon, At: noon, Seconds: 900}}
	return f
}

func (f *fakeShop) begin(ctx context.Context) (func(), error) {
	f.mu.Lock()
	f.asked++
	f.lastCtx = ctx
	if f.hook != nil {
		defer f.mu.Unlock()
		f.hook()
		return func() {}, f.fail
	}
	return f.mu.Unlock, f.fail
}

func (f *fakeShop) Zone() string { return "Europe/Stockholm" }

func (f *fakeShop) product(sku string) bakery.Product {
	return bakery.Product{SKU: sku, Name: "A bun", Description: "Of wheat.", Price: bakery.Money{Amount: 450, Currency: "SEK"}, Available: f.available[sku]}
}

func (f *fakeShop) Menu(ctx context.Context, _ hub.Who) (m bakery.Menu, err error) {
	done, err := f.begin(ctx)
	defer done()
	for _, sku := range slices.Sorted(maps.Keys(f.available)) {
		m = append(m, f.product(sku))
	}
	return m, err
}

func (f *fakeShop) SetAvailable(ctx context.Context, _ hub.Who, sku string, available bool) (bakery.Product, error) {
	done, err := f.begin(ctx)
	defer done()
	if err != nil {
		return bakery.Product{}, err
	}
	if _, ok := f.available[sku]; !ok {
		return bakery.Product{}, refusal.At(refusal.UnknownSKU, "sku", "No such item.")
	}
	f.available[sku] = available
	return f.product(sku), nil
}

func (f *fakeShop) Days(ctx context.Context, _ hub.Who, from bakery.Date, days int) (out []bakery.Day, err error) {
	done, err := f.begin(ctx)
	defer done()
	for n := range days {
		day := bakery.Day{Date: from.AddDays(n)}
		for _, id := range slices.Sorted(maps.Keys(f.slots)) {
			if strings.HasPrefix(string(id), strings.ReplaceAll(day.Date.String(), "-", "")) {
				day.Slots = append(day.Slots, *f.slots[id])
			}
		}
		out = append(out, day)
	}
	return out, err
}

func (f *fakeShop) slot(id bakery.SlotID) (*bakery.SlotView, error) {
	if s, ok := f.slots[id]; ok {
		return s, nil
	}
	return nil, refusal.New(refusal.NoSuchSlot, "No such slot.")
}

func (f *fakeShop) Slot(ctx context.Context, _ hub.Who, id bakery.SlotID) (bakery.SlotView, error) {
	done, err := f.begin(ctx)
	defer done()
	if err != nil {
		return bakery.SlotView{}, err
	}
	s, err := f.slot(id)
	if err != nil {
		return bakery.SlotView{}, err
	}
	return *s, nil
}

func (f *fakeShop) SetCapacity(ctx context.Context, _ hub.Who, id bakery.SlotID, capacity int, ifRev string) (bakery.SlotView, error) {
	done, err := f.begin(ctx)
	defer done()
	f.ifRev = ifRev
	if err != nil {
		return bakery.SlotView{}, err
	}
	s, err := f.slot(id)
	if err != nil {
		return bakery.SlotView{}, err
	}
	if ifRev != "" && ifRev != fmt.Sprint(s.Rev) {
		return bakery.SlotView{}, refusal.New(refusal.ChangedMeanwhile, "Changed.")
	}
	s.Capacity, s.Rev = capacity, s.Rev+1
	return *s, nil
}

func (f *fakeShop) Place(ctx context.Context, who hub.Who, key string, p bakery.Placement) (bakery.OrderView, bool, error) {
	done, err := f.begin(ctx)
	defer done()
	if err != nil {
		return bakery.OrderView{}, false, err
	}
	s, err := f.slot(p.Pickup)
	if err != nil {
		return bakery.OrderView{}, false, err
	}
	key = string(who.Hub) + "/" + string(p.Pickup) + "/" + key
	if ref, ok := f.keys[key]; ok {
		if f.bodies[key] != fmt.Sprint(p) {
			return bakery.OrderView{}, false, refusal.New(refusal.KeyReused, "Another body.")
		}
		return *f.orders[ref], true, nil
	}
	for i, l := range p.Lines {
		if available, known := f.available[l.SKU]; !known {
			return bakery.OrderView{}, false, refusal.At(refusal.UnknownSKU, fmt.Sprintf("lines[%d].sku", i), "No such item.")
		} else if !available {
			return bakery.OrderView{}, false, refusal.At(refusal.SoldOut, fmt.Sprintf("lines[%d].sku", i), "Sold out.")
		}
	}
	if s.Free() == 0 {
		return bakery.OrderView{}, false, refusal.New(refusal.SlotFull, "Full.").With(bakery.Full{NextFree: f.slots[slotB], EarliestHoldEnd: noon.Add(15 * time.Minute)}).After(15*time.Minute - time.Millisecond)
	}
	s.Held++
	s.Rev++
	o := bakery.OrderView{Now: noon, Order: bakery.Order{Slot: p.Pickup, Code: bakery.Code(fmt.Sprintf("%010d", len(f.orders))), State: bakery.Placed,
		Name: p.Name, Note: p.Note, PlacedAt: noon, HoldEnd: noon.Add(15 * time.Minute)}}
	for _, l := range p.Lines {
		o.Lines = append(o.Lines, bakery.Line{SKU: l.SKU, Quantity: l.Quantity, UnitPrice: bakery.Money{Amount: 450, Currency: "SEK"}})
	}
	o.History = []hub.Event{{Type: bakery.OrderPlaced, Wall: noon, At: noon, Slot: string(o.Slot), Ref: string(o.Ref())}}
	f.orders[o.Ref()], f.keys[key], f.bodies[key] = &o, o.Ref(), fmt.Sprint(p)
	return o, false, nil
}

func (f *fakeShop) find(ref bakery.OrderRef) (*bakery.OrderView, error) {
	f.refs = append(f.refs, string(ref))
	if o, ok := f.orders[ref]; ok {
		return o, nil
	}
	return &bakery.OrderView{}, refusal.New(refusal.NoSuchOrder, "No such order.")
}

func (f *fakeShop) Order(ctx context.Context, _ hub.Who, ref bakery.OrderRef) (bakery.OrderView, error) {
	done, err := f.begin(ctx)
	defer done()
	o, none := f.find(ref)
	return *o, cmpErr(err, none)
}

func (f *fakeShop) Orders(ctx context.Context, _ hub.Who, q bakery.OrderQuery) (page bakery.OrderPage, err error) {
	done, err := f.begin(ctx)
	defer done()
	f.query = q
	for _, ref := range slices.Backward(slices.Sorted(maps.Keys(f.orders))) {
		if string(ref) < cmp.Or(q.Cursor, "~") && len(page.Orders) < q.Limit {
			page.Orders = append(page.Orders, *f.orders[ref])
		}
	}
	if n := len(page.Orders); n == q.Limit {
		page.Next = string(page.Orders[n-1].Ref())
	}
	return page, err
}

func (f *fakeShop) Pay(ctx context.Context, _ hub.Who, ref bakery.OrderRef, key string, amount bakery.Money) (bakery.Payment, bakery.OrderView, bool, error) {
	done, err := f.begin(ctx)
	defer done()
	o, none := f.find(ref)
	if err = cmpErr(err, none); err != nil {
		return bakery.Payment{}, bakery.OrderView{}, false, err
	}
	if amount != bakery.Total(o.Lines) {
		return bakery.Payment{}, bakery.OrderView{}, false, refusal.At(refusal.AmountMismatch, "amount", "Not the total.")
	}
	for _, p := range o.Payments {
		if p.ID == "p-"+key {
			return p, *o, true, nil
		}
	}
	p := bakery.Payment{ID: "p-" + key, State: bakery.PaymentAccepted, Amount: amount, At: noon}
	if o.State == bakery.Paid {
		p.State = bakery.PaymentDuplicate
		o.Refunds = append(o.Refunds, bakery.Refund{ID: "r-" + key, Payment: p.ID, Reason: bakery.RefundDuplicate, Amount: amount})
	} else {
		f.slots[o.Slot].Held--
		f.slots[o.Slot].Confirmed++
		o.History = append(o.History, hub.Event{Type: bakery.HoldConfirmed, Wall: noon, At: noon, Slot: string(o.Slot), Ref: string(ref)})
	}
	o.State, o.Payments = bakery.Paid, append(o.Payments, p)
	return p, *o, false, nil
}

func (f *fakeShop) Cancel(ctx context.Context, _ hub.Who, ref bakery.OrderRef) (bakery.OrderView, error) {
	done, err := f.begin(ctx)
	defer done()
	o, none := f.find(ref)
	if err = cmpErr(err, none); err == nil {
		o.State = bakery.Cancelled
	}
	return *o, err
}

func (f *fakeShop) Collect(ctx context.Context, _ hub.Who, ref bakery.OrderRef) (bakery.OrderView, error) {
	done, err := f.begin(ctx)
	defer done()
	o, none := f.find(ref)
	if err = cmpErr(err, none); err == nil && o.State != bakery.Paid {
		err = refusal.New(refusal.OrderNotPaid, "Not paid.")
	}
	return *o, err
}

func (f *fakeShop) Events(ctx context.Context, _ hub.Who, q bakery.EventQuery) ([]hub.Event, string, error) {
	done, err := f.begin(ctx)
	defer done()
	var out []hub.Event
	next := q.After
	after, _ := hub.After(q.After)
	for _, e := range f.events {
		if e.ID() > after && len(out) < q.Limit {
			out, next = append(out, e), e.ID()
		}
	}
	return out, next, err
}

func cmpErr(errs ...error) error { return cmp.Or(errs...) }

// fakeSandboxes is one sandbox and its life.
type fakeSandboxes struct {
	root    hub.Root
	revoked map[string]bool
	fail    error
	keys    map[string]time.Duration
}

func (f *fakeSandboxes) Read(_ context.Context, who hub.Who) (hub.View, error) {
	switch {
	case f.fail != nil:
		return hub.View{}, f.fail
	case f.root.Over || who.Hub != f.root.ID:
		return hub.View{}, hub.Over()
	case f.revoked[who.Session]:
		return hub.View{}, refusal.New(refusal.Unauthenticated, "Signed out.")
	}
	return hub.View{Root: f.root, Now: f.root.Now(noon)}, nil
}

func (f *fakeSandboxes) Wipe(ctx context.Context, who hub.Who) error {
	_, err := f.Read(ctx, who)
	f.root.Over = true
	return err
}

func (f *fakeSandboxes) Revoke(ctx context.Context, who hub.Who) error {
	_, err := f.Read(ctx, who)
	if err == nil {
		f.revoked[who.Session] = true
	}
	return err
}

func (f *fakeSandboxes) Advance(ctx context.Context, who hub.Who, by time.Duration, key string) (sandbox.Advanced, error) {
	if _, err := f.Read(ctx, who); err != nil {
		return sandbox.Advanced{}, err
	}
	_, replayed := f.keys[key]
	if key == "" || !replayed {
		f.root.Offset += by
		f.keys[key] = by
	}
	return sandbox.Advanced{Now: f.root.Now(noon), Offset: f.root.Offset, Replayed: key != "" && replayed, Events: []hub.Event{
		{Type: bakery.HoldReleased, Slot: string(slotA), Ref: "r1", Reason: bakery.ReasonHoldExpired},
		{Type: bakery.HoldReleased, Slot: string(slotA), Ref: "r2", Reason: bakery.ReasonCancelled},
		{Type: bakery.OrderExpired, Slot: string(slotA), Ref: "r1"},
	}}, nil
}

// fakeDesk lends its one sandbox to whoever comes, once a key.
type fakeDesk struct {
	sandboxes *fakeSandboxes
	sessions  *access.Sessions
	asked     []admission.Request
	fail      error
	late      bool // a repeat comes too late for a session
}

func (f *fakeDesk) Admit(_ context.Context, r admission.Request) (admission.Admitted, error) {
	if f.fail != nil {
		return admission.Admitted{}, f.fail
	}
	if r.Kind == admission.Account && r.Subject == "" {
		return admission.Admitted{}, refusal.New(refusal.Unauthenticated, "Nobody is signed in.")
	}
	a := admission.Admitted{Root: f.sandboxes.root, Now: f.sandboxes.root.Now(noon), Role: hub.Baker, SessionEnds: f.sandboxes.root.EndsAt}
	a.Replayed = slices.ContainsFunc(f.asked, func(o admission.Request) bool { return o.Key == r.Key })
	f.asked = append(f.asked, r)
	if !f.late {
		a.Session = f.sessions.Sign(sessionOf(hub.Baker))
	}
	return a, nil
}

func (f *fakeDesk) Status(context.Context) (admission.Status, error) {
	return admission.Status{Date: "2026-11-30", Flag: "on", Sandboxes: admission.Count{Used: 1, Cap: 300}, Guests: admission.Count{Used: 1, Cap: 200},
		Demo: admission.Count{Cap: 50}, ResetsAt: noon.Add(12 * time.Hour), Now: noon}, f.fail
}

// Ticket makes a ticket of whoever is let in.
func (f *fakeSandboxes) Ticket(ctx context.Context, who hub.Who) (string, time.Time, error) {
	_, err := f.Read(ctx, who)
	return "lt1.ticket", noon.Add(time.Minute), err
}

// house is the HTTP layer over fakes, and what it logged.
type house struct {
	t         testing.TB
	shop      *fakeShop
	sandboxes *fakeSandboxes
	desk      *fakeDesk
	tokens    *fakeTokens
	traffic   *fakeTraffic
	planner   *fakePlanner
	sessions  *access.Sessions
	accounts  *fakeAccounts
	log       *bytes.Buffer
	pages     http.Handler
	handler   http.Handler
}

func newHouse(t testing.TB) *house {
	h := &house{t: t, shop: newFakeShop(), log: &bytes.Buffer{}, tokens: &fakeTokens{}, traffic: &fakeTraffic{}, planner: newFakePlanner(), sessions: access.NewSessions(bytes.Repeat([]byte("m"), access.MinMasterBytes))}
	h.sandboxes = &fakeSandboxes{revoked: map[string]bool{}, keys: map[string]time.Duration{},
		root: hub.Root{ID: theHub, Exists: true, Kind: "guest", BornAt: noon.Add(-time.Hour), EndsAt: noon.Add(22 * time.Hour)}}
	h.accounts = &fakeAccounts{sessions: h.sessions}
	h.desk = &fakeDesk{sandboxes: h.sandboxes, sessions: h.sessions}
	h.pages = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/panic" {
			panic("a page broke")
		}
		_, _ = io.WriteString(w, "<html>"+r.URL.Path)
	})
	h.handler = New(Config{Shop: h.shop, Sandboxes: h.sandboxes, Desk: h.desk, Sessions: h.sessions, Accounts: h.accounts, Revoker: h.sandboxes, Tokens: h.tokens, Traffic: h.traffic, Planner: h.planner, Live: h.sandboxes,
		Clock: func() time.Time { return noon }, Log: slog.New(slog.NewJSONHandler(h.log, nil)), Pages: h.pages})
	return h
}

func sessionOf(role hub.Role) access.Session {
	return access.Session{Hub: theHub, Kind: "guest", Role: role, ID: "session-of-" + string(role), EndsAt: noon.Add(22 * time.Hour)}
}

func (h *house) token(role hub.Role) string { return h.sessions.Sign(sessionOf(role)) }

// ask sends a request as a baker with a token; a header given as "" is left out.
func (h *house) ask(method, target, body string, headers ...string) answer {
	h.t.Helper()
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	if body == "" {
		r = httptest.NewRequest(method, target, nil)
	}
	r.Header.Set("Authorization", "Bearer "+h.token(hub.Baker))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set(keyHeader, aKey)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Del(headers[i])
		if headers[i+1] != "" {
			r.Header.Set(headers[i], headers[i+1])
		}
	}
	return h.send(r)
}

func (h *house) send(r *http.Request) answer {
	h.t.Helper()
	w := httptest.NewRecorder()
	h.handler.ServeHTTP(w, r)
	return read(h.t, w.Result(), r.Method)
}

// answer is an answer that was found well-formed.
type answer struct {
	t      testing.TB
	status int
	header http.Header
	raw    string
	json   map[string]any
}

// read reads an answer and checks what is true of every one.
func read(t testing.TB, r *http.Response, method string) answer {
	t.Helper()
	defer r.Body.Close()
	raw, _ := io.ReadAll(r.Body)
	a := answer{t: t, status: r.StatusCode, header: r.Header, raw: string(raw)}
	if got := r.Header.Get("Date"); got != "Mon, 30 Nov 2026 12:00:00 GMT" {
		t.Errorf("Date is %q", got)
	}
	if r.StatusCode >= 300 && r.StatusCode < 400 && r.StatusCode != 304 && !strings.HasPrefix(r.Header.Get("Location"), "https://google.example/") {
		t.Errorf("a redirect: %d", r.StatusCode)
	}
	if r.StatusCode == http.StatusInternalServerError {
		t.Logf("500: %s", raw)
	}
	if method == http.MethodHead || r.StatusCode == http.StatusNoContent {
		if len(raw) > 0 {
			t.Errorf("a body where none belongs: %s", raw)
		}
		return a
	}
	if strings.Contains(r.Header.Get("Content-Type"), "json") {
		if err := json.Unmarshal(raw, &a.json); err != nil {
			t.Errorf("%d %s: %v", r.StatusCode, raw, err)
		}
	}
	if r.StatusCode >= 400 {
		a.wellFormedProblem()
	}
	return a
}

func (a answer) wellFormedProblem() {
	a.t.Helper()
	code, _ := a.json["code"].(string)
	switch {
	case a.header.Get("Content-Type") != "application/problem+json",
		a.json["type"] != "/problems/"+code, a.json["status"] != float64(a.status),
		a.json["title"] != refusal.Meanings[refusal.Code(code)].Title, a.json["title"] == "",
		a.status == 401 && a.header.Get("Www-Authenticate") != "Bearer",
		a.status == 405 && a.header.Get("Allow") == "":
		a.t.Errorf("not a well-formed problem: %d %v %s", a.status, a.header, a.raw)
	}
}

func (a answer) code() string { s, _ := a.json["code"].(string); return s }

func (a answer) is(status int, code refusal.Code, field string) {
	a.t.Helper()
	got, _ := a.json["field"].(string)
	if a.status != status || a.code() != string(code) || got != field {
		a.t.Errorf("got %d %s field %q, want %d %s field %q: %s", a.status, a.code(), got, status, code, field, a.raw)
	}
}

func (a answer) ok(status int) answer {
	a.t.Helper()
	if a.status != status {
		a.t.Errorf("got %d %s, want %d", a.status, a.raw, status)
	}
	return a
}

const anOrder = `{"pickup":"20261205T0915Z","lines":[{"sku":"cardamom-bun","quantity":2}]}`

var bakeryPlacement = bakery.Placement{Pickup: slotA, Lines: []bakery.Wanted{{SKU: "cardamom-bun", Quantity: 2}}}

func (h *house) logger() *slog.Logger { return slog.New(slog.NewJSONHandler(h.log, nil)) }
