package web

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"pocbakery/pkg/refusal"
)

// refuse answers with a page that is all refusal.
func (s *Site) refuse(w http.ResponseWriter, r *http.Request, err error) {
	s.refuseForm(w, r, err, nil)
}

// refuseForm is refuse with the form to send again, where there was one.
func (s *Site) refuseForm(w http.ResponseWriter, r *http.Request, err error, again *command) {
	c := s.loneCard(err)
	status := s.headRefusal(w, err)
	if again == nil && r.Method == http.MethodGet && status >= http.StatusInternalServerError {
		c.Do = append(c.Do, action{Label: "Try again", Href: next(r.URL.RequestURI(), "/")})
	}
	s.render(w, r, status, "refused", frame{Title: c.Title, Body: refused{Card: c, Again: again}})
}

type refused struct {
	Card  *card
	Again *command
}

// headRefusal sets the status and the headers of a refusal, and logs what is
// none.
func (s *Site) headRefusal(w http.ResponseWriter, err error) int {
	var no *refusal.Refusal
	if !errors.As(err, &no) {
		s.Log.Error("request_failed", "error", err)
	}
	if no = s.refusal(err); no.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.FormatInt(int64((no.RetryAfter+time.Second-1)/time.Second), 10))
	}
	return s.Status(err)
}

// resend is the form as it came, to be sent again under the same key.
func resend(r *http.Request) *command {
	c := &command{Action: r.URL.Path, Key: r.PostForm.Get("key"), Label: "Send it again", Primary: true}
	for name, values := range r.PostForm {
		if name != "key" {
			for _, v := range values {
				c.Fields = append(c.Fields, field{name, v})
			}
		}
	}
	return c
}

func (s *Site) notFound(w http.ResponseWriter, r *http.Request) {
	s.refuse(w, r, refusal.New(refusal.NoSuchRoute, "No page has this address."))
}

// failed answers a command that was refused and has no page of its own to say
// it on; what may succeed later can be sent again under its key.
func (s *Site) failed(w http.ResponseWriter, r *http.Request, err error, back string) {
	if refusal.Is(err, refusal.Unauthenticated) || refusal.Is(err, refusal.SandboxEnded) {
		s.turnedAway(w, r, err, back)
		return
	}
	var again *command
	if s.Status(err) >= http.StatusInternalServerError {
		again = resend(r)
	}
	s.refuseForm(w, r, err, again)
}
