package account_test

import (
	"crypto/rand"
	"fmt"
	"sync"
	"testing"
	"time"

	"pocbakery/pkg/access"
	"pocbakery/pkg/account"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/hub/hubtest"
	"pocbakery/pkg/refusal"
	"pocbakery/pkg/sandbox"
	"pocbakery/pkg/store"
	"pocbakery/pkg/store/faults"
)

// people is a world with accounts in it.
type people struct {
	*hubtest.World
	accounts *account.Service
	sessions *access.Sessions
}

func open(t testing.TB) *people {
	w := hubtest.At(t, "2026-11-30 12:00:00")
	ring := access.NewKeyring([]byte("a master secret of 32 characters"))
	boxes := sandbox.New(w.Engine, w.Alarms, 45*time.Second, ring.MAC, func(sandbox.WipeRun) {})
	return &people{w, account.New(w.Engine, boxes, ring, rand.Reader), ring.Sessions()}
}

// signIn is somebody of this name who signs in now.
func (p *people) signIn(subject string) access.Identity {
	return access.Identity{Issuer: "https://id.example", Subject: subject, MadeAt: p.Now()}
}

func (p *people) enter(i access.Identity) hub.Who {
	p.T.Helper()
	who, err := p.accounts.Enter(p.T.Context(), i)
	if err != nil {
		p.T.Fatal(err)
	}
	return who
}

// keep puts something into a hub.
func (p *people) keep(who hub.Who, sk string) {
	p.T.Helper()
	if err := p.Engine.Store().Commit(p.T.Context(), p.Now(), store.Put(store.Key{PK: string(who.Hub), SK: sk}, store.If().OrAbsent(), store.Fields{"x": "y"})); err != nil {
		p.T.Fatal(err)
	}
}

// held is what the table really holds of a hub.
func (p *people) held(id hub.ID) int {
	p.T.Helper()
	page, err := p.Mem.List(p.T.Context(), time.Time{}, string(id), store.Range{})
	if err != nil {
		p.T.Fatal(err)
	}
	return len(page.Items)
}

func (p *people) row(id hub.ID) store.Item {
	p.T.Helper()
	items, err := p.Mem.Get(p.T.Context(), time.Time{}, store.Key{PK: "control", SK: "account#" + string(id)})
	if err != nil {
		p.T.Fatal(err)
	}
	return items[0]
}

func (p *people) refused(err error, code refusal.Code, what string) {
	p.T.Helper()
	if !refusal.Is(err, code) {
		p.T.Errorf("%s: %v, want %s", what, err, code)
	}
}

func TestAHubIsMadeAtFirstUseAndFoundAgain(t *testing.T) {
	p := open(t)
	anna := p.signIn("anna")
	first := p.enter(anna)
	p.keep(first, "task")
	p.Set(p.Now().Add(time.Hour))
	again := p.enter(p.signIn("anna"))
	if again.Hub != first.Hub || p.held(first.Hub) != 2 || !access.IsAccountHub(first.Hub) || len(first.Hub) > 40 {
		t.Errorf("%s, then %s with %d items", first.Hub, again.Hub, p.held(first.Hub))
	}
	if other := p.enter(p.signIn("Anna")); other.Hub == first.Hub {
		t.Error("two accounts that look alike have one hub")
	}
	view, err := p.Engine.Open(t.Context(), again)
	if err != nil || view.Root.Kind != account.Kind || !view.Root.EndsAt.IsZero() || view.Root.TTL != 0 {
		t.Errorf("%+v, %v", view.Root, err)
	}
}

func TestAHubWhosePersonIsAwayHasNoEndOfItsOwn(t *testing.T) {
	p := open(t)
	who := p.enter(p.signIn("anna"))
	for _, c := range []store.Clock{store.Business, store.Wall} {
		if refs, err := p.Mem.Due(t.Context(), string(who.Hub), c, p.Now().AddDate(100, 0, 0), 10); err != nil || len(refs) > 0 {
			t.Errorf("%v %v", refs, err)
		}
	}
	if armed, _ := p.Alarms.List(t.Context(), string(who.Hub)); len(armed) > 0 {
		t.Errorf("one-shots: %v", armed)
	}
}

func TestManyAtOnceMakeOneHub(t *testing.T) {
	p := open(t)
	anna := p.signIn("anna")
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if _, err := p.accounts.Enter(t.Context(), anna); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if p.held(anna.Hub()) != 1 {
		t.Errorf("%d items", p.held(anna.Hub()))
	}
}

// aws.md 14.
func TestAHubEndsFourHundredDaysAfterTheLastVisit(t *testing.T) {
	p := open(t)
	who := p.enter(p.signIn("anna"))
	p.keep(who, "task")
	p.Advance(399 * 24 * time.Hour)
	if err := p.accounts.Visit(t.Context(), hub.Who{Hub: who.Hub}); err != nil {
		t.Fatal(err)
	}
	p.Advance(400*24*time.Hour - time.Second)
	if p.held(who.Hub) != 2 {
		t.Fatal("it ended too early")
	}
	p.Advance(time.Second)
	if p.held(who.Hub) != 0 {
		t.Fatalf("%d items are left at its end", p.held(who.Hub))
	}
	p.Advance(time.Minute)
	if row := p.row(who.Hub); row.Has(store.FieldDue) || row.Bool("ending") || !row.Has(store.FieldTTL) {
		t.Errorf("the row %v", row.Fields)
	}
	if armed, _ := p.Alarms.List(t.Context(), ""); len(armed) > 0 {
		t.Errorf("one-shots left: %v", armed)
	}
	p.enter(p.signIn("anna"))
}

