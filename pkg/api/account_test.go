package api

import (
	"net/http/httptest"
	"strings"
	"testing"

	"pocbakery/pkg/access"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/refusal"
)

// bare asks with these headers and nothing else.
func (h *house) bare(method, path, body string, headers ...string) answer {
	h.t.Helper()
	return h.ask(method, path, body, append([]string{"Authorization", ""}, headers...)...)
}

func TestWhoSignedInReturnsToTheirOwnHubWithoutASandbox(t *testing.T) {
	h := newHouse(t)
	h.bare("POST", "/v1/session", `{"kind":"account"}`).is(401, refusal.Unauthenticated, "")
	h.ask("POST", "/v1/session", `{"kind":"account"}`).is(401, refusal.Unauthenticated, "")
	a := h.bare("POST", "/v1/session", `{"kind":"account"}`, "Cookie", h.signedIn(anna)).ok(201)
	token := h.sessions.Sign(accountSession(anna))
	if want := `{"session":{"token":"` + token + `","kind":"account","role":"baker","expires_at":"2026-12-30T12:00:00.005Z"}}`; a.raw != want {
		t.Errorf("got  %s\nwant %s", a.raw, want)
	}
	if !strings.HasPrefix(a.header.Get("Set-Cookie"), SessionCookie+"="+token+";") {
		t.Errorf("Set-Cookie %q", a.header.Get("Set-Cookie"))
	}
	if len(h.desk.asked) > 0 {
		t.Error("a sandbox was asked for")
	}
	h.bare("POST", "/v1/session", `{"kind":"guest"}`, "Cookie", h.signedIn(anna)).is(422, refusal.Invalid, "kind")
}

func TestAnOwnHubHasNoShop(t *testing.T) {
	h := newHouse(t)
	token := h.sessions.Sign(accountSession(anna))
	for _, rt := range routes() {
		if rt.on != shopHub || rt.who == open || rt.who == signed {
			continue
		}
		askRoute(t, h, &rt, "Authorization", "Bearer "+token).is(404, refusal.NoShop, "")
	}
	if h.shop.asked > 0 || h.sandboxes.root.Over {
		t.Error("the shop was asked, or the sandbox ended")
	}
}

// planner.md 20: header, then identity, then session.
func TestWhosePlannerItIs(t *testing.T) {
	identity := anna
	own := identity.Hub()
	for name, c := range map[string]struct {
		authorization string
		cookies       func(*house) string
		want          hub.ID
		code          refusal.Code
	}{
		"a header":                             {"sandbox", nil, theHub, ""},
		"a header beside an identity":          {"sandbox", func(h *house) string { return h.signedIn(identity) }, theHub, ""},
		"an own hub's session":                 {"own", nil, own, ""},
		"a forged header beside an identity":   {"forged", func(h *house) string { return h.signedIn(identity) }, "", refusal.Unauthenticated},
		"an identity alone":                    {"", func(h *house) string { return h.signedIn(identity) }, own, ""},
		"an identity beside a session":         {"", func(h *house) string { return h.signedIn(identity) + "; " + SessionCookie + "=" + h.token(hub.Baker) }, own, ""},
		"a session":                            {"", func(h *house) string { return SessionCookie + "=" + h.token(hub.Baker) }, theHub, ""},
		"a forged identity beside a session":   {"", func(h *house) string { return h.signedIn(identity) + "A; " + SessionCookie + "=" + h.token(hub.Baker) }, "", refusal.Unauthenticated},
		"nobody":                               {"", nil, "", refusal.Unauthenticated},
		"two identities that do not say alike": {"", func(h *house) string { return h.signedIn(identity) + "; " + IdentityCookie + "=x" }, "", refusal.Unauthenticated},
	} {
		h := newHouse(t)
		r := httptest.NewRequest("GET", "/v1/planner/plan", nil)
		switch c.authorization {
		case "sandbox":
			r.Header.Set("Authorization", "Bearer "+h.token(hub.Baker))
		case "own":
			r.Header.Set("Authorization", "Bearer "+h.sessions.Sign(accountSession(identity)))
		case "forged":
			r.Header.Set("Authorization", "Bearer forged")
		}
		if c.cookies != nil {
			r.Header.Set("Cookie", c.cookies(h))
		}
		who, err := h.handler.(edge).door.Planner(t.Context(), r)
		if who.Hub != c.want || (c.code != "") != refusal.Is(err, c.code) {
			t.Errorf("%s: %s, %v", name, who.Hub, err)
		}
		if visited := len(h.accounts.visits) > 0; visited != (c.want == own) {
			t.Errorf("%s: visits %v", name, h.accounts.visits)
		}
	}
}

