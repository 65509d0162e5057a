package storetest

import (
	"time"

	"pocbakery/pkg/store"
)

var readCases = []behaviour{
	{"GetReturnsItemsInTheOrderAsked", func(f *fixture) {
		f.put("a", store.Fields{"n": int64(1)})
		f.put("b", store.Fields{"n": int64(2)})
		items, err := f.s.Get(f.ctx, noon, f.key("b"), f.key("missing"), f.key("a"), f.key("b"))
		if err != nil || len(items) != 4 {
			f.Fatalf("get: %v, %d items", err, len(items))
		}
		f.same(items[0], f.item("b", 1, store.Fields{"n": int64(2)}))
		f.same(items[1], store.Item{})
		f.same(items[2], f.item("a", 1, store.Fields{"n": int64(1)}))
		f.same(items[3], items[0])
	}},
	{"GetOfNothingIsNothing", func(f *fixture) {
		items, err := f.s.Get(f.ctx, noon)
		if err != nil || len(items) != 0 {
			f.Fatalf("get: %v, %d items", err, len(items))
		}
	}},
	{"GetReadsMoreThanARequestTakes", func(f *fixture) {
		var keys []store.Key
		for n := range 2*store.GetPerRequest + 1 {
			keys = append(keys, f.key(numbered(n)))
		}
		f.put(numbered(0), store.Fields{"n": int64(0)})
		f.put(numbered(200), store.Fields{"n": int64(200)})
		items, err := f.s.Get(f.ctx, noon, keys...)
		if err != nil || len(items) != len(keys) {
			f.Fatalf("get: %v, %d items", err, len(items))
		}
		for n, i := range items {
			if i.Exists() != (n == 0 || n == 200) || i.Int("n") != int64(n)*b2i(i.Exists()) {
				f.Fatalf("item %d is %v", n, i)
			}
		}
	}},
	{"HubsDoNotSeeEachOther", func(f *fixture) {
		other := f.newHub()
		f.put("a", store.Fields{"n": int64(1)})
		items, err := f.s.Get(f.ctx, noon, store.Key{PK: other, SK: "a"})
		if err != nil || items[0].Exists() {
			f.Fatalf("get: %v, %v", err, items)
		}
		page, err := f.s.List(f.ctx, noon, other, store.Range{})
		if err != nil || len(page.Items) > 0 {
			f.Fatalf("list: %v, %v", err, page)
		}
	}},
	{"WhatWasReadStaysAsItWas", func(f *fixture) {
		f.put("a", store.Fields{"n": int64(1)})
		got, listed := f.get(noon, "a"), f.list(noon, store.Range{})[0]
		stood := f.refused(noon, store.Delete(f.key("a"), store.IfAbsent())).Items[0]
		f.commit(noon, store.Write{Op: store.OpUpdate, Key: f.key("a"), Guard: store.If(), Add: map[string]int64{"n": 1}})
		f.want(noon, "a", 2, store.Fields{"n": int64(2)})
		for _, i := range []store.Item{got, listed, stood} {
			if i.Rev != 1 || i.Int("n") != 1 {
				f.Fatalf("an item read before the write is %v after it", i)
			}
		}
	}},
	{"WhatIsWrittenSharesNothingWithTheWriter", func(f *fixture) {
		fields := store.Fields{"n": int64(1)}
		f.put("a", fields)
		fields["n"] = int64(99)
		f.want(noon, "a", 1, store.Fields{"n": int64(1)})
	}},
}

func numbered(n int) string {
	return "n#" + string([]byte{byte('0' + n/100), byte('0' + n/10%10), byte('0' + n%10)})
}

