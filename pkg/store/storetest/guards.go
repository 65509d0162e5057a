package storetest

import (
	"fmt"

	"pocbakery/pkg/store"
)

// subject is the item that the guards below are asked about.
var subject = store.Fields{
	"six": int64(6), "seven": int64(7), "minus": int64(-10),
	"b": "b", "c": "c", "empty": "",
	"yes": true, "no": false, "also": true,
}

// comparisons has each comparison over each type, and whether it holds.
func comparisons() []struct {
	cond  store.Cond
	holds bool
} {
	type row = struct {
		cond  store.Cond
		holds bool
	}
	cond := func(field string, c store.Cmp, v any) store.Cond { return store.Cond{Field: field, Cmp: c, Value: v} }
	rows := []row{
		// Booleans have no order.
		{cond("yes", store.CmpEq, true), true}, {cond("yes", store.CmpEq, false), false},
		{cond("yes", store.CmpNe, true), false}, {cond("yes", store.CmpNe, false), true},
		// Numbers are compared as numbers, texts as bytes.
		{cond("minus", store.CmpLt, int64(-9)), true}, {cond("six", store.CmpLt, int64(10)), true},
		{cond("b", store.CmpGt, "B"), true}, {cond("b", store.CmpLt, "ä"), true}, {cond("empty", store.CmpLt, "\x01"), true},
		{cond("empty", store.CmpEq, ""), true},
		// Field with field.
		{store.LtField("six", "seven"), true}, {store.LtField("seven", "six"), false}, {store.LtField("six", "six"), false},
		{store.LtField("b", "c"), true}, {store.LtField("six", "b"), false}, {store.LtField("six", "none"), false},
		{store.LtField("none", "six"), false}, {store.LtField("none", "six").OrMissingField(), true},
		{store.LtField("six", "none").OrMissingField(), false},
		{store.Cond{Field: "yes", Cmp: store.CmpEq, Other: "also"}, true},
		{store.Cond{Field: "yes", Cmp: store.CmpEq, Other: "no"}, false},
		{store.Cond{Field: "six", Cmp: store.CmpNe, Other: "b"}, false},
		{store.Cond{Field: "six", Cmp: store.CmpNe, Other: "seven"}, true},
		// Missing.
		{store.Missing("none"), true}, {store.Missing("six"), false}, {store.Missing("empty"), false}, {store.Missing("no"), false},
		{store.Missing("six").OrMissingField(), false},
	}
	for c, holds := range map[store.Cmp][3]bool{ // the field is less, equal, greater
		store.CmpEq: {false, true, false}, store.CmpNe: {true, false, true},
		store.CmpLt: {true, false, false}, store.CmpLe: {true, true, false},
		store.CmpGt: {false, false, true}, store.CmpGe: {false, true, true},
	} {
		for n, v := range []int64{7, 6, 5} {
			rows = append(rows, row{cond("six", c, v), holds[n]})
		}
		for n, v := range []string{"ba", "b", "a"} {
			rows = append(rows, row{cond("b", c, v), holds[n]})
		}
		// Another type, or no such field, fails every comparison, "not equal"
		// too; the one may be excused, the other not.
		rows = append(rows,
			row{cond("six", c, "6"), false}, row{cond("b", c, int64(1)), false}, row{cond("yes", c, "true"), false},
			row{cond("six", c, "6").OrMissingField(), false},
			row{cond("none", c, int64(6)), false}, row{cond("none", c, int64(6)).OrMissingField(), true},
			row{cond("none", c, "b").OrMissingField(), true})
	}
	return rows
}

