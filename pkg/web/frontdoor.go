package web

import (
	"net/http"
	"net/url"

	"pocbakery/pkg/admission"
	"pocbakery/pkg/limit"
	"pocbakery/pkg/refusal"
	"pocbakery/pkg/sandbox"
)

// ways are the ways into a sandbox.
type ways struct {
	Card    *card
	Signed  bool
	Key     string
	Next    string
	Ends    string // when a copy lent now ends
	Zone    string // empty where the card names it
	SiteKey string // of the human check
	CanSign bool   // people can sign in
	Name    string // of who has; empty for nobody
}

// afterAdmission is where a new visitor starts.
const afterAdmission = "/shop"

func (s *Site) frontDoor(w http.ResponseWriter, r *http.Request) {
	s.waysIn(w, r, http.StatusOK, "front", "Orders for pickup", nil, afterAdmission)
}

func (s *Site) signIn(w http.ResponseWriter, r *http.Request) {
	s.waysIn(w, r, http.StatusOK, "signin", "Come in", nil, next(r.URL.Query().Get("next"), afterAdmission))
}

// waysIn renders a page with the ways into a sandbox on it, each form with its
// key.
func (s *Site) waysIn(w http.ResponseWriter, r *http.Request, status int, page, title string, c *card, then string) {
	personal(w)
	key, err := s.newKey()
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	_, signed, err := s.Who(r)
	signed = signed && err == nil && status != http.StatusGone
	now := s.Now()
	body := ways{Card: c, Signed: signed, Key: key, Next: then, Ends: s.words.at(sandbox.EndOf(now), now), Zone: s.words.zone.String(), SiteKey: s.SiteKey}
	if s.Account != nil {
		body.CanSign = true
		body.Name, _, _ = s.Account(r)
	}
	if s.SiteKey != "" {
		w.Header().Set("Content-Security-Policy", widgetPolicy)
	}
	f := frame{Title: title, At: page, Signed: signed}
	if c != nil {
		f.Here = "/sign-in?next=" + url.QueryEscape(then)
		if c.When != nil {
			body.Zone = ""
		}
	}
	f.Body = body
	s.render(w, r, status, page, f)
}

// admit lends a sandbox. Each choice has a key of its own, so that a visitor
// who goes back and chooses otherwise is not refused.
func (s *Site) admit(w http.ResponseWriter, r *http.Request) {
	then := next(r.PostForm.Get("next"), afterAdmission)
	key, err := postedKey(r)
	if err != nil {
		s.refuseWayIn(w, r, err, then)
		return
	}
	as := r.PostForm.Get("as")
	ask := admission.Request{
		Key: key + "-" + as, TurnstileToken: r.PostForm.Get("cf-turnstile-response"), Address: limit.AddressOf(r.RemoteAddr),
	}
	switch as {
	case "guest":
		ask.Kind = admission.Guest
	case "maja", "olle":
		ask.Kind, ask.DemoAccount = admission.Demo, as
	case "account":
		ask.Kind = admission.Account
		if s.Account != nil {
			_, ask.Subject, _ = s.Account(r)
		}
	default:
		s.refuseWayIn(w, r, refusal.At(refusal.Invalid, "as", "Choose one of the ways in."), then)
		return
	}
	a, err := s.Desk.Admit(r.Context(), ask)
	switch {
	case err == nil && a.Session == "":
		err = refusal.New(refusal.KeyReused, "This form was used a while ago and does not open its copy of the shop any more. Choose again to start another.")
		fallthrough
	case err != nil:
		s.refuseWayIn(w, r, err, then)
	default:
		personal(w)
		s.SetSession(w, a.Session, a.SessionEnds)
		http.Redirect(w, r, then, http.StatusSeeOther)
	}
}

// signOut forgets who signed in and what was open.
func (s *Site) signOut(w http.ResponseWriter, r *http.Request) {
	if err := s.SignOut(w, r); err != nil {
		s.refuse(w, r, err)
		return
	}
	personal(w)
	http.Redirect(w, r, "/sign-in", http.StatusSeeOther)
}

func (s *Site) refuseWayIn(w http.ResponseWriter, r *http.Request, err error, then string) {
	s.waysIn(w, r, s.headRefusal(w, err), "signin", "Come in", s.loneCard(err), then)
}
