package api

import (
	"strings"
	"testing"
	"time"

	"pocbakery/pkg/refusal"
)

func TestAPatchTellsLeftOutFromNull(t *testing.T) {
	h := newHouse(t)
	h.ask("PATCH", "/v1/planner/tasks/tokena", `{"due":null,"minutes":45,"pinned_at":"2026-12-05T10:15:00+01:00"}`).ok(200)
	e := h.planner.edit
	if e.Due == nil || !e.Due.IsZero() || e.NotBefore != nil || e.Title != nil || e.Minutes == nil || *e.Minutes != 45 {
		t.Errorf("%+v", e)
	}
	if want := time.Date(2026, 12, 5, 9, 15, 0, 0, time.UTC); e.PinnedAt == nil || !e.PinnedAt.Equal(want) || e.PinnedAt.Location() != time.UTC {
		t.Errorf("%v", e.PinnedAt)
	}
	for body, field := range map[string]string{
		`{"title":null}`: "title", `{"minutes":null}`: "minutes", `{"priority":null}`: "priority", `{"done":null}`: "done",
		`{"minutes":4}`: "minutes", `{"minutes":6001}`: "minutes", `{"priority":5}`: "priority", `{"title":""}`: "title",
		`{"due":"tomorrow"}`: "due", `{"due":"0001-01-01T00:00:00Z"}`: "due", `{"due":5}`: "due", `{"done":"yes"}`: "done",
	} {
		h.ask("PATCH", "/v1/planner/tasks/tokena", body).is(422, refusal.Invalid, field)
	}
	h.ask("PATCH", "/v1/planner/tasks/tokena", `{"colour":1}`).is(400, refusal.UnknownField, "colour")
	h.ask("PATCH", "/v1/planner/tasks/another", `{}`).is(404, refusal.NoSuchTask, "")
}

func TestATaskIsHeldToItsBounds(t *testing.T) {
	h := newHouse(t)
	for body, field := range map[string]string{
		`{"title":"x","minutes":-5,"priority":1}`: "minutes", `{"title":"x","minutes":60}`: "priority", `{"minutes":60,"priority":1}`: "title",
		`{"title":"` + strings.Repeat("å", 201) + `","minutes":60,"priority":1}`: "title", `{"title":"x","minutes":60,"priority":1,"due":null}`: "due",
	} {
		h.ask("POST", "/v1/planner/tasks", body).is(422, refusal.Invalid, field)
	}
	first := h.ask("POST", "/v1/planner/tasks", sound["POST /v1/planner/tasks"])
	first.ok(201)
	if again := h.ask("POST", "/v1/planner/tasks", sound["POST /v1/planner/tasks"]); again.status != 200 || again.header.Get("Idempotent-Replayed") != "true" || again.raw != first.raw {
		t.Errorf("%d %s", again.status, again.raw)
	}
	h.ask("POST", "/v1/planner/tasks", sound["POST /v1/planner/tasks"], keyHeader, "").ok(201)
}

func TestAProfileIsReadAsItWasWritten(t *testing.T) {
	h := newHouse(t)
	body := `{"time_zone":"UTC","working_hours":{"mon":[["09:00","12:00"],["13:00","24:00"]],"sun":[["22:00","06:00"]]},"briefing_at":"06:30","buffer_minutes":10,"plan_url":"http://example.com/v1/planner/plan.ics?key=good"}`
	if a := h.ask("PUT", "/v1/planner/profile", body); a.status != 200 || strings.Replace(a.raw, "https://", "http://", 1) != body {
		t.Errorf("%d %s", a.status, a.raw)
	}
	for hours, field := range map[string]string{
		`{"mon":[["09:00"]]}`: "working_hours", `{"mon":["09:00"]}`: "working_hours.mon[0]",
		`{"mon":[["09:00","10:00","11:00"]]}`: "working_hours", `[]`: "working_hours",
	} {
		h.ask("PUT", "/v1/planner/profile", `{"time_zone":"UTC","working_hours":`+hours+`}`).is(422, refusal.Invalid, field)
	}
}

