package web_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	mathrand "math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pocbakery/pkg/admission"
	"pocbakery/pkg/alarm"
	"pocbakery/pkg/app"
	"pocbakery/pkg/human"
	"pocbakery/pkg/local"
	"pocbakery/pkg/store/mem"
)

// house is the bakery in memory, whose wall clock stands where a test puts it.
// Its alarms are kept and never fire by themselves.
type house struct {
	t   *testing.T
	app *app.App
	at  *clock
	bells

	siteverify *local.Siteverify // the human check's other side
}

type clock struct {
	mu sync.Mutex
	t  time.Time
	// running is the instant since which the clock runs; zero where it stands.
	running time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running.IsZero() {
		return c.t
	}
	return c.t.Add(time.Since(c.running))
}

func (c *clock) Set(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = t
}

func (c *clock) Run() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running = time.Now()
}

// morning is a Saturday, 09:37 in Stockholm.
var morning = time.Date(2026, 12, 5, 8, 37, 0, 0, time.UTC)

func newHouse(t *testing.T, change ...func(*app.Config)) *house {
	t.Helper()
	h := &house{t: t, at: &clock{t: morning}}
	h.siteverify = local.NewSiteverify(h.at.Now)
	other := httptest.NewServer(h.siteverify)
	t.Cleanup(other.Close)
	check, err := human.New(human.Config{Secret: human.AlwaysPasses, Address: other.URL + local.SiteverifyPath})
	if err != nil {
		t.Fatal(err)
	}
	// Every visitor of these tests comes from one address.
	settings := admission.DefaultSettings()
	settings.RateLimit = admission.Off
	c := app.Config{
		Human: check,
		Table: mem.New(nil), Alarms: &h.bells, Clock: h.at.Now,
		Secrets: [][]byte{[]byte("a secret of the tests, long enough")}, Random: rand.Reader, Marks: mathrand.Uint64,
		WipeGrace: 45 * time.Second, Settings: settings, Log: slog.New(slog.DiscardHandler), Metrics: io.Discard,
	}
	for _, f := range change {
		f(&c)
	}
	h.app = app.New(c)
	return h
}

// bells are alarms kept in memory.
type bells struct {
	mu   sync.Mutex
	kept []alarm.Schedule
}

func (b *bells) Create(_ context.Context, s alarm.Schedule) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !slices.Contains(b.kept, s) {
		b.kept = append(b.kept, s)
	}
	return nil
}

func (b *bells) List(_ context.Context, hub string) (found []alarm.Schedule, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range b.kept {
		if s.Hub == hub {
			found = append(found, s)
		}
	}
	slices.SortFunc(found, func(x, y alarm.Schedule) int { return x.At.Compare(y.At) })
	return found, nil
}

func (b *bells) Delete(_ context.Context, s alarm.Schedule) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.kept = slices.DeleteFunc(b.kept, func(k alarm.Schedule) bool { return k == s })
	return nil
}

// visitor is a browser without JavaScript: a cookie jar that follows forms.
type visitor struct {
	*house
	cookie string
}

// answer is a page as it was answered.
type answer struct {
	t *testing.T
	*http.Response
	body string
}

