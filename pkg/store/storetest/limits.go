package storetest

import (
	"fmt"
	"strings"
	"time"

	"pocbakery/pkg/store"
)

// sized is fields that make the item so large. It has v and by from the start,
// so that the item is as large when it comes through store.Table.
func (f *fixture) sized(sk string, rev int64, bytes int) store.Fields {
	fields := store.Fields{"v": int64(1), "by": "00000000", "pad": ""}
	pad := bytes - store.ItemBytes(f.item(sk, rev, fields))
	fields["pad"] = strings.Repeat("x", pad)
	return fields
}

var limitCases = []behaviour{
	{"ASortKeyMayBeAsLongAsItsLimit", func(f *fixture) {
		long := strings.Repeat("k", store.MaxSortKeyBytes)
		f.put(long, store.Fields{"n": int64(1), "due": due("b", 1), "wake": wake(1), "ttl": noon.Unix() + 1})
		f.want(noon, long, 1, store.Fields{"n": int64(1), "due": due("b", 1), "wake": wake(1), "ttl": noon.Unix() + 1})
		f.wantDue("b", 10, 10, long+"@1")
		f.wantErr(f.s.Commit(f.ctx, noon, store.Put(f.key(long+"k"), anyway, nil)), store.ErrTooLarge)
		// Bytes count, not letters.
		wide := strings.Repeat("é", store.MaxSortKeyBytes/2)
		f.put(wide, nil)
		f.want(noon, wide, 1, nil)
		f.wantErr(f.s.Commit(f.ctx, noon, store.Put(f.key(wide+"k"), anyway, nil)), store.ErrTooLarge)
	}},
	{"AnItemMayBeAsLargeAsItsLimit", func(f *fixture) {
		full := f.sized("a", 1, store.MaxItemBytes)
		f.put("a", full)
		f.want(noon, "a", 1, full)
		f.wantErr(f.s.Commit(f.ctx, noon, store.Put(f.key("b"), anyway, f.sized("b", 1, store.MaxItemBytes+1))), store.ErrTooLarge)
		f.wantNone(noon, "b")
	}},
	{"AnItemMayGrowToItsLimit", func(f *fixture) {
		fields := f.sized("a", 2, store.MaxItemBytes-len("g"))
		f.put("a", fields)
		grow := func(by string) error {
			return f.s.Commit(f.ctx, noon, store.Write{Op: store.OpUpdate, Key: f.key("a"), Guard: store.IfRev(1), Set: store.Fields{"g": by}})
		}
		f.wantErr(grow("x"), store.ErrTooLarge)
		f.want(noon, "a", 1, fields)
		if err := grow(""); err != nil {
			f.Fatalf("growing to the limit: %v", err)
		}
		if i := f.get(noon, "a"); store.ItemBytes(i) != store.MaxItemBytes {
			f.Fatalf("the item has %d bytes", store.ItemBytes(i))
		}
	}},
	{"ACommitMayHaveAsManyWritesAsItsLimit", func(f *fixture) {
		var writes []store.Write
		for n := range store.MaxCommitWrites + 1 {
			writes = append(writes, store.Put(f.key(numbered(n)), store.IfAbsent(), store.Fields{"n": int64(n)}))
		}
		f.wantErr(f.s.Commit(f.ctx, noon, writes...), store.ErrTooLarge)
		f.keys(f.list(noon, store.Range{}))
		f.commit(noon, writes[:store.MaxCommitWrites]...)
		if got := len(f.list(noon, store.Range{})); got != store.MaxCommitWrites {
			f.Fatalf("%d items were written", got)
		}
	}},
	{"AnUpdateMayChangeAsManyFieldsAsItsLimit", func(f *fixture) {
		w := store.Write{Op: store.OpUpdate, Key: f.key("a"), Guard: anyway, Set: store.Fields{}, Init: store.Fields{}, Add: map[string]int64{}}
		want := store.Fields{"first": "x"}
		for n := range store.MaxUpdatedFields - 1 {
			name := fmt.Sprint("field", n)
			switch n % 4 {
			case 0:
				w.Set[name], want[name] = "set", "set"
			case 1:
				w.Init[name], want[name] = "init", "init"
			case 2:
				w.Add[name], want[name] = 7, int64(7)
			case 3:
				w.Remove = append(w.Remove, name)
			}
		}
		w.Set["first"] = "x"
		f.commit(noon, w)
		f.want(noon, "a", 1, want)
		w.Set["past"] = "x"
		f.wantErr(f.s.Commit(f.ctx, noon, w), store.ErrTooLarge)
		f.want(noon, "a", 1, want)
	}},
}

