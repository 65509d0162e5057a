package sim_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"pocbakery/pkg/planted"
)

var mutants = flag.Bool("sim.mutants", false, "plant each bug of testdata/bugs and let the simulator find it")

// build compiles this package's tests over a planted bug.
func build(b planted.Bug, root, dir string) (binary string, err error) {
	overlay, err := b.Overlay(root, dir)
	if err != nil {
		return "", err
	}
	binary = filepath.Join(dir, "sim.test")
	build := exec.Command("go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", binary, "./pkg/sim")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s does not compile: %w\n%s", b.Name, err, out)
	}
	return binary, nil
}

const (
	// patience is how long the simulator may take to find a bug.
	patience = 60 * time.Second
	// atOnce is how many bugs are hunted at the same time.
	atOnce = 2
)

var (
	violated = regexp.MustCompile(`(?m)violated: (.*)$`)
	played   = regexp.MustCompile(`sim: (\d+) histories`)
)

// hunt lets the simulator play over a bug until it finds it, and returns after
// how many histories it did, and by what.
func hunt(ctx context.Context, binary string) (histories, by string, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience+10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, "-test.run", "^TestSim$", "-sim.for", patience.String(), "-sim.seeds", "7")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err = cmd.Run()
	n, found := played.FindStringSubmatch(out.String()), violated.FindStringSubmatch(out.String())
	if n != nil {
		histories = n[1]
	}
	switch {
	case found != nil:
		return histories, found[1], nil
	case err == nil:
		return histories, "", errors.New("it lives")
	}
	return histories, "", fmt.Errorf("the simulator does not say what it found: %w\n%s", err, out.Bytes())
}

func plantedBugs(t *testing.T) (bugs []planted.Bug, root string) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	bugs, err = planted.Bugs("testdata/bugs")
	if err != nil || len(bugs) < 20 {
		t.Fatalf("%d bugs: %v", len(bugs), err)
	}
	return bugs, root
}

func TestEveryPlantedBugApplies(t *testing.T) {
	bugs, root := plantedBugs(t)
	for _, b := range bugs {
		if _, err := b.Plant(root); err != nil {
			t.Error(err)
		}
	}
}

func TestEveryPlantedBugIsFound(t *testing.T) {
	if !*mutants {
		t.Skip("each bug builds the product anew: make mutants")
	}
	bugs, root := plantedBugs(t)
	began := time.Now()
	places, lines := make(chan struct{}, atOnce), make(chan bool)
	for _, b := range bugs {
		dir := t.TempDir()
		go func() {
			places <- struct{}{}
			defer func() { <-places }()
			line, killed := tell(t.Context(), b, root, dir)
			fmt.Println(line)
			lines <- killed
		}()
	}
	killed := 0
	for range bugs {
		if <-lines {
			killed++
		}
	}
	fmt.Printf("in %.0f s\nkilled %d of %d\n", time.Since(began).Seconds(), killed, len(bugs))
	if killed != len(bugs) {
		t.Fail()
	}
}

// tell builds and hunts a bug, and says what came of it.
func tell(ctx context.Context, b planted.Bug, root, dir string) (line string, killed bool) {
	binary, err := build(b, root, dir)
	if err != nil {
		return fmt.Sprintf("%-32s FAILED: %v", b.Name, err), false
	}
	defer func() { _ = os.Remove(binary) }()
	began := time.Now()
	histories, by, err := hunt(ctx, binary)
	if err != nil {
		return fmt.Sprintf("%-32s LIVES after %s histories: %s: %v", b.Name, histories, b.Says, err), false
	}
	return fmt.Sprintf("%-32s %6s histories %5.1f s  %s: dies of %s", b.Name, histories, time.Since(began).Seconds(), b.Says, cut(by)), true
}

// cut shows no more of a line than one can read at once.
func cut(s string) string { return s[:min(len(s), 90)] }
