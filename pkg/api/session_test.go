package api

import (
	"net/http/httptest"
	"testing"

	"pocbakery/pkg/hub"
	"pocbakery/pkg/refusal"
	"pocbakery/pkg/store"
)

func TestWhoIsAskedIsNeverRefused(t *testing.T) {
	h := newHouse(t)
	ended := sessionOf(hub.Baker)
	ended.EndsAt = noon
	past := "Bearer " + h.sessions.Sign(ended)
	for _, authorization := range []string{"", "Bearer forged", "Basic x", past} {
		if a := h.ask("GET", "/v1/session", "", "Authorization", authorization).ok(200); a.raw != `{"session":null,"identity":null}` {
			t.Errorf("%q: %s", authorization, a.raw)
		}
	}
	a := h.ask("GET", "/v1/session", "", "Authorization", "", "Cookie", SessionCookie+"="+h.token(hub.Customer)).ok(200)
	if a.raw != `{"session":{"kind":"guest","role":"customer","expires_at":"2026-12-01T10:00:00.005Z"},"identity":null}` {
		t.Error(a.raw)
	}
	h.sandboxes.fail = store.ErrUnavailable
	h.ask("GET", "/v1/session", "").is(503, refusal.TableUnavailable, "")
}

func TestSigningOutEndsTheSessionAndNotTheSandbox(t *testing.T) {
	h := newHouse(t)
	a := h.ask("DELETE", "/v1/session", "", "Authorization", "", "Cookie", SessionCookie+"="+h.token(hub.Baker)).ok(204)
	if want := SessionCookie + "=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Lax"; a.header.Get("Set-Cookie") != want {
		t.Errorf("Set-Cookie %q", a.header.Get("Set-Cookie"))
	}
	if a := h.ask("GET", "/v1/session", ""); a.raw != `{"session":null,"identity":null}` {
		t.Error(a.raw)
	}
	h.ask("GET", "/v1/sandbox", "").is(401, refusal.Unauthenticated, "")
	again := h.ask("DELETE", "/v1/session", "")
	again.is(401, refusal.Unauthenticated, "")
	if again.header.Get("Set-Cookie") == "" {
		t.Error("the browser keeps a cookie that is worth nothing")
	}
	h.ask("GET", "/v1/sandbox", "", "Authorization", "Bearer "+h.token(hub.Customer)).ok(200)

	h = newHouse(t)
	h.sandboxes.fail = store.ErrUnknown
	if a := h.ask("DELETE", "/v1/session", ""); a.status != 503 || a.header.Get("Set-Cookie") != "" {
		t.Errorf("%d %v", a.status, a.header)
	}
}

func TestASandboxIsLentWithASession(t *testing.T) {
	h := newHouse(t)
	a := h.ask("POST", "/v1/sandboxes", `{"kind":"guest","turnstile_token":"x"}`, "Authorization", "").ok(201)
	want := `{"sandbox":{"id":"a2b3c4d5e6f7g2h3i4j5k6l7m2","kind":"guest","born_at":"2026-11-30T11:00:00.005Z","ends_at":"2026-12-01T10:00:00.005Z","backstop_at":"2026-12-01T23:00:00.005Z",` +
		`"clock":{"wall_now":"2026-11-30T12:00:00.005Z","business_now":"2026-11-30T12:00:00.005Z","offset_seconds":0},"permanent":false,"role":"baker"},` +
		`"session":{"token":"` + h.token(hub.Baker) + `","expires_at":"2026-12-01T10:00:00.005Z"}}`
	if a.raw != want {
		t.Errorf("got  %s\nwant %s", a.raw, want)
	}
	again := h.ask("POST", "/v1/sandboxes", `{"kind":"guest","turnstile_token":"y"}`).ok(200)
	if again.raw != want || again.header.Get("Idempotent-Replayed") != "true" || again.header.Get("Set-Cookie") == "" {
		t.Errorf("%v %s", again.header, again.raw)
	}
	h.desk.late = true
	late := h.ask("POST", "/v1/sandboxes", `{"kind":"guest"}`).ok(200)
	if late.json["session"] != nil || late.header.Get("Set-Cookie") != "" {
		t.Errorf("%v %s", late.header, late.raw)
	}
	h.ask("POST", "/v1/sandboxes", `{"kind":"demo","demo_account":"olle"}`, keyHeader, aKey+"2").ok(201)
	if got := h.desk.asked[len(h.desk.asked)-1]; got.Kind != "demo" || got.DemoAccount != "olle" || got.Key != aKey+"2" {
		t.Errorf("%+v", got)
	}
}

func TestTheEndOfASandboxIsToldToItsSession(t *testing.T) {
	h := newHouse(t)
	h.ask("DELETE", "/v1/sandbox", "").ok(204)
	h.ask("GET", "/v1/sandbox", "").is(410, refusal.SandboxEnded, "")
	h.ask("DELETE", "/v1/sandbox", "").is(410, refusal.SandboxEnded, "")
	h.ask("DELETE", "/v1/session", "").is(410, refusal.SandboxEnded, "")
}

func TestTheClockSaysWhatEndedOnTheWay(t *testing.T) {
	a := newHouse(t).ask("POST", "/v1/sandbox/clock/advance", `{"seconds":900}`, keyHeader, "").ok(200)
	want := `{"clock":{"wall_now":"2026-11-30T12:00:00.005Z","business_now":"2026-11-30T12:15:00.005Z","offset_seconds":900},` +
		`"released":[{"slot":"20261205T0915Z","ref":"r1","reason":"hold_expired"}],"expired":["r1"]}`
	if a.raw != want {
		t.Errorf("got  %s\nwant %s", a.raw, want)
	}
}

func TestTheStatusIsForEverybody(t *testing.T) {
	r := httptest.NewRequest("GET", "/v1/status", nil)
	want := `{"date":"2026-11-30","flag":"on","sandboxes":{"used":1,"cap":300},"guests":{"used":1,"cap":200},"demo":{"used":0,"cap":50},` +
		`"resets_at":"2026-12-01T00:00:00.005Z","now":"2026-11-30T12:00:00.005Z"}`
	if a := newHouse(t).send(r).ok(200); a.raw != want {
		t.Errorf("got  %s\nwant %s", a.raw, want)
	}
}
