package api

import (
	"context"
	"net/http"
	"time"

	"pocbakery/pkg/access"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/refusal"
)

// place is the hub that a route acts on.
type place int

const (
	shopHub    place = iota // the credential's, which has a shop
	anyHub                  // the credential's, whatever it is
	plannerHub              // that of who signed in, if somebody has, else the credential's
)

// Planner is whose planner a request is about. An Authorization header outranks
// the cookies; among these an identity outranks the session and suffices alone,
// and one that is no good is nobody, not the session. In the hub of an account
// the asking is a visit, and the first makes it.
func (d *Door) Planner(ctx context.Context, r *http.Request) (hub.Who, error) {
	who, _, err := d.plannerAt(ctx, r, d.clock())
	return who, err
}

func (d *Door) plannerAt(ctx context.Context, r *http.Request, now time.Time) (hub.Who, access.Session, error) {
	_, header := r.Header[authorization]
	if !header && len(r.CookiesNamed(IdentityCookie)) > 0 {
		i, err := d.identityAt(r, now)
		if err != nil {
			return hub.Who{}, access.Session{}, err
		}
		who, err := d.accounts.Enter(ctx, i)
		return who, access.Session{}, err
	}
	who, session, err := d.credentialAt(r, now)
	if err == nil && access.IsAccountHub(who.Hub) {
		err = d.accounts.Visit(ctx, who)
	}
	return who, session, err
}

// accountAt is the account that a request speaks for, by its identity or by a
// session of the account's hub. Nothing is read.
func (d *Door) accountAt(r *http.Request, now time.Time) (hub.Who, error) {
	_, header := r.Header[authorization]
	if !header && len(r.CookiesNamed(IdentityCookie)) > 0 {
		i, err := d.identityAt(r, now)
		return hub.Who{Hub: i.Hub(), Role: hub.Baker, MadeAt: i.MadeAt}, err
	}
	who, _, err := d.credentialAt(r, now)
	switch {
	case err != nil:
		return hub.Who{}, err
	case who.Token != "":
		return hub.Who{}, refusal.New(refusal.Forbidden, "An API token may not do this: it takes a session.")
	case !access.IsAccountHub(who.Hub):
		return hub.Who{}, unauthenticated("This needs somebody who is signed in: open /v1/login in a browser.")
	}
	return who, nil
}

func crossOrigin() error {
	return refusal.New(refusal.CrossOrigin, "This command was sent by a page of another site.")
}

// at finds who asks for a route, and in which hub.
func (s *server) at(rt *route, c *call) (err error) {
	now := nowOf(c.writer)
	if rt.who == signed {
		c.who, err = s.door.accountAt(c.request, now)
		return err
	}
	if rt.on == plannerHub {
		if CrossOrigin(c.request) { // before a visit is noted
			return crossOrigin()
		}
		c.who, c.session, err = s.door.plannerAt(c.ctx, c.request, now)
		return err
	}
	if c.who, c.session, err = s.door.credentialAt(c.request, now); err != nil {
		return err
	}
	if rt.on == shopHub && access.IsAccountHub(c.who.Hub) {
		return refusal.New(refusal.NoShop, "The own hub of an account has no shop: start a sandbox, and ask with its session.")
	}
	return nil
}
