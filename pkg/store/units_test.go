package store_test

import (
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"

	"pocbakery/pkg/store"
)

func TestSizesFollowThePublicRules(t *testing.T) {
	// pk and sk with their names, rev with its name and two bytes.
	const bare = 2 + 3 + 2 + 4 + 3 + 2
	for name, row := range map[string]struct {
		fields store.Fields
		want   int
	}{
		"no fields":              {nil, bare},
		"an empty text":          {store.Fields{"name": ""}, bare + 4},
		"a text":                 {store.Fields{"name": "anna"}, bare + 4 + 4},
		"bytes, not letters":     {store.Fields{"né": "é☕"}, bare + 3 + 5},
		"true":                   {store.Fields{"ok": true}, bare + 2 + 1},
		"false":                  {store.Fields{"ok": false}, bare + 2 + 1},
		"zero":                   {store.Fields{"n": int64(0)}, bare + 1 + 2},
		"one digit":              {store.Fields{"n": int64(7)}, bare + 1 + 2},
		"two digits":             {store.Fields{"n": int64(42)}, bare + 1 + 2},
		"three digits":           {store.Fields{"n": int64(123)}, bare + 1 + 3},
		"nineteen digits":        {store.Fields{"n": int64(1<<63 - 1)}, bare + 1 + 11},
		"zeros at the end":       {store.Fields{"n": int64(1_000_000)}, bare + 1 + 2},
		"a minus":                {store.Fields{"n": int64(-42)}, bare + 1 + 3},
		"the least of numbers":   {store.Fields{"n": int64(-1 << 63)}, bare + 1 + 12},
		"a wake, and so a shard": {store.Fields{"wake": "2040-05-17T12:00:00.000Z"}, bare + 4 + 24 + 6},
		"several":                {store.Fields{"a": "x", "b": true, "c": int64(1)}, bare + 2 + 2 + 3},
	} {
		i := store.Item{Key: store.Key{PK: "hub", SK: "slot"}, Rev: 1, Fields: row.fields}
		if got := store.ItemBytes(i); got != row.want {
			t.Errorf("%s: %d bytes, not %d", name, got, row.want)
		}
	}
	key := store.Key{PK: "hub", SK: "slot"}
	if got := store.RefBytes(key, store.FieldDue); got != 2+3+2+4+3+25 {
		t.Errorf("an end of a hub has %d bytes", got)
	}
	if got := store.RefBytes(key, store.FieldWake); got != 2+3+2+4+4+24+6 {
		t.Errorf("a wake has %d bytes", got)
	}
}

func TestTheSweepsIndexIsReadInAllItsShards(t *testing.T) {
	if got := store.OverdueUnits(nil); got != store.Shards*0.5 {
		t.Errorf("finding nothing takes %v", got)
	}
	var refs []store.Ref
	shards := map[string]bool{}
	for n := range 100 {
		pk := fmt.Sprintf("hub%097d", n)
		shards[store.ShardOf(pk)] = true
		refs = append(refs, store.Ref{Key: store.Key{PK: pk, SK: "slot"}})
	}
	// 100 entries of 2+100+2+4+4+24+6 bytes, in parts of 4 KB.
	if got := store.OverdueUnits(refs); len(shards) != store.Shards || got < 4*0.5 || got > 4*0.5+2 {
		t.Errorf("finding %d in %d shards takes %v", len(refs), len(shards), got)
	}
}

func TestReadUnitsAreRoundedUp(t *testing.T) {
	for bytes, want := range map[int]float64{0: 1, 1: 1, 4096: 1, 4097: 2, 8192: 2, 32_000: 8, 1 << 20: 256} {
		if got := store.ReadUnits(bytes); got != want {
			t.Errorf("%d bytes take %v", bytes, got)
		}
		if got := store.EventualReadUnits(bytes); got != want/2 {
			t.Errorf("%d bytes take %v, eventually", bytes, got)
		}
	}
}

