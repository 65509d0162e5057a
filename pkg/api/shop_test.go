package api

import (
	"net/http/httptest"
	"testing"

	"pocbakery/pkg/hub"
	"pocbakery/pkg/refusal"
)

const theSlot = `{"id":"20261205T0915Z","starts_at":"2026-12-05T09:15:00.000Z","local":"10:15","capacity":2,"held":0,"confirmed":0,"taken":0,"free":2,"rev":"0"}`

func TestTheSlotsOfADayOrOfSeveral(t *testing.T) {
	h := newHouse(t)
	other := `{"id":"20261205T0930Z","starts_at":"2026-12-05T09:30:00.000Z","local":"10:30","capacity":2,"held":0,"confirmed":0,"taken":0,"free":2,"rev":"0"}`
	day := `{"date":"2026-12-05","time_zone":"Europe/Stockholm","slots":[` + theSlot + `,` + other + `]}`
	for target, want := range map[string]string{
		"?date=2026-12-05":        day,
		"?date=2026-12-05&days=1": day,
		"?date=2026-12-05&days=2": `{"days":[` + day + `,{"date":"2026-12-06","time_zone":"Europe/Stockholm","slots":[]}]}`,
		"?date=2031-01-01":        `{"date":"2031-01-01","time_zone":"Europe/Stockholm","slots":[]}`,
	} {
		if a := h.ask("GET", "/v1/slots"+target, "").ok(200); a.raw != want {
			t.Errorf("%s:\ngot  %s\nwant %s", target, a.raw, want)
		}
	}
}

func TestAnEditAsksForTheRevisionItSaw(t *testing.T) {
	h := newHouse(t)
	a := h.ask("GET", "/v1/slots/20261205T0915Z", "").ok(200)
	if a.raw != theSlot || a.header.Get("Etag") != `"0"` {
		t.Errorf("%s %v", a.raw, a.header)
	}
	edit := func(match string) answer {
		return h.ask("PATCH", "/v1/slots/20261205T0915Z", `{"capacity":7}`, ifMatchHeader, match)
	}
	if a := edit(`"0"`).ok(200); a.header.Get("Etag") != `"1"` || a.json["capacity"] != 7.0 || a.json["rev"] != "1" {
		t.Errorf("%s %v", a.raw, a.header)
	}
	edit(`"0"`).is(412, refusal.ChangedMeanwhile, "")
	edit(` "1" `).ok(200)
	edit("*").ok(200)
	edit("").ok(200)
	edit(`W/"4"`).is(412, refusal.ChangedMeanwhile, ifMatchHeader)
	h.shop.asked = 0
	for _, match := range []string{"4", `"4`, `4"`, `""`, `"`, `"4", "5"`, `"4" ` + `"`, `"` + "\x01" + `"`, `"123456789012345678901"`} {
		edit(match).is(422, refusal.Invalid, ifMatchHeader)
	}
	r := httptest.NewRequest("PATCH", "/v1/slots/20261205T0915Z", nil)
	r.Header[ifMatchHeader] = []string{`"4"`, `"5"`}
	if _, err := ifMatch(r.Header); !refusal.Is(err, refusal.Invalid) {
		t.Error(err)
	}
	if h.shop.asked > 0 {
		t.Error("the shop was asked")
	}
	h.ask("GET", "/v1/slots/20200101T0915Z", "").is(404, refusal.NoSuchSlot, "")
}

func TestTheMenuAndItsEdit(t *testing.T) {
	h := newHouse(t)
	item := `{"sku":"cardamom-bun","name":"A bun","description":"Of wheat.","price":{"amount":450,"currency":"SEK"},"available":true}`
	a := h.ask("GET", "/v1/menu", "").ok(200)
	if want := `{"items":[` + item + `,{"sku":"semla","name":"A bun","description":"Of wheat.","price":{"amount":450,"currency":"SEK"},"available":false}]}`; a.raw != want {
		t.Errorf("got  %s\nwant %s", a.raw, want)
	}
	if a := h.ask("PATCH", "/v1/menu/cardamom-bun", `{"available":true}`).ok(200); a.raw != item {
		t.Error(a.raw)
	}
	h.ask("PATCH", "/v1/menu/moon-cake", `{"available":true}`).is(422, refusal.UnknownSKU, "sku")
}

