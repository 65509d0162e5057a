package local

import (
	"net/http"

	"pocbakery/pkg/local/google"
)

// maxEvents bounds the body that says what a calendar has, in bytes.
const maxEvents = 8 << 20

// calendars are the routes by which somebody is the owner of the calendars of
// Google's stand-in.
func (a *Admin) calendars(mux *http.ServeMux) {
	const events = "/_local/google/calendars/{id}/events"
	type body struct {
		Events []google.Event `json:"events"`
	}
	mux.HandleFunc("GET "+events, answer(func(r *http.Request) (any, error) {
		all, ok := a.Google.Events(r.PathValue("id"))
		if !ok {
			return nil, &problem{http.StatusNotFound, "no-such-calendar", "The demo account has no such calendar."}
		}
		return body{all}, nil
	}))
	mux.HandleFunc("PUT "+events, answer(func(r *http.Request) (any, error) {
		var in body
		if err := readUpTo(maxEvents, r, &in); err != nil {
			return nil, err
		}
		if err := a.Google.Set(r.PathValue("id"), in.Events); err != nil {
			return nil, Invalid(err.Error() + ".")
		}
		all, _ := a.Google.Events(r.PathValue("id"))
		return body{all}, nil
	}))
	mux.HandleFunc("PUT /_local/google/faults", answer(func(r *http.Request) (any, error) {
		var in google.Faults
		if err := read(r, &in); err != nil {
			return nil, err
		}
		faults, err := a.Google.SetFaults(in)
		if err != nil {
			return nil, Invalid(err.Error() + ".")
		}
		return faults, nil
	}))
	mux.HandleFunc("GET /_local/google/counts", answer(func(*http.Request) (any, error) { return a.Google.Counts(), nil }))
}
