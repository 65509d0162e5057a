package api

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"pocbakery/pkg/access"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/refusal"
)

// sound is a request to each route that gets through, but for who asks.
var sound = map[string]string{
	"POST /v1/traffic":                    `{"minutes":10,"orders_per_minute":6}`,
	"POST /v1/sandboxes":                  `{"kind":"guest"}`,
	"POST /v1/sandbox/clock/advance":      `{"seconds":900}`,
	"POST /v1/session":                    `{"kind":"account"}`,
	"POST /v1/tokens":                     `{"name":"script"}`,
	"PATCH /v1/menu/{sku}":                `{"available":true}`,
	"PATCH /v1/slots/{slot}":              `{"capacity":7}`,
	"POST /v1/orders":                     anOrder,
	"PUT /v1/planner/profile":             `{"time_zone":"UTC","working_hours":{"mon":[["09:00","17:00"]]}}`,
	"POST /v1/planner/tasks":              `{"title":"Order flour","minutes":60,"priority":1,"due":"2026-12-05T09:15:00Z"}`,
	"PATCH /v1/planner/tasks/{id}":        `{"due":null}`,
	"POST /v1/planner/blocks/{id}/done":   `{"minutes":40}`,
	"POST /v1/planner/blocks/{id}/extend": `{"minutes":15}`,
	"POST /v1/planner/calendars":          `{"kind":"ics","url":"https://example.org/a.ics"}`,
	"PATCH /v1/planner/calendars/{id}":    `{"treat_as":"free"}`,
	"POST /v1/orders/{ref}/payments":      `{"amount":{"amount":900,"currency":"SEK"}}`,
}

// askRoute sends a sound request to a route, in a house with one order that is
// paid where it must be.
func askRoute(t testing.TB, h *house, rt *route, headers ...string) answer {
	t.Helper()
	if len(h.shop.orders) == 0 {
		h.ask("POST", "/v1/orders", anOrder).ok(201)
		if rt.id == "collect" {
			h.ask("POST", "/v1/orders/20261205T0915Z-0000000000/payments", sound["POST /v1/orders/{ref}/payments"]).ok(200)
		}
		h.shop.asked = 0
	}
	if rt.id == "revoke-token" && len(h.tokens.all) == 0 {
		h.tokens.all = []hub.Token{{ID: "tokena"}}
	}
	path := strings.NewReplacer("{id}", "tokena", "{sku}", "cardamom-bun", "{slot}", string(slotA), "{channel}", "achannel", "{ref}", string(slotA)+"-0000000000").Replace(rt.path)
	if rt.id == "slots" {
		path += "?date=2026-12-05"
	}
	if rt.id == "unsubscribe" {
		path += "?t=good"
	}
	if rt.path == planPath {
		path += "?key=good"
	}
	if rt.id == "delete-task" && len(h.planner.tasks) == 0 {
		h.planner.tasks = newFakePlanner().tasks
	}
	return h.ask(rt.method, path, sound[rt.method+" "+rt.path], headers...)
}

func TestEachRouteIsForWhomTheTableSays(t *testing.T) {
	ended := sessionOf(hub.Baker)
	ended.EndsAt = noon
	for _, rt := range routes() {
		t.Run(rt.id, func(t *testing.T) {
			who := func(authorization string) answer {
				return askRoute(t, newHouse(t), &rt, "Authorization", authorization)
			}
			token := newHouse(t).token
			past := "Bearer " + newHouse(t).sessions.Sign(ended)
			if rt.who == open {
				for _, authorization := range []string{"", "Bearer forged", past} {
					if a := who(authorization); a.status >= 300 {
						t.Errorf("open, and %q got %d %s", authorization, a.status, a.raw)
					}
				}
				return
			}
			if rt.who == signed {
				who("").is(401, refusal.Unauthenticated, "")
				who("Bearer "+token(hub.Baker)).is(401, refusal.Unauthenticated, "")
				h := newHouse(t)
				if a := askRoute(t, h, &rt, "Authorization", "", "Cookie", h.signedIn(anna)); a.status >= 300 {
					t.Errorf("who signed in got %d %s", a.status, a.raw)
				}
				return
			}
			who("").is(401, refusal.Unauthenticated, "")
			who("Bearer "+token(hub.Baker)+"x").is(401, refusal.Unauthenticated, "")
			who("Bearer pb_0123456789").is(401, refusal.Unauthenticated, "")
			who(past).is(410, refusal.SandboxEnded, "")
			if a := who("Bearer " + token(hub.Baker)); a.status >= 400 {
				t.Errorf("a baker got %d %s", a.status, a.raw)
			}
			customer := who("Bearer " + token(hub.Customer))
			if rt.who == baker {
				customer.is(403, refusal.Forbidden, "")
			} else if customer.status >= 300 {
				t.Errorf("a customer got %d %s", customer.status, customer.raw)
			}
		})
	}
}