// refusals are writes that no table takes, each with what is wrong with it.
func (f *fixture) refusals() map[string]store.Write {
	k := f.key("a")
	set := func(name string, v any) store.Write { return store.Put(k, anyway, store.Fields{name: v}) }
	update := func(w store.Write) store.Write { w.Op, w.Key, w.Guard = store.OpUpdate, k, anyway; return w }
	guarded := func(g store.Guard) store.Write { return store.Put(k, g, nil) }
	return map[string]store.Write{
		"no pk":                  store.Put(store.Key{SK: "a"}, anyway, nil),
		"no sk":                  store.Put(store.Key{PK: f.hub}, anyway, nil),
		"pk with NUL":            store.Put(store.Key{PK: f.hub + "\x00", SK: "a"}, anyway, nil),
		"sk not UTF-8":           store.Put(f.key("a\xff"), anyway, nil),
		"no kind":                {Key: k, Guard: anyway},
		"field pk":               set("pk", "x"),
		"field sk":               set("sk", "x"),
		"field rev":              set("rev", int64(1)),
		"field shard":            set("shard", "0"),
		"field without name":     set("", "x"),
		"a value of int":         set("n", 1),
		"a value of float64":     set("n", 1.0),
		"a value of bytes":       set("n", []byte("x")),
		"a value of nil":         set("n", nil),
		"a value of a slice":     set("n", []string{"x"}),
		"text not UTF-8":         set("n", "\xff"),
		"due without clock":      set("due", wake(1)),
		"due of no clock":        set("due", "x"+wake(1)),
		"due of no instant":      set("due", "b2040-05-17"),
		"due empty":              set("due", ""),
		"due a number":           set("due", int64(1)),
		"wake with clock":        set("wake", due("b", 1)),
		"wake in seconds":        set("wake", "2040-05-17T12:00:00Z"),
		"wake with a comma":      set("wake", "2040-05-17T12:00:00,000Z"),
		"wake with an offset":    set("wake", "2040-05-17T12:00:00.000+02:00"),
		"wake empty":             set("wake", ""),
		"ttl a text":             set("ttl", "1"),
		"ttl zero":               set("ttl", int64(0)),
		"ttl before 1970":        set("ttl", int64(-1)),
		"update of pk":           update(store.Write{Set: store.Fields{"pk": "x"}}),
		"init of rev":            update(store.Write{Init: store.Fields{"rev": int64(1)}}),
		"add to rev":             update(store.Write{Add: map[string]int64{"rev": 1}}),
		"remove of sk":           update(store.Write{Remove: []string{"sk"}}),
		"init of a float":        update(store.Write{Init: store.Fields{"n": 1.5}}),
		"init of a bad due":      update(store.Write{Init: store.Fields{"due": "b"}}),
		"add to ttl":             update(store.Write{Add: map[string]int64{"ttl": 1}}),
		"add to due":             update(store.Write{Add: map[string]int64{"due": 1}}),
		"set and init":           update(store.Write{Set: store.Fields{"n": "x"}, Init: store.Fields{"n": "y"}}),
		"set and add":            update(store.Write{Set: store.Fields{"n": int64(1)}, Add: map[string]int64{"n": 1}}),
		"set and remove":         update(store.Write{Set: store.Fields{"n": "x"}, Remove: []string{"n"}}),
		"init and add":           update(store.Write{Init: store.Fields{"n": int64(1)}, Add: map[string]int64{"n": 1}}),
		"init and remove":        update(store.Write{Init: store.Fields{"n": "x"}, Remove: []string{"n"}}),
		"add and remove":         update(store.Write{Add: map[string]int64{"n": 1}, Remove: []string{"n"}}),
		"remove twice":           update(store.Write{Remove: []string{"n", "n"}}),
		"put with add":           {Op: store.OpPut, Key: k, Guard: anyway, Add: map[string]int64{"n": 1}},
		"put with init":          {Op: store.OpPut, Key: k, Guard: anyway, Init: store.Fields{"n": "x"}},
		"put with remove":        {Op: store.OpPut, Key: k, Guard: anyway, Remove: []string{"n"}},
		"delete with set":        {Op: store.OpDelete, Key: k, Guard: anyway, Set: store.Fields{"n": "x"}},
		"no guard":               guarded(store.Guard{}),
		"absent of a revision":   guarded(store.Guard{Absent: true, Rev: 1}),
		"absent and a condition": guarded(store.Guard{Absent: true, Conds: []store.Cond{store.Missing("n")}}),
		"a negative revision":    guarded(store.IfRev(-1)),
		"no comparison":          guarded(store.If(store.Cond{Field: "n", Value: "x"})),
		"comparing no field":     guarded(store.If(store.Eq("", "x"))),
		"comparing rev":          guarded(store.If(store.Eq("rev", int64(1)))),
		"comparing with rev":     guarded(store.If(store.LtField("n", "rev"))),
		"comparing with an int":  guarded(store.If(store.Eq("n", 1))),
		"comparing with nothing": guarded(store.If(store.Eq("n", nil))),
		"ordering booleans":      guarded(store.If(store.Lt("n", true))),
	}
}