func TestWriteUnitsAreThoseOfTheLargerItemAndOfTheIndexes(t *testing.T) {
	item := func(bytes int, fields store.Fields) store.Item {
		i := store.Item{Key: store.Key{PK: "hub", SK: "slot"}, Rev: 1, Fields: store.Fields{"p": ""}}
		maps.Copy(i.Fields, fields)
		i.Fields["p"] = strings.Repeat("x", bytes-store.ItemBytes(i))
		return i
	}
	due1, due2 := store.Fields{"due": "b2040-05-17T12:00:00.000Z"}, store.Fields{"due": "w2040-05-17T12:00:00.000Z"}
	wake1, wake2 := store.Fields{"wake": "2040-05-17T12:00:00.000Z"}, store.Fields{"wake": "2040-05-17T13:00:00.000Z"}
	both := store.Fields{"due": due1["due"], "wake": wake1["wake"]}
	none := store.Item{}
	for name, row := range map[string]struct {
		before, after        store.Item
		one, transact, index float64
	}{
		"nothing":                  {none, none, 1, 2, 0},
		"a new item":               {none, item(1024, nil), 1, 2, 0},
		"one byte more":            {none, item(1025, nil), 2, 4, 0},
		"grown":                    {item(500, nil), item(3000, nil), 3, 6, 0},
		"shrunk":                   {item(3000, nil), item(500, nil), 3, 6, 0},
		"deleted":                  {item(3000, nil), none, 3, 6, 0},
		"new with an end":          {none, item(500, due1), 1, 2, 1},
		"an end added":             {item(500, nil), item(500, due1), 1, 2, 1},
		"an end removed":           {item(500, due1), item(500, nil), 1, 2, 1},
		"an end deleted":           {item(500, due1), none, 1, 2, 1},
		"an end moved":             {item(500, due1), item(500, due2), 1, 2, 2},
		"an end kept":              {item(500, due1), item(600, due1), 1, 2, 0},
		"a wake added":             {item(500, nil), item(500, wake1), 1, 2, 1},
		"a wake removed":           {item(500, wake1), item(500, nil), 1, 2, 1},
		"a wake moved":             {item(500, wake1), item(500, wake2), 1, 2, 2},
		"both added":               {none, item(500, both), 1, 2, 2},
		"both removed":             {item(500, both), none, 1, 2, 2},
		"one of two removed":       {item(500, both), item(500, due1), 1, 2, 1},
		"large, with an end moved": {item(2000, due1), item(2000, due2), 2, 4, 2},
	} {
		for _, got := range []struct {
			what      string
			got, want float64
		}{
			{"alone", store.WriteUnits(row.before, row.after, false, true), row.one + row.index},
			{"in a transaction", store.WriteUnits(row.before, row.after, true, true), row.transact + row.index},
			{"refused", store.WriteUnits(row.before, row.after, false, false), row.one},
			{"in a refused transaction", store.WriteUnits(row.before, row.after, true, false), row.transact},
		} {
			if got.got != got.want {
				t.Errorf("%s, %s: %v units, not %v", name, got.what, got.got, got.want)
			}
		}
	}
}

func TestAMeterCountsWhatManyDoAtOnce(t *testing.T) {
	var m store.Meter
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				m.Read(store.CallOverdue, 1, 0.5)
				m.Write(store.CallTransact, 2, 12)
			}
		})
	}
	wg.Wait()
	want := map[string]store.Count{
		"overdue":  {Requests: 800, ReadUnits: 400},
		"transact": {Requests: 1600, WriteUnits: 9600},
	}
	if got := m.Snapshot(); !maps.Equal(got, want) {
		t.Fatalf("counted %v", got)
	}
	if got := m.Total(); got != (store.Count{Requests: 2400, ReadUnits: 400, WriteUnits: 9600}) {
		t.Fatalf("in all %v", got)
	}
	m.Reset()
	if len(m.Snapshot()) != 0 || m.Total() != (store.Count{}) {
		t.Fatal("a reset leaves counts")
	}
}

func TestAMeterCountsWithoutAllocating(t *testing.T) {
	var m store.Meter
	if n := testing.AllocsPerRun(100, func() { m.Read(store.CallGet, 1, 1) }); n > 0 {
		t.Fatalf("%v allocations", n)
	}
}

func TestNoMeterCountsNothing(t *testing.T) {
	var m *store.Meter
	m.Read(store.CallGet, 1, 1)
	m.Write(store.CallPut, 1, 1)
	m.Reset()
	if len(m.Snapshot()) != 0 || m.Total() != (store.Count{}) {
		t.Fatal("there is a count")
	}
}
