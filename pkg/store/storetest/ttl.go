package storetest

import (
	"context"
	"time"

	"pocbakery/pkg/store"
)

func contextEnded() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx, cancel
}

// expiring is an item that is gone from noon on.
func (f *fixture) expiring(sk string) {
	f.Helper()
	f.put(sk, store.Fields{"s": "old", "n": int64(5), "ttl": noon.Unix()})
	f.commit(time.Time{}, store.Write{Op: store.OpUpdate, Key: f.key(sk), Guard: store.If(), Set: store.Fields{"due": due("b", 1), "wake": wake(1)}})
}

var ttlCases = []behaviour{
	{"AnItemIsThereUntilTheSecondOfItsTTL", func(f *fixture) {
		f.put("a", store.Fields{"ttl": noon.Unix()})
		for now, there := range map[time.Time]bool{
			noon.Add(-time.Second):     true,
			noon.Add(-time.Nanosecond): true,
			noon:                       false,
			noon.Add(time.Hour):        false,
			{}:                         true, // before every ttl
		} {
			if f.get(now, "a").Exists() != there || len(f.list(now, store.Range{})) != int(b2i(there)) {
				f.Fatalf("at %v it is not as it should be", now)
			}
			if there {
				f.refused(now, store.Put(f.key("a"), store.IfAbsent(), nil))
			} else {
				guard := f.refused(now, store.Put(f.key("a"), store.If(), nil))
				f.same(guard.Items[0], store.Item{})
			}
		}
	}},
	{"APutOverAnExpiredItemStartsFromNothing", func(f *fixture) {
		f.expiring("a")
		f.commit(noon, store.Put(f.key("a"), store.IfAbsent(), store.Fields{"s": "new"}))
		f.want(noon, "a", 1, store.Fields{"s": "new"})
		f.wantDue("b", 100, 10)
	}},
	{"AnUpdateOverAnExpiredItemStartsFromNothing", func(f *fixture) {
		f.expiring("a")
		f.commit(noon, store.Write{Op: store.OpUpdate, Key: f.key("a"), Guard: store.If().OrAbsent(),
			Set: store.Fields{"t": true}, Init: store.Fields{"s": "new"}, Add: map[string]int64{"n": 1}})
		f.want(noon, "a", 1, store.Fields{"t": true, "s": "new", "n": int64(1)})
		f.want(time.Time{}, "a", 1, store.Fields{"t": true, "s": "new", "n": int64(1)})
		f.wantDue("b", 100, 10)
	}},
	{"GuardsTakeAnExpiredItemForNone", func(f *fixture) {
		f.expiring("a")
		for _, g := range []store.Guard{store.If(), store.IfRev(2), store.If(store.Eq("s", "old")), store.If(store.Missing("s"))} {
			for _, w := range []store.Write{store.Put(f.key("a"), g, nil), store.Delete(f.key("a"), g), {Op: store.OpUpdate, Key: f.key("a"), Guard: g}} {
				if guard := f.refused(noon, w); guard.Items[0].Exists() {
					f.Fatalf("a failed guard carries an expired item: %v", guard.Items[0])
				}
			}
		}
		f.want(time.Time{}, "a", 2, store.Fields{"s": "old", "n": int64(5), "ttl": noon.Unix(), "due": due("b", 1), "wake": wake(1)})
	}},
	{"ADeleteUnderAbsentClearsAnExpiredItem", func(f *fixture) {
		f.expiring("a")
		f.commit(noon, store.Delete(f.key("a"), store.IfAbsent()))
		f.wantNone(time.Time{}, "a")
		f.wantDue("b", 100, 10)
	}},
	{"ATransactionOverAnExpiredItemStartsFromNothing", func(f *fixture) {
		f.expiring("a")
		f.expiring("b")
		f.expiring("c")
		f.commit(noon,
			store.Put(f.key("a"), store.IfAbsent(), store.Fields{"s": "new"}),
			store.Write{Op: store.OpUpdate, Key: f.key("b"), Guard: anyway, Add: map[string]int64{"n": 1}},
			store.Delete(f.key("c"), store.IfAbsent()))
		f.want(time.Time{}, "a", 1, store.Fields{"s": "new"})
		f.want(time.Time{}, "b", 1, store.Fields{"n": int64(1)})
		f.wantNone(time.Time{}, "c")
	}},
	{"ATTLCanBeMovedAndTakenAway", func(f *fixture) {
		f.put("a", store.Fields{"ttl": noon.Unix()})
		f.commit(noon.Add(-time.Second), store.Write{Op: store.OpUpdate, Key: f.key("a"), Guard: store.IfRev(1), Set: store.Fields{"ttl": noon.Unix() + 60}})
		f.want(noon, "a", 2, store.Fields{"ttl": noon.Unix() + 60})
		f.wantNone(noon.Add(time.Minute), "a")
		f.commit(noon, store.Write{Op: store.OpUpdate, Key: f.key("a"), Guard: store.IfRev(2), Remove: []string{"ttl"}})
		f.want(noon.Add(time.Hour), "a", 3, store.Fields{})
	}},
}
