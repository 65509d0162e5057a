package app

import (
	"net/http"

	"pocbakery/pkg/api"
	"pocbakery/pkg/signin"
	"pocbakery/pkg/web"
)

// SignIn is the provider at which people sign in.
type SignIn struct {
	Issuer, ClientID, ClientSecret string
	Origin                         string       // where browsers reach us; empty for a local run
	Client                         *http.Client // nil for the usual
}

func (a *App) signIn(c Config, pages *web.Site) http.Handler {
	if c.SignIn == nil {
		return nil
	}
	return signin.New(signin.Config{
		Issuer: c.SignIn.Issuer, ClientID: c.SignIn.ClientID, ClientSecret: c.SignIn.ClientSecret,
		Origin: c.SignIn.Origin, Client: c.SignIn.Client,
		Ring: a.ring, Clock: c.Clock, Random: c.Random,
		SetIdentity: api.SetIdentityCookie, Refuse: pages.Refuse,
		Report: func(step string) { c.Log.Error("sign_in_failed", "event", "sign_in_failed", "step", step) },
	})
}
