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
	// RateLimit is Off where nobody is held to a limit by time, sandboxes of an
	// address a day among them; the caps stay.
	RateLimit Flag
}

// DefaultSettings is an open bakery with the usual caps.
func DefaultSettings() Settings {
	return Settings{Flag: On, Cap: 300, GuestShare: 100, DemoCap: 100, RateLimit: On}
}

// Ledger counts a UTC day.
type Ledger struct {
	Settings
	Day    string // YYYY-MM-DD
	Used   int
	Guests int
	Demo   int

	item    store.Item // as it was read
	account store.Item // who asks, if an account does, as it was read
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
	fieldRateLimit  = "rate_limit"
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
func ledgerOf(i, account store.Item, defaults Settings, now time.Time) Ledger {
	l := Ledger{Settings: defaults, Day: dayOf(now), item: i, account: account}
	for name, into := range map[string]*Flag{fieldFlag: &l.Flag, fieldRateLimit: &l.RateLimit} {
		if f := i.String(name); f != "" {
			*into = Flag(f)
		}
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

// Decide says whether one more is admitted now, who comes as e: an empty code
// is yes.
func (l Ledger) Decide(e Applicant) refusal.Code {
	if code := l.Closed(e.Kind); code != "" {
		return code
	}
	switch {
	case e.Kind == Account && l.accountCount() >= MaxOfAccount:
		return refusal.AccountLimit
	case l.counts(e) && l.item.Int(e.address) >= MaxOfAddress && l.today():
		return refusal.AddressLimit
	}
	return ""
}

// Closed says whether anybody of a kind is admitted now, whoever it is.
func (l Ledger) Closed(k Kind) refusal.Code {
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

// today reports whether the item's counts are those of the ledger's day.
func (l Ledger) today() bool { return l.item.String(fieldDay) == l.Day }

// count is the write of one more, guarded by all that Decide relied on.
func (l Ledger) count(key store.Key, e Applicant) store.Write {
	add := map[string]int64{fieldUsed: 1}
	conds := []store.Cond{store.Lt(fieldUsed, int64(l.Cap)), l.as(fieldFlag), l.as(fieldCap)}
	switch e.Kind {
	case Guest:
		add[fieldGuests] = 1
		conds = append(conds, store.Lt(fieldGuests, int64(l.GuestShare)).OrMissingField(), l.as(fieldGuestShare))
	case Demo:
		add[fieldDemo] = 1
		conds = append(conds, store.Lt(fieldDemo, int64(l.DemoCap)).OrMissingField(), l.as(fieldDemoCap))
	}
	if l.counts(e) {
		add[e.address] = 1
		conds = append(conds, store.Lt(e.address, MaxOfAddress).OrMissingField())
	}
	if l.today() {
		return store.Write{Op: store.OpUpdate, Key: key, Add: add, Guard: store.If(append(conds, store.Eq(fieldDay, l.Day))...)}
	}
	return l.turn(key, add)
}

// turn is the write of the first of a new day, or of all. What the item has
// beside the counts of the day before stays.
func (l Ledger) turn(key store.Key, add map[string]int64) store.Write {
	fields := store.Fields{fieldGuests: int64(0), fieldDemo: int64(0)}
	for name, v := range l.item.Fields {
		if _, counted := fields[name]; !counted && !isAddress(name) {
			fields[name] = v
		}
	}
	fields[fieldDay] = l.Day
	for name, n := range add {
		fields[name] = n
	}
	guard := store.IfStill(l.item)
	if l.item.Exists() { // an operator's edit does not raise the revision
		guard = guard.And(l.as(fieldFlag), l.as(fieldCap), l.as(fieldGuestShare), l.as(fieldDemoCap), l.as(fieldRateLimit))
	}
	return store.Put(key, guard, fields)
}

// as is the condition that a setting is as it was read.
func (l Ledger) as(name string) store.Cond {
	if v, ok := l.item.Fields[name]; ok {
		return store.Eq(name, v)
	}
	return store.Missing(name)
}
