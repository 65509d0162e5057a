package limit

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"time"
)

// hashKey is the key by which a UTC day's keys are hashed.
type hashKey struct {
	day    int64 // since 1970
	secret [sha256.Size]byte
}

const daySeconds = int64(24 * time.Hour / time.Second)

// hash is the day's key; ok is false where nobody is limited.
func (l *Limits) hash(now time.Time) (*hashKey, bool) {
	if l == nil || l.off.Load() {
		return nil, false
	}
	h, err := l.keyOf(now.Unix() / daySeconds)
	if err != nil {
		if !l.failing.Swap(true) {
			l.report("rate_limit_unavailable", err)
		}
		return nil, false
	}
	if l.failing.Load() {
		l.failing.Store(false)
	}
	return h, true
}

var errBroken = errors.New("it was made to fail")

func (l *Limits) keyOf(day int64) (*hashKey, error) {
	if l.broken.Load() {
		return nil, errBroken
	}
	if h := l.hashing.Load(); h != nil && h.day == day {
		return h, nil
	}
	l.drawing.Lock()
	defer l.drawing.Unlock()
	before, next := l.hashing.Load(), &hashKey{day: day}
	switch {
	case before == nil:
		if _, err := io.ReadFull(l.random, next.secret[:]); err != nil {
			return nil, err
		}
	case before.day == day:
		return before, nil
	default: // nobody can go back from a hash to what it was made of
		next.secret = sha256.Sum256(before.secret[:])
	}
	l.hashing.Store(next)
	return next, nil
}

// sum is what is kept of a key: 64 bits of the parts' hash. The parts are told
// apart: ("ab", "c") and ("a", "bc") differ.
func (h *hashKey) sum(parts ...string) uint64 {
	b := make([]byte, 0, 256)
	b = append(b, h.secret[:]...)
	for _, p := range parts {
		b = binary.BigEndian.AppendUint32(b, uint32(len(p)))
		b = append(b, p...)
	}
	sum := sha256.Sum256(b)
	return binary.BigEndian.Uint64(sum[:8])
}
