package awake

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

const plantedDir = "testdata/planted"

// planted is the module of planted violations, loaded once for all tests.
var planted = sync.OnceValues(func() (*Program, error) { return Load(plantedDir, "./...") })

func load(t *testing.T) *Program {
	t.Helper()
	p, err := planted()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// found is what a walk finds in the planted module: what the standard library
// has in it is not what these tests are about.
func found(t *testing.T, r Rules) (out []Finding) {
	t.Helper()
	for _, f := range load(t).Check(r).Findings {
		file, _, _ := strings.Cut(f.At, ":")
		if _, err := os.Stat(filepath.Join(plantedDir, file)); err == nil {
			out = append(out, f)
		}
	}
	return out
}

// rules are those of a case: the package named so is the hub's code.
func rules(hub string) Rules {
	return Rules{
		Hub:      []string{"planted/" + hub},
		Wiring:   []string{"planted/behind/wiring"},
		Adapters: []string{"planted/behind/adapter", "planted/behind/wiring"},
	}
}

func TestEveryPlantedViolationIsFoundWhereItStands(t *testing.T) {
	for _, c := range []struct {
		name, hub string
		in        []string // the directories whose comments say what is wanted
	}{
		{"a hub that waits by itself", "direct", []string{"direct"}},
		{"a helper's helper", "helper", []string{"helper"}},
		{"another module", "dependency", []string{"dep/backoff"}},
		{"an import that goes on by itself", "starting", []string{"dep/heartbeat"}},
		{"functions and methods as values", "methodvalue", []string{"methodvalue", "dep/patience"}},
		{"implementations behind interfaces", "behind", []string{"behind", "dep/label"}},
		{"a timer under other names", "alias", []string{"alias", "dep/clock"}},
		{"goroutines in closures, joined and not", "closure", []string{"closure"}},
		{"loops that wait", "loops", []string{"loops"}},
		{"connections and clients", "dial", []string{"dial"}},
		{"what goes past the standard library", "kernel", []string{"kernel"}},
		{"a method called by its name", "reflection", []string{"dep/secret"}},
		{"a hub as it should be", "innocent", []string{"innocent"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, f := range found(t, rules(c.hub)) {
				got = append(got, f.At+" "+f.What)
			}
			slices.Sort(got)
			want := wanted(t, c.in)
			for _, w := range want {
				if !slices.Contains(got, w) {
					t.Errorf("not found: %s", w)
				}
			}
			for _, g := range got {
				if !slices.Contains(want, g) {
					t.Errorf("found, though nothing is there: %s", g)
				}
			}
		})
	}
}

// wanted are the comments "want what" of the files below some directories.
func wanted(t *testing.T, dirs []string) (out []string) {
	t.Helper()
	for _, dir := range dirs {
		err := fs.WalkDir(os.DirFS(plantedDir), dir, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			file, err := os.Open(filepath.Join(plantedDir, name))
			if err != nil {
				return err
			}
			defer file.Close()
			lines := bufio.NewScanner(file)
			for n := 1; lines.Scan(); n++ {
				_, what, ok := strings.Cut(lines.Text(), "// want ")
				if !ok {
					continue
				}
				at := n
				// A directive takes no comment, so it has it two lines before.
				if below, ok := strings.CutPrefix(what, "below "); ok {
					what, at = below, n+2
				}
				out = append(out, fmt.Sprintf("%s:%d %s", name, at, what))
			}
			return lines.Err()
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func TestAFindingShowsHowTheHubGetsThere(t *testing.T) {
	for _, c := range []struct{ hub, want string }{
		{"helper", "planted/helper -> planted/helper.Run -> planted/helper/retry.Twice -> planted/helper/pause.Briefly -> time.Sleep"},
		// What nothing calls yet is reached by import.
		{"helper", "planted/helper -> planted/helper/retry -> planted/helper/pause -> planted/helper/pause.Unused -> time.After"},
		{"dependency", "planted/dependency -> planted/dependency.Run -> example.org/dep/backoff.Do -> example.org/dep/backoff.wait -> time.NewTimer"},
		{"behind", "planted/behind -> planted/behind.Run -> (planted/behind.Table).Commit -> (planted/behind/decorator.Patient).Commit -> time.Sleep"},
		{"reflection", "planted/reflection -> planted/reflection.Run -> (reflect.Value).MethodByName -> (example.org/dep/secret.Handler).Handle -> time.Sleep"},
		{"starting", "planted/starting -> example.org/dep/heartbeat -> (at start) -> example.org/dep/heartbeat.init -> go"},
	} {
		var chains []string
		for _, f := range found(t, rules(c.hub)) {
			chains = append(chains, strings.Join(f.Chain, " -> "))
		}
		if !slices.Contains(chains, c.want) {
			t.Errorf("%s: no finding comes by\n%s\nbut by\n%s", c.hub, c.want, strings.Join(chains, "\n"))
		}
	}
}

func TestTheStandardLibraryIsWalkedAsWell(t *testing.T) {
	for _, f := range load(t).Check(rules("std")).Findings {
		if f.In == "(*context.cancelCtx).propagateCancel" && f.What == "go" && strings.HasPrefix(f.At, "context/context.go:") {
			return
		}
	}
	t.Error("the goroutine that waits for a context of an unknown kind is not found")
}

func TestAnExceptionExcusesTheOneDeclarationItNames(t *testing.T) {
	r := rules("helper")
	r.Exceptions = append(r.Exceptions, Exception{In: "planted/helper/pause.Briefly", What: "time.Sleep", Times: 1})
	findings := found(t, r)
	if len(findings) != 1 || findings[0].What != "time.After" {
		t.Errorf("found %v, want only the time.After of another declaration", findings)
	}
}

func TestAFunctionOfOthersCanBeClosedAsAWhole(t *testing.T) {
	r := rules("dependency")
	r.Exceptions = []Exception{{In: "example.org/dep/backoff.Do", What: WhatInside, Times: 1}}
	if left := found(t, r); len(left) > 0 {
		t.Errorf("found %v behind a closed door", left)
	}
	if stale := load(t).Check(r).Stale; len(stale) > 0 {
		t.Errorf("stale: %q", stale)
	}
}

func TestAnExceptionThatExcusesNothingFails(t *testing.T) {
	for _, c := range []struct {
		name string
		e    Exception
		want string
	}{
		{"nothing is there", Exception{In: "planted/helper/pause.Gone", What: "time.Sleep", Times: 1, Line: 7}, "line 7: nothing is found of time.Sleep"},
		{"something else is there", Exception{In: "planted/helper/pause.Briefly", What: "go", Times: 1, Line: 7}, "line 7: nothing is found of go"},
		{"ours is never closed", Exception{In: "planted/helper/pause.Briefly", What: WhatInside, Times: 1, Line: 7}, "line 7: nothing is found inside of planted/helper/pause.Briefly"},
		{"what is closed is not reached", Exception{In: "example.org/dep/backoff.Do", What: WhatInside, Times: 1, Line: 7}, "line 7: nothing is found inside"},
		{"what is closed is innocent", Exception{In: "errors.New", What: WhatInside, Times: 1, Line: 7}, "line 7: nothing is found inside of errors.New"},
		{"less is there", Exception{In: "planted/helper/pause.Briefly", What: "time.Sleep", Times: 2, Line: 7}, "at 1 places, not 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := rules("helper")
			r.Exceptions = append(r.Exceptions, c.e)
			report := load(t).Check(r)
			if !strings.Contains(strings.Join(report.Stale, "\n"), c.want) {
				t.Errorf("stale: %q, want one that says %q", report.Stale, c.want)
			}
			if left := len(found(t, r)); left != 2 {
				t.Errorf("%d findings are left of 2", left)
			}
		})
	}
}

func TestARuleForAPackageThatIsGoneFails(t *testing.T) {
	r := rules("innocent")
	r.Hub = append(r.Hub, "planted/moved")
	r.Wiring = append(r.Wiring, "planted/rewired")
	r.Adapters = append(r.Adapters, "planted/store/*")
	stale := strings.Join(load(t).Check(r).Stale, "\n")
	for _, path := range []string{"planted/moved", "planted/rewired", "planted/store/*"} {
		if !strings.Contains(stale, path) {
			t.Errorf("stale rules are %q, and %s is not among them", stale, path)
		}
	}
}

func TestATreeThatDoesNotCompileIsNoTreeThatSleeps(t *testing.T) {
	dir := t.TempDir()
	for name, source := range map[string]string{
		"go.mod": "module broken\n\ngo 1.26\n",
		"hub.go": "package broken\n\nfunc run() { missing() }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Load(dir, "."); err == nil || !strings.Contains(err.Error(), "missing") {
		t.Errorf("Load says %v", err)
	}
}
