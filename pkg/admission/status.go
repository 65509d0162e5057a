package admission

import (
	"context"
	"fmt"
	"time"

	"pocbakery/pkg/refusal"
	"pocbakery/pkg/store"
)

// Count is a count against its cap.
type Count struct{ Used, Cap int }

// Status is the day as everybody may see it.
type Status struct {
	Date      string // UTC
	Flag      Flag
	Sandboxes Count
	Guests    Count
	Demo      Count
	ResetsAt  time.Time
	Now       time.Time
}

// Status reads the ledger.
func (d *Desk) Status(ctx context.Context) (Status, error) {
	wall := d.engine.Wall()
	items, err := d.engine.Store().Get(ctx, wall, controlKey(ledgerSK))
	if err != nil {
		return Status{}, err
	}
	l := ledgerOf(items[0], store.Item{}, d.defaults, wall)
	d.see(l, wall)
	return Status{
		Date: l.Day, Flag: l.Flag, Sandboxes: Count{l.Used, l.Cap}, Guests: Count{l.Guests, l.GuestShare},
		Demo: Count{l.Demo, l.DemoCap}, ResetsAt: ResetsAt(wall), Now: wall,
	}, nil
}

// Edit changes settings; nil ones stay as they are.
type Edit struct {
	Flag       *Flag
	Cap        *int
	GuestShare *int
	DemoCap    *int
	RateLimit  *Flag
}

// maxCap bounds what an operator can set by mistake.
const maxCap = 100_000

// Edit is the operator's edit of the ledger item. It asks for no revision and
// raises the counts of nobody.
func (d *Desk) Edit(ctx context.Context, e Edit) error {
	set := store.Fields{}
	if e.Flag != nil {
		if *e.Flag != On && *e.Flag != ReadOnly && *e.Flag != Off {
			return refusal.At(refusal.Invalid, "flag", "The flag is on, read-only or off.")
		}
		set[fieldFlag] = string(*e.Flag)
	}
	if e.RateLimit != nil {
		if *e.RateLimit != On && *e.RateLimit != Off {
			return refusal.At(refusal.Invalid, "rate_limit", "The rate limit is on or off.")
		}
		set[fieldRateLimit] = string(*e.RateLimit)
	}
	for name, n := range map[string]*int{fieldCap: e.Cap, fieldGuestShare: e.GuestShare, fieldDemoCap: e.DemoCap} {
		if n == nil {
			continue
		}
		if *n < 0 || *n > maxCap {
			return refusal.At(refusal.Invalid, name, fmt.Sprintf("A cap is 0 to %d.", maxCap))
		}
		set[name] = int64(*n)
	}
	if len(set) == 0 {
		return nil
	}
	wall := d.engine.Wall()
	err := d.engine.Store().Commit(ctx, wall, store.Write{
		Op: store.OpUpdate, Key: controlKey(ledgerSK), Guard: store.If().OrAbsent(), Set: set,
		Init: store.Fields{fieldDay: dayOf(wall), fieldUsed: int64(0)},
	})
	if err != nil {
		return err
	}
	_, err = d.Status(ctx) // so that this process knows at once
	return err
}