func (v *visitor) do(method, path string, form url.Values, change ...func(*http.Request)) answer {
	v.t.Helper()
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	r := httptest.NewRequest(method, path, body)
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if v.cookie != "" {
		r.Header.Set("Cookie", v.cookie)
	}
	for _, f := range change {
		f(r)
	}
	w := httptest.NewRecorder()
	v.app.Handler.ServeHTTP(w, r)
	res := w.Result()
	for _, c := range res.Cookies() {
		v.cookie = c.Name + "=" + c.Value
	}
	b, err := io.ReadAll(res.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return answer{v.t, res, string(b)}
}

func (v *visitor) get(path string, change ...func(*http.Request)) answer {
	v.t.Helper()
	return v.do(http.MethodGet, path, nil, change...)
}

func (v *visitor) post(path string, form url.Values, change ...func(*http.Request)) answer {
	v.t.Helper()
	return v.do(http.MethodPost, path, form, change...)
}

// comesAs signs a new visitor in.
func (h *house) comesAs(who string) *visitor {
	h.t.Helper()
	v := &visitor{house: h}
	a := v.post("/sign-in", comesIn(who, v.get("/sign-in").key("/sign-in")))
	a.goesTo("/shop")
	return v
}

// comesIn is the form that lends a sandbox, with the box ticked.
func comesIn(as, key string) url.Values {
	return url.Values{"as": {as}, "key": {key}, "cf-turnstile-response": {human.TestToken}}
}

// orders places an order and returns the path of its page.
func (v *visitor) orders(pickup string, more ...string) string {
	v.t.Helper()
	form := url.Values{"key": {v.get("/shop").key("/shop")}, "pickup": {pickup}, "qty.cardamom-bun": {"2"}}
	for i := 0; i+1 < len(more); i += 2 {
		form.Set(more[i], more[i+1])
	}
	a := v.post("/shop", form)
	if a.StatusCode != http.StatusSeeOther {
		v.t.Fatalf("placing answered %d: %s", a.StatusCode, a.text())
	}
	return a.Header.Get("Location")
}

// key is the idempotency key of the page's form for an action.
func (a answer) key(action string) string {
	a.t.Helper()
	m := regexp.MustCompile(`action="` + regexp.QuoteMeta(action) + `"[^>]*>(?s:.*?)name="key" value="([^"]+)"`).FindStringSubmatch(a.body)
	if m == nil {
		a.t.Fatalf("no form for %s: %s", action, a.text())
	}
	return m[1]
}

// text is what the page says, without its markup, for a failure's message.
func (a answer) text() string {
	_, main, _ := strings.Cut(a.body, "<main")
	main = regexp.MustCompile(`<[^>]*>|\s+`).ReplaceAllString("<"+main, " ")
	return main[:min(len(main), 1500)]
}

func (a answer) is(status int) answer {
	a.t.Helper()
	if a.StatusCode != status {
		a.t.Fatalf("answered %d, want %d: %s", a.StatusCode, status, a.text())
	}
	return a
}

func (a answer) goesTo(path string) answer {
	a.t.Helper()
	a.is(http.StatusSeeOther)
	if got := a.Header.Get("Location"); got != path {
		a.t.Fatalf("goes to %q, want %q", got, path)
	}
	return a
}

func (a answer) says(texts ...string) answer {
	a.t.Helper()
	for _, s := range texts {
		if !strings.Contains(a.body, s) {
			a.t.Errorf("does not say %q: %s", s, a.text())
		}
	}
	return a
}

func (a answer) saysNot(texts ...string) answer {
	a.t.Helper()
	for _, s := range texts {
		if strings.Contains(a.body, s) {
			a.t.Errorf("says %q: %s", s, a.text())
		}
	}
	return a
}

// due are the alarms whose instant has come.
func (b *bells) due(now time.Time) (found []alarm.Schedule) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range b.kept {
		if !now.Before(s.At) {
			found = append(found, s)
		}
	}
	return found
}

// capacity edits a slot as the API does.
func (v *visitor) capacity(slot, places string) {
	v.t.Helper()
	r := httptest.NewRequest(http.MethodPatch, "/v1/slots/"+slot, strings.NewReader(`{"capacity":`+places+`}`))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Cookie", v.cookie)
	w := httptest.NewRecorder()
	if v.app.Handler.ServeHTTP(w, r); w.Code != http.StatusOK {
		v.t.Fatalf("capacity of %s: %d %s", slot, w.Code, w.Body)
	}
}

func two(n int) string  { return fmt.Sprintf("%02d", n) }
func four(n int) string { return fmt.Sprintf("%04d", n) }

// Move moves the clock, whether it runs or stands.
func (c *clock) Move(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(by)
}

func formWithKey(key string) url.Values { return url.Values{"key": {key}} }
