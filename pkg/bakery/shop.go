package bakery

import (
	"context"
	"crypto/sha256"
	"errors"
	"strconv"
	"time"

	"pocbakery/pkg/hub"
	"pocbakery/pkg/refusal"
	"pocbakery/pkg/store"
)

// HoldFor is how long a placement holds its place, in business time.
const HoldFor = 15 * time.Minute

// maxTries bounds how often a decision is taken anew because another writer
// was faster. Each try but the last was lost to somebody who got what they
// wanted, so a hundred lost in a row means that something else is wrong.
const maxTries = 100

// Shop takes orders in the hubs of an engine.
type Shop struct {
	engine *hub.Engine
	hours  Hours
	menu   Menu
	mac    MAC
	placed placements
}

// MAC is a keyed hash of texts, for a purpose: what is shown of an
// Idempotency-Key, and kept of it, is only ever this.
type MAC func(purpose string, parts ...string) [32]byte

// NewShop is a shop with these hours and this menu. It registers the handler
// that ends holds.
func NewShop(e *hub.Engine, h Hours, m Menu, mac MAC) *Shop {
	s := &Shop{engine: e, hours: h, menu: m, mac: mac}
	e.Handle("slot", s.settle)
	return s
}

// Zone is the IANA name of the shop's time zone.
func (s *Shop) Zone() string { return s.hours.Zone.String() }

// Today is the shop's local date at a business instant.
func (s *Shop) Today(now time.Time) Date { return s.hours.Today(now) }

// Upcoming are the next slots that can be ordered for at a business instant, n
// at most.
func (s *Shop) Upcoming(now time.Time, n int) []SlotID {
	slots := make([]SlotID, 0, n)
	for id := range s.hours.Next(SlotAt(now), now) {
		if len(slots) == n {
			break
		}
		slots = append(slots, id)
	}
	return slots
}

// errAgain asks for another try from the beginning.
var errAgain = errors.New("bakery: read again and decide again")

// again runs one attempt of a decision until it is not lost to another writer.
func again(ctx context.Context, attempt func() error) error {
	for range maxTries {
		err := attempt()
		if !errors.Is(err, errAgain) && !errors.Is(err, store.ErrConflict) {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return store.ErrConflict
}

// alphabet is base 32 without i, l, o and u.
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

// short writes the first 50 bits of a hash in CodeLen characters.
func short(sum [32]byte) string {
	var bits uint64
	for _, b := range sum[:8] {
		bits = bits<<8 | uint64(b)
	}
	var out [CodeLen]byte
	for i := range out {
		out[i] = alphabet[bits>>59]
		bits <<= 5
	}
	return string(out[:])
}

// fingerprint tells a repeat of a placement from another placement.
func (p Placement) fingerprint() string {
	b := make([]byte, 0, 256)
	field := func(s string) { b = append(append(strconv.AppendInt(b, int64(len(s)), 10), ':'), s...) }
	field(string(p.Pickup))
	for _, l := range p.Lines {
		field(l.SKU)
		b = append(strconv.AppendInt(b, int64(l.Quantity), 10), ';')
	}
	field(p.Name)
	field(p.Note)
	return short(sha256.Sum256(b))
}

func invalid(field, detail string) error { return refusal.At(refusal.Invalid, field, detail) }

// noSuchOrder is the answer for a ref that names nothing.
func noSuchOrder() error { return refusal.New(refusal.NoSuchOrder, "No order has this ref.") }
