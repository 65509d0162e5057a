package api

import "net/http"

// WriteProblem writes what err refuses, for those in front of the API who have
// to turn a request away before it gets here.
func WriteProblem(w http.ResponseWriter, r *http.Request, err error) {
	(&server{}).writeProblem(w, r, ProblemOf(err))
}
