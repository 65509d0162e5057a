package admission

import (
	"context"
	"sync"
	"time"

	"pocbakery/pkg/refusal"
	"pocbakery/pkg/store"
)

// seenFor is how long a ledger that was read is believed: to refuse, and never
// to admit.
const seenFor = time.Second

// seenLedger is the ledger as this process last read it.
type seenLedger struct {
	ledger Ledger
	at     time.Time
}

// fresh reports whether it is believed at an instant: for a second, and not
// past the end of its day, which frees what was full.
func (s *seenLedger) fresh(now time.Time) bool {
	return s != nil && !now.Before(s.at) && now.Sub(s.at) < seenFor && now.Before(ResetsAt(s.at))
}

// see remembers a ledger that was read. One that is older than what is
// remembered was read before it, and took longer.
func (d *Desk) see(l Ledger, now time.Time) {
	l.account = store.Item{}
	if s := d.seen.Load(); s.fresh(now) && l.item.Rev < s.ledger.item.Rev {
		return
	}
	d.seen.Store(&seenLedger{l, now})
	d.Limits.Off(l.RateLimit == Off)
}

// cached refuses by what was read within the last second, without a read of its
// own. It answers no key that this process admitted: that is a repeat.
func (d *Desk) cached(k Kind, record store.Key, now time.Time) error {
	s := d.seen.Load()
	if !s.fresh(now) || d.own.has(record.SK) {
		return nil
	}
	if code := s.ledger.Closed(k); code != "" {
		return s.ledger.refuse(code, now)
	}
	return nil
}

// Gate refuses commands while the bakery is read-only. The switch is read at
// most once a second.
func (d *Desk) Gate(ctx context.Context) error {
	s := d.seen.Load()
	if !s.fresh(d.engine.Wall()) {
		if _, err := d.Status(ctx); err != nil {
			return err
		}
		s = d.seen.Load()
	}
	if s.ledger.Flag == ReadOnly {
		return refusal.New(refusal.ReadOnly, "The bakery is read-only now: it can be looked at, and nothing can be changed but ending what you have.")
	}
	return nil
}

// ownKeys are the records that this process wrote, or tried to and may have
// written where the reply was lost, until their ttl. A day's are little more
// than its cap: who is refused by what was read tries to write nothing.
type ownKeys struct {
	mu   sync.Mutex
	ttls map[string]int64 // unix seconds, by sort key
	most int              // when they are looked through next
}

func (o *ownKeys) has(sk string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	_, ok := o.ttls[sk]
	return ok
}

func (o *ownKeys) add(sk string, ttl int64, now time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ttls == nil {
		o.ttls, o.most = map[string]int64{}, 1024
	}
	o.ttls[sk] = ttl
	if len(o.ttls) < o.most {
		return
	}
	for sk, ttl := range o.ttls {
		if now.Unix() >= ttl {
			delete(o.ttls, sk)
		}
	}
	o.most = max(1024, 2*len(o.ttls))
}
