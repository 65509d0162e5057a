package access

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"sync"
)

// MinMasterBytes is the least a master secret has. A shorter one is a mistake
// in the configuration.
const MinMasterBytes = 32

const (
	kidBytes = 4
	macBytes = 16 // of a token: 128 bits of HMAC-SHA256
)

// Keyring derives the keys of every purpose from the master secrets. It is
// safe for concurrent use.
type Keyring struct {
	masters [][]byte
	derived sync.Map // purpose -> []*key, in the order of the masters
}

// NewKeyring is a ring over master secrets, the one that signs first. It
// panics without any, or with one that is too short: whoever reads the
// configuration checks that.
func NewKeyring(masters ...[]byte) *Keyring {
	if len(masters) == 0 {
		panic("access: a key ring needs a master secret")
	}
	k := &Keyring{}
	for _, m := range masters {
		if len(m) < MinMasterBytes {
			panic(fmt.Sprintf("access: a master secret of %d bytes, %d are the least", len(m), MinMasterBytes))
		}
		k.masters = append(k.masters, append([]byte(nil), m...))
	}
	return k
}

// MAC is the keyed hash of some texts for one purpose, under the first master.
// The parts are told apart: ("ab", "c") and ("a", "bc") differ. Once a new
// master stands in front, the same parts have another hash.
func (k *Keyring) MAC(purpose string, parts ...string) [sha256.Size]byte {
	return k.keys(purpose)[0].sum(func(buf []byte) []byte {
		for _, p := range parts {
			buf = binary.BigEndian.AppendUint64(buf, uint64(len(p)))
			buf = append(buf, p...)
		}
		return buf
	})
}

// keys are a purpose's keys, derived at its first use.
func (k *Keyring) keys(purpose string) []*key {
	if keys, ok := k.derived.Load(purpose); ok {
		return keys.([]*key)
	}
	keys := make([]*key, len(k.masters))
	for i, m := range k.masters {
		keys[i] = newKey(m, purpose)
	}
	first, _ := k.derived.LoadOrStore(purpose, keys)
	return first.([]*key)
}

// key is one derived key, with the name by which a token calls it.
type key struct {
	kid    [kidBytes]byte
	states sync.Pool // of *state
}

// state is a keyed hash ready for its next input; making one costs as much as
// several sums.
type state struct {
	mac hash.Hash
	in  []byte
	out []byte
}

func newKey(master []byte, purpose string) *key {
	secret := derive(master, "pocbakery "+purpose, sha256.Size)
	k := &key{kid: [kidBytes]byte(derive(master, "pocbakery kid "+purpose, kidBytes))}
	k.states.New = func() any {
		return &state{mac: hmac.New(sha256.New, secret), out: make([]byte, 0, sha256.Size)}
	}
	return k
}

func derive(master []byte, label string, size int) []byte {
	out, err := hkdf.Key(sha256.New, master, nil, label, size)
	if err != nil {
		panic("access: " + err.Error()) // only for sizes beyond what HKDF gives
	}
	return out
}

// sum hashes what fill appends.
func (k *key) sum(fill func([]byte) []byte) (out [sha256.Size]byte) {
	s := k.states.Get().(*state)
	s.in = fill(s.in[:0])
	s.mac.Reset()
	s.mac.Write(s.in)
	copy(out[:], s.mac.Sum(s.out[:0]))
	clear(s.in)
	k.states.Put(s)
	return out
}
