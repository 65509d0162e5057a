package bolt

import (
	"encoding/binary"
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"pocbakery/pkg/store"
)

// batch is one bbolt transaction of the committer.
type batch struct {
	tx                    *bbolt.Tx
	cache                 *cache
	items, due, wake, ttl *bbolt.Bucket
	// counts gathers by how many items each hub grew, written once at the end.
	counts map[string]int
	// touched counts changes: none means nothing to sync.
	touched int
}

func newBatch(tx *bbolt.Tx, c *cache) *batch {
	return &batch{
		tx:     tx,
		cache:  c,
		items:  tx.Bucket(bucketItems),
		due:    tx.Bucket(bucketDue),
		wake:   tx.Bucket(bucketWake),
		ttl:    tx.Bucket(bucketTTL),
		counts: make(map[string]int),
	}
}

// get is the item as it stands in this transaction, whatever its ttl; it
// is shared with the cache.
func (b *batch) get(k store.Key) (store.Item, error) {
	key := itemKey(k)
	v := b.items.Get(key)
	if v == nil {
		return store.Item{Key: k}, nil
	}
	i, _, err := b.cache.decode(key, v)
	return i, err
}

// commit applies all the writes or, with an error, none. units is what they
// consume either way, 0 for what the table would not have looked at.
func (b *batch) commit(now time.Time, writes []store.Write) (units float64, err error) {
	changes := make([]struct{ before, after store.Item }, len(writes))
	var guard *store.GuardFailed
	var refused error
	for n, w := range writes {
		c := &changes[n]
		if c.before, err = b.get(w.Key); err != nil {
			return 0, fmt.Errorf("%w: %w", store.ErrUnavailable, err)
		}
		seen := c.before
		if seen.ExpiredAt(now) {
			seen = store.Item{Key: w.Key}
		}
		if !w.Guard.Holds(seen) {
			if guard == nil {
				guard = &store.GuardFailed{Items: make([]store.Item, len(writes)), Failed: make([]bool, len(writes))}
			}
			guard.Failed[n] = true
			if seen.Exists() {
				guard.Items[n] = seen.Clone()
			}
		}
		if c.after, err = w.Outcome(seen); err != nil && refused == nil {
			refused = err
		}
	}
	for _, c := range changes {
		units += store.WriteUnits(c.before, c.after, len(writes) > 1, guard == nil)
	}
	if guard != nil {
		return units, guard
	}
	if refused != nil {
		return 0, refused
	}
	for n, c := range changes {
		if err := b.replace(writes[n].Key, c.before, c.after); err != nil {
			return 0, fmt.Errorf("%w: %w", store.ErrUnavailable, err)
		}
	}
	return units, nil
}

// replace puts after where before stood, in the table and in every index.
func (b *batch) replace(k store.Key, before, after store.Item) error {
	if !before.Exists() && !after.Exists() {
		return nil
	}
	b.touched++
	key := itemKey(k)
	var err error
	if after.Exists() {
		err = b.items.Put(key, encode(after))
	} else {
		err = b.items.Delete(key)
	}
	if err != nil {
		return err
	}
	switch {
	case !before.Exists():
		b.counts[k.PK]++
	case !after.Exists():
		b.counts[k.PK]--
	}
	if was, is := before.String(store.FieldDue), after.String(store.FieldDue); was != is {
		if err := move(b.due, was != "", dueKey(k, was), is != "", dueKey(k, is)); err != nil {
			return err
		}
	}
	if was, is := before.String(store.FieldWake), after.String(store.FieldWake); was != is {
		if err := move(b.wake, was != "", wakeKey(k, was), is != "", wakeKey(k, is)); err != nil {
			return err
		}
	}
	if was, is := before.Int(store.FieldTTL), after.Int(store.FieldTTL); was != is {
		if err := move(b.ttl, was != 0, ttlKey(k, was), is != 0, ttlKey(k, is)); err != nil {
			return err
		}
	}
	return nil
}

// move takes an index's entry from one key to another, each if there is one.
func move(index *bbolt.Bucket, hadOne bool, from []byte, hasOne bool, to []byte) error {
	if hadOne {
		if err := index.Delete(from); err != nil {
			return err
		}
	}
	if hasOne {
		return index.Put(to, nil)
	}
	return nil
}

// flush writes what was gathered over the batch.
func (b *batch) flush() error {
	hubs := b.tx.Bucket(bucketHubs)
	for pk, grown := range b.counts {
		if grown == 0 {
			continue
		}
		n := grown
		if v := hubs.Get([]byte(pk)); len(v) == 8 {
			n += int(binary.BigEndian.Uint64(v))
		}
		var err error
		if n > 0 {
			err = hubs.Put([]byte(pk), binary.BigEndian.AppendUint64(nil, uint64(n)))
		} else {
			err = hubs.Delete([]byte(pk))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
