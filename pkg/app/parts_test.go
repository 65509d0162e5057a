package app_test

import (
	"crypto/rand"
	"log/slog"
	mathrand "math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"pocbakery/pkg/admission"
	"pocbakery/pkg/alarm"
	alarmlocal "pocbakery/pkg/alarm/local"
	"pocbakery/pkg/app"
	"pocbakery/pkg/store/bolt"
)

// configOf is a bakery over a file of the test's.
func configOf(t *testing.T) (app.Config, *alarmlocal.Clock) {
	t.Helper()
	file, err := bolt.Open(t.TempDir()+"/bakery.db", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	alarms, err := alarmlocal.New(file, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	return app.Config{
		Table: file, Alarms: alarms, Clock: (&counter{}).now, Secrets: [][]byte{[]byte("a master secret of 32 characters")},
		Random: rand.Reader, Marks: mathrand.Uint64, Human: everybody{}, Settings: admission.DefaultSettings(), Log: slog.New(slog.DiscardHandler),
	}, alarms
}

func askOf(h http.Handler, method, path, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", "0123456789abcdefghijkl")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestAdmissionAloneAdmitsAndKnowsNoOtherRoute(t *testing.T) {
	c, _ := configOf(t)
	door := app.NewAdmission(c).Handler
	admitted := askOf(door, "POST", "/v1/sandboxes", `{"kind":"guest","turnstile_token":"a token"}`)
	if admitted.Code != http.StatusCreated || askOf(door, "GET", "/v1/status", "").Code != http.StatusOK {
		t.Fatalf("%d %s", admitted.Code, admitted.Body)
	}
	for _, path := range []string{"/", "/v1/menu", "/v1/orders", "/shop"} {
		if a := askOf(door, "GET", path, ""); a.Code != http.StatusNotFound {
			t.Errorf("%s: %d %s", path, a.Code, a.Body)
		}
	}
	// What it admitted is at home in the whole bakery.
	r := httptest.NewRequest("GET", "/v1/sandbox", nil)
	r.AddCookie(admitted.Result().Cookies()[0])
	w := httptest.NewRecorder()
	if app.New(c).Handler.ServeHTTP(w, r); w.Code != http.StatusOK {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestABakeryThatIsOnlyWokenWipesWhatItsOneShotNames(t *testing.T) {
	c, alarms := configOf(t)
	if a := askOf(app.NewAdmission(c).Handler, "POST", "/v1/sandboxes", `{"kind":"guest","turnstile_token":"a token"}`); a.Code != http.StatusCreated {
		t.Fatal(a.Body)
	}
	all, err := alarms.All()
	if err != nil || len(all) == 0 {
		t.Fatalf("nothing is armed: %v", err)
	}
	ahead := &counter{}
	ahead.ahead.Store(int64(all[len(all)-1].At.Sub(noon)))
	c.Clock, c.Metrics = ahead.now, t.Output()
	woken := app.NewHub(c)
	for _, s := range all {
		if s.Hub == "control" {
			continue
		}
		if err := woken.Wake(t.Context(), alarm.Schedule{Hub: s.Hub, At: s.At}); err != nil {
			t.Fatal(err)
		}
		if n, err := c.Table.(*bolt.Store).Hubs(t.Context()); err != nil || len(n) != 1 {
			t.Errorf("left: %v, %v", n, err)
		}
	}
	if woken.Handler != nil {
		t.Error("what is only woken answers nobody")
	}
}
