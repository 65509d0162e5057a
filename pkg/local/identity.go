package local

import (
	"errors"
	"net/http"

	"pocbakery/pkg/access"
	"pocbakery/pkg/refusal"
)

// Issuer names the provider of a local run, wherever it listens: an account is
// the same one at the next start.
const Issuer = "http://sign-in.localhost"

// identity signs in whoever is named, as the provider's sign-in would: whoever
// holds the admin port may be anybody.
func (a *Admin) identity(r *http.Request) (any, error) {
	var in struct {
		Subject string `json:"subject"`
		Name    string `json:"name"`
		Email   string `json:"email"`
	}
	if err := read(r, &in); err != nil {
		return nil, err
	}
	token, err := a.Sessions.SignIdentity(access.Identity{
		Issuer: a.Issuer, Subject: in.Subject, Name: in.Name, Email: in.Email, MadeAt: a.Wall.Now(),
	})
	var no *refusal.Refusal
	if errors.As(err, &no) {
		return nil, Invalid(no.Detail)
	}
	return map[string]string{"cookie": access.IdentityCookie + "=" + token}, err
}