func TestWhatACustomerMayNotIsWhatTheContractSays(t *testing.T) {
	var kept []string
	for _, rt := range routes() {
		if rt.who == baker {
			kept = append(kept, rt.id)
		}
	}
	if got := strings.Join(kept, " "); got != "advance-clock tokens make-token revoke-token live-ticket traffic start-traffic stop-traffic edit-item edit-slot collect events profile save-profile new-plan-url tasks add-task edit-task delete-task plan start-block finish-block extend-block calendars connect-calendar edit-calendar disconnect-calendar google-login google-calendars briefings planner-events" {
		t.Error(got)
	}
}

func TestWhoHasNoCredentialIsToldNothingAndNothingIsRead(t *testing.T) {
	for _, authorization := range []string{"", "Bearer forged", "Basic YTpi"} {
		h := newHouse(t)
		h.ask("POST", "/v1/orders", `{"x":`, "Authorization", authorization, keyHeader, "").is(401, refusal.Unauthenticated, "")
		if h.shop.asked > 0 {
			t.Error("the shop was asked")
		}
	}
}

func TestAnAuthorizationHeaderIsReadStrictly(t *testing.T) {
	h := newHouse(t)
	good := h.token(hub.Baker)
	for header, want := range map[string]int{
		"Bearer " + good: 200, "bearer " + good: 200, "BEARER  " + good + " ": 200,
		good: 401, "Bearer": 401, "Bearer ": 401, "Basic " + good: 401, "Bearer " + good + " " + good: 401, "Bearer " + good + ",": 401,
		"Bearer \"" + good + "\"": 401, " ": 401, "Bearer " + strings.Repeat("x", 10000): 401, "Bearer \x01": 401, "Bearer ö": 401, "Bearer\t" + good: 401,
	} {
		r := httptest.NewRequest("GET", "/v1/menu", nil)
		r.Header["Authorization"] = []string{header}
		if a := h.send(r); a.status != want {
			t.Errorf("%.40q: %d, want %d", header, a.status, want)
		}
	}
	r := httptest.NewRequest("GET", "/v1/menu", nil)
	r.Header["Authorization"] = []string{"Bearer " + good, "Bearer " + good}
	h.send(r).is(401, refusal.Unauthenticated, "")
}

func TestAHeaderOutranksTheCookie(t *testing.T) {
	h := newHouse(t)
	cookie := func(role hub.Role) string { return SessionCookie + "=" + h.token(role) }
	edit := func(headers ...string) answer {
		return h.ask("PATCH", "/v1/slots/20261205T0915Z", `{"capacity":3}`, headers...)
	}
	edit("Authorization", "", "Cookie", cookie(hub.Baker)).ok(200)
	edit("Authorization", "Bearer "+h.token(hub.Customer), "Cookie", cookie(hub.Baker)).is(403, refusal.Forbidden, "")
	edit("Authorization", "Bearer forged", "Cookie", cookie(hub.Baker)).is(401, refusal.Unauthenticated, "")
	edit("Authorization", "", "Cookie", cookie(hub.Customer)).is(403, refusal.Forbidden, "")
	edit("Authorization", "", "Cookie", "session="+h.token(hub.Baker)).is(401, refusal.Unauthenticated, "")
}

func TestCookiesAreFoundInEveryHeaderAndMustAgree(t *testing.T) {
	h := newHouse(t)
	good, other := SessionCookie+"="+h.token(hub.Baker), SessionCookie+"="+h.token(hub.Customer)
	for _, c := range []struct {
		headers []string
		want    int
	}{
		{[]string{"a=b", good}, 200},
		{[]string{good, "a=b"}, 200},
		{[]string{"a=b; " + good + "; c=d"}, 200},
		{[]string{good, good}, 200},
		{[]string{good + "; " + other}, 401},
		{[]string{good, other}, 401},
		{[]string{SessionCookie + "="}, 401},
		{[]string{SessionCookie}, 401},
		{[]string{";;;=;" + "\x00"}, 401},
		{[]string{""}, 401},
	} {
		r := httptest.NewRequest("GET", "/v1/menu", nil)
		r.Header["Cookie"] = c.headers
		if a := h.send(r); a.status != c.want {
			t.Errorf("%.60q: %d, want %d", c.headers, a.status, c.want)
		}
	}
}

