package bolt

import (
	"encoding/binary"
	"fmt"
	"maps"

	"go.etcd.io/bbolt"

	"pocbakery/pkg/store"
)

// What the tests of this folder may reach.
var (
	Encode     = encode
	Decode     = decode
	DecodeBody = decodeBody
)

// CheckIndexes rebuilds every index from the items and says in what the file
// differs.
func CheckIndexes(s *Store) error {
	want := map[string]map[string]bool{"due": {}, "wake": {}, "ttl": {}}
	hubs := map[string]uint64{}
	return s.View(func(tx *bbolt.Tx) error {
		err := tx.Bucket(bucketItems).ForEach(func(k, v []byte) error {
			key := parseKey(k)
			i, size, err := decode(key, v)
			if err != nil {
				return fmt.Errorf("%v: %w", key, err)
			}
			if size != store.ItemBytes(i) {
				return fmt.Errorf("%v: its size is stored as %d, not %d", key, size, store.ItemBytes(i))
			}
			hubs[key.PK]++
			if i.Has(store.FieldDue) {
				want["due"][string(dueKey(key, i.String(store.FieldDue)))] = true
			}
			if i.Has(store.FieldWake) {
				want["wake"][string(wakeKey(key, i.String(store.FieldWake)))] = true
			}
			if i.Has(store.FieldTTL) {
				want["ttl"][string(ttlKey(key, i.Int(store.FieldTTL)))] = true
			}
			return nil
		})
		if err != nil {
			return err
		}
		for name, keys := range want {
			got := map[string]bool{}
			_ = tx.Bucket([]byte(name)).ForEach(func(k, _ []byte) error { got[string(k)] = true; return nil })
			if !maps.Equal(got, keys) {
				return fmt.Errorf("index %s has %d entries, not these %d", name, len(got), len(keys))
			}
		}
		got := map[string]uint64{}
		_ = tx.Bucket(bucketHubs).ForEach(func(k, v []byte) error { got[string(k)] = binary.BigEndian.Uint64(v); return nil })
		if !maps.Equal(got, hubs) {
			return fmt.Errorf("hubs are counted as %v, not %v", got, hubs)
		}
		return nil
	})
}
