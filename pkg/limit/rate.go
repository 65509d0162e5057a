package limit

import "time"

// Rate lets a quota pass at once, which comes back evenly over the window.
type Rate struct {
	Quota  int
	Window time.Duration
}

// tat is the state of one key: the instant, in unix nanoseconds, at which its
// whole quota is there again. One that is past, as 0 is, is a whole quota.
type tat int64

// take decides on one more at an instant: whether it may pass, and the state
// after it.
func (r Rate) take(t tat, now time.Time) (bool, tat) {
	t = r.sound(t, now)
	next := max(t, tat(now.UnixNano())) + tat(r.step())
	if next > r.latest(now) {
		return false, t
	}
	return true, next
}

// left is how many more may pass at an instant.
func (r Rate) left(t tat, now time.Time) int {
	return r.Quota - int((r.full(t, now)+r.step()-1)/r.step())
}

// full is how long it is until the whole quota is there again.
func (r Rate) full(t tat, now time.Time) time.Duration {
	return max(0, time.Duration(r.sound(t, now)-tat(now.UnixNano())))
}

// sound is the state as a clock that went back may read it: nobody waits for
// longer than a window.
func (r Rate) sound(t tat, now time.Time) tat { return min(t, r.latest(now)) }

// latest is the state of a quota that is spent.
func (r Rate) latest(now time.Time) tat { return tat(now.Add(r.Window).UnixNano()) }

func (r Rate) step() time.Duration { return r.Window / time.Duration(r.Quota) }