var guardCases = []behaviour{
	{"EveryComparisonHoldsWhenItShould", func(f *fixture) {
		f.put("a", subject)
		rev := int64(1)
		for _, row := range comparisons() {
			err := f.s.Commit(f.ctx, noon, store.Write{Op: store.OpUpdate, Key: f.key("a"), Guard: store.If(row.cond)})
			if row.holds && err == nil {
				rev++
				continue
			}
			if row.holds {
				f.Fatalf("%+v does not hold: %v", row.cond, err)
			}
			if err == nil {
				f.Fatalf("%+v holds", row.cond)
			}
			f.refused(noon, store.Write{Op: store.OpUpdate, Key: f.key("a"), Guard: store.If(row.cond)})
		}
		f.want(noon, "a", rev, subject)
	}},
	{"EveryGuardHoldsWhenItShould", func(f *fixture) {
		six, no := store.Eq("six", int64(6)), store.Eq("six", int64(1))
		for name, row := range map[string]struct {
			guard          store.Guard
			absent, living bool // holds over none, over the subject at revision 2
		}{
			"absent":               {store.IfAbsent(), true, false},
			"present":              {store.If(), false, true},
			"anyway":               {anyway, true, true},
			"rev":                  {store.IfRev(2), false, true},
			"older rev":            {store.IfRev(1), false, false},
			"later rev":            {store.IfRev(3), false, false},
			"rev or absent":        {store.IfRev(2).OrAbsent(), true, true},
			"older rev or absent":  {store.IfRev(1).OrAbsent(), true, false},
			"comparison":           {store.If(six), false, true},
			"failing":              {store.If(no), false, false},
			"both":                 {store.If(six, store.Eq("b", "b")), false, true},
			"one of two failing":   {store.If(six, no), false, false},
			"other of two failing": {store.If(no, six), false, false},
			"and":                  {store.IfRev(2).And(six), false, true},
			"rev but not and":      {store.IfRev(2).And(no), false, false},
			"and but not rev":      {store.IfRev(1).And(six), false, false},
			"comparison or absent": {store.If(six).OrAbsent(), true, true},
			"failing or absent":    {store.If(no).OrAbsent(), true, false},
			"still, of none":       {store.IfStill(store.Item{}), true, false},
			"still":                {store.IfStill(store.Item{Rev: 2}), false, true},
		} {
			for n, w := range []store.Write{
				store.Put(f.key("x"), row.guard, store.Fields{"new": true}),
				{Op: store.OpUpdate, Key: f.key("x"), Guard: row.guard, Set: store.Fields{"new": true}},
				store.Delete(f.key("x"), row.guard),
			} {
				for _, living := range []bool{false, true} {
					holds := row.absent
					f.commit(noon, store.Delete(f.key("x"), anyway))
					if living {
						holds = row.living
						f.put("x", nil)
						f.put("x", subject)
					}
					err := f.s.Commit(f.ctx, noon, w)
					if (err == nil) != holds {
						f.Fatalf("%s, write %d, living %v: %v", name, n, living, err)
					}
				}
			}
		}
	}},
}

var failureCases = []behaviour{
	{"AFailedGuardCarriesTheItemAsItStands", func(f *fixture) {
		f.put("a", subject)
		guard := f.refused(noon, store.Put(f.key("a"), store.IfRev(7), store.Fields{"n": int64(1)}))
		f.same(guard.Items[0], f.item("a", 1, subject))
		if !guard.Failed[0] {
			f.Fatal("the guard is not marked as failed")
		}
	}},
	{"AFailedGuardOverNothingCarriesNothing", func(f *fixture) {
		guard := f.refused(noon, store.Put(f.key("a"), store.IfRev(1), store.Fields{"n": int64(1)}))
		if !guard.Failed[0] || guard.Items[0].Exists() {
			f.Fatalf("failure is %+v", guard)
		}
	}},
	{"AFailedWriteChangesNothing", func(f *fixture) {
		f.put("a", store.Fields{"s": "x", "due": due("b", 1), "wake": wake(1)})
		for _, w := range []store.Write{
			store.Put(f.key("a"), store.IfAbsent(), store.Fields{"s": "y"}),
			{Op: store.OpUpdate, Key: f.key("a"), Guard: store.IfRev(9), Set: store.Fields{"due": due("b", 9)}, Remove: []string{"wake"}},
			store.Delete(f.key("a"), store.If(store.Missing("s"))),
		} {
			f.refused(noon, w)
			f.want(noon, "a", 1, store.Fields{"s": "x", "due": due("b", 1), "wake": wake(1)})
			f.wantDue("b", 100, 10, "a@1")
		}
	}},
	{"AnEndedContextWritesNothing", func(f *fixture) {
		ctx, cancel := contextEnded()
		defer cancel()
		f.wantErr(f.s.Commit(ctx, noon, store.Put(f.key("a"), anyway, nil)), store.ErrUnavailable)
		_, err := f.s.Get(ctx, noon, f.key("a"))
		f.wantErr(err, store.ErrUnavailable)
		_, err = f.s.List(ctx, noon, f.hub, store.Range{})
		f.wantErr(err, store.ErrUnavailable)
		f.wantNone(noon, "a")
	}},
}