func TestAnOrderFromItsPlacementToItsPayment(t *testing.T) {
	h := newHouse(t)
	placed := h.ask("POST", "/v1/orders", `{"pickup":"20261205T0915Z","lines":[{"sku":"cardamom-bun","quantity":2}],"name":"Ada","note":"a\nb"}`).ok(201)
	event := `{"id":"` + hub.Event{Type: "OrderPlaced", Wall: noon, Ref: "20261205T0915Z-0000000000"}.ID() + `","at":"2026-11-30T12:00:00.005Z","type":"OrderPlaced","slot":"20261205T0915Z","ref":"20261205T0915Z-0000000000"}`
	want := `{"ref":"20261205T0915Z-0000000000","state":"placed","pickup":"20261205T0915Z","lines":[{"sku":"cardamom-bun","quantity":2,"unit_price":{"amount":450,"currency":"SEK"}}],` +
		`"total":{"amount":900,"currency":"SEK"},"name":"Ada","note":"a\nb","placed_at":"2026-11-30T12:00:00.005Z","held_until":"2026-11-30T12:15:00.005Z","seconds_left":900,"revived":false,` +
		`"payments":[],"refunds":[],"history":[` + event + `]}`
	if placed.raw != want {
		t.Errorf("got  %s\nwant %s", placed.raw, want)
	}
	pay := func(key string) answer {
		return h.ask("POST", "/v1/orders/20261205T0915Z-0000000000/payments", `{"amount":{"amount":900,"currency":"SEK"}}`, keyHeader, key).ok(200)
	}
	paid := pay("first-key")
	order := paid.json["order"].(map[string]any)
	if payment := paid.json["payment"].(map[string]any); payment["state"] != "accepted" || payment["id"] != "p-first-key" || payment["at"] != "2026-11-30T12:00:00.005Z" {
		t.Error(paid.raw)
	}
	_, held := order["held_until"]
	_, left := order["seconds_left"]
	confirmed := order["history"].([]any)[1].(map[string]any)
	if held || left || order["state"] != "paid" || confirmed["type"] != "HoldConfirmed" || confirmed["revived"] != false {
		t.Error(paid.raw)
	}
	twice := pay("second-key").json["order"].(map[string]any)
	if refund := twice["refunds"].([]any)[0].(map[string]any); refund["state"] != "requested" || refund["reason"] != "duplicate" || refund["payment"] != "p-second-key" {
		t.Errorf("%v", refund)
	}
	h.ask("POST", "/v1/orders/20261205T0915Z-0000000000/payments", `{"amount":{"amount":1,"currency":"SEK"}}`).is(422, refusal.AmountMismatch, "amount")
	h.ask("POST", "/v1/orders/20261205T0915Z-0000000000/collect", "").ok(200)
	if a := h.ask("GET", "/v1/orders/20261205T0915Z-0000000000", "").ok(200); a.json["state"] != "paid" {
		t.Error(a.raw)
	}
}

func TestAHoldThatIsOverInASecondHasNoneLeftWhenItIs(t *testing.T) {
	h := newHouse(t)
	h.ask("POST", "/v1/orders", anOrder).ok(201)
	o := h.shop.orders["20261205T0915Z-0000000000"]
	o.Now = o.HoldEnd
	if a := h.ask("GET", "/v1/orders/20261205T0915Z-0000000000", "").ok(200); a.json["seconds_left"] != 0.0 || a.json["state"] != "placed" {
		t.Error(a.raw)
	}
	o.Now = o.HoldEnd.Add(-1)
	if a := h.ask("GET", "/v1/orders/20261205T0915Z-0000000000", "").ok(200); a.json["seconds_left"] != 1.0 {
		t.Error(a.raw)
	}
}

func TestAListGoesOnWhereItsCursorSays(t *testing.T) {
	h := newHouse(t)
	for _, slot := range []string{`"20261205T0915Z"`, `"20261205T0930Z"`} {
		h.ask("POST", "/v1/orders", `{"pickup":`+slot+`,"lines":[{"sku":"cardamom-bun","quantity":1}]}`).ok(201)
	}
	a := h.ask("GET", "/v1/orders?limit=1", "").ok(200)
	next, _ := a.json["next_cursor"].(string)
	if first := a.json["orders"].([]any); len(first) != 1 || next == "" {
		t.Fatal(a.raw)
	}
	a = h.ask("GET", "/v1/orders?cursor="+next, "").ok(200)
	if _, more := a.json["next_cursor"]; more || len(a.json["orders"].([]any)) != 1 {
		t.Error(a.raw)
	}
}

func TestTheFeedGoesOnAfterTheLastEventAndEchoesAtItsEnd(t *testing.T) {
	h := newHouse(t)
	a := h.ask("GET", "/v1/events?limit=1", "").ok(200)
	next := a.json["next_after"].(string)
	a = h.ask("GET", "/v1/events?after="+next, "").ok(200)
	events := a.json["events"].([]any)
	if len(events) != 1 || events[0].(map[string]any)["type"] != "ClockAdvanced" || events[0].(map[string]any)["seconds"] != 900.0 {
		t.Error(a.raw)
	}
	a = h.ask("GET", "/v1/events?after=2031-01-01T00:00:00Z", "").ok(200)
	if a.raw != `{"events":[],"next_after":"2031-01-01T00:00:00Z"}` {
		t.Error(a.raw)
	}
}

func TestAnEventHasWhatItsTypeHasAndNothingElse(t *testing.T) {
	for _, c := range []struct {
		event hub.Event
		has   string
	}{
		{hub.Event{Type: "HoldConfirmed", Revived: true}, "revived"},
		{hub.Event{Type: "HoldConfirmed"}, "revived"},
		{hub.Event{Type: "CapacityChanged", From: 6}, "from to"},
		{hub.Event{Type: "ClockAdvanced", Seconds: 5}, "seconds"},
		{hub.Event{Type: "HoldMade", From: 6, Seconds: 5, Revived: true}, ""},
	} {
		e := eventOf(c.event)
		got := ""
		for _, f := range []struct {
			name string
			has  bool
		}{{"revived", e.Revived != nil}, {"from", e.From != nil}, {"to", e.To != nil}, {"seconds", e.Seconds != nil}} {
			if f.has {
				got += " " + f.name
			}
		}
		if len(got) > 0 {
			got = got[1:]
		}
		if got != c.has {
			t.Errorf("%s has %q, want %q", c.event.Type, got, c.has)
		}
	}
}
