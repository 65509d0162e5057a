package api

import (
	"context"
	"time"

	"pocbakery/pkg/access"
	"pocbakery/pkg/hub"
)

// fakeAccounts are own hubs that come into being when they are asked for. It
// believes nobody from notBefore on.
type fakeAccounts struct {
	sessions  *access.Sessions
	visits    []hub.ID
	made      []hub.ID
	ended     []hub.ID
	notBefore time.Time
	fail      error
}

func (f *fakeAccounts) admits(madeAt time.Time) error {
	return cmpErr(f.fail, hub.Root{NotBefore: f.notBefore}.Admits(madeAt))
}

func (f *fakeAccounts) Enter(_ context.Context, i access.Identity) (hub.Who, error) {
	if err := f.admits(i.MadeAt); err != nil {
		return hub.Who{}, err
	}
	f.made, f.visits = append(f.made, i.Hub()), append(f.visits, i.Hub())
	return hub.Who{Hub: i.Hub(), Role: hub.Baker, EndsAt: i.EndsAt(), MadeAt: i.MadeAt}, nil
}

func (f *fakeAccounts) Visit(_ context.Context, who hub.Who) error {
	f.visits = append(f.visits, who.Hub)
	return f.admits(who.MadeAt)
}

func (f *fakeAccounts) Vouch(_ context.Context, i access.Identity) error { return f.admits(i.MadeAt) }

func (f *fakeAccounts) Session(ctx context.Context, i access.Identity) (access.Session, string, error) {
	if _, err := f.Enter(ctx, i); err != nil {
		return access.Session{}, "", err
	}
	s := accountSession(i)
	return s, f.sessions.Sign(s), nil
}

func accountSession(i access.Identity) access.Session {
	return access.Session{Hub: i.Hub(), Kind: "account", Role: hub.Baker, ID: "session-of-an-account", EndsAt: noon.AddDate(0, 0, 30), MadeAt: noon}
}

func (f *fakeAccounts) SignOutEverywhere(_ context.Context, who hub.Who) error {
	err := f.admits(who.MadeAt)
	if err == nil {
		f.notBefore = noon
	}
	return err
}

func (f *fakeAccounts) End(ctx context.Context, who hub.Who) error {
	err := f.SignOutEverywhere(ctx, who)
	if err == nil {
		f.ended = append(f.ended, who.Hub)
	}
	return err
}
