package faults_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"pocbakery/pkg/store"
	"pocbakery/pkg/store/faults"
	"pocbakery/pkg/store/mem"
	"pocbakery/pkg/store/storetest"
)

var (
	ctx = context.Background()
	now = time.Date(2040, 5, 17, 12, 0, 0, 0, time.UTC)
	key = store.Key{PK: "hub", SK: "a"}
	add = store.Write{Op: store.OpUpdate, Key: key, Guard: store.If().OrAbsent(), Add: map[string]int64{"n": 1}}
)

func wrap() (*faults.Store, *mem.Store) {
	m := mem.New(nil)
	return faults.Wrap(m, rand.New(rand.NewPCG(1, 2))), m
}

func held(t *testing.T, m *mem.Store) int64 {
	t.Helper()
	items, err := m.Get(ctx, now, key)
	if err != nil {
		t.Fatal(err)
	}
	return items[0].Int("n")
}

func TestWithoutFaultsItDoesWhatThePortSays(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store { f, _ := wrap(); return f })
}

func TestAScriptFailsTheCallsItNames(t *testing.T) {
	for fault, want := range map[faults.Fault]struct {
		err     error
		applied int64
	}{
		faults.Refused:  {store.ErrUnavailable, 0},
		faults.Lost:     {store.ErrUnknown, 0},
		faults.Applied:  {store.ErrUnknown, 1},
		faults.Late:     {store.ErrUnknown, 0},
		faults.Conflict: {store.ErrConflict, 0},
	} {
		f, m := wrap()
		f.Next(faults.Commit, 2, fault)
		for n := range 3 {
			before := held(t, m)
			err := f.Commit(ctx, now, add)
			switch {
			case n == 1 && (!errors.Is(err, want.err) || held(t, m)-before != want.applied):
				t.Errorf("fault %d: %v, %d applied", fault, err, held(t, m)-before)
			case n != 1 && err != nil:
				t.Errorf("fault %d hits call %d: %v", fault, n, err)
			}
		}
		late := int64(0)
		if fault == faults.Late {
			late = 1
		}
		if got := held(t, m); got != 2+want.applied+late || f.Injected() != 1 {
			t.Errorf("fault %d: %d applied in all, %d injected", fault, got, f.Injected())
		}
	}
}

func TestAScriptOfOneKindLeavesOthersAlone(t *testing.T) {
	f, _ := wrap()
	f.Next(faults.Get, 1, faults.Refused)
	if err := f.Commit(ctx, now, add); err != nil {
		t.Fatal(err)
	}
	if _, err := f.List(ctx, now, "hub", store.Range{}); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Get(ctx, now, key); !errors.Is(err, store.ErrUnavailable) {
		t.Fatalf("error is %v", err)
	}
}

func TestALostReplyHidesARefusalToo(t *testing.T) {
	f, _ := wrap()
	f.Next(faults.Commit, 1, faults.Applied)
	if err := f.Commit(ctx, now, store.Delete(key, store.IfRev(1))); !errors.Is(err, store.ErrUnknown) {
		t.Fatalf("error is %v", err)
	}
	f.Next(faults.Commit, 1, faults.Applied)
	if err := f.Commit(ctx, now); !errors.Is(err, store.ErrInvalid) {
		t.Fatalf("error is %v", err)
	}
}

func TestRatesAreKeptAndHalfOfTheFailedWritesAreApplied(t *testing.T) {
	const calls = 2000
	f, m := wrap()
	f.Set(faults.Config{ErrorRate: 0.2, ConflictRate: 0.1})
	var fine, unknown, unavailable, conflict, reads int64
	for range calls {
		switch err := f.Commit(ctx, now, add); {
		case err == nil:
			fine++
		case errors.Is(err, store.ErrUnknown):
			unknown++
		case errors.Is(err, store.ErrUnavailable):
			unavailable++
		case errors.Is(err, store.ErrConflict):
			conflict++
		}
		if _, err := f.Get(ctx, now, key); errors.Is(err, store.ErrUnavailable) {
			reads++
		}
	}
	near := func(what string, got int64, share float64) {
		if want := int64(share * calls); got < want*8/10 || got > want*12/10 {
			t.Errorf("%s: %d, about %d expected", what, got, want)
		}
	}
	near("unknown", unknown, 0.15)
	near("unavailable", unavailable, 0.05)
	near("conflict", conflict, 0.08)
	near("reads", reads, 0.2)
	near("failed but applied", held(t, m)-fine, 0.1)
	if got := int64(f.Injected()); got != unknown+unavailable+conflict+reads {
		t.Errorf("%d were injected", got)
	}
	f.Set(faults.Config{})
	for range 100 {
		if err := f.Commit(ctx, now, add); err != nil {
			t.Fatal(err)
		}
	}
}

func TestOneSeedIsOneCourseOfEvents(t *testing.T) {
	course := func() (answers []error, contents string) {
		f, m := wrap()
		f.Set(faults.Config{ErrorRate: 0.5, ConflictRate: 0.5})
		for range 200 {
			answers = append(answers, f.Commit(ctx, now, add))
		}
		return answers, m.Snapshot()
	}
	a, left := course()
	b, right := course()
	if left != right {
		t.Fatal("the contents differ")
	}
	for n := range a {
		if (a[n] == nil) != (b[n] == nil) || a[n] != nil && a[n].Error() != b[n].Error() {
			t.Fatalf("answer %d differs: %v, %v", n, a[n], b[n])
		}
	}
}

func TestLatencyIsCalledBeforeEveryCall(t *testing.T) {
	f, _ := wrap()
	n := 0
	f.Set(faults.Config{Latency: func() { n++ }})
	_, _ = f.Get(ctx, now, key)
	_ = f.Commit(ctx, now, add)
	_ = f.Erase(ctx, key)
	if n != 3 {
		t.Fatalf("called %d times", n)
	}
}

func TestRatesMayBeChangedWhileItRuns(t *testing.T) {
	f, _ := wrap()
	var wg sync.WaitGroup
	for n := range 4 {
		wg.Go(func() {
			for range 100 {
				f.Set(faults.Config{ErrorRate: float64(n) / 4})
				f.Next(faults.Get, n+1, faults.Refused)
				_ = f.Commit(ctx, now, add)
				_, _ = f.Get(ctx, now, key)
			}
		})
	}
	wg.Wait()
}

// TestATableOverFaultsLosesAndDoublesNothing: what Table says of a commit is
// true under any mixture of faults, where nobody else writes the item.
func TestATableOverFaultsLosesAndDoublesNothing(t *testing.T) {
	for seed := range uint64(200) {
		m := mem.New(nil)
		f := faults.Wrap(m, rand.New(rand.NewPCG(seed, 1)))
		f.Set(faults.Config{ErrorRate: 0.4, ConflictRate: 0.1})
		table := store.NewTable(f, rand.New(rand.NewPCG(seed, 2)).Uint64)
		var sure, unsure int64
		for range 20 {
			switch err := table.Commit(ctx, now, add); {
			case err == nil:
				sure++
			case errors.Is(err, store.ErrUnknown):
				unsure++
			case !errors.Is(err, store.ErrUnavailable) && !errors.Is(err, store.ErrConflict):
				t.Fatal(err)
			}
		}
		if got := held(t, m); got < sure || got > sure+unsure {
			t.Fatalf("seed %d: %d applied, %d answered, %d unknown", seed, got, sure, unsure)
		}
	}
}
