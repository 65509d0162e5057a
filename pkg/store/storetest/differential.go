package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"pocbakery/pkg/store"
)

// Differential does the same random things to two tables and compares every
// answer, failures included, and at the end all that the tables hold. Time
// moves past ttls on the way. Both are emptied of what it wrote; nobody else
// may use them meanwhile. Overdue is compared, so both have to be up to date.
func Differential(t *testing.T, a, b store.Store) {
	rapid.Check(t, func(t *rapid.T) {
		d := &differential{T: t, ctx: context.Background(), a: a, b: b, now: noon}
		for range 2 {
			d.hubs = append(d.hubs, fmt.Sprintf("d%s%05d", runID, hubs.Add(1)))
		}
		defer func() {
			for _, hub := range d.hubs {
				if err := errors.Join(wipe(d.ctx, a, hub), wipe(d.ctx, b, hub)); err != nil {
					t.Errorf("wiping: %v", err)
				}
			}
		}()
		actions := map[string]func(*rapid.T){
			"put":       d.one(d.put),
			"update":    d.one(d.update),
			"delete":    d.one(d.delete),
			"transact":  d.transact,
			"get":       d.get,
			"list":      d.list,
			"due":       d.due,
			"overdue":   d.overdue,
			"erase":     d.erase,
			"time":      d.pass,
			"put2":      d.one(d.put),
			"update2":   d.one(d.update),
			"update3":   d.one(d.update),
			"transact2": d.transact,
		}
		for range 3 { // a course of events three times as long as usual
			t.Repeat(actions)
		}
		for _, hub := range d.hubs {
			d.compareLists(t, time.Time{}, hub, store.Range{})
		}
	})
}

type differential struct {
	*rapid.T
	ctx  context.Context
	a, b store.Store
	hubs []string
	now  time.Time
}

func (d *differential) key(t *rapid.T) store.Key {
	return store.Key{
		PK: rapid.SampledFrom(d.hubs).Draw(t, "hub"),
		SK: rapid.SampledFrom([]string{"a#1", "a#1", "a#1", "a", "a#2", "b", "é"}).Draw(t, "sk"),
	}
}

// minutes is a time near now, in whole minutes, so that times meet.
func (d *differential) minutes(t *rapid.T, name string) time.Time {
	return noon.Add(time.Duration(rapid.IntRange(-2, 12).Draw(t, name)) * time.Minute)
}

var fieldNames = []string{"n", "m", "s", "t", "due", "wake", "ttl"}

// value is a value for a field: mostly of the type the field usually has.
func (d *differential) value(t *rapid.T, name string) any {
	switch name {
	case "due":
		clock := rapid.SampledFrom([]store.Clock{store.Business, store.Wall}).Draw(t, "clock")
		return store.DueAt(clock, d.minutes(t, "due"))
	case "wake":
		return store.FormatInstant(d.minutes(t, "wake"))
	case "ttl":
		return d.minutes(t, "ttl").Unix()
	}
	return rapid.SampledFrom([]any{int64(0), int64(1), int64(2), int64(-3), "", "x", "y", true, false}).Draw(t, "value")
}

func (d *differential) fields(t *rapid.T, names []string) store.Fields {
	fields := store.Fields{}
	for _, name := range names {
		fields[name] = d.value(t, name)
	}
	return fields
}

func (d *differential) guard(t *rapid.T) store.Guard {
	if rapid.IntRange(0, 2).Draw(t, "anyway") == 0 {
		return anyway // or the table would stay all but empty
	}
	g := store.Guard{Absent: rapid.Bool().Draw(t, "absent"), Present: rapid.IntRange(0, 2).Draw(t, "present") > 0}
	if !g.Present {
		return g // perhaps one that never holds
	}
	g.Rev = rapid.SampledFrom([]int64{0, 0, 0, 1, 2, 3}).Draw(t, "rev")
	for range rapid.SampledFrom([]int{0, 0, 1, 2}).Draw(t, "conds") {
		field := rapid.SampledFrom(fieldNames).Draw(t, "field")
		c := store.Cond{Field: field, Cmp: store.Cmp(rapid.IntRange(1, 7).Draw(t, "cmp")), OrMissing: rapid.Bool().Draw(t, "or missing")}
		if rapid.IntRange(0, 3).Draw(t, "with field") == 0 {
			c.Other = rapid.SampledFrom(fieldNames).Draw(t, "other")
		} else {
			c.Value = d.value(t, field)
		}
		g.Conds = append(g.Conds, c)
	}
	return g
}

