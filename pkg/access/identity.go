package access

import (
	"encoding/binary"
	"math"
	"strconv"
	"time"
	"unicode/utf8"

	"pocbakery/pkg/refusal"
)

// IdentityCookie is the name of the cookie that carries an identity's token. Its
// prefix makes the browser hold us to Secure, Path=/ and no Domain.
const IdentityCookie = "__Host-identity"

// IdentityFor is how long a sign-in is good for.
const IdentityFor = 30 * 24 * time.Hour

const (
	identityPurpose = "identity"
	identityPrefix  = "i1."
	identityVersion = 1

	// The bounds of what a provider says of somebody, in bytes. A cookie has
	// 4,096 in all, and a browser drops a longer one without a word.
	maxIssuer   = 512
	maxSubject  = 255 // as OpenID Connect has it
	maxName     = 200
	maxEmail    = 254 // as a mail server has it
	maxIdentity = 2048
)

// Identity is who somebody is, as their provider says.
type Identity struct {
	Issuer  string // the provider
	Subject string // its name for them, which it gives nobody else
	Name    string // for people to read; may be anything, and anybody's
	Email   string // only if the provider has verified it; may be empty
	MadeAt  time.Time
}

// EndedAt reports whether the sign-in is too old: it is at 30 days, and from
// then on.
func (i Identity) EndedAt(now time.Time) bool { return !now.Before(i.EndsAt()) }

// EndsAt is when the sign-in is too old.
func (i Identity) EndsAt() time.Time { return i.MadeAt.Add(IdentityFor) }

// Account names the one account of this identity: its issuer and its subject,
// told apart, and nothing that another could look like. Empty for nobody.
func (i Identity) Account() string {
	if i.Subject == "" {
		return ""
	}
	return strconv.Itoa(len(i.Issuer)) + ":" + i.Issuer + i.Subject
}

// check refuses an identity that no token can carry, and shortens a name.
func (i *Identity) check() error {
	switch {
	case i.Issuer == "" || len(i.Issuer) > maxIssuer:
		return refusal.At(refusal.Invalid, "issuer", "An issuer has 1 to 512 bytes.")
	case i.Subject == "" || len(i.Subject) > maxSubject:
		return refusal.At(refusal.Invalid, "subject", "A subject has 1 to 255 bytes.")
	case len(i.Email) > maxEmail:
		return refusal.At(refusal.Invalid, "email", "An e-mail address has at most 254 bytes.")
	}
	for _, text := range []string{i.Issuer, i.Subject, i.Name, i.Email} {
		if !utf8.ValidString(text) {
			return refusal.New(refusal.Invalid, "What a provider says is UTF-8.")
		}
	}
	for len(i.Name) > maxName {
		_, n := utf8.DecodeLastRuneInString(i.Name)
		i.Name = i.Name[:len(i.Name)-n]
	}
	return nil
}

// SignIdentity is the token of an identity: "i1." and the URL-safe base 64 of
//
//	kid (4) | version (1) | made (8, unix ms) | issuer | subject | name | email | mac (16)
//
// where each text has its length in front, in two bytes. A name that is too
// long for a cookie is cut; anything else that is too long is refused.
func (s *Sessions) SignIdentity(i Identity) (string, error) {
	if err := i.check(); err != nil {
		return "", err
	}
	return s.ring.sign(identityPurpose, identityPrefix, func(b []byte) []byte {
		b = append(b, identityVersion)
		b = binary.BigEndian.AppendUint64(b, uint64(i.MadeAt.UnixMilli()))
		for _, text := range []string{i.Issuer, i.Subject, i.Name, i.Email} {
			b = binary.BigEndian.AppendUint16(b, uint16(len(text)))
			b = append(b, text...)
		}
		return b
	}), nil
}

// Identity reads the token of an identity. What is none of ours and what is
// too old is refused as unauthenticated: they sign in again.
func (s *Sessions) Identity(token string, now time.Time) (Identity, error) {
	body, ok := s.ring.signed(identityPurpose, identityPrefix, token, maxIdentity)
	if !ok {
		return Identity{}, refusal.New(refusal.Unauthenticated, "This is no sign-in of ours.")
	}
	i, ok := decodeIdentity(body)
	switch {
	case !ok:
		return Identity{}, refusal.New(refusal.Unauthenticated, "This is no sign-in of ours.")
	case i.EndedAt(now):
		return Identity{}, refusal.New(refusal.Unauthenticated, "You signed in over 30 days ago. Sign in again.")
	}
	return i, nil
}

func decodeIdentity(b []byte) (i Identity, ok bool) {
	if len(b) < 9 || b[0] != identityVersion {
		return Identity{}, false
	}
	made := binary.BigEndian.Uint64(b[1:9])
	if made > math.MaxInt64/uint64(time.Millisecond) {
		return Identity{}, false
	}
	i.MadeAt = time.UnixMilli(int64(made)).UTC()
	b = b[9:]
	for _, into := range []*string{&i.Issuer, &i.Subject, &i.Name, &i.Email} {
		if len(b) < 2 {
			return Identity{}, false
		}
		n := int(binary.BigEndian.Uint16(b))
		if b = b[2:]; len(b) < n {
			return Identity{}, false
		}
		*into, b = string(b[:n]), b[n:]
	}
	return i, len(b) == 0 && i.check() == nil
}
