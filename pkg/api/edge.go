package api

import (
	"fmt"
	"net/http"
	"path"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"pocbakery/pkg/refusal"
)

// edge is what every request meets first: it stamps the answer with the
// instant at which the request is judged, keeps odd addresses from being
// redirected, and turns a panic into an answer.
type edge struct{ *server }

func (e edge) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	w := &answerWriter{ResponseWriter: rw, now: e.Clock().UTC()}
	w.Header()["Date"] = []string{w.now.Format(http.TimeFormat)}
	ours := apiPath(r.URL.Path)
	defer e.recover(w, r, ours)
	switch {
	case e.Refuse != nil:
		e.refuseAll(w, r, ours)
	case ours || apiPath(path.Clean("/"+r.URL.Path)):
		e.serveAPI(w, r, ours)
	case e.Pages != nil:
		e.servePage(w, r)
	default:
		e.noSuchRoute(w, r)
	}
}

// refuseAll answers for a stage that is not set up.
func (e edge) refuseAll(w http.ResponseWriter, r *http.Request, ours bool) {
	if !ours && e.PageProblem != nil {
		e.PageProblem(w, r, ProblemOf(e.Refuse))
		return
	}
	e.refuse(w, r, "", e.Refuse)
}

// serveAPI finds the route. An address that would have to be cleaned first is
// none of ours: a redirect would lose the body of a command.
func (e edge) serveAPI(w http.ResponseWriter, r *http.Request, ours bool) {
	escaped := r.URL.EscapedPath()
	if !ours || path.Clean(escaped) != escaped {
		e.noSuchRoute(w, r)
		return
	}
	e.mux.ServeHTTP(w, r)
}

func (s *server) noSuchRoute(w http.ResponseWriter, r *http.Request) {
	s.refuse(w, r, "", refusal.New(refusal.NoSuchRoute, "There is nothing at this address."))
}

// apiPath reports whether a path is the API's to answer.
func apiPath(p string) bool {
	return p == "/v1" || strings.HasPrefix(p, "/v1/") || p == documentPath
}

// recover answers for a handler that broke. The log gets where it broke; of
// what it broke with only what our own code or the runtime wrote.
func (e edge) recover(w *answerWriter, r *http.Request, ours bool) {
	v := recover()
	if v == nil {
		return
	}
	if v == http.ErrAbortHandler { //nolint:errorlint // net/http compares it like this too
		panic(v)
	}
	what := fmt.Sprintf("%T", v)
	switch v := v.(type) {
	case runtime.Error:
		what = v.Error()
	case string:
		what = v
	}
	e.Log.Error("panic", "route", r.Pattern, "what", what, "stack", string(debug.Stack()))
	if w.began {
		panic(http.ErrAbortHandler) // the client must not take half an answer for a whole one
	}
	problem := ProblemOf(brokenRefusal)
	if !ours && e.PageProblem != nil {
		e.PageProblem(w, r, problem)
		return
	}
	e.writeProblem(w, r, problem)
}

// answerWriter remembers the request's one instant, and whether the answer has
// begun.
type answerWriter struct {
	http.ResponseWriter
	now   time.Time
	began bool
}

// WriteHeader begins the answer.
func (w *answerWriter) WriteHeader(status int) {
	w.began = w.began || status >= http.StatusOK || status == http.StatusSwitchingProtocols
	w.ResponseWriter.WriteHeader(status)
}

// Write begins the answer.
func (w *answerWriter) Write(b []byte) (int, error) {
	w.began = true
	return w.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach what is below.
func (w *answerWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// nowOf is the request's one instant.
func nowOf(w http.ResponseWriter) time.Time { return w.(*answerWriter).now }
