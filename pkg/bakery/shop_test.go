package bakery_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"pocbakery/pkg/bakery"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/hub/hubtest"
	"pocbakery/pkg/refusal"
	"pocbakery/pkg/sandbox"
	"pocbakery/pkg/store"
)

// street is a world with one sandbox in it and its shop.
type street struct {
	*hubtest.World
	shop  *bakery.Shop
	boxes *sandbox.Service
	who   hub.Who
	root  hub.Root
}

func mac(purpose string, parts ...string) [32]byte {
	return sha256.Sum256([]byte(purpose + "\x00" + strings.Join(parts, "\x00")))
}

// open is a street whose wall clock reads "2006-01-02 15:04:05" UTC.
func open(t testing.TB, clock string) *street {
	t.Helper()
	return openWith(t, clock, bakery.DefaultHours())
}

func openWith(t testing.TB, clock string, hours bakery.Hours) *street {
	t.Helper()
	w := hubtest.At(t, clock)
	s := &street{World: w, who: hub.Who{Hub: "abcdefgh", Role: hub.Baker}}
	s.shop = bakery.NewShop(w.Engine, hours, bakery.SeededMenu(), mac)
	s.boxes = sandbox.New(w.Engine, w.Alarms, 45*time.Second, mac, func(sandbox.WipeRun) {})
	s.root = sandbox.Born(s.who.Hub, "guest", 1, w.Now())
	if err := w.Engine.Store().Commit(t.Context(), w.Now(), sandbox.Birth(s.root)...); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *street) want(slot bakery.SlotID) bakery.Placement {
	return bakery.Placement{Pickup: slot, Lines: []bakery.Wanted{{SKU: "cardamom-bun", Quantity: 2}}}
}

// place places under a key and returns the order, or nothing and the code of
// the refusal.
func (s *street) place(slot bakery.SlotID, key string) (bakery.OrderView, string) {
	s.T.Helper()
	o, replayed, err := s.shop.Place(context.Background(), s.who, key, s.want(slot))
	if err == nil && replayed {
		return o, "replayed"
	}
	return o, s.code(err)
}

func (s *street) placed(slot bakery.SlotID, key string) bakery.OrderView {
	s.T.Helper()
	o, code := s.place(slot, key)
	if code != "" {
		s.T.Fatalf("placing under %s: %s", key, code)
	}
	return o
}

func (s *street) pay(o bakery.OrderView, key string) bakery.Payment {
	s.T.Helper()
	p, _, _, err := s.shop.Pay(context.Background(), s.who, o.Ref(), key, bakery.Total(o.Lines))
	if err != nil {
		s.T.Fatalf("paying under %s: %v", key, err)
	}
	return p
}

func (s *street) cancel(o bakery.OrderView) bakery.OrderView {
	s.T.Helper()
	v, err := s.shop.Cancel(context.Background(), s.who, o.Ref())
	if err != nil {
		s.T.Fatal(err)
	}
	return v
}

func (s *street) order(ref bakery.OrderRef) bakery.OrderView {
	s.T.Helper()
	o, err := s.shop.Order(context.Background(), s.who, ref)
	if err != nil {
		s.T.Fatal(err)
	}
	return o
}

func (s *street) slot(id bakery.SlotID) bakery.SlotView {
	s.T.Helper()
	v, err := s.shop.Slot(context.Background(), s.who, id)
	if err != nil {
		s.T.Fatal(err)
	}
	return v
}

// counts is "held/confirmed/free".
func (s *street) counts(id bakery.SlotID) string {
	s.T.Helper()
	v := s.slot(id)
	return fmt.Sprintf("%d/%d/%d", v.Held, v.Confirmed, v.Free())
}

func (s *street) capacity(id bakery.SlotID, n int) {
	s.T.Helper()
	if _, err := s.shop.SetCapacity(context.Background(), s.who, id, n, ""); err != nil {
		s.T.Fatal(err)
	}
}

// events are the types of what happened to an order, in order.
func (s *street) events(ref bakery.OrderRef) string {
	s.T.Helper()
	var types []string
	for after := ""; ; {
		events, next, err := s.shop.Events(context.Background(), s.who, bakery.EventQuery{After: after})
		if err != nil {
			s.T.Fatal(err)
		}
		if len(events) == 0 {
			return strings.Join(types, " ")
		}
		for _, e := range events {
			if e.Ref == string(ref) || ref == "" {
				types = append(types, string(e.Type))
			}
		}
		after = next
	}
}

// code is the code of a refusal, "" for no error; any other error ends the test.
func (s *street) code(err error) string {
	s.T.Helper()
	var r *refusal.Refusal
	switch {
	case err == nil:
		return ""
	case errors.As(err, &r):
		return string(r.Code)
	case errors.Is(err, store.ErrUnavailable), errors.Is(err, store.ErrUnknown):
		return "unavailable"
	}
	s.T.Fatalf("neither an answer nor a refusal: %v", err)
	return ""
}

// run runs the hub, as a one-shot would.
func (s *street) run() {
	s.T.Helper()
	s.Fire(alarmFor(s.who.Hub))
}

func same[T comparable](t testing.TB, got, want T, what string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// together calls f(0..n-1) at once.
func together(n int, f func(i int)) {
	var all sync.WaitGroup
	gate := make(chan struct{})
	for i := range n {
		all.Go(func() { <-gate; f(i) })
	}
	close(gate)
	all.Wait()
}
