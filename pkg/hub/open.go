package hub

import (
	"context"
	"crypto/sha256"
	"slices"
	"time"

	"pocbakery/pkg/refusal"
	"pocbakery/pkg/store"
)

// Who is asking: the hub a credential names, and the session it belongs to.
type Who struct {
	Hub     ID
	Session string // empty for a credential that no session stands behind
	Role    Role
	// Token is the id of the API token that asks, and TokenHash the hash of its
	// secret; empty where none does.
	Token     string
	TokenHash [sha256.Size]byte
	// EndsAt is when the credential ends, as it says itself; zero for never.
	EndsAt time.Time
	// MadeAt is when the credential was made, as it says itself; zero for one
	// that signing out everywhere does not end.
	MadeAt time.Time
}

// Role is what somebody is in a shop.
type Role string

// The roles. A baker works on both sides of the counter.
const (
	Baker    Role = "baker"
	Customer Role = "customer"
)

// View is a hub as one strong read found it: its root, and the items asked
// for, in the order asked.
type View struct {
	Root  Root
	Now   Now
	Items []store.Item
}

// Open reads a hub's root and further items of it in one request, and refuses
// who has no business there: 410 where the hub is over, 401 where the session
// was signed out or the token revoked.
func (e *Engine) Open(ctx context.Context, who Who, sks ...string) (View, error) {
	wall := e.Wall()
	if !who.EndsAt.IsZero() && !wall.Before(who.EndsAt) {
		return View{}, Over()
	}
	keys := make([]store.Key, 0, len(sks)+2)
	keys = append(keys, store.Key{PK: string(who.Hub), SK: RootSK})
	for _, sk := range sks {
		keys = append(keys, store.Key{PK: string(who.Hub), SK: sk})
	}
	credential := slices.Index(sks, who.credentialSK()) + 1 // a batch names an item once
	if sk := who.credentialSK(); sk != "" && credential == 0 {
		keys, credential = append(keys, store.Key{PK: string(who.Hub), SK: sk}), len(keys)
	}
	items, err := e.store.Get(ctx, wall, keys...)
	if err != nil {
		return View{}, err
	}
	root := RootOf(who.Hub, items[0])
	if who.Token != "" {
		if err := e.admitToken(ctx, who, root, wall, items[credential]); err != nil {
			return View{}, err
		}
	}
	if !root.Exists || root.EndedAt(wall) {
		return View{}, Over()
	}
	if who.Token == "" && who.Session != "" && items[credential].Exists() {
		return View{}, refusal.New(refusal.Unauthenticated, "This session was signed out.")
	}
	if err := root.Admits(who.MadeAt); err != nil {
		return View{}, err
	}
	return View{Root: root, Now: root.Now(wall), Items: items[1 : 1+len(sks)]}, nil
}

// Admits refuses a credential that was made before everybody was signed out.
func (r Root) Admits(madeAt time.Time) error {
	if !madeAt.IsZero() && !madeAt.After(r.NotBefore) {
		return refusal.New(refusal.Unauthenticated, "This was signed out everywhere. Sign in again.")
	}
	return nil
}

// credentialSK names the item that says whether a credential is still good.
func (w Who) credentialSK() string {
	switch {
	case w.Token != "":
		return tokensSK
	case w.Session != "":
		return revokedSK(w.Session)
	}
	return ""
}

// OpenToChange opens a hub for a command that changes something, if the gate
// lets it pass.
func (e *Engine) OpenToChange(ctx context.Context, who Who, sks ...string) (View, error) {
	if e.Gate != nil {
		if err := e.Gate(ctx); err != nil {
			return View{}, err
		}
	}
	return e.Open(ctx, who, sks...)
}

// Over is the refusal of a hub that has ended.
func Over() error {
	return refusal.New(refusal.SandboxEnded, "This sandbox is over, and everything in it is gone.")
}

// keepRevoked is how long past a session's own end it is known that it was
// signed out.
const keepRevoked = 24 * time.Hour

func revokedSK(session string) string { return "revoked#" + session }

// Revoke signs a session out, for good: from then on a repeat of the admission
// hands out no other. Asked again it changes nothing. Who asks by a token ends
// that.
func (e *Engine) Revoke(ctx context.Context, who Who) error {
	if who.Token != "" {
		return e.RevokeToken(ctx, who, who.Token)
	}
	view, err := e.Open(ctx, who)
	if err != nil {
		return err
	}
	mark := store.Fields{}
	if !who.EndsAt.IsZero() { // in a hub that ends, the hub's goes over it
		mark[store.FieldTTL] = who.EndsAt.Add(keepRevoked).Unix()
	}
	return e.Commit(ctx, view.Root, view.Now,
		store.Put(view.Root.Key(revokedSK(who.Session)), store.If().OrAbsent(), mark),
		store.Write{
			Op: store.OpUpdate, Key: view.Root.Key(RootSK), Guard: store.If(), Set: store.Fields{fieldSignedOut: true},
		})
}
