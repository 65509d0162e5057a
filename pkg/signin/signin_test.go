package signin_test

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"pocbakery/pkg/access"
	"pocbakery/pkg/local"
	"pocbakery/pkg/refusal"
	"pocbakery/pkg/signin"
)

// street is a bakery's door, a provider, and a browser between them.
type street struct {
	t        testing.TB
	now      time.Time
	door     *signin.Door
	provider http.Handler
	fail     error // what reaching the provider meets
	asked    int   // requests to the provider by the door
	cookies  map[string]*http.Cookie
	identity *access.Identity
	reported []string
}

const bakeryHost = "localhost:4711"

func (s *street) RoundTrip(r *http.Request) (*http.Response, error) {
	s.asked++
	if s.fail != nil {
		return nil, s.fail
	}
	w := httptest.NewRecorder()
	s.provider.ServeHTTP(w, r)
	return w.Result(), nil
}

func open(t testing.TB) *street {
	t.Helper()
	s := &street{t: t, now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), cookies: map[string]*http.Cookie{}}
	clock := func() time.Time { return s.now }
	p, err := local.NewProvider("http://localhost:4712", clock)
	if err != nil {
		t.Fatal(err)
	}
	s.provider = p.Handler()
	s.door = signin.New(signin.Config{
		Issuer: local.Issuer, ClientID: local.ClientID, ClientSecret: local.ClientSecret, Client: &http.Client{Transport: s},
		Ring: access.NewKeyring([]byte("a master secret of 32 characters")), Clock: clock, Random: rand.Reader,
		SetIdentity: func(_ http.ResponseWriter, _ string, i access.Identity) { s.identity = &i },
		Refuse: func(w http.ResponseWriter, _ *http.Request, err error) {
			var no *refusal.Refusal
			if !errors.As(err, &no) {
				t.Errorf("no refusal: %v", err)
				return
			}
			w.WriteHeader(http.StatusTeapot)
			_, _ = io.WriteString(w, string(no.Code))
		},
		Report: func(step string) { s.reported = append(s.reported, step) },
	})
	return s
}

// get asks the bakery as the browser does; the answer is where it is sent, or a
// refusal's code.
func (s *street) get(target string) string {
	s.t.Helper()
	r := httptest.NewRequest("GET", "http://"+bakeryHost+target, nil)
	for _, c := range s.cookies {
		r.AddCookie(c)
	}
	w := httptest.NewRecorder()
	s.door.ServeHTTP(w, r)
	for _, c := range w.Result().Cookies() {
		if s.cookies[c.Name] = c; c.MaxAge < 0 {
			delete(s.cookies, c.Name)
		}
	}
	if w.Code == http.StatusSeeOther {
		return w.Header().Get("Location")
	}
	return w.Body.String()
}