func TestAVisitIsWrittenOnceADayAtMost(t *testing.T) {
	p := open(t)
	anna := p.signIn("anna")
	p.enter(anna)
	rev := p.row(anna.Hub()).Rev
	for range 24 {
		p.Set(p.Now().Add(time.Hour - time.Second))
		p.enter(anna)
	}
	if got := p.row(anna.Hub()).Rev; got != rev {
		t.Errorf("written %d times within a day", got-rev)
	}
	p.Set(p.Now().Add(time.Minute))
	p.enter(anna)
	if got := p.row(anna.Hub()).Rev; got != rev+1 {
		t.Errorf("written %d times after a day", got-rev)
	}
}

func TestEndingAnAccountTakesEverythingAndSignsEverybodyOut(t *testing.T) {
	p := open(t)
	anna := p.signIn("anna")
	who := p.enter(anna)
	session, _, err := p.accounts.Session(t.Context(), anna)
	if err == nil {
		p.Set(p.Now().Add(time.Hour))
		p.keep(who, "task")
		err = p.accounts.End(t.Context(), who)
	}
	if err != nil {
		t.Fatal(err)
	}
	if p.held(who.Hub) != 0 {
		t.Errorf("%d items are left", p.held(who.Hub))
	}
	_, err = p.accounts.Enter(t.Context(), anna)
	p.refused(err, refusal.Unauthenticated, "the identity of before")
	_, err = p.Engine.Open(t.Context(), session.Who())
	p.refused(err, refusal.SandboxEnded, "the session of before")
	p.Set(p.Now().Add(time.Second))
	_, err = p.accounts.Enter(t.Context(), p.signIn("anna"))
	p.refused(err, refusal.AccountEnding, "another sign-in, at once")
	p.keep(who, "task") // a write in flight brings something back
	p.Advance(2 * time.Minute)
	if p.held(who.Hub) != 0 {
		t.Errorf("%d items came back and stayed", p.held(who.Hub))
	}
	p.enter(p.signIn("anna"))
	_, err = p.accounts.Enter(t.Context(), anna)
	p.refused(err, refusal.Unauthenticated, "the identity of before, in the new hub")
	_, err = p.Engine.Open(t.Context(), session.Who())
	p.refused(err, refusal.Unauthenticated, "the session of before, in the new hub")
	p.Advance(10 * time.Minute)
	if p.held(who.Hub) != 1 {
		t.Errorf("the new hub has %d items", p.held(who.Hub))
	}
}

func TestSigningOutEverywhereEndsEverythingHeldAndNothingMadeLater(t *testing.T) {
	for _, entered := range []bool{true, false} {
		p := open(t)
		anna := p.signIn("anna")
		other := p.signIn("olle")
		if entered {
			p.enter(anna)
		}
		p.Set(p.Now().Add(time.Hour))
		asks := hub.Who{Hub: anna.Hub(), MadeAt: anna.MadeAt}
		if err := p.accounts.SignOutEverywhere(t.Context(), asks); err != nil {
			t.Fatal(err)
		}
		p.refused(p.accounts.Vouch(t.Context(), anna), refusal.Unauthenticated, "an identity of before")
		p.refused(p.accounts.SignOutEverywhere(t.Context(), asks), refusal.Unauthenticated, "signing out by what was signed out")
		p.refused(p.accounts.End(t.Context(), asks), refusal.Unauthenticated, "ending by what was signed out")
		if err := p.accounts.Vouch(t.Context(), other); err != nil {
			t.Errorf("somebody else: %v", err)
		}
		p.Set(p.Now().Add(time.Millisecond))
		if _, err := p.accounts.Enter(t.Context(), p.signIn("anna")); err != nil {
			t.Errorf("signing in again: %v", err)
		}
	}
}

func TestEveryFaultOfABirthEndsInOneHub(t *testing.T) {
	for _, kind := range []faults.Kind{faults.Get, faults.Commit} {
		for _, fault := range []faults.Fault{faults.Refused, faults.Lost, faults.Applied, faults.Late, faults.Conflict} {
			for n := 1; n <= 2; n++ {
				p := open(t)
				anna := p.signIn("anna")
				p.Faults.Next(kind, n, fault)
				_, err := p.accounts.Enter(t.Context(), anna)
				for range 3 {
					if err == nil {
						break
					}
					_, err = p.accounts.Enter(t.Context(), anna)
				}
				if err != nil || p.held(anna.Hub()) != 1 || !p.row(anna.Hub()).Has(store.FieldDue) {
					t.Errorf("kind %d fault %d call %d: %v", kind, fault, n, err)
				}
			}
		}
	}
}

func TestAnEndThatBreaksOffIsFinished(t *testing.T) {
	for _, kind := range []faults.Kind{faults.Get, faults.List, faults.Commit, faults.Erase} {
		for _, fault := range []faults.Fault{faults.Refused, faults.Applied} {
			for n := 1; n <= 4; n++ {
				t.Run(fmt.Sprint(kind, fault, n), func(t *testing.T) {
					p := open(t)
					who := p.enter(p.signIn("anna"))
					p.keep(who, "task")
					p.Set(p.Now().Add(time.Hour))
					p.Faults.Next(kind, n, fault)
					ended := p.accounts.End(t.Context(), who) == nil
					if !ended && !p.row(who.Hub).Bool("ending") {
						return // nothing was begun, and its person was told so
					}
					p.Advance(10 * time.Minute)
					if err := p.Engine.Dispatch(t.Context(), p.Engine.SweepJobs()); err != nil {
						t.Log(err)
					}
					p.Advance(time.Hour)
					if p.held(who.Hub) != 0 || p.row(who.Hub).Bool("ending") {
						t.Errorf("%d items, row %v", p.held(who.Hub), p.row(who.Hub).Fields)
					}
				})
			}
		}
	}
}
