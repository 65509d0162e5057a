package signin

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"pocbakery/pkg/access"
	"pocbakery/pkg/refusal"
)

// The paths of the two steps.
const (
	LoginPath    = "/v1/login"
	CallbackPath = "/v1/login/callback"
)

// askFor bounds what the provider is asked in one step.
const askFor = 6 * time.Second

// Config is what signing in stands on.
type Config struct {
	Issuer, ClientID, ClientSecret string
	// Origin is where browsers reach us, such as https://bakery.example; empty
	// for the address that the browser used, which must be of this machine.
	Origin string
	Client *http.Client // to the provider; nil for the usual

	Ring   *access.Keyring
	Clock  func() time.Time
	Random io.Reader
	// SetIdentity hands an identity to a browser; Refuse answers with a page.
	SetIdentity func(w http.ResponseWriter, token string, i access.Identity)
	Refuse      func(w http.ResponseWriter, r *http.Request, err error)
	// Report is told what failed at the provider, without what it said.
	Report func(step string)
}

// Door signs people in.
type Door struct {
	Config
	mu       sync.Mutex
	provider *oidc.Provider // asked for at the first sign-in
}

// New is a door to one provider. It asks nothing of it.
func New(c Config) *Door {
	if c.Client == nil {
		c.Client = &http.Client{Timeout: askFor}
	}
	return &Door{Config: c}
}

// ServeHTTP takes both steps.
func (d *Door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	ctx, cancel := context.WithTimeout(oidc.ClientContext(r.Context(), d.Client), askFor)
	defer cancel()
	to, err := "", error(nil)
	if r.URL.Path == CallbackPath {
		to, err = d.callback(ctx, w, r)
	} else {
		to, err = d.login(ctx, w, r)
	}
	if err != nil {
		d.Refuse(w, r, err)
		return
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
}

// login sends a browser to the provider.
func (d *Door) login(ctx context.Context, w http.ResponseWriter, r *http.Request) (to string, err error) {
	client, _, err := d.oauth(ctx, r)
	if err != nil {
		return "", err
	}
	f, err := d.begin(w, pathOfOurs(r.URL.Query().Get("next")))
	if err != nil {
		return "", err
	}
	return client.AuthCodeURL(f.State, oidc.Nonce(f.Nonce), oauth2.S256ChallengeOption(f.Verifier)), nil
}

// callback makes an identity of the provider's answer.
func (d *Door) callback(ctx context.Context, w http.ResponseWriter, r *http.Request) (to string, err error) {
	f, err := d.resume(r)
	if err != nil {
		return "", err
	}
	setFlow(w, "", 0) // one answer to each, whatever it is
	code := r.URL.Query().Get("code")
	if code == "" {
		return "", refusal.New(refusal.SignInFailed, "The provider did not sign you in. Nothing has changed here.")
	}
	client, provider, err := d.oauth(ctx, r)
	if err != nil {
		return "", err
	}
	token, err := client.Exchange(ctx, code, oauth2.VerifierOption(f.Verifier))
	if err != nil {
		return "", d.failed("exchange")
	}
	raw, _ := token.Extra("id_token").(string)
	id, err := provider.Verifier(&oidc.Config{ClientID: d.ClientID, Now: d.Clock}).Verify(ctx, raw)
	if err != nil || id.Nonce != f.Nonce {
		return "", d.failed("verify")
	}
	var claims struct {
		Name     string `json:"name"`
		Email    string `json:"email"`
		Verified bool   `json:"email_verified"`
	}
	if err := id.Claims(&claims); err != nil {
		return "", d.failed("claims")
	}
	if !claims.Verified {
		claims.Email = ""
	}
	i := access.Identity{Issuer: id.Issuer, Subject: id.Subject, Name: claims.Name, Email: claims.Email, MadeAt: d.Clock()}
	signed, err := d.Ring.Sessions().SignIdentity(i)
	if err != nil {
		return "", d.failed("identity")
	}
	d.SetIdentity(w, signed, i)
	return f.Next, nil
}

func (d *Door) failed(step string) error {
	d.Report(step)
	return refusal.New(refusal.SignInFailed, "The provider's answer was not good. Sign in again.")
}

// oauth is the provider, asked for its configuration if it was not yet, and our
// side of it.
func (d *Door) oauth(ctx context.Context, r *http.Request) (*oauth2.Config, *oidc.Provider, error) {
	origin, ok := d.origin(r)
	if !ok {
		return nil, nil, refusal.New(refusal.Misconfigured, "The bakery does not know at which address browsers reach it.")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.provider == nil {
		p, err := oidc.NewProvider(ctx, d.Issuer)
		if err != nil {
			d.Report("discovery")
			return nil, nil, refusal.New(refusal.SignInUnavailable, "The provider that signs people in cannot be reached. Guests and demo accounts can come in without it.")
		}
		d.provider = p
	}
	return &oauth2.Config{
		ClientID: d.ClientID, ClientSecret: d.ClientSecret, Endpoint: d.provider.Endpoint(),
		RedirectURL: origin + CallbackPath, Scopes: []string{oidc.ScopeOpenID, "profile", "email"},
	}, d.provider, nil
}

// origin is where the browser reaches us.
func (d *Door) origin(r *http.Request) (string, bool) {
	if d.Origin != "" {
		return strings.TrimSuffix(d.Origin, "/"), true
	}
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return "http://" + r.Host, host == "localhost" || err == nil && addr.IsLoopback()
}
