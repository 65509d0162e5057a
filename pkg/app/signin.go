package app

import (
	"cmp"
	"net/http"

	"pocbakery/pkg/api"
	"pocbakery/pkg/refusal"
	"pocbakery/pkg/signin"
	"pocbakery/pkg/web"
)

// account is who has signed in, for the pages: nobody is no error to them, and
// neither is a table that does not say whether they were signed out since.
func (a *App) account(d *api.Door) func(*http.Request) (name, account string, ok bool) {
	return func(r *http.Request) (name, account string, ok bool) {
		i, err := d.Identity(r)
		if err != nil || a.People.Vouch(r.Context(), i) != nil {
			return "", "", false
		}
		return cmp.Or(i.Name, i.Email, "yourself"), i.Account(), true
	}
}

// signOut ends the session of a browser's cookie and takes both cookies.
func (a *App) signOut(d *api.Door) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		who, _, err := d.Credential(r)
		if err == nil {
			err = a.Engine.Revoke(r.Context(), who)
		}
		if err != nil && !refusal.Is(err, refusal.Unauthenticated) && !refusal.Is(err, refusal.SandboxEnded) {
			return err
		}
		api.ForgetCookies(w)
		return nil
	}
}

// SignIn is the provider at which people sign in.
type SignIn struct {
	Issuer, ClientID, ClientSecret string
	Origin                         string       // where browsers reach us; empty for a local run
	Client                         *http.Client // nil for the usual
}

func (a *App) signIn(c Config, pages func() *web.Site) http.Handler {
	if c.SignIn == nil {
		return nil
	}
	return signin.New(signin.Config{
		Issuer: c.SignIn.Issuer, ClientID: c.SignIn.ClientID, ClientSecret: c.SignIn.ClientSecret,
		Origin: c.SignIn.Origin, Client: c.SignIn.Client,
		Ring: a.ring, Clock: c.Clock, Random: c.Random,
		SetIdentity: api.SetIdentityCookie, Refuse: func(w http.ResponseWriter, r *http.Request, err error) { pages().Refuse(w, r, err) },
		Report: func(step string) { c.Log.Error("sign_in_failed", "event", "sign_in_failed", "step", step) },
	})
}
