package api

import (
	"net/http"
	"strings"

	"pocbakery/pkg/hub"
	"pocbakery/pkg/limit"
)

// limited asks the limits by time on who is asking, before anything is read,
// and tells of them in the answer: an API token has one for all it asks, a
// session one for what it reads and one for its commands, and all commands of a
// hub have one together.
func (s *server) limited(w http.ResponseWriter, r *http.Request, who hub.Who) error {
	now := nowOf(w)
	asked := make([]limit.Decision, 0, 2)
	switch {
	case who.Token != "":
		asked = append(asked, s.Limits.Take(limit.Token, who.Token, now))
	case safe(r.Method):
		asked = append(asked, s.Limits.Take(limit.Reads, string(who.Hub)+" "+who.Session, now))
	default:
		asked = append(asked, s.Limits.Take(limit.Commands, string(who.Hub)+" "+who.Session, now))
	}
	if !safe(r.Method) && !asked[0].Refused {
		asked = append(asked, s.Limits.Take(limit.Hub, string(who.Hub), now))
	}
	tellLimits(w, asked...)
	for _, d := range asked {
		if err := d.Err(); err != nil {
			return err
		}
	}
	return nil
}

// tellLimits says in the answer's head what limits said.
func tellLimits(w http.ResponseWriter, asked ...limit.Decision) {
	if state := limit.State(asked...); state != "" {
		w.Header().Set(limit.StateField, state)
		w.Header().Set(limit.PolicyField, limit.Policy(asked...))
	}
}

// servePage lets the pages answer, for whom the limits are the same: a page is
// a read, and a form that somebody sent from it a command.
func (e edge) servePage(w *answerWriter, r *http.Request) {
	if who, _, err := e.door.credentialAt(r, w.now); err == nil && !strings.HasPrefix(r.URL.Path, "/assets/") && !CrossOrigin(r) {
		if err := e.limited(w, r, who); err != nil {
			e.refusePage(w, r, err)
			return
		}
	}
	e.Pages.ServeHTTP(w, r)
}

// refusePage says a refusal as a page, where there is somebody who can.
func (e edge) refusePage(w http.ResponseWriter, r *http.Request, err error) {
	if e.PageProblem != nil {
		e.PageProblem(w, r, ProblemOf(err))
		return
	}
	e.refuse(w, r, "", err)
}
