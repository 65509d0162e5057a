package web_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"pocbakery/pkg/human"
)

// The attacks that a page of another site makes on a visitor's cookie, in a
// real browser. Each is a form that sends itself, or a fetch.
var (
	attackForms = map[string]string{
		"to enter":              `<form method="post" action="%s/sign-in"><input name="as" value="maja"><input name="key" value="the-key-of-an-attacker-1"><input name="cf-turnstile-response" value="` + human.TestToken + `"></form>`,
		"to order":              `<form method="post" action="%s/shop"><input name="key" value="0123456789"><input name="pickup" value="` + ten15 + `"><input name="qty.cardamom-bun" value="2"></form>`,
		"to wipe":               `<form method="post" action="%s/sandbox/end"><input name="key" value="0123456789"></form>`,
		"to move the clock":     `<form method="post" action="%s/clock/advance"><input name="key" value="0123456789"><input name="seconds" value="900"></form>`,
		"to enter by the API":   `<form method="post" action="%s/v1/sandboxes" enctype="text/plain"><input name='{"kind":"guest","turnstile_token":"` + human.TestToken + `","x":"' value='"}'></form>`,
		"to order by the API":   `<form method="post" action="%s/v1/orders" enctype="text/plain"><input name='{"pickup":"` + ten15 + `","lines":[{"sku":"cardamom-bun","quantity":2}],"note":"' value='"}'></form>`,
		"to advance by the API": `<form method="post" action="%s/v1/sandbox/clock/advance" enctype="text/plain"><input name='{"seconds":900,"x":"' value='"}'></form>`,
	}
	attackFetches = map[string]string{
		"enter":         `fetch(S + "/sign-in", {method: "POST", mode: "no-cors", credentials: "include", body: new URLSearchParams({as: "maja", key: "the-key-of-an-attacker-2", "cf-turnstile-response": "` + human.TestToken + `"})})`,
		"order":         `fetch(S + "/shop", {method: "POST", mode: "no-cors", credentials: "include", body: new URLSearchParams({key: "0123456789", pickup: "` + ten15 + `", "qty.cardamom-bun": 2})})`,
		"wipe":          `fetch(S + "/sandbox/end", {method: "POST", mode: "no-cors", credentials: "include", body: new URLSearchParams({key: "0123456789"})})`,
		"order by API":  `fetch(S + "/v1/orders", {method: "POST", mode: "no-cors", credentials: "include", headers: {"Content-Type": "text/plain"}, body: '{"pickup":"` + ten15 + `","lines":[{"sku":"cardamom-bun","quantity":2}]}'})`,
		"with JSON":     `fetch(S + "/v1/orders", {method: "POST", credentials: "include", headers: {"Content-Type": "application/json", "Idempotency-Key": "0123456789"}, body: '{"pickup":"` + ten15 + `","lines":[{"sku":"cardamom-bun","quantity":2}]}'})`,
		"cancel by API": `fetch(S + "/v1/orders/REF/cancel", {method: "POST", mode: "no-cors", credentials: "include"})`,
		"delete":        `fetch(S + "/v1/sandbox", {method: "DELETE", credentials: "include"})`,
		"read":          `fetch(S + "/v1/sandbox", {credentials: "include"}).then(a => a.text()).then(t => { document.title = "stolen " + t })`,
		"read the page": `fetch(S + "/shop", {credentials: "include"}).then(a => a.text()).then(t => { document.title = "stolen " + t })`,
	}
)

// seen is a command as it came to the bakery from elsewhere.
type seen struct {
	what   string
	cookie bool
	status int
}

// watchedDoor serves a house and notes every unsafe request that a browser
// says is not from the house's own pages.
type watchedDoor struct {
	mu    sync.Mutex
	notes []seen
}

func (d *watchedDoor) in(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := httptest.NewRecorder()
		next.ServeHTTP(rec, r)
		if site := r.Header.Get("Sec-Fetch-Site"); r.Method != http.MethodGet && r.Method != http.MethodOptions && site != "same-origin" {
			_, err := r.Cookie("__Host-session")
			d.mu.Lock()
			d.notes = append(d.notes, seen{r.Method + " " + r.URL.Path, err == nil, rec.Code})
			d.mu.Unlock()
		}
		for name, v := range rec.Header() {
			w.Header()[name] = v
		}
		w.WriteHeader(rec.Code)
		_, _ = io.Copy(w, rec.Body)
	})
}

func (d *watchedDoor) all() []seen {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]seen(nil), d.notes...)
}

// attacker serves pages of another site.
func attacker(t *testing.T, bakery, ref string) (port int) {
	mux := http.NewServeMux()
	mux.HandleFunc("/form/{what}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<!doctype html><title>x</title>"+attackForms[r.PathValue("what")]+"<script>document.forms[0].submit()</script>", bakery)
	})
	mux.HandleFunc("/fetch/{what}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!doctype html><title>x</title><body><script>const S = %q; %s.then(() => 0, () => 0).then(() => { document.body.id = "done" })</script>`, bakery, strings.Replace(attackFetches[r.PathValue("what")], "REF", ref, 1))
	})
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() { _ = s.Close() })
	return l.Addr().(*net.TCPAddr).Port
}

