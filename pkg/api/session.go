package api

import (
	"github.com/danielgtaylor/huma/v2"

	"pocbakery/pkg/access"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/refusal"
)

type whoJSON struct {
	Session  *sessionJSON  `json:"session"`
	Identity *identityJSON `json:"identity"`
}

// TransformSchema says that either may be nobody.
func (whoJSON) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	for name, p := range s.Properties {
		s.Properties[name] = &huma.Schema{AnyOf: []*huma.Schema{p, {Type: "null"}}, Description: "null for nobody"}
	}
	return s
}

type sessionJSON struct {
	Kind      string   `json:"kind"`
	Role      hub.Role `json:"role" enum:"baker,customer"`
	ExpiresAt instant  `json:"expires_at"`
}

type identityJSON struct {
	Name  string `json:"name"`
	Email string `json:"email" doc:"Empty where the provider has not verified it"`
}

// session says who this is. Whoever it is not is nobody: a credential that is
// no good, or of a sandbox that is over, or signed out.
func (s *server) session(c *call) (out whoJSON, err error) {
	if i, err := s.door.identityAt(c.request, nowOf(c.writer)); err == nil {
		switch err := s.Accounts.Vouch(c.ctx, i); {
		case err == nil:
			out.Identity = &identityJSON{i.Name, i.Email}
		case !refusal.Is(err, refusal.Unauthenticated):
			return out, err
		}
	}
	who, session, err := s.door.credentialAt(c.request, nowOf(c.writer))
	var view hub.View
	if err == nil {
		view, err = s.Sandboxes.Read(c.ctx, who)
	}
	switch {
	case refusal.Is(err, refusal.Unauthenticated), refusal.Is(err, refusal.SandboxEnded):
		return out, nil
	case err != nil:
		return out, err
	}
	if who.Token != "" { // it lasts as long as its hub
		session = access.Session{Kind: view.Root.Kind, Role: who.Role, EndsAt: view.Root.EndsAt}
	}
	out.Session = &sessionJSON{session.Kind, session.Role, instant(session.EndsAt)}
	return out, nil
}

// signOut, asked for by an API token, ends that. It also takes the cookie of a session that was signed out or over before.
func (s *server) signOut(c *call) error {
	err := s.Revoker.Revoke(c.ctx, c.who)
	if err == nil || refusal.Is(err, refusal.Unauthenticated) || refusal.Is(err, refusal.SandboxEnded) {
		ClearSessionCookie(c.writer)
	}
	return err
}
