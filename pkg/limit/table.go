package limit

import "sync"

const (
	sets = 1 << 13
	ways = 8
)

// table keeps a number for each of the latest keys, 65,536 at most. Its size is
// fixed: a key has its place in one of eight slots, and one that finds them all
// taken takes that of the least number.
type table struct {
	once sync.Once
	sets []set
}

type set struct {
	mu     sync.Mutex
	keys   [ways]uint64 // 0 is a free slot
	values [ways]int64
}

// change replaces the number of a key, 0 where it has none, by what f makes of
// it. f runs under the lock of the key's set.
func (t *table) change(key uint64, f func(int64) int64) {
	t.once.Do(func() { t.sets = make([]set, sets) })
	key = max(key, 1)
	s := &t.sets[key%sets]
	s.mu.Lock()
	defer s.mu.Unlock()
	least := 0
	for i := range s.keys {
		if s.keys[i] == key {
			s.values[i] = f(s.values[i])
			return
		}
		if s.values[i] < s.values[least] {
			least = i
		}
	}
	if v := f(0); v != 0 {
		s.keys[least], s.values[least] = key, v
	}
}
