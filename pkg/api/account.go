package api

import (
	"net/http"

	"pocbakery/pkg/refusal"
)

type returnBody struct {
	Kind text `json:"kind" enum:"account" doc:"What to return to: the own hub of who signed in"`
}

type returnedJSON struct {
	Session heldJSON `json:"session"`
}

// heldJSON is a session that is handed out.
type heldJSON struct {
	Token string `json:"token" doc:"For Authorization: Bearer"`
	sessionJSON
}

// enter returns to the own hub of who signed in, without a sandbox.
func (s *server) enter(c *call, _ *returnBody) (out returnedJSON, err error) {
	i, err := s.door.identityAt(c.request, nowOf(c.writer))
	if err != nil {
		return out, err
	}
	session, token, err := s.Accounts.Session(c.ctx, i)
	if err != nil {
		return out, err
	}
	SetSessionCookie(c.writer, token, session.EndsAt)
	c.writer.Header()["Location"] = []string{"/v1/session"}
	out.Session = heldJSON{token, sessionJSON{session.Kind, session.Role, instant(session.EndsAt)}}
	return out, nil
}

type logoutQuery struct {
	Everywhere text `json:"everywhere,omitempty" enum:"true,false" doc:"Also end every other session and sign-in of the account"`
}

// logout takes both cookies from the browser and ends the session of one. A
// credential that is no good already is no reason to keep it.
func (s *server) logout(c *call, in *logoutQuery) error {
	now := nowOf(c.writer)
	if in.Everywhere == "true" {
		who, err := s.door.accountAt(c.request, now)
		if err == nil {
			err = s.Accounts.SignOutEverywhere(c.ctx, who)
		}
		if err != nil {
			return err
		}
	}
	if token, err := oneCookie(c.request, SessionCookie); err == nil && token != "" {
		session, err := s.Sessions.Verify(token, now)
		if err == nil {
			err = s.Revoker.Revoke(c.ctx, session.Who())
		}
		if err != nil && !refusal.Is(err, refusal.Unauthenticated) && !refusal.Is(err, refusal.SandboxEnded) {
			return err
		}
	}
	ForgetCookies(c.writer)
	return nil
}

// ForgetCookies takes both cookies from a browser.
func ForgetCookies(w http.ResponseWriter) {
	ClearSessionCookie(w)
	clearCookie(w, IdentityCookie)
}

// endAccount ends the own hub of an account, and signs everybody of it out.
func (s *server) endAccount(c *call) error {
	err := s.Accounts.End(c.ctx, c.who)
	if err == nil {
		ForgetCookies(c.writer)
	}
	return err
}
