package planner

import (
	"context"
	"crypto/subtle"
	"encoding/hex"
	"strings"

	"pocbakery/pkg/hub"
	"pocbakery/pkg/localtime"
	"pocbakery/pkg/refusal"
)

const unsubscribePurpose = "planner unsubscribe"

// unsubscribeKey is the secret of a mail by which its reader ends the mails: it
// names its hub, signed.
func (p *Service) unsubscribeKey(id hub.ID) string {
	sum := p.MAC(unsubscribePurpose, string(id))
	return string(id) + "." + hex.EncodeToString(sum[:16])
}

// Unsubscribe ends the briefings by mail of whoever has the key; those in the
// hub go on. Asked again it changes nothing. It is no visit, and wakes nobody.
func (p *Service) Unsubscribe(ctx context.Context, key string) error {
	name, _, _ := strings.Cut(key, ".")
	id := hub.ID(name)
	if subtle.ConstantTimeCompare([]byte(p.unsubscribeKey(id)), []byte(key)) != 1 {
		return refusal.New(refusal.Unauthenticated, "This is not the way out that a mail of ours has.")
	}
	return again(ctx, func() error {
		view, err := p.Engine.Open(ctx, hub.Who{Hub: id})
		if refusal.Is(err, refusal.SandboxEnded) {
			return nil // whose hub is gone gets no mail
		}
		if err != nil {
			return err
		}
		s, err := p.load(ctx, view, localtime.Date{})
		if err != nil {
			return err
		}
		s.head.NoMail = true
		return p.commit(ctx, s, true)
	})
}
