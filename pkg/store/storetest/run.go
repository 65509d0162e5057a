// Package storetest holds what every adapter of the port store must do: one
// conformance suite (Run) and a random-operations test that holds two adapters
// against each other (Differential).
//
// The suite works in hubs of its own with new names and erases them, so that
// an adapter may hand out one table again and again; it may not run twice at
// once on one table. It ignores the fields v and by, so that it runs through
// store.Table too.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"pocbakery/pkg/store"
)

// Options says in what an adapter differs.
type Options struct {
	// EventuallyConsistentOverdue: Overdue lags behind the writes; what it is
	// to show is waited for up to ten seconds.
	EventuallyConsistentOverdue bool
}

// behaviour is one case of the suite.
type behaviour struct {
	name string
	run  func(f *fixture)
}

func behaviours() []behaviour {
	var all []behaviour
	for _, part := range [][]behaviour{
		readCases, putCases, updateCases, deleteCases, guardCases, failureCases,
		transactionCases, ttlCases, listCases, endCases, eraseCases,
		limitCases, refusalCases, rushCases,
	} {
		all = append(all, part...)
	}
	return all
}

// Cases is the names of the suite's cases, in their order.
func Cases() []string {
	var names []string
	for _, b := range behaviours() {
		names = append(names, b.name)
	}
	return names
}

// Run runs the suite. open is called once a case.
func Run(t *testing.T, open func(t *testing.T) store.Store, opts ...Options) {
	for _, b := range behaviours() {
		t.Run(b.name, func(t *testing.T) {
			f := &fixture{T: t, s: open(t), ctx: context.Background()}
			if len(opts) > 0 {
				f.opts = opts[0]
			}
			f.hub = f.newHub()
			b.run(f)
		})
	}
}

// noon is the now of the cases that do not care.
var noon = time.Date(2040, 5, 17, 12, 0, 0, 0, time.UTC)

// runID and hubs keep the hubs of this and of other runs apart.
var (
	runID = strconv.FormatUint(rand.Uint64()>>24, 36)
	hubs  atomic.Int64
)

// fixture is what a case works with.
type fixture struct {
	*testing.T
	s    store.Store
	ctx  context.Context
	opts Options
	hub  string
}

// newHub is a hub nobody has used. It is emptied when the case is over.
func (f *fixture) newHub() string {
	hub := fmt.Sprintf("t%s%05d", runID, hubs.Add(1))
	f.Cleanup(func() {
		if err := wipe(context.Background(), f.s, hub); err != nil {
			f.Errorf("wiping: %v", err)
		}
	})
	return hub
}

func wipe(ctx context.Context, s store.Store, hub string) error {
	items, err := listAll(ctx, s, time.Time{}, hub, store.Range{})
	if err != nil {
		return err
	}
	var keys []store.Key
	for _, i := range items {
		keys = append(keys, i.Key)
	}
	return s.Erase(ctx, keys...)
}

// listAll follows a range through all its pages.
func listAll(ctx context.Context, s store.Store, now time.Time, hub string, r store.Range) ([]store.Item, error) {
	var items []store.Item
	for {
		page, err := s.List(ctx, now, hub, r)
		if err != nil {
			return nil, err
		}
		items = append(items, page.Items...)
		if page.Next == "" {
			return items, nil
		}
		r.After = page.Next
	}
}

func (f *fixture) key(sk string) store.Key { return store.Key{PK: f.hub, SK: sk} }

// commit is a commit that has to work.
func (f *fixture) commit(now time.Time, writes ...store.Write) {
	f.Helper()
	if err := f.s.Commit(f.ctx, now, writes...); err != nil {
		f.Fatalf("commit: %v", err)
	}
}

// put puts an item whatever was there.
func (f *fixture) put(sk string, fields store.Fields) {
	f.Helper()
	f.commit(time.Time{}, store.Put(f.key(sk), anyway, fields))
}

// anyway holds over every item and over none.
var anyway = store.If().OrAbsent()

func (f *fixture) get(now time.Time, sk string) store.Item {
	f.Helper()
	items, err := f.s.Get(f.ctx, now, f.key(sk))
	if err != nil {
		f.Fatalf("get: %v", err)
	}
	if len(items) != 1 {
		f.Fatalf("get of one item returned %d", len(items))
	}
	return items[0]
}

// want checks that the item is there with this revision and these fields.
func (f *fixture) want(now time.Time, sk string, rev int64, fields store.Fields) {
	f.Helper()
	f.same(f.get(now, sk), f.item(sk, rev, fields))
}

// wantNone checks that the item is not there.
func (f *fixture) wantNone(now time.Time, sk string) {
	f.Helper()
	if i := f.get(now, sk); i.Exists() || len(i.Fields) > 0 {
		f.Fatalf("%s is there: %v", sk, i)
	}
}

func (f *fixture) item(sk string, rev int64, fields store.Fields) store.Item {
	return store.Item{Key: f.key(sk), Rev: rev, Fields: fields}
}

func (f *fixture) same(got, want store.Item) {
	f.Helper()
	if !sameItem(got, want) {
		f.Fatalf("item\n is %v\nnot %v", got, want)
	}
}

// sameItem compares items but for what store.Table adds.
func sameItem(a, b store.Item) bool {
	if !a.Exists() || !b.Exists() {
		return a.Exists() == b.Exists()
	}
	return a.Key == b.Key && a.Rev == b.Rev && maps.Equal(plain(a.Fields), plain(b.Fields))
}

func plain(fields store.Fields) store.Fields {
	out := maps.Clone(fields)
	delete(out, store.FieldV)
	delete(out, store.FieldBy)
	return out
}

// wantErr checks that err is the port's error.
func (f *fixture) wantErr(err, want error) {
	f.Helper()
	if !errors.Is(err, want) {
		f.Fatalf("error is %v, not %v", err, want)
	}
}

// refused makes a commit whose guard has to fail, and returns the failure.
func (f *fixture) refused(now time.Time, writes ...store.Write) *store.GuardFailed {
	f.Helper()
	err := f.s.Commit(f.ctx, now, writes...)
	var guard *store.GuardFailed
	if !errors.As(err, &guard) {
		f.Fatalf("error is %v, not a failed guard", err)
	}
	if len(guard.Items) != len(writes) || len(guard.Failed) != len(writes) {
		f.Fatalf("a failed guard of %d writes has %d items and %d marks", len(writes), len(guard.Items), len(guard.Failed))
	}
	return guard
}

// keys checks the sort keys of a list, in order.
func (f *fixture) keys(items []store.Item, want ...string) {
	f.Helper()
	var got []string
	for _, i := range items {
		got = append(got, i.SK)
	}
	f.texts(got, want)
}

func (f *fixture) texts(got, want []string) {
	f.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		f.Fatalf("keys are %v, not %v", got, want)
	}
}

func (f *fixture) list(now time.Time, r store.Range) []store.Item {
	f.Helper()
	items, err := listAll(f.ctx, f.s, now, f.hub, r)
	if err != nil {
		f.Fatalf("list: %v", err)
	}
	return items
}
