package web

import (
	"context"
	"slices"
	"strings"
	"time"

	"pocbakery/pkg/bakery"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/store"
)

// endLine is a loan of the hub, by its end.
type endLine struct {
	At    *moment
	What  string
	Href  string
	Clock string // whose time it is

	at       time.Time // on the shop's clock
	business bool
}

// ends is the ends board. A slot stands in the index with the first of its
// holds; each of them is a line here.
func (s *Site) ends(ctx context.Context, v visit, loans []hub.Loan) (lines []endLine, err error) {
	var slots []bakery.SlotID
	for _, l := range loans {
		if id, ok := bakery.SlotOf(l.SK); ok {
			slots = append(slots, id)
		}
	}
	held, err := s.Console.Loans.Held(ctx, v.who, slots)
	if err != nil {
		return nil, err
	}
	for _, h := range held {
		id, _, _ := h.Ref.Split()
		local, start := s.words.slot(id)
		e := s.endLine(v, h.End, "The hold on a place at "+local+", "+s.words.day(start), true)
		e.Href = "/orders/" + string(h.Ref)
		lines = append(lines, e)
	}
	for _, l := range loans {
		name := loanName(l.SK)
		if id, ok := bakery.SlotOf(l.SK); ok {
			if slices.ContainsFunc(held, func(h bakery.HeldPlace) bool { return strings.HasPrefix(string(h.Ref), string(id)) }) {
				continue
			}
			local, start := s.words.slot(id) // a hold has ended here, and its order was not asked yet
			name = "The slot at " + local + ", " + s.words.day(start)
		}
		lines = append(lines, s.endLine(v, l.Wall.Add(v.root.Offset), name, l.Clock == store.Business))
	}
	sortEnds(lines)
	return lines[:min(endsShown, len(lines))], nil
}

// endLine is the line of an end, given on the shop's clock. An end of real time
// is told in real time.
func (s *Site) endLine(v visit, at time.Time, what string, business bool) endLine {
	e := endLine{What: what, at: at, business: business, Clock: "the shop's time"}
	shown, now := at, v.now
	if !business {
		e.Clock, shown, now = "real time", at.Add(-v.root.Offset), v.wall
	}
	e.At = &moment{Lead: s.words.at(shown, now), Instant: instant(at)}
	return e
}

// loanName says what is lent under a sort key.
func loanName(sk string) string {
	kind, _, _ := strings.Cut(sk, "#")
	switch kind {
	case hub.RootSK:
		return "This copy of the shop, and all in it"
	case "planner":
		return "What the planner does next"
	case "traffic":
		return "The minute of simulated traffic"
	}
	return "A " + kind
}

// sortEnds puts the next end on top.
func sortEnds(lines []endLine) {
	slices.SortStableFunc(lines, func(a, b endLine) int { return a.at.Compare(b.at) })
}
