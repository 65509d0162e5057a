package web

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"pocbakery/pkg/refusal"
)

// meaning is a refusal code's entry.
type meaning struct {
	Code   refusal.Code
	Title  string
	Text   string
	Status int
}

// shared is for what is the same for everybody: it may be kept, but is asked
// for again, since the files it names change with the program.
const shared = "no-cache"

func (s *Site) meaning(c refusal.Code) meaning {
	m := refusal.Meanings[c]
	return meaning{Code: c, Title: m.Title, Text: m.Text, Status: s.Status(refusal.New(c, ""))}
}

func (s *Site) problems(w http.ResponseWriter, r *http.Request) {
	var all []meaning
	for _, c := range slices.SortedFunc(maps.Keys(refusal.Meanings), func(a, b refusal.Code) int {
		return strings.Compare(refusal.Meanings[a].Title, refusal.Meanings[b].Title)
	}) {
		all = append(all, s.meaning(c))
	}
	w.Header().Set("Cache-Control", shared)
	s.render(w, r, http.StatusOK, "problems", frame{Title: "What the bakery refuses", At: "problems", Body: all})
}

func (s *Site) problem(w http.ResponseWriter, r *http.Request) {
	code := refusal.Code(r.PathValue("code"))
	if _, ok := refusal.Meanings[code]; !ok {
		s.refuse(w, r, refusal.New(refusal.NoSuchRoute, "No refusal has this name."))
		return
	}
	w.Header().Set("Cache-Control", shared)
	m := s.meaning(code)
	s.render(w, r, http.StatusOK, "problem", frame{Title: m.Title, At: "problems", Body: m})
}
