package mem_test

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"pocbakery/pkg/store"
	"pocbakery/pkg/store/mem"
	"pocbakery/pkg/store/storetest"
)

func TestTheModelDoesWhatThePortSays(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store { return mem.New(&store.Meter{}) })
}

func TestTheModelThroughATableDoesWhatThePortSays(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store { return store.NewTable(mem.New(nil), rand.Uint64) })
}

func TestEqualTablesHaveEqualSnapshots(t *testing.T) {
	ctx := context.Background()
	now := time.Date(2040, 5, 17, 12, 0, 0, 0, time.UTC)
	a := mem.New(nil)
	if a.Snapshot() != "" {
		t.Fatal("an empty table has contents")
	}
	for _, sk := range []string{"b", "a"} {
		if err := a.Commit(ctx, now, store.Put(store.Key{PK: "hub", SK: sk}, store.IfAbsent(), store.Fields{"n": int64(1), "s": "x", "t": true, "ttl": now.Unix() + 1})); err != nil {
			t.Fatal(err)
		}
	}
	const want = `"hub" "a" rev=1 "n"=1 "s"="x" "t"=true "ttl"=2220868801` + "\n" + `"hub" "b" rev=1 "n"=1 "s"="x" "t"=true "ttl"=2220868801` + "\n"
	if got := a.Snapshot(); got != want {
		t.Fatalf("snapshot is\n%s", got)
	}
	b := a.Clone()
	if b.Snapshot() != want {
		t.Fatal("a clone is not equal")
	}
	if err := b.Erase(ctx, store.Key{PK: "hub", SK: "a"}); err != nil {
		t.Fatal(err)
	}
	if a.Snapshot() != want || b.Snapshot() == want {
		t.Fatal("a clone is not a table of its own")
	}
	if a.Reap(now) != 0 || a.Reap(now.Add(time.Second)) != 2 || a.Snapshot() != "" {
		t.Fatal("reaping takes what is past its ttl, and no more")
	}
}
