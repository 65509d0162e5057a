package explore_test

import (
	"bytes"
	"context"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"pocbakery/pkg/planted"
)

// pattern selects one test, by the name it has in the source.
func pattern(name string) string {
	parts := strings.Split(name, "/")
	for n, p := range parts {
		parts[n] = "^" + regexp.QuoteMeta(strings.ReplaceAll(p, " ", "_")) + "$"
	}
	return strings.Join(parts, "/")
}

// bugPatience bounds the build and the search for one bug.
const bugPatience = 3 * time.Minute

// violated is how a test names the oracle that a bug dies by.
var violated = regexp.MustCompile(`violated: (.*)`)

func TestEveryPlantedBugDies(t *testing.T) {
	if why := hurried(); why != "" {
		t.Skip("each bug builds the explored code anew: left out " + why)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	bugs, err := planted.Bugs("testdata/bugs")
	if err != nil {
		t.Fatal(err)
	}
	places := make(chan struct{}, 2)
	for _, b := range bugs {
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			if b.DiesIn == "" {
				t.Fatal("it does not say in which test it dies")
			}
			overlay, err := b.Overlay(root, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			places <- struct{}{}
			defer func() { <-places }()
			t.Log(b.Says + ": dies by " + kill(t, root, overlay, b.DiesIn))
		})
	}
}

// kill runs one test over the overlay and returns the oracle that was violated.
func kill(t *testing.T, root, overlay, test string) string {
	ctx, cancel := context.WithTimeout(context.Background(), bugPatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "test", "-vet=off", "-count=1", "-overlay", overlay, "-run", pattern(test), "./pkg/explore")
	cmd.Dir = root
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	found := violated.FindStringSubmatch(out.String())
	switch {
	case err == nil:
		t.Fatalf("it lives: %s passes", test)
	case ctx.Err() != nil || found == nil:
		t.Fatalf("it does not die of an oracle: %v\n%s", err, out.Bytes())
	}
	return found[1]
}
