package local

import (
	"context"
	"encoding/binary"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"

	"pocbakery/pkg/store/bolt"
)

var (
	settingsBucket = []byte("local")
	offsetKey      = []byte("wall_offset")
)

// Wall is the wall clock of everything local: the machine's, moved forward by
// an offset that outlives a restart.
type Wall struct {
	file    *bolt.Store
	machine func() time.Time
	offset  atomic.Int64 // nanoseconds
}

// OpenWall is the wall clock kept in this file, over the machine's clock.
func OpenWall(file *bolt.Store, machine func() time.Time) (*Wall, error) {
	w := &Wall{file: file, machine: machine}
	err := file.View(func(tx *bbolt.Tx) error {
		if b := tx.Bucket(settingsBucket); b != nil {
			if v := b.Get(offsetKey); len(v) == 8 {
				w.offset.Store(int64(binary.BigEndian.Uint64(v)))
			}
		}
		return nil
	})
	return w, err
}

// Now reads the clock.
func (w *Wall) Now() time.Time {
	return w.machine().Add(time.Duration(w.offset.Load())).UTC()
}

// MoveTo moves the clock forward to an instant; one that is past is no move.
func (w *Wall) MoveTo(ctx context.Context, t time.Time) error {
	ahead := t.Sub(w.Now())
	if ahead <= 0 {
		return nil
	}
	offset := w.offset.Add(int64(ahead))
	return w.file.Write(ctx, func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucketIfNotExists(settingsBucket)
		if err != nil {
			return err
		}
		return b.Put(offsetKey, binary.BigEndian.AppendUint64(nil, uint64(offset)))
	})
}
