package admission

import (
	"fmt"
	"time"

	"pocbakery/pkg/refusal"
)

// refuse is the words of a no, and when to come back where that is known.
func (l Ledger) refuse(code refusal.Code, now time.Time) error {
	left := ResetsAt(now).Sub(now)
	until := func(format string, args ...any) error {
		return refusal.New(code, fmt.Sprintf(format, args...)+" The count starts again at 00:00 UTC, in "+about(left)+".").After(left)
	}
	switch code {
	case refusal.DayFull:
		return until("All %d sandboxes of today are lent.", l.Cap)
	case refusal.GuestShareFull:
		return until("All %d of today's sandboxes for guests are lent.", l.GuestShare)
	case refusal.DemoFull:
		return until("All %d of today's sandboxes for the demo accounts are lent.", l.DemoCap)
	case refusal.AccountLimit:
		return until("This account has started %d sandboxes today, as many as an account may.", MaxOfAccount)
	case refusal.AddressLimit:
		return until("From this address %d sandboxes were started today, as many as may be from one.", MaxOfAddress)
	case refusal.ReadOnly:
		return refusal.New(code, "The bakery is read-only now and lends no sandboxes.")
	default:
		return refusal.New(code, "The bakery lends no sandboxes now.")
	}
}

// about is a wait in words.
func about(d time.Duration) string {
	switch hours, minutes := int(d.Round(time.Hour)/time.Hour), int(d.Round(time.Minute)/time.Minute); {
	case minutes >= 90:
		return fmt.Sprintf("about %d hours", hours)
	case minutes >= 50:
		return "about an hour"
	case minutes > 1:
		return fmt.Sprintf("about %d minutes", minutes)
	}
	return "about a minute"
}
