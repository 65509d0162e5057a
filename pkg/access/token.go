package access

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"io"
	"strings"
	"unicode/utf8"

	"pocbakery/pkg/hub"
	"pocbakery/pkg/refusal"
)

const (
	apiTokenPrefix = "pb_"
	apiTokenEnd    = "." // of the hub's id
	secretBytes    = 32
	tagBytes       = 8 // so that one made up costs no read; the secret's hash is what counts
	// prefixChars is how much of a token's secret part its owner knows it by: 36
	// of its 256 bits.
	prefixChars = 6
	maxHubChars = 40
	// MaxTokenName is how long a token's name is at most, in characters.
	MaxTokenName = 80

	apiTokenPurpose = "api token"
)

// roleOf is the letter by which a token says what its holder is.
var roleOf = map[byte]hub.Role{'b': hub.Baker, 'c': hub.Customer}

// IsToken reports whether a credential wants to be an API token.
func IsToken(credential string) bool { return strings.HasPrefix(credential, apiTokenPrefix) }

// Token reads an API token: who its holder is to which hub, if the hub still
// knows it. What is none of ours is refused, without a read.
func (s *Sessions) Token(text string) (hub.Who, error) {
	who, ok := s.ring.readToken(text)
	if !ok {
		return hub.Who{}, refusal.New(refusal.Unauthenticated, "This is no token of ours.")
	}
	return who, nil
}

// readToken reads "pb_", hub, ".", and in base 64 the secret, the role's letter
// and the tag over all that.
func (k *Keyring) readToken(text string) (hub.Who, bool) {
	id, secret, ok := strings.Cut(strings.TrimPrefix(text, apiTokenPrefix), apiTokenEnd)
	if !IsToken(text) || !ok || id == "" || len(id) > maxHubChars || strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789") != "" ||
		len(secret) != tokenText.EncodedLen(secretBytes+1+tagBytes) || strings.ContainsAny(secret, "\r\n") {
		return hub.Who{}, false
	}
	b, err := tokenText.DecodeString(secret)
	if err != nil {
		return hub.Who{}, false
	}
	body, tag := b[:secretBytes+1], b[secretBytes+1:]
	role, ok := roleOf[body[secretBytes]]
	if !ok || !k.tagged(id, body, tag) {
		return hub.Who{}, false
	}
	hash := sha256.Sum256(body[:secretBytes])
	return hub.Who{Hub: hub.ID(id), Role: role, Token: tokenID(hash), TokenHash: hash}, true
}

func (k *Keyring) tagged(id string, body, tag []byte) bool {
	for _, key := range k.keys(apiTokenPurpose) {
		if want := key.tag(id, body); hmac.Equal(want, tag) {
			return true
		}
	}
	return false
}

func (k *key) tag(id string, body []byte) []byte {
	sum := k.sum(func(buf []byte) []byte { return append(append(buf, body...), id...) })
	return sum[:tagBytes]
}

// tokenID is what a token is called: 80 bits of its hash.
func tokenID(hash [sha256.Size]byte) string { return tokenIDText.EncodeToString(hash[:10]) }

var tokenIDText = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// Tokens makes API tokens and keeps their hashes in the hubs they are for.
type Tokens struct {
	engine *hub.Engine
	ring   *Keyring
	random io.Reader
}

// NewTokens makes tokens of randomness that nobody can guess.
func NewTokens(e *hub.Engine, ring *Keyring, random io.Reader) *Tokens {
	return &Tokens{engine: e, ring: ring, random: random}
}

// Make makes a token that may do what its maker may. Its text is returned here
// and never again.
func (t *Tokens) Make(ctx context.Context, who hub.Who, name string) (made hub.Token, text string, err error) {
	if n := utf8.RuneCountInString(name); n < 1 || n > MaxTokenName || !utf8.ValidString(name) {
		return hub.Token{}, "", refusal.At(refusal.Invalid, "name", "A token has a name of 1 to 80 characters.")
	}
	body := make([]byte, secretBytes+1, secretBytes+1+tagBytes)
	if _, err := io.ReadFull(t.random, body[:secretBytes]); err != nil {
		return hub.Token{}, "", err
	}
	body[secretBytes] = who.Role[0]
	hash := sha256.Sum256(body[:secretBytes])
	tag := t.ring.keys(apiTokenPurpose)[0].tag(string(who.Hub), body)
	shown := apiTokenPrefix + string(who.Hub) + apiTokenEnd
	secret := tokenText.EncodeToString(append(body, tag...))
	made, err = t.engine.KeepToken(ctx, who, hub.Token{
		ID: tokenID(hash), Name: name, Prefix: shown + secret[:prefixChars], Hash: hash,
	})
	if err != nil {
		return hub.Token{}, "", err
	}
	return made, shown + secret, nil
}

// List lists the tokens of a hub.
func (t *Tokens) List(ctx context.Context, who hub.Who) ([]hub.Token, error) {
	return t.engine.Tokens(ctx, who)
}

// Revoke ends a token at once.
func (t *Tokens) Revoke(ctx context.Context, who hub.Who, id string) error {
	return t.engine.RevokeToken(ctx, who, id)
}
