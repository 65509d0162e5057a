package admission_test

import (
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"pocbakery/pkg/access"
	"pocbakery/pkg/admission"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/hub/hubtest"
	"pocbakery/pkg/refusal"
	"pocbakery/pkg/sandbox"
	"pocbakery/pkg/store"
	"pocbakery/pkg/store/faults"
)

// door is a world with a desk in it.
type door struct {
	*hubtest.World
	desk *admission.Desk
}

func open(t testing.TB, clock string) *door {
	w := hubtest.At(t, clock)
	ring := access.NewKeyring([]byte("a master secret of 32 characters"))
	sandbox.New(w.Engine, w.Alarms, 45*time.Second, ring.MAC, func(sandbox.WipeRun) {})
	return &door{w, admission.NewDesk(w.Engine, w.Alarms, ring, passes{}, admission.DefaultSettings(), rand.Reader)}
}

// key is a key of the n-th visitor that is hard enough to guess.
func key(n int) string { return fmt.Sprintf("visitor-abcdefghijk-%06d", n) }

func (d *door) enter(k admission.Kind, n int) (admission.Admitted, string, time.Duration) {
	d.T.Helper()
	a, err := d.desk.Admit(d.T.Context(), admission.Request{Kind: k, Key: key(n), TurnstileToken: "a token"})
	var no *refusal.Refusal
	switch {
	case err == nil:
		return a, "", 0
	case errors.As(err, &no):
		return a, string(no.Code), no.RetryAfter
	case errors.Is(err, store.ErrUnavailable), errors.Is(err, store.ErrUnknown):
		return a, "unavailable", 0
	}
	d.T.Errorf("neither an answer nor a refusal: %v", err)
	return a, "", 0
}

func (d *door) used() string {
	d.T.Helper()
	s, err := d.desk.Status(d.T.Context())
	if err != nil {
		d.T.Fatal(err)
	}
	return fmt.Sprintf("%s %d/%d %d/%d %d/%d", s.Date, s.Sandboxes.Used, s.Sandboxes.Cap, s.Guests.Used, s.Guests.Cap, s.Demo.Used, s.Demo.Cap)
}

func (d *door) edit(e admission.Edit) {
	d.T.Helper()
	if err := d.desk.Edit(d.T.Context(), e); err != nil {
		d.T.Fatal(err)
	}
}

