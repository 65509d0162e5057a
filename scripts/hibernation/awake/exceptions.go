package awake

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// Exception excuses what is found in one declaration.
type Exception struct {
	In    string
	What  string
	Times int // exactly so many places
	Why   string
	Line  int // of the list
}

// ParseExceptions reads a list: a line for each, "in what why...", where what
// may end in ×n for n places. Empty lines and those that begin with # are the
// reader's.
func ParseExceptions(list string) ([]Exception, error) {
	var out []Exception
	seen := make(map[[2]string]bool)
	line := 0
	for text := range strings.Lines(list) {
		line++
		text = strings.TrimSpace(text)
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		fields := strings.Fields(text)
		if len(fields) < 3 {
			return nil, fmt.Errorf("line %d: want a declaration, what is found there, and why that is well", line)
		}
		e := Exception{In: fields[0], What: fields[1], Times: 1, Why: strings.Join(fields[2:], " "), Line: line}
		if what, times, ok := strings.Cut(e.What, "×"); ok {
			n, err := strconv.Atoi(times)
			if err != nil || n < 2 {
				return nil, fmt.Errorf("line %d: %q is no number of places", line, times)
			}
			e.What, e.Times = what, n
		}
		key := [2]string{e.In, e.What}
		if seen[key] {
			return nil, fmt.Errorf("line %d: %s %s stands here twice", line, e.In, e.What)
		}
		seen[key] = true
		out = append(out, e)
	}
	return out, nil
}

// excuse takes what is excepted out of the findings, and notes exceptions that
// excuse nothing or another number of places than they say.
func (w *walk) excuse() {
	at := make(map[[2]string][]Finding)
	for _, f := range w.findings {
		key := [2]string{f.In, f.What}
		at[key] = append(at[key], f)
	}
	for _, e := range w.rules.Exceptions {
		if e.What == WhatInside {
			if obj := w.closed[e.In]; obj == nil || !w.awakeInside(obj) {
				w.report.Stale = append(w.report.Stale,
					fmt.Sprintf("exceptions line %d: nothing is found inside of %s, or it is ours, or not reached", e.Line, e.In))
			}
			continue
		}
		key := [2]string{e.In, e.What}
		switch n := len(at[key]); {
		case n == e.Times:
			delete(at, key)
		case n == 0:
			w.report.Stale = append(w.report.Stale,
				fmt.Sprintf("exceptions line %d: nothing is found of %s in %s", e.Line, e.What, e.In))
		default:
			w.report.Stale = append(w.report.Stale,
				fmt.Sprintf("exceptions line %d: %s is found in %s at %d places, not %d", e.Line, e.What, e.In, n, e.Times))
		}
	}
	for _, findings := range at {
		w.report.Findings = append(w.report.Findings, findings...)
	}
	slices.SortFunc(w.report.Findings, func(a, b Finding) int {
		return cmp.Or(strings.Compare(a.At, b.At), strings.Compare(a.What, b.What))
	})
}

// awakeInside says whether the walk would find anything in a declaration and
// all it reaches.
func (p *Program) awakeInside(obj types.Object) bool {
	w := p.newWalk(Rules{})
	w.reach(obj, nil, token.NoPos, nil)
	w.drain()
	return len(w.findings) > 0
}
