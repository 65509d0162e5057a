package limit

import (
	"net/netip"
	"time"
)

// maxRepeats is how often a request may come again within the minute.
const maxRepeats = 10

// repeat is the state of an address with a key: when it was let pass, in unix
// milliseconds, and below that, in the last byte, how often it came again.
type repeat int64

func (r repeat) first() time.Time { return time.UnixMilli(int64(r) >> 8) }
func (r repeat) times() int       { return int(r & 0xff) }

// within reports whether an instant is in the minute after the first.
func (r repeat) within(now time.Time) bool {
	return !now.Before(r.first()) && now.Before(r.first().Add(Sandboxes.Rate().Window))
}

// Enter asks whether an address may ask for a sandbox under a key. spends says
// that the request is one that could be admitted, and counts; any other only
// asks. Those whose address cannot be told are one address.
func (l *Limits) Enter(from netip.Addr, key string, spends bool, now time.Time) (d Decision) {
	h, ok := l.hash(now)
	if !ok {
		return Decision{}
	}
	address := from.String()
	ask := func(spends bool) {
		l.tables[Sandboxes].change(h.sum(Sandboxes.String(), address), func(v int64) int64 {
			next := d.take(Sandboxes, v, now)
			if spends {
				return next
			}
			d.Left, d.Full = Sandboxes.Rate().left(tat(v), now), Sandboxes.Rate().full(tat(v), now)
			return v
		})
	}
	l.repeats.change(h.sum("repeat", address, key), func(v int64) int64 {
		again := v != 0 && repeat(v).within(now)
		if ask(spends && !again); !again {
			if spends && !d.Refused {
				return now.UnixMilli() << 8
			}
			return v
		}
		d.Refused = repeat(v).times() >= maxRepeats
		if spends && !d.Refused {
			return v + 1
		}
		return v
	})
	return d
}