func TestAPageOfAnotherSiteCannotActWithOurCookie(t *testing.T) {
	type sent struct{ origin, site string }
	for what, want := range map[sent]bool{
		{"", ""}:                                      false,
		{"http://example.com", "same-origin"}:         false,
		{"https://example.com", "same-origin"}:        false,
		{"https://EXAMPLE.com", ""}:                   false,
		{"", "same-origin"}:                           false,
		{"", "none"}:                                  false,
		{"https://elsewhere.example", "cross-site"}:   true,
		{"https://elsewhere.example", ""}:             true,
		{"https://elsewhere.example", "same-origin"}:  true,
		{"https://a.example.com", "same-site"}:        true,
		{"", "same-site"}:                             true,
		{"", "cross-site"}:                            true,
		{"", "whatever"}:                              true,
		{"https://example.com", "cross-site"}:         true,
		{"https://example.com:8443", ""}:              true,
		{"https://example.com.elsewhere.example", ""}: true,
		{"null", ""}:                                  true,
		{"example.com", ""}:                           true,
		{"https://%zz", ""}:                           true,
		{"https://", "none"}:                          true,
		{"file:///etc", "none"}:                       true,
	} {
		h := newHouse(t)
		headers := []string{"Origin", what.origin, "Sec-Fetch-Site", what.site}
		cookie := append([]string{"Authorization", "", "Cookie", SessionCookie + "=" + h.token(hub.Baker)}, headers...)
		for _, route := range []string{"POST /v1/orders/x/cancel", "DELETE /v1/session", "PATCH /v1/menu/semla", "POST /v1/sandboxes"} {
			method, path, _ := strings.Cut(route, " ")
			a := newHouse(t).ask(method, path, map[string]string{"PATCH": `{"available":true}`, "POST": map[string]string{"/v1/sandboxes": `{"kind":"guest"}`}[path]}[method], cookie...)
			if got := a.code() == "cross-origin"; got != want {
				t.Errorf("%+v %s: %d %s", what, route, a.status, a.raw)
			}
		}
		if a := h.ask("GET", "/v1/menu", "", cookie...); a.status != 200 {
			t.Errorf("%+v: looking is %d", what, a.status)
		}
		if a := h.ask("PATCH", "/v1/menu/semla", `{"available":true}`, headers...); a.status != 200 {
			t.Errorf("%+v: a program with its own token is %d", what, a.status)
		}
	}
}

func TestTheCookieIsHeldToThisHostAndToScriptsUnknown(t *testing.T) {
	h := newHouse(t)
	a := h.ask("POST", "/v1/sandboxes", `{"kind":"guest"}`).ok(201)
	cookie := a.header.Get("Set-Cookie")
	want := SessionCookie + "=" + h.token(hub.Baker) + "; Path=/; Expires=Tue, 01 Dec 2026 10:00:00 GMT; HttpOnly; Secure; SameSite=Lax"
	if cookie != want {
		t.Errorf("got  %s\nwant %s", cookie, want)
	}
	if got := a.json["session"].(map[string]any)["token"]; got != h.token(hub.Baker) {
		t.Errorf("token %v", got)
	}
}

func TestASessionIsJudgedAtTheAnswersOwnInstant(t *testing.T) {
	sessions := access.NewSessions([]byte(strings.Repeat("m", access.MinMasterBytes)))
	s := sessionOf(hub.Baker)
	s.EndsAt = noon.Truncate(time.Millisecond)
	d := NewDoor(sessions, nil, func() time.Time { return noon })
	r := httptest.NewRequest("GET", "/shop", nil)
	r.Header.Set("Authorization", "Bearer "+sessions.Sign(s))
	if _, _, err := d.Credential(r); !refusal.Is(err, refusal.SandboxEnded) {
		t.Errorf("at its end: %v", err)
	}
	who, got, err := NewDoor(sessions, nil, func() time.Time { return noon.Add(-1) }).Credential(r)
	if err != nil || got != s || who != s.Who() {
		t.Errorf("before its end: %+v %+v %v", who, got, err)
	}
}