func same[T comparable](t testing.TB, got, want T, what string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// together counts the answers of f(0..n-1) at once, by code.
func together(n int, f func(i int) string) map[string]int {
	var all sync.WaitGroup
	var mu sync.Mutex
	seen := map[string]int{}
	gate := make(chan struct{})
	for i := range n {
		all.Go(func() {
			<-gate
			code := f(i)
			mu.Lock()
			defer mu.Unlock()
			seen[code]++
		})
	}
	close(gate)
	all.Wait()
	return seen
}

// Reports from the field, retold; the numbers are those of the collection.

func TestCase01FiftyAtOnceWithOneKeyAreOnePlaceAndOneSandbox(t *testing.T) {
	d := open(t, "2026-11-30 12:00:00")
	seen := together(50, func(int) string { a, code, _ := d.enter(admission.Guest, 1); return code + string(a.Root.ID) })
	same(t, len(seen), 1, "different answers")
	same(t, d.used(), "2026-11-30 1/300 1/100 0/100", "the ledger")
}

func TestCase02AKeyWithAnotherBodyIsRefusedAndCountsNothing(t *testing.T) {
	d := open(t, "2026-11-30 12:00:00")
	d.enter(admission.Guest, 1)
	a, code, _ := d.enter(admission.Demo, 1)
	same(t, code, "idempotency-key-reused", "the second")
	same(t, a.Root.ID, "", "no echo of the first answer")
	same(t, d.used(), "2026-11-30 1/300 1/100 0/100", "the ledger")
}

func TestCase03AnAdmissionWhoseAnswerWasLostIsFoundByItsRetry(t *testing.T) {
	d := open(t, "2026-11-30 12:00:00")
	d.Faults.Next(faults.Commit, 1, faults.Applied) // the reply is lost, the table's retry finds its mark
	first, code, _ := d.enter(admission.Guest, 1)
	same(t, code, "", "the first")
	again, code, _ := d.enter(admission.Guest, 1)
	same(t, code, "", "the retry")
	same(t, again.Replayed, true, "a replay")
	same(t, again.Root.ID, first.Root.ID, "the sandbox")
	same(t, again.Session != "", true, "with a session")
	same(t, d.used(), "2026-11-30 1/300 1/100 0/100", "the ledger")
}

func TestCase04FourHundredAtOnceAreExactlyThreeHundredYes(t *testing.T) {
	d := open(t, "2026-11-30 12:00:00")
	share := 300
	d.edit(admission.Edit{GuestShare: &share})
	seen := together(400, func(i int) string { _, code, _ := d.enter(admission.Guest, i); return code })
	same(t, seen[""], 300, "admitted")
	same(t, seen["day-full"], 100, "refused as day-full")
	same(t, d.used(), "2026-11-30 300/300 300/300 0/100", "the ledger")
}

func TestCase05TheDayTurnsBetweenATryAndItsRetry(t *testing.T) {
	d := open(t, "2026-11-30 23:59:59")
	d.Set(d.Now().Add(900 * time.Millisecond))
	one := 1
	d.edit(admission.Edit{Cap: &one})
	first, _, _ := d.enter(admission.Guest, 1)
	_, code, _ := d.enter(admission.Guest, 2)
	same(t, code, "day-full", "another, before midnight")
	d.Set(d.Now().Add(200 * time.Millisecond))
	same(t, d.used(), "2026-12-01 0/1 0/100 0/100", "a fresh day")
	again, _, _ := d.enter(admission.Guest, 1)
	same(t, again.Root.ID, first.Root.ID, "the retry's sandbox")
	same(t, d.used(), "2026-12-01 0/1 0/100 0/100", "still one place, of yesterday")
	_, code, _ = d.enter(admission.Guest, 2)
	same(t, code, "", "another, after midnight")
	same(t, d.used(), "2026-12-01 1/1 1/100 0/100", "counted today")
}

func TestCase06ARaisedCapAdmitsAtOnceAndStatusAgrees(t *testing.T) {
	d := open(t, "2026-11-30 12:00:00")
	two, three := 2, 3
	d.edit(admission.Edit{Cap: &two})
	d.enter(admission.Guest, 1)
	d.enter(admission.Guest, 2)
	_, code, _ := d.enter(admission.Guest, 3)
	same(t, code, "day-full", "the third")
	d.edit(admission.Edit{Cap: &three})
	_, code, _ = d.enter(admission.Guest, 3)
	same(t, code, "", "the third, when the cap is raised")
	same(t, d.used(), "2026-11-30 3/3 3/100 0/100", "the ledger")
}

func TestCase08TheWaitIsWholeSecondsAndNeverNone(t *testing.T) {
	d := open(t, "2026-11-30 23:59:59")
	zero := 0
	d.edit(admission.Edit{Cap: &zero})
	d.Set(d.Now().Add(999 * time.Millisecond))
	_, code, after := d.enter(admission.Guest, 1)
	same(t, code, "day-full", "the answer")
	same(t, after, time.Millisecond, "to midnight: a second once it is rounded up")
}

func TestARefusalReadsOnceAndWritesNothing(t *testing.T) {
	d := open(t, "2026-11-30 12:00:00")
	zero := 0
	d.edit(admission.Edit{GuestShare: &zero})
	d.Set(d.Now().Add(time.Second)) // what was read for the edit is not believed any more
	before := d.Mem.Snapshot()
	d.Meter.Reset()
	_, code, _ := d.enter(admission.Guest, 1)
	same(t, code, "guest-share-full", "the answer")
	total := d.Meter.Total()
	same(t, total.Requests, 1, "requests")
	same(t, total.ReadUnits, 2, "read units")
	same(t, d.Mem.Snapshot(), before, "what the table holds")
}

func TestSharesBoundTheirKindAndFlagsAllOfThem(t *testing.T) {
	d := open(t, "2026-11-30 12:00:00")
	one := 1
	d.edit(admission.Edit{GuestShare: &one, DemoCap: &one})
	for i, want := range []struct {
		kind admission.Kind
		code string
	}{{admission.Guest, ""}, {admission.Guest, "guest-share-full"}, {admission.Demo, ""}, {admission.Demo, "demo-full"}, {admission.Account, "unauthenticated"}} {
		_, code, after := d.enter(want.kind, i)
		same(t, code, want.code, fmt.Sprint("visitor ", i))
		if code == "guest-share-full" || code == "demo-full" {
			same(t, after, 12*time.Hour, "to midnight")
		}
	}
	for flag, want := range map[admission.Flag]string{admission.Off: "admissions-off", admission.ReadOnly: "read-only"} {
		d.edit(admission.Edit{Flag: &flag})
		_, code, after := d.enter(admission.Guest, 9)
		same(t, code, want, "the flag")
		same(t, after, 0, "it names no time")
	}
	_, code, _ := d.enter(admission.Guest, 0)
	same(t, code, "", "a repeat is answered whatever the flag")
}

func TestAReplayHandsOutASessionForHalfAnHourAndIsGoneWithItsSandbox(t *testing.T) {
	d := open(t, "2026-11-30 12:00:00")
	first, _, _ := d.enter(admission.Guest, 1)
	d.Set(first.Root.BornAt.Add(30*time.Minute - time.Millisecond))
	a, _, _ := d.enter(admission.Guest, 1)
	same(t, a.Session != "", true, "a session just before")
	d.Set(first.Root.BornAt.Add(30 * time.Minute))
	a, code, _ := d.enter(admission.Guest, 1)
	same(t, code, "", "the replay")
	same(t, a.Session, "", "a session at half an hour")
	d.Set(first.Root.EndsAt)
	_, code, _ = d.enter(admission.Guest, 1)
	same(t, code, "sandbox-ended", "at the sandbox's end")
}

func TestAReplayAfterSigningOutHandsOutNoSession(t *testing.T) {
	d := open(t, "2026-11-30 12:00:00")
	a, _, _ := d.enter(admission.Guest, 1)
	if err := d.Engine.Revoke(t.Context(), hub.Who{Hub: a.Root.ID, Session: "any"}); err != nil {
		t.Fatal(err)
	}
	again, code, _ := d.enter(admission.Guest, 1)
	same(t, code, "", "the replay")
	same(t, again.Root.ID, a.Root.ID, "its sandbox")
	same(t, again.Session, "", "its session")
}

func TestAKeyThatCouldBeGuessedIsRefused(t *testing.T) {
	d := open(t, "2026-11-30 12:00:00")
	for _, k := range []string{"", "short", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "abcdefgabcdefgabcdefgabcdefg"} {
		_, err := d.desk.Admit(t.Context(), admission.Request{Kind: admission.Guest, Key: k, TurnstileToken: "a token"})
		same(t, refusal.Is(err, refusal.KeyInvalid), true, fmt.Sprintf("%q is refused", k))
	}
}

func TestAKeyOfAnAccountIsWorthNothingToAnother(t *testing.T) {
	d := open(t, "2026-11-30 12:00:00")
	as := func(subject string) (admission.Admitted, error) {
		return d.desk.Admit(t.Context(), admission.Request{Kind: admission.Account, Subject: subject, Key: key(1)})
	}
	_, err := as("")
	same(t, refusal.Is(err, refusal.Unauthenticated), true, "nobody is refused")
	first, err := as("anna")
	same(t, err, nil, "anna")
	same(t, first.Role, hub.Baker, "her role")
	again, err := as("anna")
	same(t, err, nil, "anna again")
	same(t, again.Root.ID, first.Root.ID, "her sandbox")
	other, err := as("anna ")
	same(t, refusal.Is(err, refusal.KeyReused), true, "another is refused")
	same(t, other.Session, "", "a session for another")
}

func TestEveryFaultOfAnAdmissionEndsInOneCount(t *testing.T) {
	for _, kind := range []faults.Kind{faults.Get, faults.Commit} {
		for _, fault := range []faults.Fault{faults.Refused, faults.Lost, faults.Applied, faults.Late, faults.Conflict} {
			for n := 1; n <= 2; n++ {
				d := open(t, "2026-11-30 12:00:00")
				d.Faults.Next(kind, n, fault)
				_, code, _ := d.enter(admission.Guest, 1)
				for code == "unavailable" {
					_, code, _ = d.enter(admission.Guest, 1)
				}
				same(t, code, "", "the answer")
				same(t, d.used(), "2026-11-30 1/300 1/100 0/100", fmt.Sprintf("kind %d fault %d call %d", kind, fault, n))
			}
		}
	}
}

func TestTheControlHubIsArmedOnceADay(t *testing.T) {
	d := open(t, "2026-11-30 12:00:00")
	for i := range 5 {
		d.enter(admission.Guest, i)
	}
	armed, _ := d.Alarms.List(t.Context(), "control")
	same(t, len(armed), 1, "one-shots of the control hub")
	same(t, armed[0].At.Format(time.DateTime), "2026-12-01 10:05:00", "5 minutes after the sandboxes' end")
	d.Advance(22*time.Hour + 10*time.Minute)
	same(t, len(d.Reports()), 0, "reports")
	for _, hub := range d.hubs() {
		if hub != "control" {
			t.Errorf("%s is left", hub)
		}
	}
	left, _ := d.Alarms.List(t.Context(), "")
	same(t, len(left), 0, "one-shots left")
}

func (d *door) hubs() (hubs []string) {
	all, err := d.Mem.Overdue(d.T.Context(), d.Now().AddDate(1, 0, 0), 1000)
	if err != nil {
		d.T.Fatal(err)
	}
	for _, r := range all {
		hubs = append(hubs, r.PK)
	}
	return hubs
}

func TestReadOnlyRefusesCommandsWithinASecondAndOffDoesNot(t *testing.T) {
	d := open(t, "2026-11-30 12:00:00")
	same(t, d.desk.Gate(t.Context()), nil, "while it is on")
	for flag, refused := range map[admission.Flag]bool{admission.ReadOnly: true, admission.Off: false} {
		d.edit(admission.Edit{Flag: &flag})
		d.Set(d.Now().Add(time.Second))
		same(t, refusal.Is(d.desk.Gate(t.Context()), refusal.ReadOnly), refused, string(flag))
	}
	d.Meter.Reset()
	for range 100 {
		_ = d.desk.Gate(t.Context())
	}
	same(t, d.Meter.Total().Requests, 0, "reads within a second")
}
