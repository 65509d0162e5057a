// Command count reads what `go test -json` prints and says what it comes to.
//
// It prints the output of what failed, package by package, then how many
// browser journeys (TestJourney...), fuzz seeds (subtests of Fuzz...) and other
// tests passed. A test that has subtests counts only through them, unless it
// fails on its own account. The last line is "N passed, N failed".
//
// The exit code is 1 when anything failed, when nothing ran, or when fewer
// passed than the file named by -floor says. Lines that are no test events are
// handed through.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	floorFile := flag.String("floor", "", "file of the least counts: lines of a word (journeys, seeds, tests) and a number")
	keep := flag.String("keep", "", "file to keep the events in")
	flag.Parse()

	ok, err := run(os.Stdin, os.Stdout, *floorFile, *keep)
	if err != nil {
		fmt.Fprintln(os.Stderr, "count:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer, floorFile, keep string) (ok bool, err error) {
	var least floor
	if floorFile != "" {
		f, err := os.Open(floorFile)
		if err != nil {
			return false, err
		}
		defer f.Close()
		if least, err = readFloor(f); err != nil {
			return false, err
		}
	}
	if keep != "" {
		f, err := os.Create(keep)
		if err != nil {
			return false, err
		}
		defer f.Close()
		in = io.TeeReader(in, f)
	}

	t := newTally()
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 && !t.line(line) {
			fmt.Fprintf(out, "%s", line)
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return false, err
		}
	}
	return t.report(out, least), nil
}
