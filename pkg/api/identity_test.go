package api

import (
	"net/http/httptest"
	"testing"

	"pocbakery/pkg/access"
	"pocbakery/pkg/admission"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/refusal"
)

var anna = access.Identity{Issuer: "https://id.example", Subject: "1001", Name: "Anna Ek", Email: "anna@example.org", MadeAt: noon}

// signedIn is the cookie of somebody who signed in.
func (h *house) signedIn(i access.Identity) string {
	h.t.Helper()
	token, err := h.sessions.SignIdentity(i)
	if err != nil {
		h.t.Fatal(err)
	}
	return IdentityCookie + "=" + token
}

const isAnna = `"identity":{"name":"Anna Ek","email":"anna@example.org"}}`

func TestWhoIsAskedTellsWhoSignedIn(t *testing.T) {
	h := newHouse(t)
	cookie := h.signedIn(anna)
	old := anna
	old.MadeAt = noon.Add(-access.IdentityFor)
	other := anna
	other.Subject = "1002"
	const session = `{"session":{"kind":"guest","role":"baker","expires_at":"2026-12-01T10:00:00.005Z"},`
	for name, c := range map[string]struct {
		authorization, cookie, want string
	}{
		"alone":                   {"", cookie, `{"session":null,` + isAnna},
		"beside a session":        {"", cookie + "; " + SessionCookie + "=" + h.token(hub.Baker), session + isAnna},
		"beside a header":         {"Bearer " + h.token(hub.Baker), cookie, session + isAnna},
		"beside a forged session": {"Bearer forged", cookie, `{"session":null,` + isAnna},
		"forged":                  {"", cookie + "A", `{"session":null,"identity":null}`},
		"too old":                 {"", h.signedIn(old), `{"session":null,"identity":null}`},
		"the same twice":          {"", cookie + "; " + cookie, `{"session":null,` + isAnna},
		"two":                     {"", cookie + "; " + h.signedIn(other), `{"session":null,"identity":null}`},
		"a session's token":       {"", IdentityCookie + "=" + h.token(hub.Baker), `{"session":null,"identity":null}`},
	} {
		if a := h.ask("GET", "/v1/session", "", "Authorization", c.authorization, "Cookie", c.cookie).ok(200); a.raw != c.want {
			t.Errorf("%s: %s", name, a.raw)
		}
	}
}

func TestAnAccountIsLentASandboxByItsIdentityAndNobodyElseIs(t *testing.T) {
	h := newHouse(t)
	ask := func(body string, headers ...string) answer { return h.ask("POST", "/v1/sandboxes", body, headers...) }
	ask(`{"kind":"account"}`, "Authorization", "").is(401, refusal.Unauthenticated, "")
	ask(`{"kind":"account"}`).is(401, refusal.Unauthenticated, "") // a session is no identity
	ask(`{"kind":"account"}`, "Authorization", "", "Cookie", h.signedIn(anna)+"A").is(401, refusal.Unauthenticated, "")
	ask(`{"kind":"account"}`, "Cookie", h.signedIn(anna), "Authorization", "", "Origin", "https://elsewhere.example").is(403, refusal.CrossOrigin, "")
	if len(h.desk.asked) > 0 {
		t.Fatalf("the desk was asked: %+v", h.desk.asked)
	}
	ask(`{"kind":"account"}`, "Cookie", h.signedIn(anna), "Authorization", "").ok(201)
	ask(`{"kind":"account"}`, "Cookie", h.signedIn(anna), keyHeader, aKey+"2").ok(201) // a header does not outrank who signed in
	ask(`{"kind":"guest"}`, "Cookie", h.signedIn(anna), keyHeader, aKey+"3").ok(201)
	for i, want := range []admission.Request{{Kind: "account", Subject: anna.Account()}, {Kind: "account", Subject: anna.Account()}, {Kind: "guest"}} {
		if got := h.desk.asked[i]; got.Kind != want.Kind || got.Subject != want.Subject {
			t.Errorf("asked %+v, want %+v", got, want)
		}
	}
}

func TestAnIdentityIsNoSession(t *testing.T) {
	h := newHouse(t)
	r := httptest.NewRequest("GET", "/v1/menu", nil)
	r.Header.Set("Cookie", h.signedIn(anna))
	h.send(r).is(401, refusal.Unauthenticated, "")
}
