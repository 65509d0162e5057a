package sim

import (
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"pocbakery/pkg/hub"
	"pocbakery/pkg/store"
)

// steps are the ways from an order's state to another. Empty is no order.
var steps = map[string]string{
	"": "placed void", "void": "placed void", "placed": "placed paid expired cancelled", "paid": "paid collected cancelled",
	"collected": "collected", "expired": "expired", "cancelled": "cancelled",
}

// judgeOrder asks of an order that it went a way an order may go, by the order
// alone and by its slot.
func (w *World) judgeOrder(b *box, c change) {
	was, is := orderOf(c.before), orderOf(c.after)
	if !c.after.Exists() {
		w.violated("orders", "the order %s is deleted", was.code)
		return
	}
	ref := is.slot + "-" + is.code
	if !strings.Contains(" "+steps[was.state]+" ", " "+is.state+" ") {
		w.violated("orders", "%s goes from %q to %q", is.code, was.state, is.state)
	}
	slot := slotOf(w.item(slotKey(b.id, is.slot)))
	h, holds := slot.holds[is.code]
	if was.state != is.state {
		switch is.state {
		case "placed":
			if was.state == "void" {
				w.reached(VoidReplaced)
				if !was.end.Before(is.end) {
					w.violated("voids", "%s is placed over a void of this very hold", is.code)
				}
			}
			if !holds || !h.end().Equal(is.end) {
				w.violated("holds", "%s is placed until %s and its hold is there: %v, until %s", is.code, at(is.end), holds, at(h.end()))
			}
			w.happened(b, c.now, "OrderPlaced", ref)
		case "paid":
			w.happened(b, c.now, "OrderPaid", ref)
		case "expired":
			w.happened(b, c.now, "OrderExpired", ref)
		case "cancelled":
			if holds {
				w.violated("cancel", "%s is cancelled and keeps its place in state %s", is.code, h.State)
			}
			w.happened(b, c.now, "OrderCancelled", ref)
		case "collected":
			w.happened(b, c.now, "OrderCollected", ref)
		}
	}
	if is.state == "void" {
		w.reached(Voided)
	}
	if (is.state == "expired" && was.state == "placed" || is.state == "void") && is.end.After(w.business(b)) {
		w.violated("ends", "%s is %s at %s, before its end %s", is.code, is.state, at(w.business(b)), at(is.end))
	}
	if was.state != "" && was.state != "void" && (!was.end.Equal(is.end) || !was.placed.Equal(is.placed)) {
		w.violated("orders", "%s was placed at %s until %s, and now at %s until %s", is.code, at(was.placed), at(was.end), at(is.placed), at(is.end))
	}
	w.judgePayments(b, was, is, ref)
}

// judgePayments asks that payments stay as they were recorded, and that the
// state the order had decided what each became.
func (w *World) judgePayments(b *box, was, is orderRow, ref string) {
	for id, s := range was.payments {
		if is.payments[id] != s {
			w.violated("payments", "%s of %s was %s and is %q", id, is.code, s, is.payments[id])
		}
	}
	for id, s := range is.payments {
		if _, had := was.payments[id]; had {
			continue
		}
		want := "late"
		switch was.state {
		case "placed":
			want = "accepted"
		case "paid", "collected":
			want = "duplicate"
			w.reached(Duplicate)
		default:
			w.reached(LatePayment)
			w.happened(b, moment(id), "OrderPaymentLate", ref)
		}
		if s != want {
			w.violated("payments", "a payment of an order that was %s is %s", was.state, s)
		}
		if want != "accepted" && !is.refunds["r"+id[1:]] {
			w.violated("payments", "a %s payment of %s without a refund request", s, is.code)
		}
	}
	if is.accepted > 1 || is.paid() != (is.accepted == 1) && is.state != "cancelled" {
		w.violated("payments", "%s is %s with %d payments accepted", is.code, is.state, is.accepted)
	}
	for id := range is.refunds {
		if !was.refunds[id] {
			w.happened(b, moment(id), "RefundRequested", ref)
		}
	}
}

// happened notes an effect, which must have its event. Two of one type about
// one thing in one millisecond of one clock are one event, by its id.
func (w *World) happened(b *box, now time.Time, event, ref string) {
	what := event + " " + ref
	if b.effects[what] == nil {
		b.effects[what] = map[int64]bool{}
	}
	b.effects[what][now.UnixMilli()] = true
	w.Reach.Events[event]++
}

// moment tells effects apart that have ids of their own.
func moment(id string) time.Time { return hub.Millis(int64(hash(id) >> 20)) }

// loggedOf is the event that an item of the hub's log holds.
func loggedOf(i store.Item) hub.EventRow {
	var rows []hub.EventRow
	if err := json.Unmarshal([]byte(i.String("event")), &rows); err != nil || len(rows) != 1 {
		panic("sim: an event that cannot be read: " + i.SK)
	}
	return rows[0]
}

func eventTypeOf(i store.Item) string { return string(loggedOf(i).Type) }

func slotOfEvent(i store.Item) string { return loggedOf(i).Slot }
