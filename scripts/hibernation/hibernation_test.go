package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pocbakery/scripts/hibernation/awake"
)

// The program itself is run, as make does: it is what the build relies on, and
// it takes seconds where the race detector would take a minute to read all of
// the standard library.
func TestNothingKeepsAHubAwake(t *testing.T) {
	program := filepath.Join(t.TempDir(), "hibernation")
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := exec.Command(program)
	run.Dir = filepath.Join("..", "..")
	out, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// A walk that reached nothing would pass too.
	var ours, others, declarations int
	if _, err := fmt.Sscanf(string(out), "hibernation: %d packages of ours and %d of others, %d declarations reached", &ours, &others, &declarations); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if ours < 8 || others < 50 || declarations < 1000 {
		t.Errorf("reached no more than\n%s", out)
	}
}

func TestEveryExceptionAndAdapterSaysWhy(t *testing.T) {
	exceptions, err := awake.ParseExceptions(exceptionList)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range exceptions {
		if !strings.HasSuffix(e.Why, ".") {
			t.Errorf("line %d: %q is no sentence", e.Line, e.Why)
		}
	}
	for _, a := range adapters {
		if !strings.HasSuffix(a.why, ".") {
			t.Errorf("%s: %q is no sentence", a.path, a.why)
		}
	}
}
