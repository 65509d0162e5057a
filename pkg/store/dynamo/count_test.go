package dynamo_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"pocbakery/pkg/store"
	"pocbakery/pkg/store/bolt"
	"pocbakery/scripts/ministack/stacktest"
)

// step is one call with what it does to the table; its failure is its own.
type step struct {
	what string
	do   func(s store.Store)
}

func commit(what string, writes ...store.Write) step {
	return step{what, func(s store.Store) { _ = s.Commit(ctx, noon, writes...) }}
}

// What DynamoDB says that a request consumed is what the rules of the port's
// units say, which the file counts by: so a local run tells what AWS will cost.
func TestWhatDynamoDBConsumesIsWhatTheFileCounts(t *testing.T) {
	var consumed, counted store.Meter
	inCloud := tableAt(t, stacktest.Metered(t), &consumed)
	inFile, err := bolt.Open(t.TempDir()+"/table.db", &counted)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = inFile.Close() })

	end := func(minutes int) store.Fields {
		at := noon.Add(time.Duration(minutes) * time.Minute)
		return store.Fields{"due": store.DueAt(store.Business, at), "wake": store.FormatInstant(at)}
	}
	with := func(fields store.Fields, more store.Fields) store.Fields {
		out := maps.Clone(fields)
		maps.Copy(out, more)
		return out
	}
	pad := func(bytes int) store.Fields { return store.Fields{"pad": strings.Repeat("x", bytes)} }
	update := func(sk string, g store.Guard, set store.Fields, remove ...string) store.Write {
		return store.Write{Op: store.OpUpdate, Key: keyed(sk), Guard: g, Set: set, Add: map[string]int64{"n": 1}, Remove: remove}
	}
	anyway := store.If().OrAbsent()
	for _, s := range []step{
		commit("put a small one", store.Put(keyed("small"), store.IfAbsent(), store.Fields{"s": "x"})),
		commit("put one of 3 KB", store.Put(keyed("large"), store.IfAbsent(), pad(2500))),
		commit("put one with both ends", store.Put(keyed("ends"), store.IfAbsent(), end(10))),
		commit("replace it by one with other ends", store.Put(keyed("ends"), store.IfRev(1), end(20))),
		commit("update it and leave its ends", update("ends", store.If(), store.Fields{"s": "x"})),
		commit("move one of its ends", update("ends", store.If(), store.Fields{"due": end(30)["due"]})),
		commit("take its ends away", update("ends", store.If(), nil, "due", "wake")),
		commit("update what is not there", update("new", anyway, end(5))),
		commit("grow from 3 KB to 5", update("large", store.If(), pad(4500))),
		commit("shrink again", update("large", store.If(), pad(10))),
		commit("fail over a small one", store.Put(keyed("small"), store.IfAbsent(), store.Fields{"s": "y"})),
		commit("fail over nothing", store.Put(keyed("none"), store.IfRev(1), store.Fields{"s": "y"})),
		commit("fail with what would be large", store.Put(keyed("small"), store.IfRev(9), pad(3500))),
		commit("fail an update", update("small", store.If(store.Eq("n", int64(7))), nil)),
		commit("fail a delete", store.Delete(keyed("small"), store.IfRev(9))),
		commit("a transaction", store.Put(keyed("t1"), store.IfAbsent(), with(pad(1500), end(7))),
			update("small", store.If(), nil), update("t2", anyway, end(8)), store.Delete(keyed("large"), store.If())),
		commit("a transaction that fails all its guards", store.Put(keyed("t1"), store.IfAbsent(), nil), store.Delete(keyed("small"), store.IfRev(9))),
		commit("delete one with ends", store.Delete(keyed("t2"), store.If())),
		commit("delete nothing", store.Delete(keyed("t2"), store.IfAbsent())),
		{"get", func(s store.Store) {
			_, _ = s.Get(ctx, noon, keyed("small"), keyed("t1"), keyed("none"), keyed("ends"))
		}},
		commit("one of 9 KB", store.Put(keyed("z#9"), store.IfAbsent(), pad(9000))),
		{"list", func(s store.Store) { _, _ = s.List(ctx, noon, "hub", store.Range{}) }},
		{"list a prefix", func(s store.Store) { _, _ = s.List(ctx, noon, "hub", store.Prefix("z#")) }},
		{"list nothing", func(s store.Store) { _, _ = s.List(ctx, noon, "hub", store.Prefix("q#")) }},
		{"list with a limit", func(s store.Store) { _, _ = s.List(ctx, noon, "hub", store.Range{Limit: 2, Desc: true}) }},
		{"due", func(s store.Store) { _, _ = s.Due(ctx, "hub", store.Business, noon.Add(time.Hour), 10) }},
		{"nothing due", func(s store.Store) { _, _ = s.Due(ctx, "hub", store.Wall, noon, 10) }},
		{"overdue", func(s store.Store) { _, _ = s.Overdue(ctx, noon.Add(time.Hour), 10) }},
		{"erase", func(s store.Store) {
			var keys []store.Key
			for n := range 30 {
				keys = append(keys, keyed(fmt.Sprint("e", n)))
			}
			_ = s.Erase(ctx, append(keys, keyed("t1"), keyed("z#9"), keyed("small"))...)
		}},
	} {
		consumed.Reset()
		counted.Reset()
		s.do(inCloud)
		s.do(inFile)
		if a, b := consumed.Snapshot(), counted.Snapshot(); !maps.Equal(a, b) {
			t.Errorf("%s: DynamoDB consumed %v, the file counts %v", s.what, a, b)
		}
	}
}
