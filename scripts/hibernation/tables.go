package main

import (
	_ "embed"
	"os"
	"path/filepath"
)

// exceptionList is what is found and is well, each with its reason.
//
//go:embed exceptions.txt
var exceptionList string

const module = "pocbakery/"

// hubCode is where the walk begins: what runs when a hub is woken. What these
// import is reached from them and need not be named.
var hubCode = []struct {
	path  string
	later bool // designed, and walked from the commit on that adds it
}{
	{path: "pkg/hub"},
	{path: "pkg/sandbox"},
	{path: "pkg/bakery"},
	{path: "pkg/admission"},
	{path: "pkg/access"},
	{path: "pkg/planner"},
}

// adapters is where the walk ends: what may wait for another machine, hold a
// connection and know the clock, since that is what it is for.
var adapters = []struct{ path, why string }{
	{"pkg/store/*", "A request to the table takes its time and has a deadline. On Lambda a connection is frozen with its process; the file's committer is the local server's."},
	{"pkg/alarm/*", "The alarm clock is what wakes hubs. On Lambda it is another service; the local one must wait, and is one for all hubs."},
	{"pkg/human", "A question to siteverify has two seconds and a connection of its own that ends with it. Only an admission asks it, never a hub that is woken."},
	{"pkg/calendar/*", "A request to the other side of a calendar takes up to five seconds and has a deadline of its own."},
	{"pkg/local", "One machine playing the rule, the reaper and the admin port. It wakes hubs through the doors and is never part of one."},
	{"pkg/sdk", "How AWS is asked: each attempt has an end, and so has a request. Between requests a function is frozen with it."},
	{"pkg/lambda", "Wiring of a function, as pkg/app is of the program: it reads the secrets in a request, with an end, and keeps nothing running."},
	{"pkg/app", "Wiring: it knows every adapter, and hands the hub its ports. What it puts behind them from other packages of ours is walked; see wiring."},
}

// wiring is what decides which types stand behind the hub's ports. A function's
// main starts Lambda's own loop over pkg/lambda and is nothing else.
var wiring = []string{"pkg/app", "pkg/lambda", "scripts/run"}

// stands says whether there is Go code in a directory of the tree.
func stands(dir, path string) bool {
	files, _ := filepath.Glob(filepath.Join(dir, filepath.FromSlash(path), "*.go"))
	for _, f := range files {
		if info, err := os.Stat(f); err == nil && info.Mode().IsRegular() {
			return true
		}
	}
	return false
}