// pick picks somebody at the provider; the answer is the way back.
func (s *street) pick(at string, form url.Values) string {
	s.t.Helper()
	r := httptest.NewRequest("POST", at, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	s.provider.ServeHTTP(w, r)
	back, ok := strings.CutPrefix(w.Header().Get("Location"), "http://"+bakeryHost)
	if !ok {
		s.t.Fatalf("the provider sends to %q: %d %s", w.Header().Get("Location"), w.Code, w.Body)
	}
	return back
}

var anna = url.Values{"subject": {"anna"}, "name": {"Anna Ek"}, "email": {"anna@example.org"}}

func TestWhoSignsInIsWhoTheProviderSays(t *testing.T) {
	s := open(t)
	to := s.pick(s.get("/v1/login?next=/planner?date=2026-12-01"), anna)
	if got := s.get(to); got != "/planner?date=2026-12-01" {
		t.Fatal(got, s.reported)
	}
	want := access.Identity{Issuer: local.Issuer, Subject: "anna", Name: "Anna Ek", Email: "anna@example.org", MadeAt: s.now}
	if s.identity == nil || *s.identity != want {
		t.Errorf("%+v", s.identity)
	}
	if len(s.cookies) > 0 {
		t.Errorf("cookies left: %v", s.cookies)
	}
}

func TestAnAddressThatWasNotVerifiedIsNone(t *testing.T) {
	s := open(t)
	s.get(s.pick(s.get("/v1/login"), url.Values{"subject": {"eve"}, "email": {"anna@example.org"}, "unverified": {"yes"}}))
	if s.identity == nil || s.identity.Email != "" || s.identity.Subject != "eve" {
		t.Errorf("%+v", s.identity)
	}
}

func TestTheCookieOfASignInIsHeldToOurSiteAndReadByNobody(t *testing.T) {
	s := open(t)
	at, err := url.Parse(s.get("/v1/login?next=/shop"))
	if err != nil {
		t.Fatal(err)
	}
	c := s.cookies["__Host-sign-in"]
	if c == nil || !c.Secure || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.MaxAge != 600 || c.Path != "/" || c.Domain != "" {
		t.Fatalf("%+v", c)
	}
	q := at.Query()
	if strings.Contains(c.Value, q.Get("state")) || strings.Contains(c.Value, q.Get("nonce")) || q.Get("code_challenge_method") != "S256" || q.Get("redirect_uri") != "http://"+bakeryHost+"/v1/login/callback" {
		t.Errorf("%v %s", q, c.Value)
	}
}

// aws.md 27.
func TestAnAnswerToAnotherSignInIsRefused(t *testing.T) {
	for name, change := range map[string]func(*street, string) string{
		"without the cookie":   func(s *street, to string) string { clear(s.cookies); return to },
		"with another state":   func(_ *street, to string) string { return strings.Replace(to, "state=", "state=x", 1) },
		"without a state":      func(_ *street, to string) string { return strings.Replace(to, "state=", "x=", 1) },
		"with another code":    func(_ *street, to string) string { return strings.Replace(to, "code=", "code=x", 1) },
		"after ten minutes":    func(s *street, to string) string { s.now = s.now.Add(10 * time.Minute); return to },
		"after the code's end": func(s *street, to string) string { s.now = s.now.Add(2 * time.Minute); return to },
		"with a later cookie":  func(s *street, to string) string { s.get("/v1/login"); return to },
		"with a code that is used": func(s *street, to string) string {
			kept := s.cookies["__Host-sign-in"]
			s.get(to)
			s.identity, s.cookies["__Host-sign-in"] = nil, kept
			return to
		},
		"with a code of another sign-in": func(s *street, to string) string {
			first, _ := url.Parse(to)
			second, _ := url.Parse(s.pick(s.get("/v1/login"), anna))
			q := second.Query()
			q.Set("code", first.Query().Get("code"))
			return second.Path + "?" + q.Encode()
		},
		"that was denied": func(s *street, _ string) string {
			return s.pick(s.get("/v1/login"), url.Values{"deny": {"yes"}})
		},
	} {
		s := open(t)
		to := change(s, s.pick(s.get("/v1/login"), anna))
		if got := s.get(to); got != string(refusal.SignInFailed) || s.identity != nil {
			t.Errorf("%s: %s, %+v", name, got, s.identity)
		}
	}
}

func TestTheProviderIsAskedAtTheFirstSignInAndAgainAfterAFailure(t *testing.T) {
	s := open(t)
	if s.asked > 0 {
		t.Error("asked before anybody came")
	}
	s.fail = context.DeadlineExceeded
	if got := s.get("/v1/login"); got != string(refusal.SignInUnavailable) || len(s.cookies) > 0 {
		t.Errorf("%s %v", got, s.cookies)
	}
	s.fail = nil
	if got := s.get("/v1/login"); !strings.HasPrefix(got, "http://localhost:4712/authorize?") {
		t.Error(got)
	}
	asked := s.asked
	if s.get("/v1/login"); s.asked != asked {
		t.Error("asked once more")
	}
}

func TestAHostThatIsNotThisMachineIsNotSentBackTo(t *testing.T) {
	s := open(t)
	r := httptest.NewRequest("GET", "http://elsewhere.example/v1/login", nil)
	w := httptest.NewRecorder()
	s.door.ServeHTTP(w, r)
	if w.Body.String() != string(refusal.Misconfigured) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
