// Package planted plants bugs, each of which a test must find: the tests are
// built over a changed copy of a few sources, by go's overlay. Nothing in the
// tree is touched.
//
// A bug is a file of testdata/bugs, named after it. Its lines are headers, or
// belong to the block that the last "--- old" or "--- new" began:
//
//	bug: what is wrong
//	dies in: the test that finds it, where one in particular does
//	file: pkg/hub/arm.go
//	--- old
//	what stands there, exactly once
//	--- new
//	what is put in its place
//
// A bug that no longer applies is an error: the code has moved from under it.
package planted

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Bug is a planted bug.
type Bug struct {
	Name   string
	Says   string // what is wrong
	DiesIn string // the test that finds it; empty where the file names none
	edits  []edit
}

type edit struct{ file, old, new string }

// Bugs reads the bugs of a directory.
func Bugs(dir string) (bugs []Bug, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		b, err := parse(string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		b.Name = strings.TrimSuffix(filepath.Base(file), ".txt")
		bugs = append(bugs, b)
	}
	if len(bugs) == 0 {
		return nil, fmt.Errorf("planted: no bugs in %s", dir)
	}
	return bugs, nil
}

func parse(text string) (b Bug, err error) {
	file, block := "", (*string)(nil)
	for line := range strings.SplitAfterSeq(strings.TrimSuffix(text, "\n")+"\n", "\n") {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch {
		case line == "":
		case name == "bug":
			b.Says = value
		case name == "dies in":
			b.DiesIn = value
		case name == "file":
			file, block = value, nil
		case line == "--- old\n":
			b.edits = append(b.edits, edit{file: file})
			block = &b.edits[len(b.edits)-1].old
		case line == "--- new\n" && len(b.edits) > 0:
			block = &b.edits[len(b.edits)-1].new
		case block == nil:
			return b, fmt.Errorf("%q belongs to no block", line)
		default:
			*block += line
		}
	}
	if b.Says == "" || len(b.edits) == 0 || file == "" {
		return b, errors.New("a bug says what it is, and what is replaced in which file")
	}
	return b, nil
}

// Plant is the changed sources by their path, without touching the real ones.
func (b Bug) Plant(root string) (map[string]string, error) {
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
			return nil, fmt.Errorf("%s does not apply: in %s there is %d times\n%s", b.Name, e.file, n, e.old)
		}
		sources[e.file] = strings.Replace(sources[e.file], e.old, e.new, 1)
	}
	return sources, nil
}

// Overlay writes the changed sources into a directory, and there the file that
// go build and go test take as -overlay.
func (b Bug) Overlay(root, dir string) (string, error) {
	sources, err := b.Plant(root)
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
	return overlay, os.WriteFile(overlay, text, 0o600)
}
