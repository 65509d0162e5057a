package web

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"pocbakery/pkg/bakery"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/traffic"
)

// eventLine is one thing that happened: when, what, why, and a link to what it
// touched, which stands between Before and After.
type eventLine struct {
	ID      string // where the page follows the feed
	Instant string
	Time    string
	Day     string // where it is another than the line's before
	Before  string
	Link    string
	Href    string
	After   string
	Why     string
}

// story tells an order's history in the order in which it happened; what was
// decided late is told where it belongs.
func (s *Site) story(o bakery.OrderView) []eventLine {
	lines := make([]eventLine, 0, len(o.History))
	day := s.words.day(o.Now)
	history := slices.Clone(o.History)
	slices.SortStableFunc(history, func(a, b bakery.Event) int {
		return cmp.Or(a.At.Compare(b.At), strings.Compare(a.ID(), b.ID()))
	})
	for _, e := range history {
		l := s.tell(o, e)
		l.Instant, l.Time = instant(e.At), s.words.clock(e.At)
		if d := s.words.day(e.At); d != day {
			l.Day, day = d, d
		}
		lines = append(lines, l)
	}
	return lines
}

// tell words one event of an order.
func (s *Site) tell(o bakery.OrderView, e bakery.Event) eventLine {
	local, start := s.words.slot(o.Slot)
	slot := eventLine{Link: local, Href: shopURL(basket{date: s.words.date(start)}.values())}
	place := func(before, after, why string) eventLine {
		slot.Before, slot.After, slot.Why = before, after, why
		return slot
	}
	plain := func(what, why string) eventLine { return eventLine{Before: what, Why: why} }
	until := s.words.at(heldUntil(o, e), e.At)
	switch e.Type {
	case bakery.OrderPlaced:
		return place("Ordered for ", " on "+s.words.day(start)+".", "")
	case bakery.HoldMade:
		return place("A place at ", " is held until "+until+".", "It becomes yours when it is paid.")
	case bakery.HoldRetaken:
		return place("A place at ", " is held once more, until "+until+".", "The order was sent again after the time of its place had ended.")
	case bakery.HoldConfirmed:
		if e.Revived {
			return place("The place at ", " was taken back.", "It had come free, and the order was paid before it had ended.")
		}
		return place("The place at ", " is yours.", "It was paid.")
	case bakery.HoldReleased:
		if e.Reason == bakery.ReasonCancelled {
			return place("The place at ", " came free.", "The order was cancelled.")
		}
		return place("The place at ", " came free.", "It was not paid in time.")
	case bakery.OrderPaid:
		return plain("Paid"+s.paid(o, e)+".", "")
	case bakery.OrderExpired:
		return plain("The order ended.", "It was not paid in time.")
	case bakery.OrderPaymentLate:
		return plain("A payment"+s.of(o, e)+" came too late.", "The order had ended before.")
	case bakery.RefundRequested:
		for _, f := range o.Refunds {
			if f.ID == e.Refund {
				return plain(money(f.Amount)+" is to be paid back.", refundWhy(f.Reason))
			}
		}
		return plain("A payment is to be paid back.", "")
	case bakery.OrderCancelled:
		return plain("The order was cancelled.", "")
	case bakery.OrderCollected:
		return plain("The order was collected.", "")
	case bakery.CapacityChanged:
		return place("", " has "+places(int(e.To))+" now.", "It had "+strconv.FormatInt(e.From, 10)+" before.")
	case hub.ClockAdvanced:
		return plain("The shop’s clock was moved by "+exactly(time.Duration(e.Seconds)*time.Second)+".", "")
	case traffic.Started:
		return plain("Simulated traffic began, for "+exactly(time.Duration(e.Seconds)*time.Second)+".", "")
	case traffic.Stopped:
		return plain("The simulated traffic stopped.", "")
	case hub.SandboxBorn:
		return plain("This copy of the shop was opened.", "")
	default:
		return plain(readable(e.Type), "")
	}
}

// readable makes a sentence of the name of what happened: "OvenLit" is "Oven
// lit."
func readable(t hub.EventType) string {
	var b strings.Builder
	for i, r := range string(t) {
		if i > 0 && unicode.IsUpper(r) {
			b.WriteByte(' ')
			r = unicode.ToLower(r)
		}
		b.WriteRune(r)
	}
	return b.String() + "."
}

// heldUntil is the end of the hold that an event began: of the order's last
// hold as the order has it, of an earlier one as its release was recorded.
func heldUntil(o bakery.OrderView, e bakery.Event) time.Time {
	if e.At.Equal(o.PlacedAt) && !o.HoldEnd.IsZero() {
		return o.HoldEnd
	}
	for _, later := range o.History {
		if later.Type == bakery.HoldReleased && later.Reason == bakery.ReasonHoldExpired && later.At.After(e.At) {
			return later.At
		}
	}
	return e.At.Add(bakery.HoldFor)
}

// paid is the amount of the payment that an event is about, if it is known.
func (s *Site) paid(o bakery.OrderView, e bakery.Event) string {
	for _, p := range o.Payments {
		if p.ID == e.Payment {
			return " " + money(p.Amount)
		}
	}
	return ""
}

func (s *Site) of(o bakery.OrderView, e bakery.Event) string {
	if amount := s.paid(o, e); amount != "" {
		return " of" + amount
	}
	return ""
}

func refundWhy(r bakery.RefundReason) string {
	switch r {
	case bakery.RefundLate:
		return "The payment came after the order had ended."
	case bakery.RefundDuplicate:
		return "The order was paid already."
	case bakery.RefundCancelled:
		return "The order was cancelled after it had been paid."
	}
	return ""
}

func refundText(r bakery.RefundReason) string {
	switch r {
	case bakery.RefundLate:
		return "is to be paid back: it came after the order had ended."
	case bakery.RefundDuplicate:
		return "is to be paid back: the order was paid already."
	case bakery.RefundCancelled:
		return "is to be paid back: the order was cancelled."
	}
	return "is to be paid back."
}
