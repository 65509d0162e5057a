package api

import (
	"context"
	"net/url"

	"github.com/go-json-experiment/json"

	"pocbakery/pkg/bakery"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/limit"
	"pocbakery/pkg/refusal"
)

type liveTicketJSON struct {
	Ticket    string  `json:"ticket" doc:"For one connection"`
	URL       string  `json:"url" doc:"Where to connect to, the ticket included"`
	ExpiresAt instant `json:"expires_at"`
}

// LivePath is where live connections are made on this very host.
const LivePath = "/v1/live"

func (s *server) liveTicket(c *call) (out liveTicketJSON, err error) {
	if s.Live == nil {
		return out, refusal.New(refusal.NotYet, "Nothing is told live here. Ask for the events.")
	}
	// Each connection takes a ticket of its own, so that who bounds tickets bounds
	// connections, on whatever host they are made.
	sockets := s.Limits.Take(limit.Sockets, string(c.who.Hub)+" "+c.who.Session+c.who.Token, nowOf(c.writer))
	tellLimits(c.writer, sockets)
	if err := sockets.Err(); err != nil {
		return out, err
	}
	ticket, ends, err := s.Live.Ticket(c.ctx, c.who)
	if err != nil {
		return out, err
	}
	c.writer.Header()["Location"] = []string{LivePath}
	at := s.LiveURL
	if at == "" {
		at = "ws://" + c.request.Host + LivePath
	}
	return liveTicketJSON{ticket, at + "?ticket=" + url.QueryEscape(ticket), instant(ends)}, nil
}

// snapshotJSON is something that an event changed, as it stands now.
type snapshotJSON struct {
	Type  string     `json:"type"` // Slot or Order
	Slot  *slotJSON  `json:"slot,omitempty"`
	Order *orderJSON `json:"order,omitempty"`
}

// LiveMessages are what live connections are told of events: each event as the
// feed has it, then each slot and order that they are about, as it stands now.
// What cannot be read is left out: the feed has it.
func LiveMessages(shop interface {
	Slot(ctx context.Context, who hub.Who, id bakery.SlotID) (bakery.SlotView, error)
	Order(ctx context.Context, who hub.Who, ref bakery.OrderRef) (bakery.OrderView, error)
}) func(ctx context.Context, who hub.Who, events []hub.Event) [][]byte {
	return func(ctx context.Context, who hub.Who, events []hub.Event) (messages [][]byte) {
		add := func(v any) {
			if b, err := json.Marshal(v); err == nil {
				messages = append(messages, b)
			}
		}
		var slots, refs []string
		told := map[string]bool{"": true}
		for _, e := range events {
			add(eventOf(e))
			slot := e.Slot
			if id, _, ok := bakery.OrderRef(e.Ref).Split(); ok && slot == "" {
				slot = string(id)
			}
			if !told[slot] {
				told[slot] = true
				slots = append(slots, slot)
			}
			if !told[e.Ref] {
				told[e.Ref] = true
				refs = append(refs, e.Ref)
			}
		}
		for _, id := range slots {
			if v, err := shop.Slot(ctx, who, bakery.SlotID(id)); err == nil {
				slot := slotOf(v)
				add(snapshotJSON{Type: "Slot", Slot: &slot})
			}
		}
		for _, ref := range refs {
			if v, err := shop.Order(ctx, who, bakery.OrderRef(ref)); err == nil {
				order := orderOf(v)
				add(snapshotJSON{Type: "Order", Order: &order})
			}
		}
		return messages
	}
}
