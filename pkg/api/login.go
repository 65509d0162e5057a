package api

import (
	"net/http"
)

// Where browsers sign in. These two answer with redirects and pages, so they
// are no routes of the table.
const (
	loginPath    = "/v1/login"
	callbackPath = "/v1/login/callback"
)

func (s *server) signIn(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodGet:
		s.SignIn.ServeHTTP(w, r)
	case http.MethodOptions:
		w.Header().Set("Allow", "GET, OPTIONS")
		w.WriteHeader(http.StatusNoContent)
	default:
		s.methodNotAllowed(w, r, "GET, OPTIONS")
	}
}
