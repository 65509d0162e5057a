package admission_test

import (
	"context"
	"crypto/rand"
	"regexp"
	"testing"
	"time"

	"pocbakery/pkg/access"
	"pocbakery/pkg/admission"
	"pocbakery/pkg/hub/hubtest"
	"pocbakery/pkg/refusal"
	"pocbakery/pkg/store/faults"
)

// passes takes every token.
type passes struct{}

func (passes) Check(context.Context, string, string) error { return nil }

// guard is a human check that says what a test wants, and remembers what it was
// asked.
type guard struct {
	asked  []string // token and retry of each
	says   error
	during func()
}

func (g *guard) Check(_ context.Context, token, retry string) error {
	g.asked = append(g.asked, token+" "+retry)
	if g.during != nil {
		g.during()
	}
	return g.says
}

func guarded(t *testing.T, clock string, g admission.Human) *door {
	w := hubtest.At(t, clock)
	ring := access.NewKeyring([]byte("a master secret of 32 characters"))
	return &door{w, admission.NewDesk(w.Engine, w.Alarms, ring, g, admission.DefaultSettings(), rand.Reader)}
}

func (d *door) brings(k admission.Kind, n int, token string) string {
	d.T.Helper()
	_, err := d.desk.Admit(d.T.Context(), admission.Request{Kind: k, Key: key(n), TurnstileToken: token})
	for _, code := range []refusal.Code{refusal.TurnstileMissing, refusal.TurnstileFailed, refusal.TurnstileUnavailable, refusal.Misconfigured, refusal.GuestShareFull} {
		if refusal.Is(err, code) {
			return string(code)
		}
	}
	if err != nil {
		d.T.Errorf("neither an answer nor a refusal: %v", err)
	}
	return ""
}

func TestWhoBringsNoTokenIsRefusedBeforeAnythingIsRead(t *testing.T) {
	g := &guard{}
	d := guarded(t, "2026-11-30 12:00:00", g)
	d.Meter.Reset()
	same(t, d.brings(admission.Guest, 1, ""), "turnstile-missing", "a guest")
	same(t, d.brings(admission.Demo, 2, ""), "turnstile-missing", "a demo account")
	same(t, d.Meter.Total().Requests, 0, "requests")
	same(t, len(g.asked), 0, "checks")
}

func TestWhateverTheHumanCheckRefusesIsRefusedAndCountsNothing(t *testing.T) {
	for _, code := range []refusal.Code{refusal.TurnstileFailed, refusal.TurnstileUnavailable, refusal.Misconfigured} {
		g := &guard{says: refusal.New(code, "No.")}
		d := guarded(t, "2026-11-30 12:00:00", g)
		before := d.Mem.Snapshot()
		same(t, d.brings(admission.Guest, 1, "x"), string(code), "the answer")
		same(t, d.Mem.Snapshot(), before, "what the table holds")
		g.says = nil
		same(t, d.brings(admission.Guest, 1, "x"), "", "the same key, once the check passes")
		same(t, d.used(), "2026-11-30 1/300 1/100 0/100", "the ledger")
	}
	d := guarded(t, "2026-11-30 12:00:00", nil)
	same(t, d.brings(admission.Guest, 1, "x"), "misconfigured", "where there is no human check")
}

func TestARepeatAndWhoIsTurnedAwayAnywayAreNotAskedForTheirToken(t *testing.T) { // case 10
	g := &guard{}
	d := guarded(t, "2026-11-30 12:00:00", g)
	d.Faults.Next(faults.Commit, 1, faults.Applied)
	same(t, d.brings(admission.Guest, 1, "x"), "", "the first")
	g.says = refusal.New(refusal.TurnstileFailed, "It was spent.")
	same(t, d.brings(admission.Guest, 1, "x"), "", "its repeat, whose token was spent")
	none := 0
	d.edit(admission.Edit{GuestShare: &none})
	same(t, d.brings(admission.Guest, 2, "y"), "guest-share-full", "another, when the share is full")
	same(t, len(g.asked), 1, "checks")
}

func TestATokenIsCheckedOnceUnderTheKeysOwnUUIDHoweverOftenItIsDecided(t *testing.T) {
	g := &guard{}
	d := guarded(t, "2026-11-30 12:00:00", g)
	n := 10
	g.during = func() { // while the check takes its time, another is admitted
		g.during = nil
		n++
		same(t, d.brings(admission.Guest, n, "other"), "", "another")
	}
	same(t, d.brings(admission.Guest, 1, "mine"), "", "the answer, decided twice")
	same(t, len(g.asked), 2, "checks, one of each")
	same(t, d.used(), "2026-11-30 2/300 2/100 0/100", "the ledger")

	g.says = refusal.New(refusal.TurnstileUnavailable, "Lost.")
	d.brings(admission.Guest, 3, "a")
	d.brings(admission.Guest, 3, "b")
	d.brings(admission.Guest, 4, "a")
	uuid := regexp.MustCompile(` ([0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})$`)
	var ids []string
	for _, asked := range g.asked[2:] {
		m := uuid.FindStringSubmatch(asked)
		if m == nil {
			t.Fatalf("%q has no UUID", asked)
		}
		ids = append(ids, m[1])
	}
	same(t, ids[0] == ids[1], true, "one key, one UUID")
	same(t, ids[0] != ids[2], true, "another key, another")
}

func TestADayThatTurnsDuringTheCheckIsTheDayThatCounts(t *testing.T) { // case 5
	g := &guard{}
	d := guarded(t, "2026-11-30 23:59:59", g)
	g.during = func() { d.Set(d.Now().Add(2 * time.Second)) }
	same(t, d.brings(admission.Guest, 1, "x"), "", "the answer")
	same(t, d.used(), "2026-12-01 1/300 1/100 0/100", "the ledger")
}
