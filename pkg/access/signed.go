package access

import (
	"crypto/hmac"
	"encoding/base64"
	"strings"
)

// tokenText is the base 64 of a token. It has one spelling of each: strict
// about the last bits.
var tokenText = base64.RawURLEncoding.Strict()

// sign is a token of ours: the prefix and the base 64 of the first key's kid,
// the body and the signature over both.
func (k *Keyring) sign(purpose, prefix string, body func([]byte) []byte) string {
	first := k.keys(purpose)[0]
	b := body(append(make([]byte, 0, 256), first.kid[:]...))
	mac := first.sum(func(buf []byte) []byte { return append(buf, b...) })
	return prefix + tokenText.EncodeToString(append(b, mac[:macBytes]...))
}

// signed is the body of a token that a key of the ring has signed for this
// purpose. What is longer than maxBytes is not decoded: it may be anybody's.
func (k *Keyring) signed(purpose, prefix, token string, maxBytes int) (body []byte, ok bool) {
	text, ok := strings.CutPrefix(token, prefix)
	// The decoder skips line ends, which would give a token more than one spelling.
	if !ok || len(text) > maxBytes || strings.ContainsAny(text, "\r\n") {
		return nil, false
	}
	b, err := tokenText.DecodeString(text)
	if err != nil || len(b) < kidBytes+macBytes {
		return nil, false
	}
	b, mac := b[:len(b)-macBytes], b[len(b)-macBytes:]
	for _, key := range k.keys(purpose) {
		if key.kid != [kidBytes]byte(b) {
			continue
		}
		want := key.sum(func(buf []byte) []byte { return append(buf, b...) })
		if hmac.Equal(want[:macBytes], mac) {
			return b[kidBytes:], true
		}
	}
	return nil, false
}
