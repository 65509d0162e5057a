package planner

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"pocbakery/pkg/calendar"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/localtime"
	"pocbakery/pkg/refusal"
)

// Sealer keeps secrets from whoever reads the table or a cookie. *access.Keyring
// is one, with a source of randomness.
type Sealer interface {
	Seal(purpose, plain string, bound ...string) (string, error)
	Unseal(purpose, sealed string, bound ...string) (string, bool)
}

const (
	grantPurpose = "planner grant"
	loginPurpose = "planner google login"
	// LoginFor is how long a person has to consent.
	LoginFor = 10 * time.Minute
)

// Login is a way to Google's consent and back.
type Login struct {
	URL    string // of the consent
	Cookie string // sealed: what the way back is known by
}

// GoogleLogin begins to connect a calendar of Google's.
func (p *Service) GoogleLogin(_ context.Context, who hub.Who) (Login, error) {
	if p.Google == nil {
		return Login{}, noGoogle()
	}
	var b [48]byte
	if _, err := io.ReadFull(p.Random, b[:]); err != nil {
		return Login{}, err
	}
	state, verifier := hex.EncodeToString(b[:16]), base64.RawURLEncoding.EncodeToString(b[16:])
	until := p.Engine.Wall().Add(LoginFor).Unix()
	cookie, err := p.Seals.Seal(loginPurpose, fmt.Sprintf("%s %s %d", state, verifier, until), string(who.Hub))
	if err != nil {
		return Login{}, err
	}
	sum := sha256.Sum256([]byte(verifier))
	return Login{p.Google.AuthURL(state, base64.RawURLEncoding.EncodeToString(sum[:])), cookie}, nil
}

// verifier is what the way to the consent was sealed with, if this is the way back.
func (p *Service) verifier(who hub.Who, n NewCalendar) (string, error) {
	if p.FreeCode != "" && n.Code == p.FreeCode {
		return "", nil
	}
	plain, ok := p.Seals.Unseal(loginPurpose, n.Cookie, string(who.Hub))
	if parts := strings.Split(plain, " "); ok && len(parts) == 3 {
		until, _ := strconv.ParseInt(parts[2], 10, 64)
		if subtle.ConstantTimeCompare([]byte(parts[0]), []byte(n.State)) == 1 && p.Engine.Wall().Unix() < until {
			return parts[1], nil
		}
	}
	return "", invalid("state", "This is not the way back from a consent that was asked for here within 10 minutes.")
}

// grant fills in who lets us in to a calendar of Google's, and to which.
func (p *Service) grant(ctx context.Context, who hub.Who, s *state, c *Calendar, n NewCalendar) error {
	if p.Google == nil {
		return noGoogle()
	}
	var g calendar.Grant
	if n.Code != "" {
		verifier, err := p.verifier(who, n)
		if err != nil {
			return err
		}
		if g, err = p.Google.Grant(ctx, n.Code, verifier); err != nil {
			return notTaken(err)
		}
	} else { // another calendar of somebody who has let us in
		var ok bool
		if g, ok = p.granted(s); !ok {
			return invalid("code", "Google has not let us in yet.")
		}
	}
	all, err := p.Google.Calendars(ctx, g)
	if err != nil {
		return notTaken(err)
	}
	i := 0
	if n.Foreign != "" {
		i = slices.IndexFunc(all, func(l calendar.Listed) bool { return l.ID == n.Foreign })
	}
	if i < 0 || len(all) == 0 {
		return invalid("calendar_id", "Google has no such calendar for you.")
	}
	c.Foreign, c.Name = all[i].ID, cut(all[i].Name, maxName)
	c.Address, err = p.Seals.Seal(grantPurpose, string(g), string(who.Hub), c.ID)
	return err
}

func notTaken(err error) error {
	if errors.Is(err, calendar.ErrReconnect) {
		return invalid("code", "Google does not take this code, or no longer.")
	}
	return invalid("code", "Google could not be asked. Try again.")
}

func noGoogle() error { return invalid("kind", "Calendars of Google's are not set up here.") }

// grantOf is a calendar's grant; ok is false for one that was sealed under keys
// that are gone.
func (p *Service) grantOf(id hub.ID, c *Calendar) (calendar.Grant, bool) {
	g, ok := p.Seals.Unseal(grantPurpose, c.Address, string(id), c.ID)
	return calendar.Grant(g), ok
}

// granted is a grant that somebody gave before.
func (p *Service) granted(s *state) (calendar.Grant, bool) {
	for _, c := range s.cals {
		if c.Kind == Google && c.State != CalendarReconnect {
			return p.grantOf(s.root.ID, c)
		}
	}
	return "", false
}

// Offered lists what else of Google's can be connected.
func (p *Service) Offered(ctx context.Context, who hub.Who) ([]calendar.Listed, error) {
	s, err := p.read(ctx, who, localtime.Date{})
	if err != nil {
		return nil, err
	}
	if p.Google == nil {
		return nil, nil
	}
	g, ok := p.granted(s)
	if !ok {
		return nil, nil
	}
	all, err := p.Google.Calendars(ctx, g)
	if err != nil {
		return nil, notTaken(err)
	}
	return all, nil
}

// fetchGoogle asks Google for a calendar.
func (p *Service) fetchGoogle(ctx context.Context, id hub.ID, c *Calendar, last calendar.State, wall time.Time) (calendar.Fetched, error) {
	if p.Google == nil {
		return calendar.Fetched{}, calendar.ErrUnread
	}
	g, ok := p.grantOf(id, c)
	if !ok {
		return calendar.Fetched{}, calendar.ErrReconnect
	}
	return p.Google.Fetch(ctx, g, c.Foreign, last, wall)
}

// LetGo stops the channels of a hub that is to end, and takes back what its
// person granted. What cannot be undone now ends by itself.
func (p *Service) LetGo(ctx context.Context, id hub.ID) error {
	view, err := p.Engine.Open(ctx, hub.Who{Hub: id})
	if refusal.Is(err, refusal.SandboxEnded) {
		return nil
	}
	if err != nil {
		return err
	}
	s, err := p.load(ctx, view, localtime.Date{})
	if err != nil {
		return err
	}
	for _, c := range s.cals {
		s.drop = append(s.drop, dropped{c, c.Watches, true})
	}
	p.letGo(ctx, s)
	return nil
}
