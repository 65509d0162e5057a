package admission

import (
	"context"
	"encoding/hex"

	"pocbakery/pkg/refusal"
)

// Human is the human check. Nil is a pass, and what is no pass is a refusal
// (turnstile-failed, turnstile-unavailable, misconfigured), never a doubt.
type Human interface {
	// Check asks whether this token is a person's. retry is a UUID, the same for
	// every try of one admission: a token that an earlier try spent passes again
	// under it.
	Check(ctx context.Context, token, retry string) error
}

// needsToken reports whether who comes so has to show that they are a person.
// Who signed in has shown it to somebody else.
func (k Kind) needsToken() bool { return k == Guest || k == Demo }

// missing refuses who brings no token where one is needed, before anything is read.
func (r Request) missing() error {
	if r.Kind.needsToken() && r.TurnstileToken == "" {
		return refusal.At(refusal.TurnstileMissing, "turnstile_token", "Guests and demo accounts show that they are people: send the human check's token.")
	}
	return nil
}

// check asks the human check, once for an admission however often it is decided
// anew. It comes after what a read has told: a repeat, whose token was spent by
// its first try, is answered without it, and so is who is turned away anyway.
func (d *Desk) check(ctx context.Context, e *entry) error {
	if d.human == nil {
		return refusal.New(refusal.Misconfigured, "There is no human check.")
	}
	if err := d.human.Check(ctx, e.request.TurnstileToken, e.retry); err != nil {
		return err
	}
	e.isHuman = true
	return nil
}

// retryID is the UUID of an admission's human check, from the keyed hash of its
// key. It says version 8: made in a way of our own.
func retryID(sum [32]byte) string {
	b := sum[:16]
	b[6] = b[6]&0x0f | 0x80
	b[8] = b[8]&0x3f | 0x80
	h := hex.EncodeToString(b)
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}
