package api

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"pocbakery/pkg/access"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/refusal"
)

// Door tells who stands before it. The pages ask it too, for what their forms
// send, so that both ways in have one rule.
type Door struct {
	sessions Sessions
	accounts Accounts
	clock    func() time.Time
}

// NewDoor is a door that judges sessions by a wall clock, and opens the own
// hubs of accounts.
func NewDoor(s Sessions, a Accounts, clock func() time.Time) *Door {
	return &Door{sessions: s, accounts: a, clock: clock}
}

// Credential is who a request says it comes from, without reading anything. An
// Authorization header outranks the cookie, also where it is no good.
func (d *Door) Credential(r *http.Request) (hub.Who, access.Session, error) {
	return d.credentialAt(r, d.clock())
}

func (d *Door) credentialAt(r *http.Request, now time.Time) (hub.Who, access.Session, error) {
	token, err := bearer(r.Header)
	switch {
	case err == nil && access.IsToken(token):
		who, err := d.sessions.Token(token)
		return who, access.Session{}, err
	case err == nil && token == "":
		token, err = cookieToken(r)
	}
	if err != nil {
		return hub.Who{}, access.Session{}, err
	}
	s, err := d.sessions.Verify(token, now)
	if err != nil {
		return hub.Who{}, access.Session{}, err
	}
	return s.Who(), s, nil
}

// Identity is who a request says has signed in, without reading anything. Only
// the cookie says so: an Authorization header names a hub and nobody.
func (d *Door) Identity(r *http.Request) (access.Identity, error) {
	return d.identityAt(r, d.clock())
}

func (d *Door) identityAt(r *http.Request, now time.Time) (access.Identity, error) {
	token, err := oneCookie(r, IdentityCookie)
	if err == nil && token == "" {
		err = unauthenticated("This needs somebody who is signed in: open /v1/login in a browser.")
	}
	if err != nil {
		return access.Identity{}, err
	}
	return d.sessions.Identity(token, now)
}

const authorization = "Authorization"

// bearer is the token of an Authorization header, empty where there is none.
func bearer(h http.Header) (string, error) {
	values, ok := h[authorization]
	if !ok {
		return "", nil
	}
	if len(values) == 1 {
		scheme, token, _ := strings.Cut(values[0], " ")
		token = strings.Trim(token, " ")
		if strings.EqualFold(scheme, "Bearer") && token != "" && visible(token) {
			return token, nil
		}
	}
	return "", unauthenticated("The Authorization header is not one Bearer and a token.")
}

// cookieToken is the token of the session cookie.
func cookieToken(r *http.Request) (string, error) {
	token, err := oneCookie(r, SessionCookie)
	if err == nil && token == "" {
		err = unauthenticated("This needs a session: start a sandbox, and send its cookie or its token.")
	}
	return token, err
}

// oneCookie is the value of a cookie, empty where there is none. Several of the
// name with different values name nobody.
func oneCookie(r *http.Request, name string) (string, error) {
	cookies := r.CookiesNamed(name)
	if len(cookies) == 0 {
		return "", nil
	}
	for _, c := range cookies[1:] {
		if c.Value != cookies[0].Value {
			return "", unauthenticated("The request has several cookies of one name.")
		}
	}
	return cookies[0].Value, nil
}

func unauthenticated(detail string) error { return refusal.New(refusal.Unauthenticated, detail) }

// CrossOrigin reports whether a page of another site sent this command with
// whatever cookies its visitor has here. A program that sends its own token is
// no page, and one that sends neither Origin nor Sec-Fetch-Site no browser of
// today. A sister site (same-site) is another site.
func CrossOrigin(r *http.Request) bool {
	if safe(r.Method) {
		return false
	}
	if _, ok := r.Header[authorization]; ok {
		return false
	}
	for _, site := range r.Header["Sec-Fetch-Site"] {
		if site != "same-origin" && site != "none" {
			return true
		}
	}
	for _, origin := range r.Header["Origin"] {
		// The scheme is left out: behind a gateway we see plain HTTP.
		u, err := url.Parse(origin)
		if err != nil || u.Host == "" || !strings.EqualFold(u.Host, r.Host) {
			return true
		}
	}
	return false
}

// safe reports whether a method only looks.
func safe(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
}
