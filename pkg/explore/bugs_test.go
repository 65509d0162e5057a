package explore_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// A planted bug is a file in testdata/bugs: a line that says what is wrong, the
// test it dies in, and what is replaced by what in which files.
type plantedBug struct {
	says, diesIn string
	edits        []bugEdit
}

type bugEdit struct{ file, old, new string }

// readBug reads a bug's file. Its lines are headers, or belong to the block
// that the last "--- old" or "--- new" began.
func readBug(text string) (b plantedBug, err error) {
	file, block := "", (*string)(nil)
	for line := range strings.SplitAfterSeq(strings.TrimSuffix(text, "\n")+"\n", "\n") {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch {
		case line == "":
		case name == "bug":
			b.says = value
		case name == "dies in":
			b.diesIn = value
		case name == "file":
			file, block = value, nil
		case line == "--- old\n":
			b.edits = append(b.edits, bugEdit{file: file})
			block = &b.edits[len(b.edits)-1].old
		case line == "--- new\n" && len(b.edits) > 0:
			block = &b.edits[len(b.edits)-1].new
		case block == nil:
			return b, fmt.Errorf("%q belongs to no block", line)
		default:
			*block += line
		}
	}
	if b.says == "" || b.diesIn == "" || len(b.edits) == 0 || file == "" {
		return b, fmt.Errorf("a bug says what it is, where it dies, and what is replaced in which file")
	}
	return b, nil
}

// plant writes the changed files into a directory and returns the overlay that
// puts them in the place of the real ones.
func (b plantedBug) plant(root, dir string) (overlay string, err error) {
	sources := map[string]string{}
	for _, e := range b.edits {
		source, ok := sources[e.file]
		if !ok {
			read, err := os.ReadFile(filepath.Join(root, e.file))
			if err != nil {
				return "", err
			}
			source = string(read)
		}
		if n := strings.Count(source, e.old); n != 1 {
			return "", fmt.Errorf("the patch does not apply: in %s there is %d times\n%s", e.file, n, e.old)
		}
		sources[e.file] = strings.Replace(source, e.old, e.new, 1)
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
	overlay = filepath.Join(dir, "overlay.json")
	return overlay, os.WriteFile(overlay, text, 0o600)
}

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
	files, err := filepath.Glob("testdata/bugs/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no bugs", err)
	}
	places := make(chan struct{}, 2)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			b, err := readBug(string(text))
			if err != nil {
				t.Fatal(err)
			}
			overlay, err := b.plant(root, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			places <- struct{}{}
			defer func() { <-places }()
			t.Log(b.says + ": dies by " + kill(t, root, overlay, b.diesIn))
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
