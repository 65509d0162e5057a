package api

import (
	"errors"
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json"

	"pocbakery/pkg/refusal"
)

// Values of headers that many answers share; net/http only reads them.
var (
	jsonType    = []string{"application/json"}
	problemType = []string{"application/problem+json"}
	noStore     = []string{"no-store"}
	noSniff     = []string{"nosniff"}
	bearerOnly  = []string{"Bearer"}
)

// write sends what a service answered.
func (s *server) write(w http.ResponseWriter, r *http.Request, pattern string, status int, answer any) {
	if answer == nil {
		h := w.Header()
		h["Cache-Control"], h["X-Content-Type-Options"] = noStore, noSniff
		w.WriteHeader(status)
		return
	}
	switch a := answer.(type) {
	case *planFile:
		writePlan(w, r, *a)
		return
	case *elsewhere:
		sendElsewhere(w, *a)
		return
	}
	b := takeBuffer()
	defer b.release()
	if err := json.MarshalWrite(b, answer); err != nil {
		s.refuse(w, r, pattern, err)
		return
	}
	send(w, r, status, jsonType, b.Bytes())
}

// refuse sends a refusal, or says that something failed; a failure is logged.
func (s *server) refuse(w http.ResponseWriter, r *http.Request, pattern string, err error) {
	p := ProblemOf(err)
	if p.Status >= http.StatusInternalServerError && r.Context().Err() == nil {
		s.report(pattern, p, err)
	}
	s.writeProblem(w, r, p)
}

// report logs what a visitor is not told. A refusal is no failure: what the
// door turns away is the status page's business.
func (s *server) report(pattern string, p Problem, err error) {
	var r *refusal.Refusal
	switch {
	case errors.As(err, &r) && p.Code != refusal.Internal:
	case p.Code == refusal.Internal:
		s.Log.Error("failed", "route", pattern, "status", p.Status, "code", string(p.Code), "error", err.Error())
	default:
		s.Log.Warn("failed", "route", pattern, "status", p.Status, "code", string(p.Code))
	}
}

func (s *server) writeProblem(w http.ResponseWriter, r *http.Request, p Problem) {
	h := w.Header()
	if p.Status == http.StatusUnauthorized {
		h["Www-Authenticate"] = bearerOnly
	}
	if p.RetryAfter > 0 {
		h["Retry-After"] = []string{strconv.FormatInt(p.retrySeconds(), 10)}
	}
	b := takeBuffer()
	defer b.release()
	out := p.json()
	if err := json.MarshalWrite(b, &out); err != nil {
		// Only a text that is no UTF-8 can do this: say all but the texts.
		b.Reset()
		out = Problem{Status: p.Status, Code: p.Code, Title: p.Title}.json()
		_ = json.MarshalWrite(b, &out)
	}
	send(w, r, p.Status, problemType, b.Bytes())
}

func send(w http.ResponseWriter, r *http.Request, status int, contentType []string, body []byte) {
	h := w.Header()
	h["Content-Type"] = contentType
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	h["X-Content-Type-Options"] = noSniff
	if _, set := h["Cache-Control"]; !set {
		h["Cache-Control"] = noStore
	}
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // a client that has gone is no failure of ours
	}
}
