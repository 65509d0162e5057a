package web

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"pocbakery/pkg/bakery"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/refusal"
)

// consoleRoutes are the console and its forms.
func (s *Site) consoleRoutes(get, post func(string, http.HandlerFunc)) {
	get(consolePath, s.console)
	post("/console/slots/{slot}", s.setCapacity)
	post("/console/clock", s.moveClock)
	post("/console/traffic", s.startTraffic)
	post("/console/traffic/stop", s.stopTraffic)
	post("/console/tokens", s.makeToken)
	post("/console/tokens/{id}/revoke", s.revokeToken)
}

// consoleForm is a form of the console on its way: who sent it, and the page to
// come back to.
func (s *Site) consoleForm(w http.ResponseWriter, r *http.Request) (who hub.Who, q consoleQuery, ok bool) {
	back, err := url.Parse(next(r.PostForm.Get("next"), consolePath))
	if err == nil && back.Path == consolePath {
		q = readConsole(back.Query())
	}
	who, ok = s.baker(w, r, q.url())
	return who, q, ok
}

// answerConsole goes back to the console, or shows it with a refusal. at is
// the part of the page that the form is of.
func (s *Site) answerConsole(w http.ResponseWriter, r *http.Request, who hub.Who, q consoleQuery, at string, err error) {
	switch {
	case err == nil:
		personal(w)
		http.Redirect(w, r, q.url()+at, http.StatusSeeOther)
	case refusal.Is(err, refusal.Unauthenticated), refusal.Is(err, refusal.SandboxEnded), s.Status(err) >= http.StatusInternalServerError:
		s.failed(w, r, err, q.url())
	default:
		s.showConsole(w, r, who, q, consolePage{}, err)
	}
}

func (s *Site) setCapacity(w http.ResponseWriter, r *http.Request) {
	who, q, ok := s.consoleForm(w, r)
	if !ok {
		return
	}
	places, err := number(r, "capacity", "A slot has 0 to "+strconv.Itoa(bakery.MaxCapacity)+" places.")
	if err == nil {
		_, err = s.Console.SetCapacity(r.Context(), who, bakery.SlotID(r.PathValue("slot")), places, "")
	}
	s.answerConsole(w, r, who, q, "#board", err)
}

// number reads a whole number of the form.
func number(r *http.Request, name, bounds string) (int, error) {
	n, err := strconv.Atoi(strings.TrimSpace(r.PostForm.Get(name)))
	if err != nil {
		return 0, refusal.At(refusal.Invalid, name, bounds)
	}
	return n, nil
}

func (s *Site) moveClock(w http.ResponseWriter, r *http.Request) {
	who, q, ok := s.consoleForm(w, r)
	if !ok {
		return
	}
	key, err := postedKey(r)
	seconds := 0
	if err == nil {
		seconds, err = number(r, "seconds", "The clock moves 1 second to 7 days at a time.")
	}
	if err != nil {
		s.answerConsole(w, r, who, q, "", err)
		return
	}
	moved, err := s.Sandboxes.Advance(r.Context(), who, time.Duration(seconds)*time.Second, key)
	if err != nil && !refusal.Is(err, refusal.AdvanceRunning) { // else it stands at its target
		s.answerConsole(w, r, who, q, "", err)
		return
	}
	told := func(t hub.EventType) string {
		n := 0
		for _, e := range moved.Events {
			if e.Type == t && e.Reason != bakery.ReasonCancelled {
				n++
			}
		}
		return strconv.Itoa(n)
	}
	back := q.url()
	joint := "?"
	if strings.Contains(back, "?") {
		joint = "&"
	}
	personal(w)
	http.Redirect(w, r, back+joint+"moved="+strconv.Itoa(seconds)+"&released="+told(bakery.HoldReleased)+"&expired="+told(bakery.OrderExpired)+"#clock", http.StatusSeeOther)
}

func (s *Site) startTraffic(w http.ResponseWriter, r *http.Request) {
	who, q, ok := s.consoleForm(w, r)
	if !ok {
		return
	}
	minutes, err := number(r, "minutes", "Say in digits for how many minutes.")
	rate := 0
	if err == nil {
		rate, err = number(r, "orders_per_minute", "Say in digits how many people come in a minute.")
	}
	if err == nil {
		_, err = s.Console.Traffic.Start(r.Context(), who, minutes, rate)
	}
	s.answerConsole(w, r, who, q, "#traffic", err)
}

func (s *Site) stopTraffic(w http.ResponseWriter, r *http.Request) {
	who, q, ok := s.consoleForm(w, r)
	if !ok {
		return
	}
	_, err := s.Console.Traffic.Stop(r.Context(), who)
	s.answerConsole(w, r, who, q, "#traffic", err)
}

// makeToken shows the token in its answer, the one time that it is shown.
func (s *Site) makeToken(w http.ResponseWriter, r *http.Request) {
	who, q, ok := s.consoleForm(w, r)
	if !ok {
		return
	}
	if who.Token != "" {
		s.answerConsole(w, r, who, q, "", refusal.New(refusal.Forbidden, "An API token may not make another."))
		return
	}
	made, text, err := s.Console.Tokens.Make(r.Context(), who, strings.TrimSpace(r.PostForm.Get("name")))
	if err != nil {
		s.answerConsole(w, r, who, q, "", err)
		return
	}
	s.showConsole(w, r, who, q, consolePage{Secret: text, Made: made.Name}, nil)
}

func (s *Site) revokeToken(w http.ResponseWriter, r *http.Request) {
	who, q, ok := s.consoleForm(w, r)
	if !ok {
		return
	}
	err := s.Console.Tokens.Revoke(r.Context(), who, r.PathValue("id"))
	if refusal.Is(err, refusal.NoSuchToken) { // it is gone, which is what was asked for
		err = nil
	}
	s.answerConsole(w, r, who, q, "#tokens", err)
}
