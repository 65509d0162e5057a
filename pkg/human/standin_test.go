package human_test

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"pocbakery/pkg/human"
	"pocbakery/pkg/local"
)

// other is another admission's UUID.
const other = "0b5e0c1e-6c51-4c8e-9c55-3f3f5f6ef002"

// beside starts a stand-in whose clock a test moves.
func beside(t *testing.T, in func(http.Handler) http.Handler) (s *local.Siteverify, address string, now *time.Time) {
	t.Helper()
	now = new(time.Time)
	*now = time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)
	s = local.NewSiteverify(func() time.Time { return *now })
	var h http.Handler = s
	if in != nil {
		h = in(s)
	}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return s, server.URL + local.SiteverifyPath, now
}

func TestTheTestSecretsTakeTheTestTokenAndNoOther(t *testing.T) {
	_, address, _ := beside(t, nil)
	for _, c := range []struct{ secret, token, want string }{
		{human.AlwaysPasses, human.TestToken, "pass"},
		{human.AlwaysPasses, "bad", notPassed},
		{human.AlwaysPasses, human.TestToken + " ", notPassed},
		{human.AlwaysFails, human.TestToken, notPassed},
		{human.AlreadySpent, human.TestToken, notPassed},
		{"0x4AAA-nobody's", human.TestToken, badlySetUp},
	} {
		k := checker(t, human.Config{Address: address, Secret: c.secret})
		for range 2 {
			same(t, outcome(k.Check(t.Context(), c.token, retry)), c.want, c.secret+" with "+c.token)
		}
	}
}

func TestATokenOfARealWidgetIsGoodOnceAndForFiveMinutes(t *testing.T) {
	s, address, now := beside(t, nil)
	const secret = "0x4AAA-secret"
	k := checker(t, human.Config{Address: address, Secret: secret, Hostname: "bakery.example", Action: "enter"})
	check := func(token, key string) string { return outcome(k.Check(t.Context(), token, key)) }

	token := s.Issue(secret, "bakery.example", "enter")
	same(t, check(token, retry), "pass", "the first check")
	same(t, check(token, retry), "pass", "the same check again")
	same(t, check(token, other), notPassed, "another check of it")

	late := s.Issue(secret, "bakery.example", "enter")
	inTime := s.Issue(secret, "bakery.example", "enter")
	*now = now.Add(300*time.Second - time.Nanosecond)
	same(t, check(inTime, retry), "pass", "just before its end")
	*now = now.Add(time.Nanosecond)
	same(t, check(late, retry), notPassed, "at its end")

	same(t, check(human.TestToken, retry), notPassed, "the test token with a real secret")
	same(t, check(s.Issue("0x4AAA-another", "bakery.example", "enter"), retry), notPassed, "the token of another widget")
	same(t, check(s.Issue(secret, "shop.example", "enter"), retry), notPassed, "a token made on another site")
	same(t, check(s.Issue(secret, "bakery.example", "order"), retry), notPassed, "a token made for something else")
}

func TestATokenSpentByALostAnswerPassesUnderItsKey(t *testing.T) { // H4
	var asked atomic.Int64
	s, address, _ := beside(t, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if asked.Add(1) == 1 {
				h.ServeHTTP(httptest.NewRecorder(), r) // spent, and nobody hears of it
				panic(http.ErrAbortHandler)
			}
			h.ServeHTTP(w, r)
		})
	})
	k := checker(t, human.Config{Address: address, Secret: "0x4AAA-secret"})
	token := s.Issue("0x4AAA-secret", "bakery.example", "enter")
	same(t, outcome(k.Check(t.Context(), token, retry)), "pass", "asked twice within one check")
	same(t, asked.Load(), 2, "questions")
	same(t, outcome(k.Check(t.Context(), token, other)), notPassed, "under another key")
}

func TestAStandInThatIsDownRefuses(t *testing.T) {
	s, address, _ := beside(t, nil)
	k := checker(t, human.Config{Address: address, Secret: human.AlwaysPasses})
	s.SetMode(local.SiteverifyDown)
	same(t, outcome(k.Check(t.Context(), human.TestToken, retry)), unavailable, "down")
	s.SetMode(local.SiteverifyHang)
	same(t, outcome(k.Check(t.Context(), human.TestToken, retry)), unavailable, "hanging, in real time")
	s.SetMode(local.SiteverifyOK)
	same(t, outcome(k.Check(t.Context(), human.TestToken, retry)), "pass", "well again")
}
