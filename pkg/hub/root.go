package hub

import (
	"time"

	"pocbakery/pkg/store"
)

// ID names a hub: at most 40 characters of a-z and 0-9.
type ID string

// Control is the one hub that lends the others.
const Control ID = "control"

// RootSK is the sort key of a hub's root.
const RootSK = "root"

// BackstopAfter is how long after a sandbox hub's first write each of its
// items is gone, whatever fails.
const BackstopAfter = 36 * time.Hour

// Names of the root's fields that this package reads and writes.
const (
	fieldKind      = "kind"
	fieldBorn      = "born_at"
	fieldEnds      = "ends_at"
	fieldOffset    = "offset_ms"
	fieldAlarm     = "alarm_at"
	fieldRanAt     = "ran_at" // wall; when a run last looked for ends. It only grows
	fieldOver      = "over"
	fieldSeed      = "seed"
	fieldStalls    = "stalls"
	fieldSignedOut = "signed_out"
	fieldLive      = "live_until"
	fieldNotBefore = "not_before"
	fieldOrders    = "orders"
)

// Root is the hub itself: its clocks, its alarm, its own end.
type Root struct {
	ID     ID
	Exists bool
	Kind   string // who it was lent to: guest, demo, account; empty for the control hub
	BornAt time.Time
	EndsAt time.Time // zero for a hub that does not end
	Offset time.Duration
	// AlarmAt is the instant of the one-shot last created for the hub's
	// earliest end; zero where none is relied on.
	AlarmAt time.Time
	WipeAt  time.Time // when the hub's own timer wipes it; zero for a hub that does not end
	Over    bool      // marked over: its visitors are refused and its items are being erased
	Stalls  int       // runs in a row that could not settle something
	// SignedOut is set once a session of the hub was signed out.
	SignedOut bool
	// LiveUntil is when the last of its live connections ends at the latest; zero
	// for a hub that never had one.
	LiveUntil time.Time
	// NotBefore is when everybody was signed out of the hub: a credential made
	// at it or before is worth nothing. Zero for never.
	NotBefore time.Time
	Orders    int   // how many orders were counted here, see OrdersWrite
	Seed      int64 // what its derived past is derived from
	TTL       int64 // unix seconds of its backstop; 0 for none
}

// RootOf reads a root from its item; Exists is false where there is none.
func RootOf(id ID, i store.Item) Root {
	_, wipe, _ := store.ParseDue(i.String(store.FieldDue))
	return Root{
		ID: id, Exists: i.Exists(), Kind: i.String(fieldKind),
		BornAt: i.Time(fieldBorn), EndsAt: i.Time(fieldEnds), WipeAt: wipe,
		Offset:  time.Duration(i.Int(fieldOffset)) * time.Millisecond,
		AlarmAt: i.Time(fieldAlarm), Over: i.Bool(fieldOver),
		Stalls: int(i.Int(fieldStalls)), SignedOut: i.Bool(fieldSignedOut), NotBefore: i.Time(fieldNotBefore), Orders: int(i.Int(fieldOrders)), LiveUntil: i.Time(fieldLive), Seed: i.Int(fieldSeed), TTL: i.Int(store.FieldTTL),
	}
}

// Birth is the root's item of a new hub: the write goes with the loan that made
// it. The wipe's one-shot, of a hub that ends, is the birth's to create.
func (r Root) Birth() store.Write {
	f := store.Fields{fieldKind: r.Kind, fieldBorn: store.FormatInstant(r.BornAt), fieldSeed: r.Seed}
	if !r.EndsAt.IsZero() {
		f[fieldEnds], f[store.FieldTTL] = store.FormatInstant(r.EndsAt), r.TTL
		f[store.FieldDue], f[store.FieldWake] = store.DueAt(store.Wall, r.WipeAt), store.FormatInstant(r.WipeAt)
	}
	if !r.NotBefore.IsZero() {
		f[fieldNotBefore] = store.FormatInstant(r.NotBefore)
	}
	return store.Put(r.Key(RootSK), store.IfAbsent(), f)
}

// SignOutWrite ends every credential of the hub that was made at this instant
// or before.
func (r Root) SignOutWrite(at time.Time) store.Write {
	return store.Write{Op: store.OpUpdate, Key: r.Key(RootSK), Guard: store.If(), Set: store.Fields{fieldNotBefore: store.FormatInstant(at)}}
}

// OverWrite marks the hub over: from then on its visitors are refused.
func (r Root) OverWrite() store.Write {
	return store.Write{Op: store.OpUpdate, Key: r.Key(RootSK), Guard: store.If(), Set: store.Fields{fieldOver: true}}
}

// LiveWrite notes that the hub has a live connection until an instant, which is
// later than the one noted.
func (r Root) LiveWrite(until time.Time) store.Write {
	return store.Write{
		Op: store.OpUpdate, Key: r.Key(RootSK), Guard: store.If(store.Missing(fieldOver)),
		Set: store.Fields{fieldLive: store.FormatInstant(until)},
	}
}

// MoveWrite moves the business clock of a hub that is not over. What is armed is
// armed for the older clock, so nobody is to rely on it; and should nobody run
// the hub, the sweep does.
func (r Root) MoveWrite(by time.Duration, wall time.Time) store.Write {
	return store.Write{
		Op: store.OpUpdate, Key: r.Key(RootSK), Guard: store.If(store.Missing(fieldOver)),
		Add: map[string]int64{fieldOffset: by.Milliseconds()},
		Set: store.Fields{store.FieldWake: store.FormatInstant(wall)}, Remove: []string{fieldAlarm},
	}
}

// unmoved holds while the hub's clock is what this root says.
func (r Root) unmoved() store.Cond {
	if r.Offset == 0 {
		return store.Missing(fieldOffset)
	}
	return store.Eq(fieldOffset, r.Offset.Milliseconds())
}

// OrdersWrite counts orders of the hub.
func (r Root) OrdersWrite(n int) store.Write {
	return store.Write{Op: store.OpUpdate, Key: r.Key(RootSK), Guard: store.If(store.Missing(fieldOver)), Add: map[string]int64{fieldOrders: int64(n)}}
}

// Key names an item of the hub.
func (r Root) Key(sk string) store.Key { return store.Key{PK: string(r.ID), SK: sk} }

// EndedAt reports whether the hub's loan is over at this wall instant: it is
// at its end, and from then on.
func (r Root) EndedAt(wall time.Time) bool {
	return r.Over || (!r.EndsAt.IsZero() && !wall.Before(r.EndsAt))
}

// Backstop is the instant from which every item of the hub is gone, whatever fails.
func (r Root) Backstop() time.Time { return r.BornAt.Add(BackstopAfter) }

// BackstopTTL is the ttl of a hub born at this instant, in unix seconds, never
// before its backstop.
func BackstopTTL(born time.Time) int64 {
	return born.Add(BackstopAfter + time.Second - time.Nanosecond).Unix()
}

// Now reads the hub's two clocks at a wall instant.
func (r Root) Now(wall time.Time) Now { return Now{Wall: wall, Business: wall.Add(r.Offset)} }

// wall is the wall instant of an end, as known while the offset is what it is.
func (r Root) wall(c store.Clock, end time.Time) time.Time {
	if c == store.Business {
		return end.Add(-r.Offset)
	}
	return end
}

// Wake is the value of the field wake for a business end of this hub.
func (r Root) Wake(end time.Time) string {
	return store.FormatInstant(r.wall(store.Business, end))
}

// Now is one instant on a hub's two clocks.
type Now struct{ Wall, Business time.Time }