func TestThePlanAsAFileIsNotSentTwice(t *testing.T) {
	h := newHouse(t)
	a := h.ask("GET", "/v1/planner/plan.ics?key=good", "", "Authorization", "")
	if a.status != 200 || a.header.Get("Content-Type") != planMedia || a.header.Get("Cache-Control") != "private, max-age=3600" || !strings.HasPrefix(a.raw, "BEGIN:VCALENDAR") {
		t.Errorf("%d %v %s", a.status, a.header, a.raw)
	}
	if again := h.ask("GET", "/v1/planner/plan.ics?key=good", "", "If-None-Match", a.header.Get("ETag")); again.status != 304 || again.raw != "" {
		t.Errorf("%d %s", again.status, again.raw)
	}
	h.ask("GET", "/v1/planner/plan.ics?key=bad", "").is(401, refusal.Unauthenticated, "")
}

func TestSeveralDaysAreSeveralPlans(t *testing.T) {
	h := newHouse(t)
	if a := h.ask("GET", "/v1/planner/plan?days=2", ""); strings.Count(a.raw, `"date"`) != 2 || !strings.HasPrefix(a.raw, `{"plans":[`) {
		t.Error(a.raw)
	}
	h.ask("GET", "/v1/planner/plan?days=15", "").is(422, refusal.Invalid, "days")
	h.ask("GET", "/v1/planner/plan?date=soon", "").is(422, refusal.Invalid, "date")
}

func TestTheWayToGoogleAndBackIsKnownByACookie(t *testing.T) {
	h := newHouse(t)
	a := h.ask("GET", "/v1/planner/google/login", "")
	cookie := a.header.Get("Set-Cookie")
	if a.status != 303 || a.header.Get("Location") != "https://google.example/consent?state=s" || a.raw != "" ||
		!strings.HasPrefix(cookie, "__Host-google=sealed; Path=/; Max-Age=600; HttpOnly; Secure; SameSite=Lax") {
		t.Errorf("%d %v %s", a.status, a.header, a.raw)
	}
	h.ask("POST", "/v1/planner/calendars", `{"kind":"google","code":"c","state":"s"}`, "Cookie", "__Host-google=sealed").ok(201)
	if n := h.planner.connected; n.Code != "c" || n.State != "s" || n.Cookie != "sealed" {
		t.Errorf("%+v", n)
	}
}

func TestAPushNeedsNoSessionAndIsAnsweredAlike(t *testing.T) {
	h := newHouse(t)
	push := func(headers ...string) {
		t.Helper()
		h.ask("POST", "/v1/webhooks/google/ch", "", append([]string{"Authorization", "", keyHeader, ""}, headers...)...).ok(204)
	}
	push("X-Goog-Channel-Id", "ch", "X-Goog-Channel-Token", "t", "X-Goog-Resource-State", "exists")
	push("X-Goog-Channel-Id", "ch", "X-Goog-Channel-Token", "t", "X-Goog-Resource-State", "sync")
	push("X-Goog-Channel-Id", "other", "X-Goog-Channel-Token", "t", "X-Goog-Resource-State", "exists")
	push()
	if len(h.planner.pushed) != 1 || h.planner.pushed[0] != "ch t" {
		t.Error(h.planner.pushed)
	}
}

// A shop's calendar in an own hub follows the shop of the session beside it.
func TestAShopsCalendarFollowsTheShopOfTheSession(t *testing.T) {
	h := newHouse(t)
	const shop = `{"kind":"shop"}`
	h.ask("POST", "/v1/planner/calendars", shop).ok(201)
	if h.planner.connected.Shop != theHub {
		t.Error(h.planner.connected.Shop)
	}
	h.planner.connected.Shop = ""
	h.bare("POST", "/v1/planner/calendars", shop, "Cookie", h.signedIn(anna)+"; "+SessionCookie+"="+h.token("baker")).ok(201)
	if h.planner.connected.Shop != theHub {
		t.Error(h.planner.connected.Shop)
	}
	h.bare("POST", "/v1/planner/calendars", shop, "Cookie", h.signedIn(anna)).is(404, refusal.NoShop, "")
}

// RFC 8058: a mail program posts a form, without a session.
func TestOneClickUnsubscribes(t *testing.T) {
	h := newHouse(t)
	const form = "List-Unsubscribe=One-Click"
	h.bare("POST", "/v1/unsubscribe?t=good", form, "Content-Type", "application/x-www-form-urlencoded", keyHeader, "").ok(204)
	h.bare("POST", "/v1/unsubscribe?t=bad", form, "Content-Type", "application/x-www-form-urlencoded").is(401, refusal.Unauthenticated, "")
	h.bare("POST", "/v1/unsubscribe", "").is(422, refusal.Invalid, "t")
	h.bare("GET", "/v1/unsubscribe?t=good", "").is(405, refusal.MethodNotAllowed, "")
}
