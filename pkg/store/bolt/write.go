package bolt

import (
	"context"
	"errors"
	"fmt"
	"time"

	"pocbakery/pkg/store"
)

// Commit is store.Store's.
func (s *Store) Commit(ctx context.Context, now time.Time, writes ...store.Write) error {
	if err := store.CheckCommit(writes); err != nil {
		return err
	}
	var units float64
	err := s.do(ctx, func(b *batch) (err error) {
		units, err = b.commit(now, writes)
		return err
	})
	if units > 0 && !errors.Is(err, store.ErrUnavailable) {
		s.meter.Write(store.CallOf(writes), 1, units)
	}
	return err
}

// Erase is store.Store's; here it removes all the keys or none.
func (s *Store) Erase(ctx context.Context, keys ...store.Key) error {
	if err := store.CheckKeys(keys); err != nil {
		return err
	}
	if len(keys) == 0 {
		return nil
	}
	var units float64
	err := s.do(ctx, func(b *batch) error {
		units = 0
		for _, k := range keys {
			before, err := b.get(k)
			if err == nil {
				err = b.replace(k, before, store.Item{})
			}
			if err != nil {
				return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
			}
			units += store.WriteUnits(before, store.Item{}, false, true)
		}
		return nil
	})
	if err == nil {
		s.meter.Write(store.CallErase, (len(keys)+store.ErasePerRequest-1)/store.ErasePerRequest, units)
	}
	return err
}
