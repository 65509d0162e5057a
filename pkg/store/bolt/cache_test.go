package bolt_test

import (
	"fmt"
	"testing"
	"time"

	"pocbakery/pkg/store"
)

func TestItemsOfEqualContentKeepTheirNames(t *testing.T) {
	s := open(t, nil)
	const each = 90
	for n := range 8 {
		var writes []store.Write
		for m := range each {
			writes = append(writes, store.Put(store.Key{PK: fmt.Sprint("hub", n%2), SK: fmt.Sprint("item#", 100*n+m)}, store.IfAbsent(), store.Fields{"s": "x"}))
		}
		if err := s.Commit(ctx, noon, writes...); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		seen := map[store.Key]bool{}
		for _, hub := range []string{"hub0", "hub1"} {
			page, err := s.List(ctx, noon, hub, store.Range{})
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range page.Items {
				seen[i.Key] = i.PK == hub
			}
		}
		if len(seen) != 8*each {
			t.Fatalf("there are %d names", len(seen))
		}
		for key, right := range seen {
			if !right {
				t.Fatalf("%v is listed in another hub", key)
			}
		}
	}
}

func TestAnItemIsReadAsItIsNotAsItWas(t *testing.T) {
	s := open(t, nil)
	key := store.Key{PK: "hub", SK: "a"}
	for n := range int64(50) {
		if err := s.Commit(ctx, noon, store.Put(key, store.If().OrAbsent(), store.Fields{"n": n})); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			items, err := s.Get(ctx, noon, key)
			if err != nil || items[0].Int("n") != n || items[0].Rev != n+1 {
				t.Fatalf("write %d: %v, %v", n, err, items)
			}
		}
	}
	if err := s.Erase(ctx, key); err != nil {
		t.Fatal(err)
	}
	items, err := s.Get(ctx, time.Time{}, key)
	if err != nil || items[0].Exists() {
		t.Fatalf("%v, %v", err, items)
	}
}
