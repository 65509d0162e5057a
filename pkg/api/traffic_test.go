package api

import (
	"context"
	"testing"
	"time"

	"pocbakery/pkg/hub"
	"pocbakery/pkg/refusal"
	"pocbakery/pkg/traffic"
)

// fakeTraffic is the traffic of one hub, at noon: one run of two played minutes
// can be under way.
type fakeTraffic struct {
	t    traffic.Traffic
	fail error
}

func (f *fakeTraffic) Read(context.Context, hub.Who) (traffic.Traffic, error) { return f.t, f.fail }

func (f *fakeTraffic) Start(_ context.Context, _ hub.Who, minutes, perMinute int) (traffic.Traffic, error) {
	switch {
	case f.fail != nil:
		return f.t, f.fail
	case f.t.Running:
		return f.t, refusal.New(refusal.TrafficRunning, "Running.")
	case f.t.UsedToday+minutes > traffic.MinutesPerDay:
		return f.t, refusal.New(refusal.TrafficSpent, "Spent.").After(12*time.Hour - time.Millisecond)
	}
	f.t = traffic.Traffic{Running: true, StartedAt: noon, EndsAt: noon.Add(time.Duration(minutes) * time.Minute), UsedToday: f.t.UsedToday + minutes,
		Minutes: minutes, Series: []traffic.Counts{{Placed: perMinute, Paid: 1}, {Abandoned: 2, Refused: 3}}}
	return f.t, nil
}

func (f *fakeTraffic) Stop(context.Context, hub.Who) (traffic.Traffic, error) {
	f.t.Running, f.t.StartedAt, f.t.EndsAt = false, time.Time{}, time.Time{}
	return f.t, f.fail
}

func TestTrafficIsToldByItsRunAndItsMinutes(t *testing.T) {
	h := newHouse(t)
	h.ask("GET", "/v1/traffic", "").ok(200).says(`{"state":"idle","minutes_used_today":0,"minutes_per_day":30,"placed":0,"paid":0,"abandoned":0,"refused":0,"per_minute":[]}`)
	const counted = `"placed":6,"paid":1,"abandoned":2,"refused":3,"per_minute":[{"placed":6,"paid":1,"abandoned":0,"refused":0},{"placed":0,"paid":0,"abandoned":2,"refused":3}]}`
	const run = `{"state":"running","started_at":"2026-11-30T12:00:00.005Z","ends_at":"2026-11-30T12:10:00.005Z","minutes_used_today":10,"minutes_per_day":30,` + counted
	a := h.ask("POST", "/v1/traffic", `{"minutes":10,"orders_per_minute":6}`).ok(201)
	a.says(run)
	if a.header.Get("Location") != "/v1/traffic" {
		t.Errorf("%v", a.header)
	}
	h.ask("GET", "/v1/traffic", "").ok(200).says(run)
	h.ask("POST", "/v1/traffic", `{"minutes":1,"orders_per_minute":1}`).is(409, refusal.TrafficRunning, "")
	h.ask("DELETE", "/v1/traffic", "").ok(200).says(`{"state":"idle","minutes_used_today":10,"minutes_per_day":30,` + counted)
	spent := h.ask("POST", "/v1/traffic", `{"minutes":21,"orders_per_minute":1}`)
	spent.is(429, refusal.TrafficSpent, "")
	if got := spent.header.Get("Retry-After"); got != "43200" {
		t.Errorf("Retry-After %q", got)
	}
	for body, field := range map[string]string{
		`{"minutes":0,"orders_per_minute":1}`: "minutes", `{"minutes":31,"orders_per_minute":1}`: "minutes", `{"orders_per_minute":1}`: "minutes",
		`{"minutes":1,"orders_per_minute":0}`: "orders_per_minute", `{"minutes":1,"orders_per_minute":31}`: "orders_per_minute", `{"minutes":1}`: "orders_per_minute",
	} {
		h.ask("POST", "/v1/traffic", body).is(422, refusal.Invalid, field)
	}
}
