package sim_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

var mutants = flag.Bool("sim.mutants", false, "plant each bug of testdata/bugs and let the simulator find it")

// plantedBug is a file in testdata/bugs: a line that says what is wrong, and
// what is replaced by what in which files.
type plantedBug struct {
	name, says string
	edits      []bugEdit
}

type bugEdit struct{ file, old, new string }

// readBug reads a bug's file. Its lines are headers, or belong to the block
// that the last "--- old" or "--- new" began.
func readBug(file string) (b plantedBug, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return b, err
	}
	b.name = strings.TrimSuffix(filepath.Base(file), ".txt")
	in, block := "", (*string)(nil)
	for line := range strings.SplitAfterSeq(string(text), "\n") {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch {
		case line == "":
		case name == "bug":
			b.says = value
		case name == "file":
			in, block = value, nil
		case line == "--- old\n":
			b.edits = append(b.edits, bugEdit{file: in})
			block = &b.edits[len(b.edits)-1].old
		case line == "--- new\n" && len(b.edits) > 0:
			block = &b.edits[len(b.edits)-1].new
		case block == nil:
			return b, fmt.Errorf("%s: %q belongs to no block", file, line)
		default:
			*block += line
		}
	}
	if b.says == "" || len(b.edits) == 0 || in == "" {
		return b, fmt.Errorf("%s: a bug says what it is, and what is replaced in which file", file)
	}
	return b, nil
}

// plant returns the changed files, by name.
func (b plantedBug) plant(root string) (map[string]string, error) {
	sources := map[string]string{}
	for _, e := range b.edits {
		if _, ok := sources[e.file]; !ok {
			read, err := os.ReadFile(filepath.Join(root, e.file))
			if err != nil {
				return nil, err
			}
			sources[e.file] = string(read)
		}
		if n := strings.Count(sources[e.file], e.old); n != 1 {
			return nil, fmt.Errorf("%s does not apply: in %s there is %d times\n%s", b.name, e.file, n, e.old)
		}
		sources[e.file] = strings.Replace(sources[e.file], e.old, e.new, 1)
	}
	return sources, nil
}

// build compiles this package's tests over a planted bug.
func (b plantedBug) build(root, dir string) (binary string, err error) {
	sources, err := b.plant(root)
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	for file, source := range sources {
		changed := filepath.Join(dir, strings.ReplaceAll(file, "/", "_"))
		if err := os.WriteFile(changed, []byte(source), 0o600); err != nil {
			return "", err
		}
		replace[filepath.Join(root, file)] = changed
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlay, text, 0o600); err != nil {
		return "", err
	}
	binary = filepath.Join(dir, "sim.test")
	build := exec.Command("go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", binary, "./pkg/sim")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s does not compile: %w\n%s", b.name, err, out)
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
func (b plantedBug) hunt(ctx context.Context, binary string) (histories, by string, err error) {
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

func plantedBugs(t *testing.T) (bugs []plantedBug, root string) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("testdata/bugs/*.txt")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d bugs: %v", len(files), err)
	}
	for _, file := range files {
		b, err := readBug(file)
		if err != nil {
			t.Error(err)
			continue
		}
		bugs = append(bugs, b)
	}
	return bugs, root
}

func TestEveryPlantedBugApplies(t *testing.T) {
	bugs, root := plantedBugs(t)
	for _, b := range bugs {
		if _, err := b.plant(root); err != nil {
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
			line, killed := b.tell(t.Context(), root, dir)
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
func (b plantedBug) tell(ctx context.Context, root, dir string) (line string, killed bool) {
	binary, err := b.build(root, dir)
	if err != nil {
		return fmt.Sprintf("%-32s FAILED: %v", b.name, err), false
	}
	defer func() { _ = os.Remove(binary) }()
	began := time.Now()
	histories, by, err := b.hunt(ctx, binary)
	if err != nil {
		return fmt.Sprintf("%-32s LIVES after %s histories: %s: %v", b.name, histories, b.says, err), false
	}
	return fmt.Sprintf("%-32s %6s histories %5.1f s  %s: dies of %s", b.name, histories, time.Since(began).Seconds(), b.says, cut(by)), true
}

// cut shows no more of a line than one can read at once.
func cut(s string) string { return s[:min(len(s), 90)] }
