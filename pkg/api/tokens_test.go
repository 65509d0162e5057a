package api

import (
	"bytes"
	"context"
	"crypto/rand"
	"strings"
	"testing"

	"pocbakery/pkg/access"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/hub/hubtest"
	"pocbakery/pkg/refusal"
	"pocbakery/pkg/sandbox"
)

// fakeTokens keeps the tokens of its one hub, two at most.
type fakeTokens struct {
	all  []hub.Token
	fail error
}

func (f *fakeTokens) Make(_ context.Context, _ hub.Who, name string) (hub.Token, string, error) {
	if f.fail != nil {
		return hub.Token{}, "", f.fail
	}
	if len(f.all) == 2 {
		return hub.Token{}, "", refusal.New(refusal.TooMany, "No room.")
	}
	t := hub.Token{ID: "token" + string(rune('a'+len(f.all))), Name: name, Prefix: "pb_x.y", MadeAt: noon}
	f.all = append(f.all, t)
	return t, "pb_x.yz", nil
}

func (f *fakeTokens) List(context.Context, hub.Who) ([]hub.Token, error) { return f.all, f.fail }

func (f *fakeTokens) Revoke(_ context.Context, _ hub.Who, id string) error {
	for i, t := range f.all {
		if t.ID == id && f.fail == nil {
			f.all = append(f.all[:i], f.all[i+1:]...)
			return nil
		}
	}
	if f.fail != nil {
		return f.fail
	}
	return refusal.New(refusal.NoSuchToken, "No such token.")
}

// apiToken is a token of the house's hub, as a service of the same ring makes it.
func (h *house) apiToken(role hub.Role) string {
	h.t.Helper()
	w := hubtest.At(h.t, "2026-11-30 12:00:00")
	if err := w.Engine.Store().Commit(h.t.Context(), w.Now(), sandbox.Birth(sandbox.Born(theHub, "guest", 1, w.Now()))...); err != nil {
		h.t.Fatal(err)
	}
	ring := access.NewKeyring(bytes.Repeat([]byte("m"), access.MinMasterBytes))
	_, text, err := access.NewTokens(w.Engine, ring, rand.Reader).Make(h.t.Context(), hub.Who{Hub: theHub, Role: role}, "script")
	if err != nil {
		h.t.Fatal(err)
	}
	return text
}

func TestATokenIsShownOnceAndListedWithoutItsSecret(t *testing.T) {
	h := newHouse(t)
	h.ask("GET", "/v1/tokens", "").ok(200).says(`{"tokens":[]}`)
	a := h.ask("POST", "/v1/tokens", `{"name":"till in the cellar"}`).ok(201)
	a.says(`{"id":"tokena","name":"till in the cellar","token":"pb_x.yz","prefix":"pb_x.y","created_at":"2026-11-30T12:00:00.005Z"}`)
	if a.header.Get("Location") != "/v1/tokens/tokena" {
		t.Errorf("%v", a.header)
	}
	h.tokens.all[0].LastUsedOn = "2026-11-29"
	h.ask("GET", "/v1/tokens", "").ok(200).says(`{"tokens":[{"id":"tokena","name":"till in the cellar","prefix":"pb_x.y","created_at":"2026-11-30T12:00:00.005Z","last_used_on":"2026-11-29"}]}`)
	h.ask("POST", "/v1/tokens", `{"name":"b"}`).ok(201)
	h.ask("POST", "/v1/tokens", `{"name":"c"}`).is(409, refusal.TooMany, "")
	h.ask("DELETE", "/v1/tokens/tokena", "").ok(204)
	h.ask("DELETE", "/v1/tokens/tokena", "").is(404, refusal.NoSuchToken, "")
	for body, field := range map[string]string{`{}`: "name", `{"name":""}`: "name", `{"name":"` + strings.Repeat("x", 81) + `"}`: "name"} {
		h.ask("POST", "/v1/tokens", body).is(422, refusal.Invalid, field)
	}
}

func (a answer) says(want string) {
	a.t.Helper()
	if a.raw != want {
		a.t.Errorf("got  %s\nwant %s", a.raw, want)
	}
}

