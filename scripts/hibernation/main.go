// Command hibernation fails when something could keep a hub awake: a timer, a
// wait, a goroutine that is left behind, a connection. It walks the hub's code
// and everything that can pull in; package awake says how, tables.go where
// from and how far, and exceptions.txt what is found and is well.
//
// It runs in the project's root, as `make hibernation`.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"pocbakery/scripts/hibernation/awake"
)

func main() {
	began := time.Now()
	report, later, err := check(".")
	if err != nil {
		fmt.Fprintln(os.Stderr, "hibernation:", err)
		os.Exit(1)
	}
	for _, f := range report.Findings {
		fmt.Println(f)
	}
	for _, s := range report.Stale {
		fmt.Println(s)
	}
	fmt.Printf("hibernation: %d packages of ours and %d of others, %d declarations reached, in %.1f s\n",
		report.Ours, report.Others, report.Declarations, time.Since(began).Seconds())
	for _, l := range later {
		fmt.Printf("hibernation: %s does not stand yet\n", l)
	}
	if n := len(report.Findings); n > 0 {
		fmt.Printf("hibernation: %d found. What is well has a line with its reason in scripts/hibernation/exceptions.txt:\n"+
			"the declaration, what was found in it, why.\n", n)
	}
	if n := len(report.Stale); n > 0 {
		fmt.Printf("hibernation: %d lines of its tables fit nothing, by %s\n", n, runtime.Version())
	}
	if len(report.Findings)+len(report.Stale) > 0 {
		os.Exit(1)
	}
}

// check walks the tree in dir, and says which of the hub's packages are not
// there yet.
func check(dir string) (report awake.Report, later []string, err error) {
	exceptions, err := awake.ParseExceptions(exceptionList)
	if err != nil {
		return report, nil, fmt.Errorf("exceptions.txt: %w", err)
	}
	rules := awake.Rules{Exceptions: exceptions}
	var patterns []string
	for _, h := range hubCode {
		if h.later && !stands(dir, h.path) {
			later = append(later, h.path)
			continue
		}
		rules.Hub = append(rules.Hub, module+h.path)
		patterns = append(patterns, "./"+h.path)
	}
	for _, path := range wiring {
		rules.Wiring = append(rules.Wiring, module+path)
		patterns = append(patterns, "./"+path)
	}
	for _, a := range adapters {
		rules.Adapters = append(rules.Adapters, module+a.path)
		// All of them, so that one that nothing imports yet is no stale rule.
		patterns = append(patterns, "./"+strings.Replace(a.path, "/*", "/...", 1))
	}
	program, err := awake.Load(dir, patterns...)
	if err != nil {
		return report, nil, err
	}
	return program.Check(rules), later, nil
}