func b2i(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

var putCases = []behaviour{
	{"APutMakesAnItemAtRevisionOne", func(f *fixture) {
		f.commit(noon, store.Put(f.key("a"), store.IfAbsent(), store.Fields{"s": "x"}))
		f.want(noon, "a", 1, store.Fields{"s": "x"})
	}},
	{"APutReplacesTheWholeItemAndRaisesItsRevision", func(f *fixture) {
		f.put("a", store.Fields{"s": "x", "gone": true, "due": due("b", 1), "wake": wake(1), "ttl": noon.Unix() + 100})
		f.commit(noon, store.Put(f.key("a"), store.IfRev(1), store.Fields{"s": "y"}))
		f.want(noon, "a", 2, store.Fields{"s": "y"})
		f.commit(noon, store.Put(f.key("a"), store.If(store.Eq("s", "y")), store.Fields{"s": "z"}))
		f.want(noon, "a", 3, store.Fields{"s": "z"})
	}},
	{"FieldsKeepTheirTypes", func(f *fixture) {
		fields := store.Fields{
			"text": "häppchen ☕", "empty": "", "digits": "12", "json": `{"a":[1,2]}`, "nul": "a\x00b",
			"zero": int64(0), "minus": int64(-7), "big": int64(1<<63 - 1), "small": int64(-1 << 63),
			"yes": true, "no": false,
			// Words the table's own languages reserve.
			"capacity": int64(6), "state": "open", "log": "[]", "hash": "x", "a.b": "dot", "#h": int64(1), ":v": int64(2),
		}
		f.put("a", fields)
		f.want(noon, "a", 1, fields)
		i := f.get(noon, "a")
		if i.Has("other") || i.String("zero") != "" || i.Int("text") != 0 || i.Bool("text") {
			f.Fatal("a field is read as of another type")
		}
	}},
	{"AnItemMayHaveNoFields", func(f *fixture) {
		f.put("a", nil)
		f.want(noon, "a", 1, nil)
	}},
}

var updateCases = []behaviour{
	{"AnUpdateLeavesOtherFieldsAlone", func(f *fixture) {
		f.put("a", store.Fields{"s": "x", "n": int64(1), "t": true})
		f.commit(noon, store.Write{Op: store.OpUpdate, Key: f.key("a"), Guard: store.IfRev(1), Set: store.Fields{"s": "y"}})
		f.want(noon, "a", 2, store.Fields{"s": "y", "n": int64(1), "t": true})
	}},
	{"AnUpdateDoesAllItsChangesAtOnce", func(f *fixture) {
		f.put("a", store.Fields{"set": "x", "kept": "x", "n": int64(5), "gone": "x"})
		f.commit(noon, store.Write{Op: store.OpUpdate, Key: f.key("a"), Guard: store.IfRev(1),
			Set:    store.Fields{"set": "y", "new": int64(1)},
			Init:   store.Fields{"kept": "y", "init": true},
			Add:    map[string]int64{"n": -7, "m": 3},
			Remove: []string{"gone", "never"}})
		f.want(noon, "a", 2, store.Fields{"set": "y", "new": int64(1), "kept": "x", "init": true, "n": int64(-2), "m": int64(3)})
	}},
	{"AnUpdateMayChangeAFieldsType", func(f *fixture) {
		f.put("a", store.Fields{"x": "1"})
		f.commit(noon, store.Write{Op: store.OpUpdate, Key: f.key("a"), Guard: store.IfRev(1), Set: store.Fields{"x": int64(1)}})
		f.want(noon, "a", 2, store.Fields{"x": int64(1)})
	}},
	{"AnUpdateOfNothingRaisesTheRevision", func(f *fixture) {
		f.put("a", store.Fields{"x": "1"})
		f.commit(noon, store.Write{Op: store.OpUpdate, Key: f.key("a"), Guard: store.IfRev(1)})
		f.want(noon, "a", 2, store.Fields{"x": "1"})
	}},
	{"AnUpdateMakesTheItemWhereItsGuardLetsIt", func(f *fixture) {
		up := store.Write{Op: store.OpUpdate, Key: f.key("a"), Guard: store.If(store.Lt("n", int64(2))).OrAbsent(),
			Set: store.Fields{"s": "x"}, Init: store.Fields{"first": "yes"}, Add: map[string]int64{"n": 1}, Remove: []string{"r"}}
		f.commit(noon, up)
		f.want(noon, "a", 1, store.Fields{"s": "x", "first": "yes", "n": int64(1)})
		up.Init = store.Fields{"first": "no"}
		f.commit(noon, up)
		f.want(noon, "a", 2, store.Fields{"s": "x", "first": "yes", "n": int64(2)})
		f.refused(noon, up)
		f.want(noon, "a", 2, store.Fields{"s": "x", "first": "yes", "n": int64(2)})
	}},
	{"AnUpdateUnderPresentMakesNothing", func(f *fixture) {
		guard := f.refused(noon, store.Write{Op: store.OpUpdate, Key: f.key("a"), Guard: store.If(), Set: store.Fields{"s": "x"}})
		f.same(guard.Items[0], store.Item{})
		f.wantNone(noon, "a")
	}},
	{"AddingToWhatIsNoNumberIsInvalid", func(f *fixture) {
		f.put("a", store.Fields{"s": "x"})
		f.wantErr(f.s.Commit(f.ctx, noon, store.Write{Op: store.OpUpdate, Key: f.key("a"), Guard: store.If(), Add: map[string]int64{"s": 1}}), store.ErrInvalid)
		f.want(noon, "a", 1, store.Fields{"s": "x"})
	}},
}

var deleteCases = []behaviour{
	{"ADeleteRemovesTheItem", func(f *fixture) {
		f.put("a", store.Fields{"s": "x"})
		f.commit(noon, store.Delete(f.key("a"), store.IfRev(1)))
		f.wantNone(time.Time{}, "a")
		f.keys(f.list(noon, store.Range{}))
	}},
	{"ADeletedItemBeginsAgainAtRevisionOne", func(f *fixture) {
		f.put("a", nil)
		f.put("a", nil)
		f.commit(noon, store.Delete(f.key("a"), store.IfRev(2)))
		f.commit(noon, store.Put(f.key("a"), store.IfAbsent(), store.Fields{"s": "x"}))
		f.want(noon, "a", 1, store.Fields{"s": "x"})
	}},
	{"ADeleteOfWhatIsNotThereIsDoneUnderAbsent", func(f *fixture) {
		f.commit(noon, store.Delete(f.key("a"), store.IfAbsent()))
		f.commit(noon, store.Delete(f.key("a"), anyway))
		f.refused(noon, store.Delete(f.key("a"), store.If()))
		f.refused(noon, store.Delete(f.key("a"), store.IfRev(1)))
	}},
	{"ADeleteUnderAbsentLeavesALivingItem", func(f *fixture) {
		f.put("a", store.Fields{"s": "x"})
		f.refused(noon, store.Delete(f.key("a"), store.IfAbsent()))
		f.want(noon, "a", 1, store.Fields{"s": "x"})
	}},
	{"ADeleteObeysItsComparisons", func(f *fixture) {
		f.put("a", store.Fields{"n": int64(1)})
		f.refused(noon, store.Delete(f.key("a"), store.If(store.Eq("n", int64(2)))))
		f.commit(noon, store.Delete(f.key("a"), store.If(store.Eq("n", int64(1)))))
		f.wantNone(noon, "a")
	}},
}

// due is an end so many minutes after noon, on a clock.
func due(clock string, minutes int) string {
	return store.DueAt(store.Clock(clock[0]), noon.Add(time.Duration(minutes)*time.Minute))
}

// wake is the same for the sweep's index.
func wake(minutes int) string { return due("b", minutes)[1:] }