var refusalCases = []behaviour{
	{"AMalformedWriteIsInvalidAndWritesNothing", func(f *fixture) {
		for name, w := range f.refusals() {
			if err := f.s.Commit(f.ctx, noon, w); !isErr(err, store.ErrInvalid) {
				f.Fatalf("%s: %v", name, err)
			}
			fine := store.Put(f.key("fine"), anyway, nil)
			for _, writes := range [][]store.Write{{fine, w}, {w, fine}} {
				if err := f.s.Commit(f.ctx, noon, writes...); !isErr(err, store.ErrInvalid) {
					f.Fatalf("%s, in a transaction: %v", name, err)
				}
			}
		}
		f.keys(f.list(time.Time{}, store.Range{}))
	}},
	{"ACommitOfNothingIsInvalid", func(f *fixture) {
		f.wantErr(f.s.Commit(f.ctx, noon), store.ErrInvalid)
	}},
	{"ACommitThatWritesAnItemTwiceIsInvalid", func(f *fixture) {
		f.wantErr(f.s.Commit(f.ctx, noon,
			store.Put(f.key("a"), anyway, nil), store.Put(f.key("b"), anyway, nil), store.Delete(f.key("a"), anyway)), store.ErrInvalid)
		f.keys(f.list(noon, store.Range{}))
	}},
	{"AMalformedReadIsInvalid", func(f *fixture) {
		_, err := f.s.Get(f.ctx, noon, f.key("a"), f.key(""))
		f.wantErr(err, store.ErrInvalid)
		_, err = f.s.Get(f.ctx, noon, store.Key{SK: "a"})
		f.wantErr(err, store.ErrInvalid)
		_, err = f.s.List(f.ctx, noon, "", store.Range{})
		f.wantErr(err, store.ErrInvalid)
		_, err = f.s.List(f.ctx, noon, f.hub, store.Range{Limit: -1})
		f.wantErr(err, store.ErrInvalid)
		_, err = f.s.Due(f.ctx, f.hub, 'x', noon, 1)
		f.wantErr(err, store.ErrInvalid)
		_, err = f.s.Due(f.ctx, "", store.Wall, noon, 1)
		f.wantErr(err, store.ErrInvalid)
		_, err = f.s.Due(f.ctx, f.hub, store.Wall, noon, 0)
		f.wantErr(err, store.ErrInvalid)
		_, err = f.s.Overdue(f.ctx, noon, 0)
		f.wantErr(err, store.ErrInvalid)
		f.wantErr(f.s.Erase(f.ctx, f.key("")), store.ErrInvalid)
	}},
}
