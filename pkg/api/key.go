package api

import (
	"fmt"
	"net/http"
	"strings"

	"pocbakery/pkg/refusal"
)

// keyRule says what a route does with an Idempotency-Key.
type keyRule int

const (
	keyIgnored keyRule = iota
	keyOptional
	keyRequired
	keySecret // required, and hard to guess: repeating it hands out a session
)

const keyHeader = "Idempotency-Key"

// Bounds of a key, in characters, the quotes not counted.
const (
	minKey       = 8
	maxKey       = 128
	minSecretKey = 22
	minKeyKinds  = 8 // different characters of a secret one
)

// idempotencyKey reads the key of a request by the route's rule.
func idempotencyKey(h http.Header, rule keyRule) (string, error) {
	if rule == keyIgnored {
		return "", nil
	}
	values := h[keyHeader]
	if len(values) == 0 {
		if rule == keyOptional {
			return "", nil
		}
		return "", refusal.At(refusal.KeyMissing, keyHeader, "This request needs an Idempotency-Key.")
	}
	if len(values) > 1 {
		return "", keyInvalid("A request has one Idempotency-Key, this one has several.")
	}
	key, ok := unquoteKey(strings.Trim(values[0], " \t"))
	if !ok {
		return "", keyInvalid(fmt.Sprintf("An Idempotency-Key is %d to %d visible characters of ASCII, with quotes around it or without.", minKey, maxKey))
	}
	if rule == keySecret && (len(key) < minSecretKey || kinds(key) < minKeyKinds) {
		return "", keyInvalid(fmt.Sprintf("The key of a sandbox is a secret: at least %d characters, of at least %d kinds.", minSecretKey, minKeyKinds))
	}
	return key, nil
}

func keyInvalid(detail string) error { return refusal.At(refusal.KeyInvalid, keyHeader, detail) }

// unquoteKey takes the quotes of a structured field's string away, and the
// backslashes that it puts before a quote and a backslash.
func unquoteKey(s string) (string, bool) {
	if strings.HasPrefix(s, `"`) {
		inner, ok := strings.CutSuffix(s[1:], `"`)
		if !ok {
			return "", false
		}
		if s, ok = unescape(inner); !ok {
			return "", false
		}
	}
	return s, len(s) >= minKey && len(s) <= maxKey && visible(s)
}

func unescape(s string) (string, bool) {
	if !strings.ContainsAny(s, `"\`) {
		return s, true
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '"' {
			return "", false
		}
		if s[i] == '\\' {
			if i++; i == len(s) || (s[i] != '"' && s[i] != '\\') {
				return "", false
			}
		}
		b = append(b, s[i])
	}
	return string(b), true
}

// visible reports whether a text is made of visible characters of ASCII only.
func visible(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

func kinds(s string) (n int) {
	var seen [256]bool
	for i := range len(s) {
		if !seen[s[i]] {
			seen[s[i]] = true
			n++
		}
	}
	return n
}
