package admission

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"time"

	"pocbakery/pkg/access"
	"pocbakery/pkg/store"
)

const (
	// MaxOfAccount is how many sandboxes an account starts in a UTC day.
	MaxOfAccount int64 = 3
	// MaxOfAddress is how many are started in a UTC day from one address.
	MaxOfAddress int64 = 10
	// maxAddresses is how many addresses the ledger counts in a day, about: it is
	// one item. Those after them are not held to their limit.
	maxAddresses = 300

	accountPrefix = "account#"
	fieldCount    = "count"

	// An address is counted in a field of the ledger of this prefix and 24 bits
	// of its keyed hash, seven bytes in all with its number.
	addressPrefix = "@"
	addressBytes  = 3
)

// Applicant is who asks, as far as the caps know them.
type Applicant struct {
	Kind    Kind
	address string // the ledger's field of it; empty for none
}

// applicant is who a request comes from, on a UTC day: the same address is
// another one tomorrow.
func (d *Desk) applicant(r Request, day string) Applicant {
	a := Applicant{Kind: r.Kind}
	if r.Address.IsValid() {
		sum := d.ring.MAC("admission-address", day, r.Address.String())
		a.address = addressPrefix + base64.RawURLEncoding.EncodeToString(sum[:addressBytes])
	}
	return a
}

// accountKey is the key of an account's item, by whose it is.
func accountKey(ring *access.Keyring, subject string) store.Key {
	sum := ring.MAC("admission-account", subject)
	return controlKey(accountPrefix + hex.EncodeToString(sum[:16]))
}

func isAddress(field string) bool { return strings.HasPrefix(field, addressPrefix) }

// counts reports whether the applicant's address is counted.
func (l Ledger) counts(a Applicant) bool {
	if a.address == "" || l.RateLimit == Off {
		return false
	}
	if !l.today() || l.item.Has(a.address) {
		return true
	}
	known := 0
	for name := range l.item.Fields {
		if isAddress(name) {
			known++
		}
	}
	return known < maxAddresses
}

// accountCount is how many sandboxes the account has started on the ledger's day.
func (l Ledger) accountCount() int64 {
	if l.account.String(fieldDay) < l.Day {
		return 0
	}
	return l.account.Int(fieldCount)
}

// countAccount is the write of one more of an account, guarded by what Decide
// relied on.
func (l Ledger) countAccount(key store.Key, now time.Time) store.Write {
	if l.account.String(fieldDay) >= l.Day && l.account.Exists() {
		return store.Write{
			Op: store.OpUpdate, Key: key, Add: map[string]int64{fieldCount: 1},
			Guard: store.If(store.Eq(fieldDay, l.account.String(fieldDay)), store.Lt(fieldCount, MaxOfAccount)),
		}
	}
	return store.Put(key, store.IfStill(l.account), store.Fields{
		fieldDay: l.Day, fieldCount: int64(1), store.FieldTTL: ResetsAt(now).Add(24 * time.Hour).Unix(),
	})
}
