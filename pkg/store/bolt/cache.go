package bolt

import (
	"hash/maphash"
	"sync/atomic"

	"pocbakery/pkg/store"
)

// Bounds of the cache: so many items, none larger than so many bytes encoded.
const (
	cachedItems     = 8192
	cachedItemBytes = 4096
)

// cache remembers what encoded items decode to. Decoding is a function of the
// bytes alone, and an entry is used only where the bytes in the file are the
// same as those it was decoded from: so it is right in every transaction,
// before and after every commit, and nothing ever has to be taken out of it.
// Comparing a slot's 800 bytes takes a fraction of the time of decoding it, and
// a refusal looks at forty of them.
//
// Each key has one place, which the last to need it holds.
type cache struct {
	seed    maphash.Seed
	entries [cachedItems]atomic.Pointer[entry]
}

type entry struct {
	body string // the encoded item without its checksum
	item store.Item
	size int
}

func newCache() *cache { return &cache{seed: maphash.MakeSeed()} }

// decode is decode for the item at this key of the bucket. The item is shared
// with all who read it: nobody changes what a Store returned.
func (c *cache) decode(key, v []byte) (store.Item, int, error) {
	place := &c.entries[maphash.Bytes(c.seed, key)%cachedItems]
	if e := place.Load(); e != nil && len(v) > 4 && string(v[4:]) == e.body && isKey(key, e.item.Key) {
		return e.item, e.size, nil
	}
	i, size, err := decode(parseKey(key), v)
	if err == nil && len(v) <= cachedItemBytes {
		place.Store(&entry{body: string(v[4:]), item: i, size: size})
	}
	return i, size, err
}
