package admission

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"strings"

	"pocbakery/pkg/hub"
	"pocbakery/pkg/refusal"
	"pocbakery/pkg/store"
)

// check refuses what is malformed, and says what role the one admitted has.
func (r Request) check() (hub.Role, error) {
	kinds := map[rune]bool{}
	for _, c := range r.Key {
		kinds[c] = true
	}
	if len(r.Key) < minKeyLength || len(kinds) < minKeyKinds {
		return "", refusal.At(refusal.KeyInvalid, "Idempotency-Key", fmt.Sprintf(
			"The key of a sandbox hands out its session: it has at least %d characters, of at least %d kinds.", minKeyLength, minKeyKinds))
	}
	switch r.Kind {
	case Guest:
		return hub.Baker, nil
	case Demo:
		if role, ok := demoRoles[r.account()]; ok {
			return role, nil
		}
		return "", refusal.At(refusal.Invalid, "demo_account", "The demo accounts are maja and olle.")
	case Account:
		if r.Subject == "" {
			return "", refusal.New(refusal.Unauthenticated, "A sandbox of an account needs somebody who is signed in.")
		}
		return hub.Baker, nil
	}
	return "", refusal.At(refusal.Invalid, "kind", "The kind is guest, demo or account.")
}

func (r Request) account() string {
	if r.Kind != Demo {
		return ""
	}
	if r.DemoAccount == "" {
		return "maja"
	}
	return r.DemoAccount
}

const (
	recordPrefix     = "admitted#"
	fieldID          = "id"
	fieldEnd         = "end"
	fieldAt          = "at"
	fieldRole        = "role"
	fieldFingerprint = "fingerprint"
)

// entry is what one request would write, the same over all its tries.
type entry struct {
	key         store.Key // of the record
	hub         hub.ID
	seed        int64     // odd: 0 is a shop without a past
	account     store.Key // of the account's item; none for other kinds
	request     Request
	role        hub.Role
	fingerprint string

	retry   string // the check's UUID
	isHuman bool   // it passed, or is not asked of this kind
}

// idAlphabet is base 32 in lower case, as ids and schedule names allow it.
const idAlphabet = "abcdefghijklmnopqrstuvwxyz234567"

// recordKey is the key of the record under a caller's key.
func (d *Desk) recordKey(key string) store.Key {
	sum := d.ring.MAC("admission", key)
	return controlKey(recordPrefix + hex.EncodeToString(sum[:16]))
}

func (d *Desk) newEntry(r Request, key store.Key, role hub.Role) (entry, error) {
	var b [24]byte
	if _, err := io.ReadFull(d.random, b[:]); err != nil {
		return entry{}, err
	}
	var id strings.Builder
	for _, c := range b[:16] { // 80 bits
		id.WriteByte(idAlphabet[c%32])
	}
	said := []string{string(r.Kind), r.account()}
	if r.Kind == Account { // whoever else comes with the key says something else
		said = append(said, r.Subject)
	}
	print := d.ring.MAC("admission-body", said...)
	e := entry{
		key: key, hub: hub.ID(id.String()), seed: int64(binary.BigEndian.Uint64(b[16:]) | 1),
		request: r, role: role, fingerprint: hex.EncodeToString(print[:8]),
		retry: retryID(d.ring.MAC("admission-human", r.Key)), isHuman: !r.Kind.needsToken(),
	}
	if r.Kind == Account {
		e.account = accountKey(d.ring, r.Subject)
	}
	return e, nil
}

// reads are the keys of what is read, in one request.
func (e entry) reads() []store.Key {
	keys := []store.Key{controlKey(ledgerSK), e.key}
	if e.account.SK != "" {
		keys = append(keys, e.account)
	}
	return keys
}

func (e entry) record(r hub.Root) store.Write {
	return store.Put(e.key, store.IfAbsent(), store.Fields{
		fieldID: string(e.hub), fieldEnd: store.FormatInstant(r.EndsAt), fieldAt: store.FormatInstant(r.BornAt),
		fieldRole: string(e.role), fieldFingerprint: e.fingerprint, store.FieldTTL: r.TTL,
	})
}

func controlKey(sk string) store.Key { return store.Key{PK: string(hub.Control), SK: sk} }
