package human_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"pocbakery/pkg/human"
	"pocbakery/pkg/refusal"
)

// retry is an admission's UUID.
const retry = "0b5e0c1e-6c51-4c8e-9c55-3f3f5f6ef001"

// asked is a siteverify that a test writes, and what it was asked.
type asked struct {
	*httptest.Server
	mu   sync.Mutex
	kept []string
}

func (a *asked) questions() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.kept)
}

// siteverify answers the n-th question, from 0, by this function.
func siteverify(t *testing.T, answer func(n int, w http.ResponseWriter)) *asked {
	t.Helper()
	a := &asked{}
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		a.mu.Lock()
		n := len(a.kept)
		a.kept = append(a.kept, string(body))
		a.mu.Unlock()
		answer(n, w)
	}))
	t.Cleanup(a.Close)
	return a
}

// says is a siteverify with one answer for all.
func says(t *testing.T, status int, body string) *asked {
	t.Helper()
	return siteverify(t, func(_ int, w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	})
}

func checker(t *testing.T, c human.Config) *human.Checker {
	t.Helper()
	if c.Secret == "" {
		c.Secret = "0x4AAAAAAA-a-secret-of-our-own"
	}
	k, err := human.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// outcome is what a check came to: "pass" or the refusal's code.
func outcome(err error) string {
	var no *refusal.Refusal
	switch {
	case err == nil:
		return "pass"
	case errors.As(err, &no):
		return string(no.Code)
	}
	return "failure: " + err.Error()
}

func same[T comparable](t *testing.T, got, want T, what string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

const (
	unavailable = string(refusal.TurnstileUnavailable)
	notPassed   = string(refusal.TurnstileFailed)
	badlySetUp  = string(refusal.Misconfigured)
)

func TestEachErrorCodeIsThatOfWhoeverIsAtFault(t *testing.T) {
	for codes, want := range map[string]string{
		`"missing-input-secret"`:                          badlySetUp,
		`"invalid-input-secret"`:                          badlySetUp,
		`"invalid-input-secret","invalid-input-response"`: badlySetUp,
		`"missing-input-response"`:                        notPassed,
		`"invalid-input-response"`:                        notPassed,
		`"timeout-or-duplicate"`:                          notPassed,
		`"timeout-or-duplicate","invalid-input-response"`: notPassed,
		`"bad-request"`:                                   unavailable,
		`"internal-error"`:                                unavailable,
		`"invalid-input-response","internal-error"`:       unavailable,
		`"a-code-of-next-year"`:                           unavailable,
		`"invalid-input-response","a-code-of-next-year"`:  unavailable,
		``: unavailable,
	} {
		for _, status := range []int{200, 400} {
			s := says(t, status, `{"success":false,"error-codes":[`+codes+`]}`)
			same(t, outcome(checker(t, human.Config{Address: s.URL}).Check(t.Context(), "token", retry)), want, fmt.Sprintf("%s with status %d", codes, status))
		}
	}
}

func TestOnlyAnAnswerThatSaysSuccessIsAPass(t *testing.T) { // H1, H3
	for _, c := range []struct {
		status int
		body   string
		want   string
	}{
		{200, `{"success":true}`, "pass"},
		{200, `{"success":true,"error-codes":[],"challenge_ts":"2026-12-01T00:00:00.000Z","hostname":"x","action":"y","metadata":{"ephemeral_id":"z"}}`, "pass"},
		{200, ``, unavailable},
		{200, `{}`, unavailable},
		{200, `null`, unavailable},
		{200, `[]`, unavailable},
		{200, `true`, unavailable},
		{200, `{"success":"true"}`, unavailable},
		{200, `{"success":1}`, unavailable},
		{200, `{"success":null}`, unavailable},
		{200, `{"Success":true}`, unavailable},
		{200, `{"success":true`, unavailable},
		{200, `{"success":true}{"success":true}`, unavailable},
		{200, `{"success":false,"success":true}`, unavailable},
		{200, `{"success":true,"error-codes":["internal-error"]}`, unavailable},
		{200, `{"success":true,"error-codes":["invalid-input-response"]}`, notPassed},
		{200, `{"success":true,"hostname":7}`, unavailable},
		{200, "{\"success\":true,\"hostname\":\"\xff\"}", unavailable},
		{200, `<!doctype html><title>Just a moment</title>`, unavailable},
		{200, `{"success":true,"cdata":"` + strings.Repeat("x", 17<<10) + `"}`, unavailable},
		{202, `{"success":true}`, unavailable},
		{302, `{"success":true}`, unavailable},
		{429, `{"success":true}`, unavailable},
		{500, `{"success":true}`, unavailable},
		{503, `{"success":false,"error-codes":["invalid-input-response"]}`, unavailable},
	} {
		s := says(t, c.status, c.body)
		same(t, outcome(checker(t, human.Config{Address: s.URL}).Check(t.Context(), "token", retry)), c.want, fmt.Sprintf("%d %.80s", c.status, c.body))
	}
}

func TestATokenIsHeldToItsHostnameAndActionWhereTheseAreConfigured(t *testing.T) { // H1
	s := says(t, 200, `{"success":true,"hostname":"Bakery.Example","action":"enter"}`)
	for _, c := range []struct{ hostname, action, want string }{
		{"", "", "pass"},
		{"bakery.example", "enter", "pass"},
		{"bakery.example", "", "pass"},
		{"", "enter", "pass"},
		{"shop.example", "enter", notPassed},
		{"bakery.example", "order", notPassed},
		{"", "ENTER", notPassed},
	} {
		k := checker(t, human.Config{Address: s.URL, Hostname: c.hostname, Action: c.action})
		same(t, outcome(k.Check(t.Context(), "token", retry)), c.want, "hostname "+c.hostname+", action "+c.action)
	}
	for _, bare := range []string{`{"success":true}`, `{"success":true,"hostname":"","action":""}`} {
		s := says(t, 200, bare)
		same(t, outcome(checker(t, human.Config{Address: s.URL, Hostname: "bakery.example"}).Check(t.Context(), "token", retry)), notPassed, bare+" for a hostname")
		same(t, outcome(checker(t, human.Config{Address: s.URL, Action: "enter"}).Check(t.Context(), "token", retry)), notPassed, bare+" for an action")
	}
}

func TestTheQuestionHasTheDocumentedFieldsAndNoAddress(t *testing.T) {
	s := says(t, 200, `{"success":true}`)
	same(t, outcome(checker(t, human.Config{Address: s.URL, Secret: "a secret"}).Check(t.Context(), "a token", retry)), "pass", "the check")
	same(t, len(s.questions()), 1, "questions")
	same(t, s.questions()[0], "idempotency_key="+retry+"&response=a+token&secret=a+secret", "the question")
}

func TestALostAnswerIsAskedForOnceMoreUnderTheSameKey(t *testing.T) { // H4
	pass := func(w http.ResponseWriter) { _, _ = io.WriteString(w, `{"success":true}`) }
	for name, lose := range map[string]func(http.ResponseWriter){
		"the connection broke": func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
		"the answer broke off": func(w http.ResponseWriter) {
			w.Header().Set("Content-Length", "900")
			_, _ = io.WriteString(w, `{"succ`)
		},
		"something between us failed": func(w http.ResponseWriter) { w.WriteHeader(502) },
		"siteverify failed": func(w http.ResponseWriter) {
			_, _ = io.WriteString(w, `{"success":false,"error-codes":["internal-error"]}`)
		},
		"the answer was no answer yet": func(w http.ResponseWriter) { _, _ = io.WriteString(w, `{}`) },
	} {
		s := siteverify(t, func(n int, w http.ResponseWriter) {
			if n == 0 {
				lose(w)
				return
			}
			pass(w)
		})
		same(t, outcome(checker(t, human.Config{Address: s.URL}).Check(t.Context(), "token", retry)), "pass", name)
		same(t, len(s.questions()), 2, name+": questions")
		same(t, s.questions()[0] == s.questions()[1], true, name+": the same question")

		s = siteverify(t, func(_ int, w http.ResponseWriter) { lose(w) })
		same(t, outcome(checker(t, human.Config{Address: s.URL}).Check(t.Context(), "token", retry)), unavailable, name+" twice")
		same(t, len(s.questions()), 2, name+" twice: questions")
	}
	s := says(t, 200, `{"success":false,"error-codes":["timeout-or-duplicate"]}`)
	_ = checker(t, human.Config{Address: s.URL}).Check(t.Context(), "token", retry)
	same(t, len(s.questions()), 1, "questions after a no")
}

func TestTheSecretIsSentNowhereElse(t *testing.T) {
	other := says(t, 200, `{"success":true}`)
	for _, status := range []int{301, 302, 303, 307, 308} {
		s := siteverify(t, func(_ int, w http.ResponseWriter) {
			w.Header().Set("Location", other.URL)
			w.WriteHeader(status)
		})
		same(t, outcome(checker(t, human.Config{Address: s.URL}).Check(t.Context(), "token", retry)), unavailable, fmt.Sprint(status))
	}
	same(t, len(other.questions()), 0, "questions at another address")
}

func TestWhatCanBeNoTokenAsksNobody(t *testing.T) {
	s := says(t, 200, `{"success":true}`)
	k := checker(t, human.Config{Address: s.URL})
	same(t, outcome(k.Check(t.Context(), "", retry)), notPassed, "no token")
	same(t, outcome(k.Check(t.Context(), strings.Repeat("x", 2049), retry)), notPassed, "2,049 characters")
	same(t, len(s.questions()), 0, "questions")
	same(t, outcome(k.Check(t.Context(), strings.Repeat("x", 2048), retry)), "pass", "2,048 characters")
}

func TestWhoHasLeftIsNoFailureOfSiteverify(t *testing.T) {
	s := says(t, 200, `{"success":true}`)
	told := 0
	k := checker(t, human.Config{Address: s.URL, Report: func(string, error) { told++ }})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	same(t, outcome(k.Check(ctx, "token", retry)), unavailable, "the check")
	same(t, len(s.questions())+told, 0, "questions and reports")
}

func TestTheOperatorIsToldOfTheFirstFailureInARowAndOfNoSecret(t *testing.T) {
	var well atomic.Bool
	s := siteverify(t, func(_ int, w http.ResponseWriter) {
		if well.Load() {
			_, _ = io.WriteString(w, `{"success":true}`)
			return
		}
		_, _ = io.WriteString(w, "the-canary-token the-canary-secret")
	})
	var told []string
	k := checker(t, human.Config{Address: s.URL, Secret: "the-canary-secret", Report: func(event string, err error) { told = append(told, event+" "+err.Error()) }})
	for _, is := range []bool{false, false, true, false, false} {
		well.Store(is)
		_ = k.Check(t.Context(), "the-canary-token", retry)
	}
	s.Close()
	_ = k.Check(t.Context(), "the-canary-token", retry)
	same(t, len(told), 2, "reports")
	k2 := checker(t, human.Config{Address: s.URL, Secret: "the-canary-secret", Report: func(event string, err error) { told = append(told, event+" "+err.Error()) }})
	_ = k2.Check(t.Context(), "the-canary-token", retry) // nobody listens there any more
	same(t, len(told), 3, "reports of two checkers")
	for _, line := range told {
		if strings.Contains(line, "canary") || strings.Contains(line, retry) || strings.Contains(line, "127.0.0.1") {
			t.Errorf("the log has %q", line)
		}
	}
}

func TestAProductionStageHasNoTestKeysAndAsksCloudflareOnly(t *testing.T) { // H5
	sound := human.Config{Secret: "0x4AAA-secret", SiteKey: "0x4AAA-site", Hostname: "bakery.example", Action: "enter", Production: true}
	if _, err := human.New(sound); err != nil {
		t.Errorf("a sound configuration: %v", err)
	}
	change := func(f func(*human.Config)) human.Config { c := sound; f(&c); return c }
	bad := map[string]human.Config{
		"no secret":       change(func(c *human.Config) { c.Secret = "" }),
		"no site key":     change(func(c *human.Config) { c.SiteKey = "" }),
		"no hostname":     change(func(c *human.Config) { c.Hostname = "" }),
		"no action":       change(func(c *human.Config) { c.Action = "" }),
		"another address": change(func(c *human.Config) { c.Address = "https://siteverify.example/turnstile/v0/siteverify" }),
		"no address":      change(func(c *human.Config) { c.Address = "siteverify" }),
	}
	for _, s := range human.TestSecrets {
		bad["the test secret "+s] = change(func(c *human.Config) { c.Secret = s })
	}
	for _, s := range human.TestSiteKeys {
		bad["the test site key "+s] = change(func(c *human.Config) { c.SiteKey = s })
	}
	for what, c := range bad {
		_, err := human.New(c)
		same(t, outcome(err), badlySetUp, what)
		if c.Secret != "" && err != nil && strings.Contains(err.Error(), c.Secret) {
			t.Errorf("%s: the refusal says the secret", what)
		}
	}
	for _, s := range human.TestSecrets {
		if _, err := human.New(human.Config{Secret: s}); err != nil {
			t.Errorf("elsewhere a test secret will do: %v", err)
		}
	}
	_, err := human.New(human.Config{})
	same(t, outcome(err), badlySetUp, "no secret anywhere")
}
