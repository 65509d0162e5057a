package bakery_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"pocbakery/pkg/bakery"
	"pocbakery/pkg/refusal"
	"pocbakery/pkg/store"
	"pocbakery/pkg/store/faults"
)

// busy is a street whose slots have room for many.
func busy(t *testing.T) *street {
	hours := bakery.DefaultHours()
	hours.Capacity = 200
	return openWith(t, "2026-12-01 12:00:00", hours)
}

// fill places so many orders, 100 a slot, from the n-th on.
func (s *street) fill(from, to int) {
	s.T.Helper()
	first := time.Date(2026, 12, 2, 6, 0, 0, 0, time.UTC)
	for n := from; n < to; n++ {
		s.placed(slotAt(first.Add(time.Duration(n/100)*15*time.Minute)), fmt.Sprintf("order-%06d", n))
	}
}

func slotAt(t time.Time) bakery.SlotID { return bakery.SlotID(t.Format("20060102T1504Z")) }

func TestASandboxTakesThreeThousandOrders(t *testing.T) {
	s := busy(t)
	s.fill(0, 1)
	s.Meter.Reset()
	s.fill(1, bakery.MaxOrders)
	// Two reads and two writes an order, and one write for every fiftieth.
	if asked := s.Meter.Total().Requests; asked > 4*bakery.MaxOrders+bakery.MaxOrders/50 {
		t.Errorf("%d requests", asked)
	}
	_, _, err := s.shop.Place(context.Background(), s.who, "one-too-many", s.want("20261203T0900Z"))
	var no *refusal.Refusal
	if !errors.As(err, &no) || no.Code != refusal.HubFull || no.RetryAfter != 22*time.Hour {
		t.Fatalf("got %v, want hub-full until the sandbox's end", err)
	}
	_, code := s.place("20261202T0600Z", "order-000000")
	same(t, code, "replayed", "a repeat of the first")
}

func TestWhatAnotherProcessHasCountedCounts(t *testing.T) {
	s := busy(t)
	if err := s.Engine.Store().Commit(t.Context(), s.Now(), s.root.OrdersWrite(bakery.MaxOrders-1)); err != nil {
		t.Fatal(err)
	}
	s.fill(0, 1)
	_, code := s.place("20261202T0600Z", "one-too-many")
	same(t, code, "hub-full", "the next")
}

func TestACountThatCannotBeWrittenIsKeptForTheNext(t *testing.T) {
	s := busy(t)
	s.fill(0, 49)
	s.Faults.Next(faults.Commit, 3, faults.Refused) // of the fiftieth: the hold, the order, the count
	s.fill(49, 60)
	items, err := s.Engine.Store().Get(t.Context(), s.Now(), store.Key{PK: string(s.who.Hub), SK: "root"})
	if err != nil {
		t.Fatal(err)
	}
	same(t, items[0].Int("orders") >= 50, true, "the root has the fifty")
}