func (d *differential) put(t *rapid.T) store.Write {
	names := rapid.SliceOfNDistinct(rapid.SampledFrom(fieldNames), 0, 5, rapid.ID[string]).Draw(t, "fields")
	return store.Put(d.key(t), d.guard(t), d.fields(t, names))
}

func (d *differential) delete(t *rapid.T) store.Write { return store.Delete(d.key(t), d.guard(t)) }

func (d *differential) update(t *rapid.T) store.Write {
	w := store.Write{Op: store.OpUpdate, Key: d.key(t), Guard: d.guard(t), Add: map[string]int64{}}
	names := rapid.SliceOfNDistinct(rapid.SampledFrom(fieldNames), 0, 5, rapid.ID[string]).Draw(t, "fields")
	var set, init []string
	for _, name := range names {
		switch rapid.IntRange(0, 3).Draw(t, "change") {
		case 0:
			set = append(set, name)
		case 1:
			init = append(init, name)
		case 2:
			w.Remove = append(w.Remove, name)
		case 3:
			w.Add[name] = rapid.Int64Range(-2, 2).Draw(t, "add")
		}
	}
	w.Set, w.Init = d.fields(t, set), d.fields(t, init)
	return w
}

func (d *differential) one(draw func(*rapid.T) store.Write) func(*rapid.T) {
	return func(t *rapid.T) { d.commit(t, draw(t)) }
}

func (d *differential) transact(t *rapid.T) {
	var writes []store.Write
	for range rapid.IntRange(2, 4).Draw(t, "writes") {
		draw := rapid.SampledFrom([]func(*rapid.T) store.Write{d.put, d.update, d.delete}).Draw(t, "write")
		writes = append(writes, draw(t))
	}
	d.commit(t, writes...)
}

func (d *differential) commit(t *rapid.T, writes ...store.Write) {
	errA, errB := d.a.Commit(d.ctx, d.now, writes...), d.b.Commit(d.ctx, d.now, writes...)
	if !sameErr(errA, errB) {
		t.Fatalf("commit of %+v\nanswers %v\n    and %v", writes, describe(errA), describe(errB))
	}
}

func (d *differential) get(t *rapid.T) {
	var keys []store.Key
	for range rapid.IntRange(0, 3).Draw(t, "keys") {
		keys = append(keys, d.key(t))
	}
	a, errA := d.a.Get(d.ctx, d.now, keys...)
	b, errB := d.b.Get(d.ctx, d.now, keys...)
	if !sameErr(errA, errB) || !slices.EqualFunc(a, b, sameItem) {
		t.Fatalf("get of %v\nanswers %v, %v\n    and %v, %v", keys, a, errA, b, errB)
	}
}

func (d *differential) list(t *rapid.T) {
	bounds := rapid.SampledFrom([]string{"", "a", "a#", "a#2", "b", "c", "é"})
	d.compareLists(t, d.now, rapid.SampledFrom(d.hubs).Draw(t, "hub"), store.Range{
		From:  bounds.Draw(t, "from"),
		To:    bounds.Draw(t, "to"),
		Desc:  rapid.Bool().Draw(t, "desc"),
		Limit: rapid.IntRange(0, 3).Draw(t, "limit"),
	})
}

