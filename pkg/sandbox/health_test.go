package sandbox_test

import (
	"testing"
	"time"

	"pocbakery/pkg/hub"
	"pocbakery/pkg/sandbox"
	"pocbakery/pkg/store"
	"pocbakery/pkg/store/faults"
)

func (l *lot) health() sandbox.Health {
	l.T.Helper()
	h, err := l.boxes.Health(l.T.Context())
	if err != nil {
		l.T.Fatal(err)
	}
	return h
}

func TestHealthSaysWhichEndIsOverdueAndWhatTheLastRunsDid(t *testing.T) {
	l := open(t, "2026-11-30 09:50:00")
	same(t, l.health(), sandbox.Health{}, "before anything ended")
	if err := l.Engine.ArmUnread(t.Context(), hub.Control, sandbox.RowDue(l.root)); err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= 3; n++ { // the row's first pass fails, with all its tries
		l.Faults.Next(faults.Erase, n, faults.Refused)
	}
	l.Set(l.root.WipeAt.Add(30 * time.Second)) // and its own timer was lost
	same(t, l.health().Overdue, l.root.WipeAt, "the end that nobody honoured")
	l.Advance(sandbox.RowDue(l.root).Sub(l.Now()) + 30*time.Second)
	h := l.health()
	same(t, h.Wiped.At.IsZero(), false, "the first run is noted")
	same(t, h.Wiped.Failed, 1, "it failed")
	l.Advance(20 * time.Minute)
	h = l.health()
	same(t, h.Overdue.IsZero(), true, "in the end nothing is overdue")
	same(t, h.Wiped.Failed+h.Wiped.Remaining, 0, "the last run")
	turn := l.Now()
	if err := l.Engine.Dispatch(t.Context(), l.Engine.SweepJobs()); err != nil {
		t.Fatal(err)
	}
	l.Advance(2 * time.Second)
	same(t, l.health().Swept, turn, "the sweep's turn")
}

func TestHealthIsReadOnceHoweverOftenItIsLookedAt(t *testing.T) {
	l := open(t, "2026-11-30 12:00:00")
	for n := range 30 {
		l.lend(n)
	}
	l.Meter.Reset()
	for range 10 {
		l.health()
	}
	const once = 1 + store.Shards // three items at once, and each part of the index of ends
	same(t, l.Meter.Total().Requests, once, "requests within two seconds")
	l.Set(l.Now().Add(2 * time.Second))
	l.health()
	same(t, l.Meter.Total().Requests, 2*once, "and after them")
}
