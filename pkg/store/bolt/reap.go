package bolt

import (
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"pocbakery/pkg/store"
)

// HubCount says how many items a hub has, those past their ttl included.
type HubCount struct {
	Hub   string
	Count int
}

// Hubs returns all hubs that have items, by name.
func (s *Store) Hubs(ctx context.Context) ([]HubCount, error) {
	var hubs []HubCount
	err := s.view(ctx, func(tx *bbolt.Tx) error {
		return tx.Bucket(bucketHubs).ForEach(func(k, v []byte) error {
			if len(v) != 8 {
				return errCorrupt
			}
			hubs = append(hubs, HubCount{Hub: string(k), Count: int(binary.BigEndian.Uint64(v))})
			return nil
		})
	})
	return hubs, err
}

// Reap deletes at most limit items that are past their ttl, the earliest
// first, and says how many: what DynamoDB does by itself, in its own time and
// at no charge (so it is not metered).
func (s *Store) Reap(ctx context.Context, now time.Time, limit int) (int, error) {
	reaped := 0
	err := s.do(ctx, func(b *batch) error {
		reaped = 0
		// Collected first: a cursor does not survive changes of its bucket.
		var keys []store.Key
		c := b.ttl.Cursor()
		for k, _ := c.First(); k != nil && len(keys) < limit; k, _ = c.Next() {
			ttl, key := parseTTLKey(k)
			if now.Before(ttl) {
				break
			}
			keys = append(keys, key)
		}
		for _, k := range keys {
			before, err := b.get(k)
			if err == nil {
				err = b.replace(k, before, store.Item{})
			}
			if err != nil {
				return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
			}
			reaped++
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return reaped, nil
}

// NextTTL is the earliest ttl there is, past or to come.
func (s *Store) NextTTL() (at time.Time, ok bool) {
	_ = s.db.View(func(tx *bbolt.Tx) error {
		if k, _ := tx.Bucket(bucketTTL).Cursor().First(); k != nil {
			at, _ = parseTTLKey(k)
			ok = true
		}
		return nil
	})
	return at, ok
}