func TestJourneyAPageOfAnotherSiteCannotEnterOrderOrWipeWithTheVisitorsCookie(t *testing.T) {
	h := newHouse(t)
	door := &watchedDoor{}
	origin := h.opensBehind(door.in)
	g := atBrowser(t, origin, true)
	g.goes("/")
	g.presses("Continue as a guest")
	g.sees("None yet.")
	ref := g.orders()
	before := g.holdings()
	g.mayComplain()
	port := attacker(t, origin, ref)

	commands := 0 // that arrive whatever their origin; a browser holds some fetches back
	// A sister site on another port shares the cookie: the browser sends it, and
	// only the check of the origin stands in the way. Another host is sent none.
	for _, host := range []string{"localhost", "127.0.0.1"} {
		commands = len(door.all())
		for what := range attackForms {
			g.does(chromedp.Navigate(fmt.Sprintf("http://%s:%d/form/%s", host, port, strings.ReplaceAll(what, " ", "%20"))))
			commands++
			g.until("the form "+what+" of "+host+" arrives", func() bool { return len(door.all()) >= commands })
		}
		for what := range attackFetches {
			g.does(chromedp.Navigate(fmt.Sprintf("http://%s:%d/fetch/%s", host, port, strings.ReplaceAll(what, " ", "%20"))), chromedp.WaitReady(chromedp.CSS("#done")))
			if title := learns(g, chromedp.Title()); title != "x" {
				t.Errorf("from %s, %s: %s", host, what, title)
			}
		}
	}
	withCookie := 0
	for _, s := range door.all() {
		// The API takes no body that a form can send, and asks first who is there.
		asForm := s.status == http.StatusUnsupportedMediaType && strings.Contains(s.what, "/v1/")
		nobody := s.status == http.StatusUnauthorized && !s.cookie
		if s.status != http.StatusForbidden && !asForm && !nobody {
			t.Errorf("from elsewhere, %s (cookie sent: %v) was answered %d", s.what, s.cookie, s.status)
		}
		if s.cookie {
			withCookie++
		}
	}
	if withCookie < len(attackForms) {
		t.Errorf("only %d commands came with the cookie: this tests nothing", withCookie)
	}
	if after := g.holdings(); after != before {
		t.Errorf("before %s\nafter %s", before, after)
	}
}

// orders places an order through the page, and returns its ref.
func (g *guest) orders() string {
	g.Helper()
	g.goes("/shop?qty.cardamom-bun=2&pickup=" + ten15)
	g.presses("Place the order")
	g.sees("A place is held for you until")
	return g.attribute("[data-order]", "data-order")
}

// holdings is what the visitor has, as their own page sees it.
func (g *guest) holdings() string {
	g.Helper()
	g.goes("/shop")
	return learns(g, chromedp.Evaluate[string](`Promise.all([
		fetch("/v1/sandbox").then(a => a.json()).then(s => s.id + " " + s.clock.offset_seconds),
		fetch("/v1/events?limit=100").then(a => a.json()).then(o => o.events.map(e => e.type).join()),
		fetch("/v1/status").then(a => a.json()).then(s => s.sandboxes.used),
	]).then(all => all.join(" | "))`, chromedp.EvalAwaitPromise))
}

func TestJourneyTheSessionsCookieIsTheBrowsersAlone(t *testing.T) {
	h := newHouse(t)
	g := atBrowser(t, h.opens(), true)
	g.goes("/")
	g.presses("Continue as a guest")
	g.sees("Order for pickup")
	cookies := calls(g, network.GetCookies, network.GetCookiesParams{URLs: []string{g.origin}}).Cookies
	if len(cookies) != 1 {
		t.Fatalf("%d cookies", len(cookies))
	}
	c := *cookies[0]
	// The browser's clock is another than the house's, and it reckons with that.
	lasts := time.Until(time.Unix(int64(c.Expires), 0)) - time.Date(2026, 12, 5, 10, 0, 0, 0, time.UTC).Sub(morning)
	if c.Name != "__Host-session" || !c.Secure || !c.HTTPOnly || c.SameSite != network.CookieSameSiteLax || c.Path != "/" || c.Domain != "localhost" || c.Session || lasts.Abs() > 10*time.Minute {
		shown := c
		shown.Value = ""
		t.Errorf("the cookie is %+v, off by %v", shown, lasts)
	}
	if seen := learns(g, chromedp.Evaluate[string](`document.cookie`)); seen != "" {
		t.Errorf("a script of the page sees %d bytes of cookies", len(seen))
	}
	var who struct{ Session *struct{ Kind string } }
	body := learns(g, chromedp.Evaluate[string](`fetch("/v1/session").then(a => a.text())`, chromedp.EvalAwaitPromise))
	if err := json.Unmarshal([]byte(body), &who); err != nil || who.Session == nil || who.Session.Kind != "guest" {
		t.Errorf("with it, the page is %s", body)
	}
	// Without the prefix's demands a browser takes no cookie of that name.
	for _, set := range []string{"__Host-session=x; path=/", "__Host-session=x; path=/shop; secure", "__Host-session=x; path=/; secure; domain=localhost"} {
		learns(g, chromedp.Evaluate[any](`document.cookie = `+fmt.Sprintf("%q", set)))
	}
	if after := calls(g, network.GetCookies, network.GetCookiesParams{URLs: []string{g.origin}}).Cookies; len(after) != 1 || after[0].Value != c.Value {
		t.Errorf("a script replaced the cookie: %d of them", len(after))
	}
}
