package api

import (
	"net/http"
	"time"

	"pocbakery/pkg/access"
)

// The names of the cookies. Their prefix makes the browser hold us to Secure,
// Path=/ and no Domain.
const (
	SessionCookie  = "__Host-session"      // a session's token
	IdentityCookie = access.IdentityCookie // that of who signed in
)

// SetSessionCookie hands a session to a browser, until the session's end; a
// zero end is the browser's own.
func SetSessionCookie(w http.ResponseWriter, token string, ends time.Time) {
	setCookie(w, SessionCookie, token, ends)
}

// ClearSessionCookie takes the session from a browser.
func ClearSessionCookie(w http.ResponseWriter) { clearCookie(w, SessionCookie) }

// SetIdentityCookie hands an identity's token to a browser, for as long as it
// is good.
func SetIdentityCookie(w http.ResponseWriter, token string, i access.Identity) {
	setCookie(w, IdentityCookie, token, i.EndsAt())
}

func setCookie(w http.ResponseWriter, name, value string, ends time.Time) {
	http.SetCookie(w, &http.Cookie{Name: name, Value: value, Path: "/", Expires: ends, HttpOnly: true, Secure: true, SameSite: http.SameSiteLaxMode})
}

func clearCookie(w http.ResponseWriter, name string) {
	http.SetCookie(w, &http.Cookie{Name: name, Path: "/", MaxAge: -1, HttpOnly: true, Secure: true, SameSite: http.SameSiteLaxMode})
}
