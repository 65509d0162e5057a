package storetest

import (
	"strings"
	"time"

	"pocbakery/pkg/store"
)

// letters puts items named by single letters.
func (f *fixture) letters(names string) {
	f.Helper()
	for _, c := range names {
		f.put(string(c), store.Fields{"name": string(c)})
	}
}

var listCases = []behaviour{
	{"AListIsInTheOrderOfSortKeys", func(f *fixture) {
		for _, sk := range []string{"b", "a#2", "a", "B", "a#10", "ä", "a#"} {
			f.put(sk, nil)
		}
		f.keys(f.list(noon, store.Range{}), "B", "a", "a#", "a#10", "a#2", "b", "ä")
		f.keys(f.list(noon, store.Range{Desc: true}), "ä", "b", "a#2", "a#10", "a#", "a", "B")
	}},
	{"AListCarriesTheItems", func(f *fixture) {
		f.put("a", subject)
		items := f.list(noon, store.Range{})
		f.keys(items, "a")
		f.same(items[0], f.item("a", 1, subject))
	}},
	{"ARangeHoldsItsBeginningAndNotItsEnd", func(f *fixture) {
		f.letters("abcde")
		f.keys(f.list(noon, store.Range{From: "b", To: "d"}), "b", "c")
		f.keys(f.list(noon, store.Range{From: "b", To: "d", Desc: true}), "c", "b")
		f.keys(f.list(noon, store.Range{From: "bb", To: "dd"}), "c", "d")
		f.keys(f.list(noon, store.Range{From: "bb", To: "dd", Desc: true}), "d", "c")
		f.keys(f.list(noon, store.Range{From: "d"}), "d", "e")
		f.keys(f.list(noon, store.Range{From: "d", Desc: true}), "e", "d")
		f.keys(f.list(noon, store.Range{To: "b"}), "a")
		f.keys(f.list(noon, store.Range{To: "a"}))
		f.keys(f.list(noon, store.Range{From: "f"}))
		f.keys(f.list(noon, store.Range{From: "f", Desc: true}))
		f.keys(f.list(noon, store.Range{From: "c", To: "c"}))
		f.keys(f.list(noon, store.Range{From: "d", To: "b"}))
	}},
	{"APrefixIsARange", func(f *fixture) {
		for _, sk := range []string{"slot", "slot#1", "slot#2", "slot#2#x", "slot#é", "slots", "slo"} {
			f.put(sk, nil)
		}
		f.keys(f.list(noon, store.Prefix("slot#")), "slot#1", "slot#2", "slot#2#x", "slot#é")
	}},
	{"ALimitIsFollowedByACursor", func(f *fixture) {
		f.letters("abcdefg")
		for _, desc := range []bool{false, true} {
			for limit := 1; limit <= 8; limit++ {
				r := store.Range{From: "b", To: "g", Limit: limit, Desc: desc}
				var got []string
				for pages := 0; ; pages++ {
					page, err := f.s.List(f.ctx, noon, f.hub, r)
					if err != nil || len(page.Items) > limit || pages > 6 {
						f.Fatalf("limit %d: %v, %d items, page %d", limit, err, len(page.Items), pages)
					}
					for _, i := range page.Items {
						got = append(got, i.SK)
					}
					if r.After = page.Next; page.Next == "" {
						break
					}
				}
				want := []string{"b", "c", "d", "e", "f"}
				if desc {
					want = []string{"f", "e", "d", "c", "b"}
				}
				f.texts(got, want)
			}
		}
	}},
	{"ACursorOutlivesItsItem", func(f *fixture) {
		f.letters("abcd")
		page, err := f.s.List(f.ctx, noon, f.hub, store.Range{Limit: 2})
		if err != nil || page.Next == "" {
			f.Fatalf("list: %v, %v", err, page)
		}
		f.commit(noon, store.Delete(f.key("b"), anyway))
		f.letters("a")
		f.keys(f.list(noon, store.Range{After: page.Next}), "c", "d")
	}},
	{"ACursorNeverLeadsOutOfItsRange", func(f *fixture) {
		f.letters("abcdefg")
		for _, desc := range []bool{false, true} {
			for _, after := range []string{"a", "b", "d", "f", "g"} {
				page, err := f.s.List(f.ctx, noon, f.hub, store.Range{From: "c", To: "f", After: after, Desc: desc})
				if isErr(err, store.ErrInvalid) {
					continue // an adapter may say so
				}
				if err != nil {
					f.Fatalf("list: %v", err)
				}
				for _, i := range page.Items {
					if i.SK < "c" || i.SK >= "f" || i.SK == after || (i.SK < after) != desc {
						f.Fatalf("after %s, desc %v: there is %s", after, desc, i.SK)
					}
				}
			}
		}
	}},
	{"ExpiredItemsDoNotEndAList", func(f *fixture) {
		for _, sk := range []string{"a", "b", "c", "d", "e"} {
			f.put(sk, store.Fields{"ttl": noon.Unix()})
		}
		f.letters("f")
		f.keys(f.list(noon, store.Range{Limit: 2}), "f")
		f.keys(f.list(noon, store.Range{Limit: 1, Desc: true}), "f")
		f.keys(f.list(noon, store.Range{To: "f", Limit: 2}))
	}},
	{"APageReadsNoMoreThanItsBytes", func(f *fixture) {
		const items, each = 12, 200_000
		var names []string
		for n := range items {
			sk := numbered(n)
			names = append(names, sk)
			f.put(sk, store.Fields{"pad": strings.Repeat("x", each)})
		}
		for _, r := range []store.Range{{}, {Limit: items}} {
			page, err := f.s.List(f.ctx, noon, f.hub, r)
			if err != nil || len(page.Items) == 0 || page.Next == "" {
				f.Fatalf("list: %v, %d items", err, len(page.Items))
			}
			bytes := 0
			for _, i := range page.Items {
				bytes += store.ItemBytes(i)
			}
			if bytes > store.ListPageBytes {
				f.Fatalf("a page has %d bytes", bytes)
			}
			f.keys(f.list(noon, r), names...)
		}
	}},
}

var eraseCases = []behaviour{
	{"AnEraseRemovesManyAndMindsNoneMissing", func(f *fixture) {
		var keys []store.Key
		for n := range 2*store.ErasePerRequest + 7 {
			sk := numbered(n)
			keys = append(keys, f.key(sk))
			if n%3 > 0 {
				f.put(sk, store.Fields{"due": due("b", n), "wake": wake(n), "ttl": noon.Unix()})
			}
		}
		f.letters("z")
		if err := f.s.Erase(f.ctx, append(keys, keys[1])...); err != nil {
			f.Fatalf("erase: %v", err)
		}
		f.keys(f.list(time.Time{}, store.Range{}), "z")
		f.wantDue("b", 1000, 100)
		f.wantOverdue(1000, 1000, f.hub)
		if err := f.s.Erase(f.ctx, keys...); err != nil {
			f.Fatalf("erase again: %v", err)
		}
		if err := f.s.Erase(f.ctx); err != nil {
			f.Fatalf("erase of nothing: %v", err)
		}
	}},
}