func TestLoggingOutTakesBothCookies(t *testing.T) {
	h := newHouse(t)
	both := h.signedIn(anna) + "; " + SessionCookie + "=" + h.token(hub.Baker)
	h.bare("POST", "/v1/logout", "", "Cookie", both, "Origin", "https://elsewhere.example").is(403, refusal.CrossOrigin, "")
	a := h.bare("POST", "/v1/logout", "", "Cookie", both).ok(204)
	cookies := strings.Join(a.header["Set-Cookie"], "\n")
	for _, name := range []string{SessionCookie, IdentityCookie} {
		if !strings.Contains(cookies, name+"=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Lax") {
			t.Errorf("%s is left: %s", name, cookies)
		}
	}
	if !h.sandboxes.revoked["session-of-baker"] {
		t.Error("the session is good still")
	}
	h.bare("POST", "/v1/logout", "", "Cookie", IdentityCookie+"=forged; "+SessionCookie+"=forged").ok(204)
	h.bare("POST", "/v1/logout", "").ok(204)
}

func TestLoggingOutEverywhereEndsWhatOthersHold(t *testing.T) {
	h := newHouse(t)
	before := anna
	before.MadeAt = noon.Add(-1e9)
	h.bare("POST", "/v1/logout?everywhere=true", "").is(401, refusal.Unauthenticated, "")
	h.bare("POST", "/v1/logout?everywhere=perhaps", "").is(422, refusal.Invalid, "everywhere")
	h.bare("POST", "/v1/logout?everywhere=true", "", "Cookie", h.signedIn(before)).ok(204)
	h.bare("POST", "/v1/session", `{"kind":"account"}`, "Cookie", h.signedIn(before)).is(401, refusal.Unauthenticated, "")
	h.bare("POST", "/v1/sandboxes", `{"kind":"account"}`, "Cookie", h.signedIn(before)).is(401, refusal.Unauthenticated, "")
	if a := h.bare("GET", "/v1/session", "", "Cookie", h.signedIn(before)).ok(200); a.raw != `{"session":null,"identity":null}` {
		t.Error(a.raw)
	}
}

func TestAnAccountIsEndedByWhoSignedInAndByNobodyElse(t *testing.T) {
	h := newHouse(t)
	h.ask("DELETE", "/v1/account", "").is(401, refusal.Unauthenticated, "")
	h.ask("DELETE", "/v1/account", "", "Authorization", "Bearer "+h.apiToken(hub.Baker)).is(403, refusal.Forbidden, "")
	h.bare("DELETE", "/v1/account", "", "Cookie", h.signedIn(anna), "Sec-Fetch-Site", "same-site").is(403, refusal.CrossOrigin, "")
	if len(h.accounts.ended) > 0 {
		t.Fatal("and it has ended")
	}
	before := anna
	before.MadeAt = noon.Add(-1e9)
	a := h.bare("DELETE", "/v1/account", "", "Cookie", h.signedIn(before)).ok(204)
	if len(a.header["Set-Cookie"]) != 2 || len(h.accounts.ended) != 1 || h.accounts.ended[0] != anna.Hub() {
		t.Errorf("%v %v", a.header, h.accounts.ended)
	}
}

var _ Sessions = (*access.Sessions)(nil)
