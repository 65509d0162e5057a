// Package mem is a deliberately naive table in memory: a map behind a mutex,
// searched and sorted whole for every query. It is the model the other
// adapters are held against, and a table that explorations can copy; it is not
// for anybody's data.
package mem

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"sync"
	"time"

	"pocbakery/pkg/store"
)

// Store is a table in memory. Any number of goroutines may use it.
type Store struct {
	mu    sync.Mutex
	items map[store.Key]store.Item
	meter *store.Meter
}

var _ store.Store = (*Store)(nil)

// New makes an empty table. The meter may be nil.
func New(meter *store.Meter) *Store {
	return &Store{items: make(map[store.Key]store.Item), meter: meter}
}

// Clone is a table of its own with the same contents, and no meter.
func (s *Store) Clone() *Store {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := New(nil)
	for k, i := range s.items {
		c.items[k] = i.Clone()
	}
	return c
}

// Snapshot is all there is, one line an item in the order of keys and names:
// equal tables have equal texts.
func (s *Store) Snapshot() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := make([]string, 0, len(s.items))
	for k, i := range s.items {
		names := make([]string, 0, len(i.Fields))
		for name := range i.Fields {
			names = append(names, name)
		}
		sort.Strings(names)
		var b strings.Builder
		fmt.Fprintf(&b, "%q %q rev=%d", k.PK, k.SK, i.Rev)
		for _, name := range names {
			fmt.Fprintf(&b, " %q=%#v", name, i.Fields[name])
		}
		lines = append(lines, b.String()+"\n")
	}
	sort.Strings(lines)
	return strings.Join(lines, "")
}

// Reap deletes what is past its ttl and says how many items that were.
func (s *Store) Reap(now time.Time) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for k, i := range s.items {
		if i.ExpiredAt(now) {
			delete(s.items, k)
			n++
		}
	}
	return n
}

