package local

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"html/template"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/go-json-experiment/json"
)

// The one client that the provider of a local run knows.
const (
	ClientID     = "bakery"
	ClientSecret = "the secret of a local run"

	codeFor  = time.Minute
	maxCodes = 1000 // under way at once
)

// Provider is a stand-in for an OpenID Connect provider: everybody is who they
// say they are. It does the code flow with PKCE and a page to pick on. (The
// stand-in github.com/oauth2-proxy/mockoidc has no release and no such page.)
type Provider struct {
	base   string // where browsers reach it
	clock  func() time.Time
	signer jose.Signer
	keys   jose.JSONWebKeySet

	mu    sync.Mutex
	codes map[string]granted
}

// granted is somebody who was picked, for whoever has the code.
type granted struct {
	subject, name, email string
	verified             bool
	redirect             string
	nonce, challenge     string
	until                time.Time
}

// NewProvider is a provider that browsers reach at this address.
func NewProvider(base string, clock func() time.Time) (*Provider, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: key, KeyID: "1"}}, nil)
	if err != nil {
		return nil, err
	}
	return &Provider{base: base, clock: clock, signer: signer, codes: map[string]granted{}, keys: jose.JSONWebKeySet{
		Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "1", Algorithm: string(jose.ES256), Use: "sig"}},
	}}, nil
}

// ProviderClient reaches the provider under its lasting name, wherever it
// listens this time.
func ProviderClient(address string) *http.Client {
	var dialer net.Dialer
	return &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, address)
		},
	}}
}

// Handler serves the provider.
func (p *Provider) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, map[string]any{
			"issuer": Issuer, "authorization_endpoint": p.base + "/authorize", "token_endpoint": Issuer + "/token", "jwks_uri": Issuer + "/keys",
			"response_types_supported": []string{"code"}, "subject_types_supported": []string{"public"},
			"id_token_signing_alg_values_supported": []string{string(jose.ES256)}, "code_challenge_methods_supported": []string{"S256"},
		})
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, http.StatusOK, p.keys) })
	mux.HandleFunc("GET /authorize", p.page)
	mux.HandleFunc("POST /authorize", p.pick)
	mux.HandleFunc("POST /token", p.token)
	return mux
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.MarshalWrite(w, v)
}

// people are whom the page offers.
var people = []struct{ Subject, Name, Email string }{
	{"anna", "Anna Ek", "anna@example.org"},
	{"bo", "Bo Lind", "bo@example.org"},
	{"anna-2", "Anna Ek", "another.anna@example.org"}, // who only looks like the first
}

var pickPage = template.Must(template.New("pick").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Who are you?</title>
<main><h1>Who are you?</h1>
<p>This page stands in for the provider that signs people in. It is part of this local run and believes everybody.</p>
{{range .People}}<form method="post" action="/authorize?{{$.Query}}"><input type="hidden" name="subject" value="{{.Subject}}"><input type="hidden" name="name" value="{{.Name}}"><input type="hidden" name="email" value="{{.Email}}"><p><button id="as-{{.Subject}}">{{.Name}}, {{.Email}}</button></p></form>
{{end}}<h2>Somebody else</h2>
<form method="post" action="/authorize?{{.Query}}"><p><label>Subject <input name="subject" required maxlength="255"></label></p><p><label>Name <input name="name"></label></p><p><label>E-mail <input name="email" type="email"></label></p><p><label><input type="checkbox" name="unverified" value="yes"> which was not verified</label></p><p><button>Sign in</button></p></form>
<form method="post" action="/authorize?{{.Query}}"><p><button name="deny" value="yes">Do not sign in</button></p></form></main></html>
`))

func (p *Provider) page(w http.ResponseWriter, r *http.Request) {
	if _, ok := asked(r); !ok {
		http.Error(w, "This is no sign-in of the bakery's.", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = pickPage.Execute(w, map[string]any{"People": people, "Query": template.URL(r.URL.RawQuery)}) //nolint:gosec // the query as it came, checked by asked
}

// asked is what a sign-in wants, if it is our client's and goes back to this
// machine.
func asked(r *http.Request) (granted, bool) {
	q := r.URL.Query()
	g := granted{redirect: q.Get("redirect_uri"), nonce: q.Get("nonce"), challenge: q.Get("code_challenge")}
	back, err := url.Parse(g.redirect)
	if err != nil {
		return granted{}, false
	}
	addr, err := netip.ParseAddr(back.Hostname())
	here := back.Hostname() == "localhost" || err == nil && addr.IsLoopback()
	return g, here && q.Get("client_id") == ClientID && q.Get("response_type") == "code" && g.nonce != "" &&
		q.Get("code_challenge_method") == "S256" && g.challenge != ""
}

func (p *Provider) pick(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 16<<10)
	g, ok := asked(r)
	if !ok || r.ParseForm() != nil {
		http.Error(w, "This is no sign-in of the bakery's.", http.StatusBadRequest)
		return
	}
	answer := url.Values{"state": {r.URL.Query().Get("state")}}
	g.subject, g.name, g.email = r.PostForm.Get("subject"), r.PostForm.Get("name"), r.PostForm.Get("email")
	g.verified, g.until = r.PostForm.Get("unverified") == "", p.clock().Add(codeFor)
	if r.PostForm.Get("deny") != "" || g.subject == "" {
		answer.Set("error", "access_denied")
	} else {
		code := rand.Text()
		p.mu.Lock()
		if len(p.codes) >= maxCodes {
			clear(p.codes)
		}
		p.codes[code] = g
		p.mu.Unlock()
		answer.Set("code", code)
	}
	http.Redirect(w, r, g.redirect+"?"+answer.Encode(), http.StatusSeeOther)
}

// token gives the identity of a code, once.
func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 16<<10)
	_ = r.ParseForm()
	p.mu.Lock()
	g, ok := p.codes[r.PostForm.Get("code")]
	delete(p.codes, r.PostForm.Get("code"))
	p.mu.Unlock()
	id, secret, basic := r.BasicAuth()
	if !basic {
		id, secret = r.PostForm.Get("client_id"), r.PostForm.Get("client_secret")
	} else if s, err := url.QueryUnescape(secret); err == nil {
		secret = s
	}
	sum := sha256.Sum256([]byte(r.PostForm.Get("code_verifier")))
	now := p.clock()
	switch {
	case id != ClientID || subtle.ConstantTimeCompare([]byte(secret), []byte(ClientSecret)) != 1:
		writeJSON(w, http.StatusUnauthorized, map[string]string{"error": "invalid_client"})
		return
	case !ok || !now.Before(g.until) || r.PostForm.Get("redirect_uri") != g.redirect || base64.RawURLEncoding.EncodeToString(sum[:]) != g.challenge:
		writeJSON(w, http.StatusBadRequest, map[string]string{"error": "invalid_grant"})
		return
	}
	claims := map[string]any{
		"iss": Issuer, "sub": g.subject, "aud": ClientID, "nonce": g.nonce, "iat": now.Unix(), "exp": now.Add(5 * time.Minute).Unix(),
		"name": g.name, "email": g.email, "email_verified": g.verified,
	}
	signed, err := jwt.Signed(p.signer).Claims(claims).Serialize()
	if err != nil {
		writeJSON(w, http.StatusInternalServerError, map[string]string{"error": "server_error"})
		return
	}
	writeJSON(w, http.StatusOK, map[string]any{"access_token": strings.ToLower(rand.Text()), "token_type": "Bearer", "expires_in": 300, "id_token": signed})
}
