package main

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// floor is the least a run must count.
type floor struct{ journeys, seeds, tests int }

// readFloor reads lines of a word and a number; # begins a comment.
func readFloor(r io.Reader) (floor, error) {
	var f floor
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		text, _, _ := strings.Cut(lines.Text(), "#")
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		if len(words) != 2 {
			return floor{}, fmt.Errorf("floor: %q is not a word and a number", lines.Text())
		}
		n, err := strconv.Atoi(words[1])
		if err != nil || n < 0 {
			return floor{}, fmt.Errorf("floor: %q is no count", words[1])
		}
		switch words[0] {
		case "journeys":
			f.journeys = n
		case "seeds":
			f.seeds = n
		case "tests":
			f.tests = n
		default:
			return floor{}, fmt.Errorf("floor: nothing is counted as %q", words[0])
		}
	}
	return f, lines.Err()
}

// under says, a line each, what falls short.
func (f floor) under(c counts) []string {
	var out []string
	for _, x := range []struct {
		what        string
		have, least int
	}{
		{"journeys", c.journeys, f.journeys},
		{"fuzz seeds", c.seeds, f.seeds},
		{"tests", c.tests, f.tests},
	} {
		if x.have < x.least {
			out = append(out, fmt.Sprintf("below the floor: %d %s passed, at least %d must", x.have, x.what, x.least))
		}
	}
	return out
}
