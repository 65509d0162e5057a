package admission

import (
	"time"

	"pocbakery/pkg/refusal"
	"pocbakery/pkg/store"
)

// Flag is the operator's switch.
type Flag string

// The positions of the switch.
const (
	On       Flag = "on"
	ReadOnly Flag = "read-only"
	Off      Flag = "off"
)

// Settings are what an operator can change while the bakery runs.
type Settings struct {
	Flag       Flag
	Cap        int // sandboxes a UTC day
	GuestShare int // of them, for guests
	DemoCap    int // of them, for the demo accounts
}

// DefaultSettings is an open bakery with the usual caps.
func DefaultSettings() Settings {
	return Settings{Flag: On, Cap: 300, GuestShare: 100, DemoCap: 100}
}

// Ledger counts a UTC day.
type Ledger struct {
	Settings
	Day    string // YYYY-MM-DD
	Used   int
	Guests int
	Demo   int

	item     store.Item // as it was read
	defaults Settings
}

const (
	ledgerSK        = "ledger"
	fieldDay        = "day"
	fieldUsed       = "used"
	fieldGuests     = "guests"
	fieldDemo       = "demo"
	fieldFlag       = "flag"
	fieldCap        = "cap"
	fieldGuestShare = "guest_share"
	fieldDemoCap    = "demo_cap"
)

// dayOf is an instant's UTC day.
func dayOf(now time.Time) string { return now.UTC().Format(time.DateOnly) }

// ResetsAt is when the count of the day that holds this instant starts again.
func ResetsAt(now time.Time) time.Time {
	y, m, d := now.UTC().Date()
	return time.Date(y, m, d+1, 0, 0, 0, 0, time.UTC)
}

// ledgerOf reads the ledger as it counts at an instant. What the operator has
// not set is as configured.
func ledgerOf(i store.Item, defaults Settings, now time.Time) Ledger {
	l := Ledger{Settings: defaults, Day: dayOf(now), item: i, defaults: defaults}
	if f := i.String(fieldFlag); f != "" {
		l.Flag = Flag(f)
	}
	for name, into := range map[string]*int{fieldCap: &l.Cap, fieldGuestShare: &l.GuestShare, fieldDemoCap: &l.DemoCap} {
		if i.Has(name) {
			*into = int(i.Int(name))
		}
	}
	if day := i.String(fieldDay); day >= l.Day {
		l.Day, l.Used, l.Guests, l.Demo = day, int(i.Int(fieldUsed)), int(i.Int(fieldGuests)), int(i.Int(fieldDemo))
	}
	return l
}

// Decide says whether one more of this kind is admitted now: an empty code is
// yes.
func (l Ledger) Decide(k Kind) refusal.Code {
	switch {
	case l.Flag == Off:
		return refusal.AdmissionsOff
	case l.Flag != On: // what it does not know it does not admit
		return refusal.ReadOnly
	case l.Used >= l.Cap:
		return refusal.DayFull
	case k == Guest && l.Guests >= l.GuestShare:
		return refusal.GuestShareFull
	case k == Demo && l.Demo >= l.DemoCap:
		return refusal.DemoFull
	}
	return ""
}

// count is the write of one more, guarded by all that Decide relied on.
func (l Ledger) count(key store.Key, k Kind) store.Write {
	add := map[string]int64{fieldUsed: 1}
	conds := []store.Cond{store.Lt(fieldUsed, int64(l.Cap)), l.as(fieldFlag), l.as(fieldCap)}
	switch k {
	case Guest:
		add[fieldGuests] = 1
		conds = append(conds, store.Lt(fieldGuests, int64(l.GuestShare)).OrMissingField(), l.as(fieldGuestShare))
	case Demo:
		add[fieldDemo] = 1
		conds = append(conds, store.Lt(fieldDemo, int64(l.DemoCap)).OrMissingField(), l.as(fieldDemoCap))
	}
	w := store.Write{Op: store.OpUpdate, Key: key, Add: add}
	if l.item.String(fieldDay) == l.Day {
		w.Guard = store.If(append(conds, store.Eq(fieldDay, l.Day))...)
		return w
	}
	// The first of a new day, or of all.
	w.Add = nil
	w.Set = store.Fields{fieldDay: l.Day, fieldUsed: int64(1), fieldGuests: add[fieldGuests], fieldDemo: add[fieldDemo]}
	w.Guard = store.IfStill(l.item)
	if l.item.Exists() { // an operator's edit does not raise the revision
		w.Guard = w.Guard.And(l.as(fieldFlag), l.as(fieldCap), l.as(fieldGuestShare), l.as(fieldDemoCap))
	}
	return w
}

// as is the condition that a setting is as it was read.
func (l Ledger) as(name string) store.Cond {
	if v, ok := l.item.Fields[name]; ok {
		return store.Eq(name, v)
	}
	return store.Missing(name)
}
