package api

import (
	"context"
	"strings"
	"testing"
	"time"

	"pocbakery/pkg/bakery"
	"pocbakery/pkg/hub"
)

func TestATicketSaysWhereItIsGood(t *testing.T) {
	h := newHouse(t)
	got := h.ask("POST", "/v1/live-tickets", "").ok(201)
	if want := `{"ticket":"lt1.ticket","url":"ws://example.com/v1/live?ticket=lt1.ticket","expires_at":"` + noon.Add(time.Minute).Format("2006-01-02T15:04:05.000Z") + `"}`; strings.TrimSpace(got.raw) != want {
		t.Errorf("got  %s\nwant %s", got.raw, want)
	}
}

func TestALiveConnectionIsToldTheEventsAndThenWhatTheyChanged(t *testing.T) {
	h := newHouse(t)
	h.ask("POST", "/v1/orders", anOrder).ok(201)
	ref := string(slotA) + "-0000000000"
	events := []hub.Event{
		{Type: bakery.HoldMade, Wall: noon, At: noon, Slot: string(slotA), Ref: ref},
		{Type: bakery.OrderPlaced, Wall: noon, At: noon, Ref: ref},
		{Type: hub.ClockAdvanced, Wall: noon, At: noon, Seconds: 60},
	}
	var got []string
	for _, m := range LiveMessages(h.shop)(context.Background(), hub.Who{Hub: theHub}, events) {
		_, rest, _ := strings.Cut(string(m), `"type":"`)
		kind, _, _ := strings.Cut(rest, `"`)
		got = append(got, kind)
	}
	if want := "HoldMade OrderPlaced ClockAdvanced Slot Order"; strings.Join(got, " ") != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