// Each route is a token's as it is its maker's, but for two.
func TestATokenMayDoWhatItsMakerMayButMakeTokensAndWipe(t *testing.T) {
	var kept []string
	for _, rt := range routes() {
		if rt.who == open || rt.who == signed {
			continue
		}
		t.Run(rt.id, func(t *testing.T) {
			h := newHouse(t)
			a := askRoute(t, h, &rt, "Authorization", "Bearer "+h.apiToken(hub.Baker))
			if rt.noTokens {
				a.is(403, refusal.Forbidden, "")
				kept = append(kept, rt.id)
			} else if a.status >= 400 {
				t.Errorf("a baker's token got %d %s", a.status, a.raw)
			}
			b := askRoute(t, newHouse(t), &rt, "Authorization", "Bearer "+h.apiToken(hub.Customer))
			if rt.who == baker || rt.noTokens {
				b.is(403, refusal.Forbidden, "")
			} else if b.status >= 300 {
				t.Errorf("a customer's token got %d %s", b.status, b.raw)
			}
		})
	}
	if got := strings.Join(kept, " "); got != "wipe make-token" {
		t.Error(got)
	}
}

func TestATokenIsACredentialOfTheHeaderAlone(t *testing.T) {
	h := newHouse(t)
	token := h.apiToken(hub.Baker)
	h.ask("GET", "/v1/menu", "", "Authorization", "Bearer "+token).ok(200)
	h.ask("GET", "/v1/menu", "", "Authorization", "Bearer "+token, "Cookie", SessionCookie+"="+h.token(hub.Customer)).ok(200)
	h.ask("GET", "/v1/menu", "", "Authorization", "", "Cookie", SessionCookie+"="+token).is(401, refusal.Unauthenticated, "")
	h.ask("GET", "/v1/menu", "", "Authorization", "Bearer "+token[:len(token)-2]+"AA").is(401, refusal.Unauthenticated, "")
	// A hub in which nobody knows it any more.
	h.sandboxes.fail = refusal.New(refusal.Unauthenticated, "Revoked.")
	h.ask("GET", "/v1/sandbox", "", "Authorization", "Bearer "+token).is(401, refusal.Unauthenticated, "")
	h.ask("GET", "/v1/session", "", "Authorization", "Bearer "+token).ok(200).says(`{"session":null,"identity":null}`)
	h.sandboxes.fail = nil
	h.ask("GET", "/v1/session", "", "Authorization", "Bearer "+token).ok(200).
		says(`{"session":{"kind":"guest","role":"baker","expires_at":"2026-12-01T10:00:00.005Z"},"identity":null}`)
}

// What a log may never have: the text of a token, in whatever request it came.
func TestNoTokenReachesTheLog(t *testing.T) {
	h := newHouse(t)
	token := h.apiToken(hub.Baker)
	h.ask("POST", "/v1/orders", anOrder).ok(201)
	h.ask("POST", "/v1/tokens", `{"name":"script"}`).ok(201)
	for _, err := range []error{errBroken{}, refusal.New(refusal.Internal, "x"), context.DeadlineExceeded} {
		h.shop.fail, h.sandboxes.fail, h.desk.fail, h.tokens.fail, h.traffic.fail, h.planner.fail = err, err, err, err, err, err
		for _, rt := range routes() {
			askRoute(t, h, &rt, "Authorization", "Bearer "+token)
			askRoute(t, h, &rt, "Authorization", "Bearer "+token[:len(token)-1])
		}
	}
	h.shop.fail, h.shop.hook = nil, func() { panic("a shelf fell") }
	h.ask("GET", "/v1/menu", "", "Authorization", "Bearer "+token)
	log := h.log.String()
	if !strings.Contains(log, "a shelf fell") || !strings.Contains(log, "/v1/tokens") {
		t.Errorf("nothing was logged: %s", log)
	}
	secret := token[strings.Index(token, ".")+1:]
	for _, part := range []string{token, secret, secret[:6], secret[20:40]} {
		if strings.Contains(log, part) {
			t.Errorf("the log has %q", part)
		}
	}
}

var _ Tokens = (*access.Tokens)(nil)
