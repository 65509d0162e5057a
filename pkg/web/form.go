package web

import (
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"pocbakery/pkg/refusal"
)

// form lets only sound forms of our own pages through.
func (s *Site) form(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if s.CrossOrigin(r) {
			s.refuse(w, r, refusal.New(refusal.CrossOrigin, "This form was sent from another site."))
			return
		}
		if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/x-www-form-urlencoded" {
			s.refuse(w, r, refusal.New(refusal.UnsupportedMedia, "This address takes the form of its own page."))
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		if err := r.ParseForm(); err != nil {
			var tooLarge *http.MaxBytesError
			if errors.As(err, &tooLarge) {
				s.refuse(w, r, refusal.New(refusal.BodyTooLarge, "A form has at most 16 KB."))
				return
			}
			s.refuse(w, r, refusal.New(refusal.MalformedBody, "This form could not be read."))
			return
		}
		next(w, r)
	}
}

// newKey is an idempotency key of 24 characters of chance.
func (s *Site) newKey() (string, error) {
	var b [18]byte
	if _, err := io.ReadFull(s.Random, b[:]); err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(b[:]), nil
}

// postedKey is the form's idempotency key: 8 to 128 visible characters.
func postedKey(r *http.Request) (string, error) {
	key := r.PostForm.Get("key")
	if key == "" {
		return "", refusal.New(refusal.KeyMissing, "The form came without its key. Open the page again and send it from there.")
	}
	if len(key) < 8 || len(key) > 128 || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", refusal.New(refusal.KeyInvalid, "The form's key is not one of ours. Open the page again and send it from there.")
	}
	return key, nil
}

// next is a path of this site to go to, or otherwise. Browsers read a
// backslash as a slash and drop control characters, so that neither may appear.
func next(path, otherwise string) string {
	if len(path) > 1024 || !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") ||
		strings.ContainsFunc(path, func(r rune) bool { return r == '\\' || r < ' ' || r == 0x7f || r == 0xfffd }) {
		return otherwise
	}
	return path
}