var transactionCases = []behaviour{
	{"ATransactionDoesAllItsWrites", func(f *fixture) {
		f.put("put", nil)
		f.put("update", store.Fields{"n": int64(1)})
		f.put("delete", nil)
		f.commit(noon,
			store.Put(f.key("new"), store.IfAbsent(), store.Fields{"s": "x"}),
			store.Put(f.key("put"), store.IfRev(1), store.Fields{"s": "y"}),
			store.Write{Op: store.OpUpdate, Key: f.key("update"), Guard: store.If(), Add: map[string]int64{"n": 1}},
			store.Delete(f.key("delete"), store.IfRev(1)))
		f.want(noon, "new", 1, store.Fields{"s": "x"})
		f.want(noon, "put", 2, store.Fields{"s": "y"})
		f.want(noon, "update", 2, store.Fields{"n": int64(2)})
		f.wantNone(noon, "delete")
	}},
	{"ATransactionSpansHubs", func(f *fixture) {
		other := store.Key{PK: f.newHub(), SK: "a"}
		f.commit(noon, store.Put(f.key("a"), store.IfAbsent(), nil), store.Put(other, store.IfAbsent(), nil))
		items, err := f.s.Get(f.ctx, noon, f.key("a"), other)
		if err != nil || !items[0].Exists() || !items[1].Exists() {
			f.Fatalf("get: %v, %v", err, items)
		}
	}},
	{"ATransactionDoesNothingWhicheverGuardFails", func(f *fixture) {
		const size = 4
		old := store.Fields{"s": "old"}
		for failing := range size {
			f.put("failing", store.Fields{"s": "there"})
			var writes []store.Write
			for n := range size {
				sk := fmt.Sprint("w", n)
				f.put(sk, old)
				w := store.Put(f.key(sk), store.If(), store.Fields{"s": "new"})
				if n == failing {
					w = store.Put(f.key("failing"), store.IfAbsent(), store.Fields{"s": "new"})
				}
				writes = append(writes, w)
			}
			guard := f.refused(noon, writes...)
			for n := range size {
				if guard.Failed[n] != (n == failing) || guard.Items[n].Exists() != (n == failing) {
					f.Fatalf("failing at %d: write %d is %v, %v", failing, n, guard.Failed[n], guard.Items[n])
				}
				f.want(noon, fmt.Sprint("w", n), int64(failing+1), old)
			}
			if guard.Items[failing].String("s") != "there" {
				f.Fatalf("the item is %v", guard.Items[failing])
			}
		}
	}},
	{"ATransactionNamesEveryFailedGuard", func(f *fixture) {
		f.put("b", store.Fields{"s": "there"})
		guard := f.refused(noon,
			store.Put(f.key("a"), store.IfRev(1), nil),
			store.Put(f.key("b"), store.IfAbsent(), nil),
			store.Put(f.key("c"), store.IfAbsent(), nil))
		if !guard.Failed[0] || !guard.Failed[1] || guard.Failed[2] {
			f.Fatalf("failed are %v", guard.Failed)
		}
		f.same(guard.Items[0], store.Item{})
		f.same(guard.Items[1], f.item("b", 1, store.Fields{"s": "there"}))
		f.wantNone(noon, "c")
	}},
}
