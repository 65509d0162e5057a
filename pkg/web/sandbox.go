package web

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"pocbakery/pkg/bakery"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/refusal"
)

// step is how far the pages move the clock at a time: as long as a place is held.
const step = bakery.HoldFor

// advance moves the sandbox's clock. The storefront sends its whole form, with
// a key for this in clock: what is in the form is kept.
func (s *Site) advance(w http.ResponseWriter, r *http.Request) {
	back := next(r.PostForm.Get("next"), afterAdmission)
	if key := r.PostForm.Get("clock"); key != "" {
		back = shopURL(readBasket(r.PostForm).values())
		r.PostForm = url.Values{"key": {key}, "next": {back}, "seconds": {strconv.Itoa(int(step / time.Second))}}
	}
	who, ok := s.asker(w, r, back)
	if !ok {
		return
	}
	key, err := postedKey(r)
	if err == nil && who.Role != hub.Baker {
		err = refusal.New(refusal.Forbidden, "Only a baker moves the clock.")
	}
	if err == nil {
		seconds, bad := strconv.Atoi(r.PostForm.Get("seconds"))
		if bad != nil || seconds < 1 || seconds > 7*24*3600 {
			err = refusal.At(refusal.Invalid, "seconds", "The clock moves 1 second to 7 days at a time.")
		} else {
			_, err = s.Sandboxes.Advance(r.Context(), who, time.Duration(seconds)*time.Second, key)
		}
	}
	switch {
	case err == nil, refusal.Is(err, refusal.AdvanceRunning): // the clock stands at its target
		personal(w)
		http.Redirect(w, r, back, http.StatusSeeOther)
	default:
		s.failed(w, r, err, back)
	}
}

// end wipes the visitor's sandbox.
func (s *Site) end(w http.ResponseWriter, r *http.Request) {
	who, ok := s.asker(w, r, afterAdmission)
	if !ok {
		return
	}
	if who.Token != "" {
		s.refuse(w, r, refusal.New(refusal.Forbidden, "An API token may not end the shop it is for."))
		return
	}
	if err := s.Sandboxes.Wipe(r.Context(), who); err != nil {
		s.failed(w, r, err, afterAdmission)
		return
	}
	personal(w)
	http.Redirect(w, r, afterAdmission, http.StatusSeeOther)
}

// over is the page of a sandbox that has ended.
func (s *Site) over(w http.ResponseWriter, r *http.Request) {
	s.waysIn(w, r, http.StatusGone, "over", "Your copy of the shop is over", nil, "/shop")
}