// Get is store.Store's.
func (s *Store) Get(ctx context.Context, now time.Time, keys ...store.Key) ([]store.Item, error) {
	if err := store.CheckKeys(keys); err != nil {
		return nil, err
	}
	if err := ended(ctx); err != nil || len(keys) == 0 {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []store.Item
	units := 0.0
	for _, k := range keys {
		i, ok := s.items[k]
		bytes := 0
		if ok {
			bytes = store.ItemBytes(i)
		}
		units += store.ReadUnits(bytes)
		if !ok || i.ExpiredAt(now) {
			i = store.Item{Key: k}
		}
		out = append(out, i.Clone())
	}
	s.meter.Read(store.CallGet, (len(keys)+store.GetPerRequest-1)/store.GetPerRequest, units)
	return out, nil
}

// List is store.Store's.
func (s *Store) List(ctx context.Context, now time.Time, pk string, r store.Range) (store.Page, error) {
	if err := store.CheckRange(pk, r); err != nil {
		return store.Page{}, err
	}
	if err := ended(ctx); err != nil {
		return store.Page{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var in []store.Item
	for k, i := range s.items {
		if k.PK != pk || k.SK < r.From || r.To != "" && k.SK >= r.To {
			continue
		}
		if r.After != "" && (!r.Desc && k.SK <= r.After || r.Desc && k.SK >= r.After) {
			continue
		}
		in = append(in, i)
	}
	sort.Slice(in, func(a, b int) bool { return (in[a].SK < in[b].SK) != r.Desc })
	var page store.Page
	read := 0
	for n, i := range in {
		bytes := store.ItemBytes(i)
		if r.Limit > 0 && len(page.Items) == r.Limit || n > 0 && read+bytes > store.ListPageBytes {
			page.Next = in[n-1].SK
			break
		}
		read += bytes
		if !i.ExpiredAt(now) {
			page.Items = append(page.Items, i.Clone())
		}
	}
	s.meter.Read(store.CallList, 1, store.ReadUnits(read))
	return page, nil
}

// Due is store.Store's.
func (s *Store) Due(ctx context.Context, pk string, clock store.Clock, until time.Time, limit int) ([]store.Ref, error) {
	if err := store.CheckDue(pk, clock, limit); err != nil {
		return nil, err
	}
	if err := ended(ctx); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	refs := s.index(limit, func(i store.Item) (time.Time, bool) {
		c, at, ok := store.ParseDue(i.String(store.FieldDue))
		return at, ok && i.PK == pk && c == clock && !at.After(until)
	})
	bytes := 0
	for _, r := range refs {
		bytes += store.RefBytes(r.Key, store.FieldDue)
	}
	s.meter.Read(store.CallDue, 1, store.ReadUnits(bytes))
	return refs, nil
}

// Overdue is store.Store's.
func (s *Store) Overdue(ctx context.Context, until time.Time, limit int) ([]store.Ref, error) {
	if err := store.CheckLimit(limit); err != nil {
		return nil, err
	}
	if err := ended(ctx); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	refs := s.index(limit, func(i store.Item) (time.Time, bool) {
		at, ok := store.ParseInstant(i.String(store.FieldWake))
		return at, ok && !at.After(until)
	})
	s.meter.Read(store.CallOverdue, store.Shards, store.OverdueUnits(refs))
	return refs, nil
}

// index lists the items that match by their ends, then by their keys.
func (s *Store) index(limit int, end func(store.Item) (time.Time, bool)) (refs []store.Ref) {
	for k, i := range s.items {
		if at, ok := end(i); ok {
			refs = append(refs, store.Ref{Key: k, At: at})
		}
	}
	sort.Slice(refs, func(a, b int) bool {
		x, y := refs[a], refs[b]
		switch {
		case !x.At.Equal(y.At):
			return x.At.Before(y.At)
		case x.PK != y.PK:
			return x.PK < y.PK
		}
		return x.SK < y.SK
	})
	return refs[:min(len(refs), limit)]
}

// Commit is store.Store's.
func (s *Store) Commit(ctx context.Context, now time.Time, writes ...store.Write) error {
	if err := store.CheckCommit(writes); err != nil {
		return err
	}
	if err := ended(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	failed := &store.GuardFailed{Items: make([]store.Item, len(writes)), Failed: make([]bool, len(writes))}
	holds := true
	var refused error
	next := make([]store.Item, len(writes))
	for n, w := range writes {
		seen := s.items[w.Key]
		if seen.ExpiredAt(now) {
			seen = store.Item{}
		}
		if !w.Guard.Holds(seen) {
			holds = false
			failed.Failed[n], failed.Items[n] = true, seen.Clone()
		}
		var err error
		if next[n], err = w.Outcome(seen); err != nil && refused == nil {
			refused = err
		}
	}
	if holds && refused != nil {
		return refused
	}
	units := 0.0
	for n, w := range writes {
		units += store.WriteUnits(s.items[w.Key], next[n], len(writes) > 1, holds)
	}
	s.meter.Write(store.CallOf(writes), 1, units)
	if !holds {
		return failed
	}
	for n, w := range writes {
		if next[n].Exists() {
			s.items[w.Key] = next[n]
		} else {
			delete(s.items, w.Key)
		}
	}
	return nil
}

// Erase is store.Store's.
func (s *Store) Erase(ctx context.Context, keys ...store.Key) error {
	if err := store.CheckKeys(keys); err != nil {
		return err
	}
	if err := ended(ctx); err != nil || len(keys) == 0 {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	units := 0.0
	for _, k := range keys {
		units += store.WriteUnits(s.items[k], store.Item{}, false, true)
		delete(s.items, k)
	}
	s.meter.Write(store.CallErase, (len(keys)+store.ErasePerRequest-1)/store.ErasePerRequest, units)
	return nil
}

// ended says ErrUnavailable once the context is over.
func ended(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	return nil
}
