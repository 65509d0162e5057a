package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// event is one line of go test -json.
type event struct {
	Action     string
	Package    string
	ImportPath string // of build-output and build-fail
	Test       string
	Output     string
	Elapsed    float64
}

// test is one test, subtest or seed.
type test struct {
	name     string
	outcome  string // pass, fail or skip; empty while it runs, or when its process died
	output   []string
	children int
	badChild bool
}

// pkg is one package under test.
type pkg struct {
	name    string
	outcome string
	output  []string // of no test: a panic's trace, a failed TestMain
	build   []string
	tests   map[string]*test
	order   []string
	seconds float64
}

type tally struct {
	pkgs  map[string]*pkg
	order []string
}

func newTally() *tally { return &tally{pkgs: map[string]*pkg{}} }

func (t *tally) pkg(name string) *pkg {
	// The build of a test binary is named "path [path.test]".
	name, _, _ = strings.Cut(name, " ")
	p := t.pkgs[name]
	if p == nil {
		p = &pkg{name: name, tests: map[string]*test{}}
		t.pkgs[name] = p
		t.order = append(t.order, name)
	}
	return p
}

func (p *pkg) test(name string) *test {
	x := p.tests[name]
	if x == nil {
		x = &test{name: name}
		p.tests[name] = x
		p.order = append(p.order, name)
	}
	return x
}

// line takes one line in; false says that it is no event.
func (t *tally) line(line []byte) bool {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return true
	}
	var e event
	if line[0] != '{' || json.Unmarshal(line, &e) != nil || e.Action == "" {
		return false
	}
	switch {
	case e.Action == "build-output":
		p := t.pkg(e.ImportPath)
		p.build = append(p.build, e.Output)
	case e.Action == "build-fail":
		t.pkg(e.ImportPath).outcome = "fail"
	case e.Test == "":
		p := t.pkg(e.Package)
		switch e.Action {
		case "output":
			p.output = append(p.output, e.Output)
		case "pass", "fail", "skip":
			p.outcome, p.seconds = e.Action, e.Elapsed
		}
	default:
		x := t.pkg(e.Package).test(e.Test)
		switch e.Action {
		case "output":
			x.output = append(x.output, e.Output)
		case "pass", "fail", "skip":
			x.outcome = e.Action
		}
	}
	return true
}

// parent is the test that ran this one, nil for one at the top. A subtest's own
// name may have slashes in it, so the longest name that is there counts.
func (p *pkg) parent(name string) *test {
	for i := strings.LastIndexByte(name, '/'); i > 0; i = strings.LastIndexByte(name[:i], '/') {
		if x := p.tests[name[:i]]; x != nil {
			return x
		}
	}
	return nil
}

// counts are what a run comes to.
type counts struct{ journeys, seeds, tests, skipped, failed int }

// report prints the run and says whether it is good.
func (t *tally) report(out io.Writer, least floor) bool {
	var sum counts
	var skips []string
	for _, name := range t.order {
		p := t.pkgs[name]
		failed := p.count(&sum, &skips)
		if len(failed) == 0 && p.outcome != "fail" && (p.outcome != "" || len(p.tests) == 0) {
			continue
		}
		if len(failed) == 0 {
			sum.failed++ // it did not build, or died outside of any test
		}
		p.print(out, failed)
	}

	slices.Sort(skips)
	for _, s := range skips {
		fmt.Fprintln(out, "skipped:", s)
	}
	fmt.Fprintf(out, "%d journeys, %d fuzz seeds, %d tests, %d skipped\n", sum.journeys, sum.seeds, sum.tests, sum.skipped)
	under := least.under(sum)
	for _, line := range under {
		fmt.Fprintln(out, line)
	}
	passed := sum.journeys + sum.seeds + sum.tests
	fmt.Fprintf(out, "%d passed, %d failed\n", passed, sum.failed)
	return sum.failed == 0 && passed > 0 && len(under) == 0
}

// count adds the package's tests up and returns the failed ones.
func (p *pkg) count(sum *counts, skips *[]string) []*test {
	var failed []*test
	// Longest names first: a parent comes after its children, and knows whether
	// one of them explains it.
	names := slices.Clone(p.order)
	slices.SortStableFunc(names, func(a, b string) int { return len(b) - len(a) })
	for _, name := range names {
		x, parent := p.tests[name], p.parent(name)
		if parent != nil {
			parent.children++
		}
		switch x.outcome {
		case "pass":
			if x.children == 0 {
				p.countPassed(name, sum)
			}
		case "skip":
			sum.skipped++
			*skips = append(*skips, p.name+" "+name+": "+x.reason())
		default: // failed, or never ended
			if !x.badChild {
				failed = append(failed, x)
				sum.failed++
			}
			if parent != nil {
				parent.badChild = true
			}
		}
	}
	slices.SortFunc(failed, func(a, b *test) int {
		return slices.Index(p.order, a.name) - slices.Index(p.order, b.name)
	})
	return failed
}

func (p *pkg) countPassed(name string, sum *counts) {
	switch {
	case strings.HasPrefix(name, "TestJourney"):
		sum.journeys++
	case strings.HasPrefix(name, "Fuzz"):
		if strings.Contains(name, "/") {
			sum.seeds++
		}
	default:
		sum.tests++
	}
}

// reason is what a skipped test printed, in one line.
func (x *test) reason() string {
	var words []string
	for _, line := range x.output {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "===") || strings.HasPrefix(line, "---") {
			continue
		}
		words = append(words, line)
	}
	return strings.Join(words, " ")
}

func (p *pkg) print(out io.Writer, failed []*test) {
	fmt.Fprintf(out, "FAILED %s\n", p.name)
	for _, line := range p.build {
		fmt.Fprint(out, "    ", line)
	}
	for _, x := range failed {
		what := ""
		if x.outcome == "" {
			what = " (never ended)"
		}
		fmt.Fprintf(out, "  %s%s\n", x.name, what)
		for _, line := range x.output {
			if !strings.HasPrefix(line, "=== ") {
				fmt.Fprint(out, "    ", line)
			}
		}
	}
	if len(failed) == 0 || slices.ContainsFunc(failed, func(x *test) bool { return x.outcome == "" }) {
		for _, line := range p.output {
			fmt.Fprint(out, "    ", line)
		}
	}
}