// compareLists compares whole ranges, since pages may differ. Cursors come
// from the pages: each table has its own.
func (d *differential) compareLists(t *rapid.T, now time.Time, hub string, r store.Range) {
	a, errA := listAll(d.ctx, d.a, now, hub, r)
	b, errB := listAll(d.ctx, d.b, now, hub, r)
	if !sameErr(errA, errB) || !slices.EqualFunc(a, b, sameItem) {
		t.Fatalf("list of %+v\nanswers %v, %v\n    and %v, %v", r, a, errA, b, errB)
	}
}

func (d *differential) due(t *rapid.T) {
	hub := rapid.SampledFrom(d.hubs).Draw(t, "hub")
	clock := rapid.SampledFrom([]store.Clock{store.Business, store.Wall}).Draw(t, "clock")
	until, limit := d.minutes(t, "until"), rapid.IntRange(1, 4).Draw(t, "limit")
	a, errA := d.a.Due(d.ctx, hub, clock, until, limit)
	b, errB := d.b.Due(d.ctx, hub, clock, until, limit)
	if !sameErr(errA, errB) || !sameRefs(a, b, limit) {
		t.Fatalf("due until %v, at most %d\nanswers %v, %v\n    and %v, %v", until, limit, a, errA, b, errB)
	}
}

func (d *differential) overdue(t *rapid.T) {
	until, limit := d.minutes(t, "until"), rapid.IntRange(1, 6).Draw(t, "limit")
	a, errA := d.a.Overdue(d.ctx, until, limit)
	b, errB := d.b.Overdue(d.ctx, until, limit)
	if !sameErr(errA, errB) || !sameRefs(a, b, limit) {
		t.Fatalf("overdue until %v, at most %d\nanswers %v, %v\n    and %v, %v", until, limit, a, errA, b, errB)
	}
}

func (d *differential) erase(t *rapid.T) {
	var keys []store.Key
	for range rapid.IntRange(0, 1).Draw(t, "keys") {
		keys = append(keys, d.key(t))
	}
	if errA, errB := d.a.Erase(d.ctx, keys...), d.b.Erase(d.ctx, keys...); !sameErr(errA, errB) {
		t.Fatalf("erase of %v\nanswers %v\n    and %v", keys, errA, errB)
	}
}

// pass lets time go on, to one second before or to the second of a ttl.
func (d *differential) pass(t *rapid.T) {
	d.now = rapid.SampledFrom([]time.Time{
		d.now.Truncate(time.Minute).Add(time.Minute - time.Second),
		d.now.Truncate(time.Minute).Add(time.Minute),
		d.now.Add(1500 * time.Millisecond),
	}).Draw(t, "now")
}

// sameRefs compares what an index says. Ends of one instant may come in any
// order, and where a limit cuts through them any of them may be named.
func sameRefs(a, b []store.Ref, limit int) bool {
	if len(a) != len(b) {
		return false
	}
	for n := range a {
		if !a[n].At.Equal(b[n].At) {
			return false
		}
		cut := len(a) == limit && a[n].At.Equal(a[len(a)-1].At)
		if !cut && !slices.Contains(b, a[n]) {
			return false
		}
	}
	return true
}

// sameErr says whether two answers are of one kind and, of failed guards,
// alike in all they say.
func sameErr(a, b error) bool {
	var guardA, guardB *store.GuardFailed
	if errors.As(a, &guardA) != errors.As(b, &guardB) {
		return false
	}
	if guardA != nil {
		return slices.Equal(guardA.Failed, guardB.Failed) && slices.EqualFunc(guardA.Items, guardB.Items, sameItem)
	}
	for _, kind := range []error{store.ErrConflict, store.ErrUnavailable, store.ErrUnknown, store.ErrTooLarge, store.ErrInvalid, store.ErrNewerSchema} {
		if errors.Is(a, kind) != errors.Is(b, kind) {
			return false
		}
	}
	return (a == nil) == (b == nil)
}

func describe(err error) string {
	var guard *store.GuardFailed
	if errors.As(err, &guard) {
		return fmt.Sprintf("failed guards %v, items %v", guard.Failed, guard.Items)
	}
	return fmt.Sprint(err)
}
