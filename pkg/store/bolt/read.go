package bolt

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"pocbakery/pkg/store"
)

// view runs fn on the file as it is; what it fails of is ErrUnavailable.
func (s *Store) view(ctx context.Context, fn func(*bbolt.Tx) error) error {
	if err := ended(ctx); err != nil {
		return err
	}
	if err := s.db.View(fn); err != nil {
		return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	return nil
}

// Get is store.Store's; here it is a snapshot.
func (s *Store) Get(ctx context.Context, now time.Time, keys ...store.Key) ([]store.Item, error) {
	if err := store.CheckKeys(keys); err != nil {
		return nil, err
	}
	if len(keys) == 0 {
		return nil, nil
	}
	items := make([]store.Item, len(keys))
	units := 0.0
	err := s.view(ctx, func(tx *bbolt.Tx) error {
		table := tx.Bucket(bucketItems)
		for n, k := range keys {
			items[n].Key = k
			key := itemKey(k)
			v := table.Get(key)
			if v == nil {
				units += store.ReadUnits(0)
				continue
			}
			i, size, err := s.cache.decode(key, v)
			if err != nil {
				return err
			}
			units += store.ReadUnits(size)
			if !i.ExpiredAt(now) {
				items[n] = i
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.meter.Read(store.CallGet, (len(keys)+store.GetPerRequest-1)/store.GetPerRequest, units)
	return items, nil
}

// List is store.Store's.
func (s *Store) List(ctx context.Context, now time.Time, pk string, r store.Range) (store.Page, error) {
	if err := store.CheckRange(pk, r); err != nil {
		return store.Page{}, err
	}
	var page store.Page
	read := 0
	err := s.view(ctx, func(tx *bbolt.Tx) error {
		w := newWalk(tx.Bucket(bucketItems).Cursor(), pk, r)
		if r.Limit > 0 {
			page.Items = make([]store.Item, 0, min(r.Limit, 128))
		}
		last := ""
		for k, v := w.first(); k != nil; k, v = w.next() {
			if r.Limit > 0 && len(page.Items) == r.Limit {
				page.Next = last
				return nil
			}
			i, size, err := s.cache.decode(k, v)
			if err != nil {
				return err
			}
			if read > 0 && read+size > store.ListPageBytes {
				page.Next = last
				return nil
			}
			read += size
			last = i.SK
			if !i.ExpiredAt(now) {
				page.Items = append(page.Items, i)
			}
		}
		return nil
	})
	if err != nil {
		return store.Page{}, err
	}
	s.meter.Read(store.CallList, 1, store.ReadUnits(read))
	return page, nil
}

// walk goes over the keys of one hub that lie in a range.
type walk struct {
	c        *bbolt.Cursor
	from, to []byte // from <= key < to
	desc     bool
}

func newWalk(c *bbolt.Cursor, pk string, r store.Range) *walk {
	w := &walk{c: c, from: append(hubPrefix(pk), r.From...), to: hubEnd(pk), desc: r.Desc}
	if r.To != "" {
		w.to = append(hubPrefix(pk), r.To...)
	}
	if r.After != "" {
		after := append(hubPrefix(pk), r.After...)
		if r.Desc {
			if bytes.Compare(after, w.to) < 0 {
				w.to = after
			}
		} else if after = append(after, 0); bytes.Compare(after, w.from) > 0 {
			// The key right after it in order.
			w.from = after
		}
	}
	return w
}

func (w *walk) first() (k, v []byte) {
	if !w.desc {
		return w.inside(w.c.Seek(w.from))
	}
	if k, _ := w.c.Seek(w.to); k == nil {
		return w.inside(w.c.Last())
	}
	return w.inside(w.c.Prev())
}

func (w *walk) next() (k, v []byte) {
	if w.desc {
		return w.inside(w.c.Prev())
	}
	return w.inside(w.c.Next())
}

func (w *walk) inside(k, v []byte) ([]byte, []byte) {
	if k == nil || bytes.Compare(k, w.from) < 0 || bytes.Compare(k, w.to) >= 0 {
		return nil, nil
	}
	return k, v
}

// Due is store.Store's.
func (s *Store) Due(ctx context.Context, pk string, clock store.Clock, until time.Time, limit int) ([]store.Ref, error) {
	if err := store.CheckDue(pk, clock, limit); err != nil {
		return nil, err
	}
	var refs []store.Ref
	read := 0
	err := s.view(ctx, func(tx *bbolt.Tx) error {
		from := append(hubPrefix(pk), byte(clock))
		last := store.FormatInstant(until)
		c := tx.Bucket(bucketDue).Cursor()
		for k, _ := c.Seek(from); bytes.HasPrefix(k, from) && len(refs) < limit; k, _ = c.Next() {
			rest := k[len(from):]
			if string(rest[:instantBytes]) > last {
				break
			}
			key := store.Key{PK: pk, SK: string(rest[instantBytes:])}
			read += store.RefBytes(key, store.FieldDue)
			refs = append(refs, store.Ref{Key: key, At: instant(rest)})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.meter.Read(store.CallDue, 1, store.ReadUnits(read))
	return refs, nil
}

// Overdue is store.Store's; here it is as strong as Due.
func (s *Store) Overdue(ctx context.Context, until time.Time, limit int) ([]store.Ref, error) {
	if err := store.CheckLimit(limit); err != nil {
		return nil, err
	}
	var refs []store.Ref
	err := s.view(ctx, func(tx *bbolt.Tx) error {
		last := store.FormatInstant(until)
		c := tx.Bucket(bucketWake).Cursor()
		for k, _ := c.First(); k != nil && len(refs) < limit; k, _ = c.Next() {
			if string(k[:instantBytes]) > last {
				break
			}
			key := parseKey(k[instantBytes:])
			refs = append(refs, store.Ref{Key: key, At: instant(k)})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.meter.Read(store.CallOverdue, store.Shards, store.OverdueUnits(refs))
	return refs, nil
}
