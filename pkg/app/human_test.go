package app_test

import (
	"encoding/json"
	"fmt"
	mathrand "math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pocbakery/pkg/admission"
	"pocbakery/pkg/app"
	"pocbakery/pkg/human"
	"pocbakery/pkg/local"
	"pocbakery/pkg/refusal"
	"pocbakery/pkg/store/faults"
)

const siteSecret = "0x4AAAAAAA-a-secret-of-our-own"

// watched is a bakery with a human check of its own keys, and the other side of
// that, which counts its questions.
type watched struct {
	t    *testing.T
	door http.Handler
	*local.Siteverify
	table *faults.Store
	asked atomic.Int64
}

func watch(t *testing.T) *watched {
	w := &watched{t: t}
	w.Siteverify = local.NewSiteverify(func() time.Time { return noon })
	other := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.asked.Add(1)
		w.Siteverify.ServeHTTP(rw, r)
	}))
	t.Cleanup(other.Close)
	check, err := human.New(human.Config{Secret: siteSecret, Address: other.URL + local.SiteverifyPath, Hostname: "bakery.example", Action: "enter"})
	if err != nil {
		t.Fatal(err)
	}
	c, _ := configOf(t)
	w.table = faults.Wrap(c.Table, mathrand.New(mathrand.NewPCG(1, 2)))
	c.Table, c.Human, c.Settings.RateLimit = w.table, check, admission.Off
	w.door = app.New(c).Handler
	return w
}

// enters asks for a sandbox and returns the status with the sandbox's id or the
// problem's code.
func (w *watched) enters(key, token string) (int, string) {
	w.t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/v1/sandboxes", strings.NewReader(fmt.Sprintf(`{"kind":"guest","turnstile_token":%q}`, token)))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", "the-key-of-a-sandbox-of-"+key)
	rec := httptest.NewRecorder()
	w.door.ServeHTTP(rec, r)
	var a struct {
		Code    string
		Sandbox struct{ ID string }
	}
	if err := json.Unmarshal(rec.Body.Bytes(), &a); err != nil {
		w.t.Fatal(err)
	}
	return rec.Code, a.Sandbox.ID + a.Code
}

// wants is one try and what it is to come to; an id of "" is any.
func (w *watched) wants(key, token string, status int, idOrCode string) string {
	w.t.Helper()
	got, said := w.enters(key, token)
	if got != status || idOrCode != "" && said != idOrCode {
		w.t.Errorf("%s: %d %s, want %d %s", key, got, said, status, idOrCode)
	}
	return said
}

func TestARetryWhoseTokenWasSpentByItsLostFirstTryGetsTheFirstAnswer(t *testing.T) { // Admission 10
	w := watch(t)
	token := w.Issue(siteSecret, "bakery.example", "enter")
	id := w.wants("anna", token, 201, "") // and the answer is lost on its way
	w.wants("anna", token, 200, id)
	w.wants("anna", "another token", 200, id)
	w.wants("bert", token, 403, "turnstile-failed")
	if n := w.asked.Load(); n != 2 {
		t.Errorf("siteverify was asked %d times; only the first try of each key asks", n)
	}
	w.wants("cleo", "", 403, "turnstile-missing")
	w.wants("cleo", w.Issue(siteSecret, "shop.example", "enter"), 403, "turnstile-failed")
	w.SetMode(local.SiteverifyDown)
	w.wants("cleo", w.Issue(siteSecret, "bakery.example", "enter"), 503, "turnstile-unavailable")
	w.wants("anna", token, 200, id)
}

func TestATokenSpentByATryThatTheTableRefusedPassesAgainUnderItsKey(t *testing.T) {
	w := watch(t)
	token := w.Issue(siteSecret, "bakery.example", "enter")
	for n := 1; n <= 3; n++ {
		w.table.Next(faults.Commit, n, faults.Refused)
	}
	w.wants("anna", token, 503, "table-unavailable")
	w.wants("bert", token, 403, "turnstile-failed")
	w.wants("anna", token, 201, "")
}

func TestAProductionStageWithATestKeyAnswersOnlyThatItIsNotSetUp(t *testing.T) { // A2
	_, refuse := human.New(human.Config{Secret: human.AlwaysPasses, SiteKey: "0x4AAA", Hostname: "bakery.example", Action: "enter", Production: true})
	if !refusal.Is(refuse, refusal.Misconfigured) {
		t.Fatal(refuse)
	}
	c, _ := configOf(t)
	c.Human, c.Refuse = nil, refuse
	for name, h := range map[string]http.Handler{"the whole": app.New(c).Handler, "admission alone": app.NewAdmission(c).Handler} {
		for _, r := range []*http.Request{
			httptest.NewRequest("POST", "/v1/sandboxes", strings.NewReader(`{"kind":"guest","turnstile_token":"`+human.TestToken+`"}`)),
			httptest.NewRequest("GET", "/v1/status", nil), httptest.NewRequest("GET", "/v1/nothing", nil), httptest.NewRequest("GET", "/openapi.json", nil),
			httptest.NewRequest("GET", "/", nil), httptest.NewRequest("POST", "/sign-in", nil), httptest.NewRequest("GET", "/assets/x", nil), httptest.NewRequest("GET", "/problems/misconfigured", nil),
		} {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != 503 || w.Header().Get("Retry-After") != "" || !strings.Contains(w.Body.String(), "The bakery is not set up") {
				t.Errorf("%s, %s %s: %d %.200s", name, r.Method, r.URL, w.Code, w.Body)
			}
			if strings.HasPrefix(r.URL.Path, "/v1") && !strings.Contains(w.Body.String(), `"code":"misconfigured"`) {
				t.Errorf("%s, %s %s: %.200s", name, r.Method, r.URL, w.Body)
			}
			if strings.Contains(w.Body.String(), human.AlwaysPasses) {
				t.Errorf("%s tells the secret", r.URL)
			}
		}
	}
}
