package awake

import (
	"slices"
	"strings"
)

// Rules say what is walked.
type Rules struct {
	// Hub are the packages of the hub's code, by import path.
	Hub []string
	// Wiring are the packages that put the program together: what else they
	// import may stand behind a port.
	Wiring []string
	// Adapters are the packages the walk does not enter, by import path; one
	// that ends in /* is all packages below.
	Adapters []string
	// Exceptions are what is found and is well.
	Exceptions []Exception
}

// outside says of a package that the walk does not enter it.
func (w *walk) outside(path string) bool { return isRuntime(path) || w.adapter(path) }

func (w *walk) adapter(path string) bool {
	return slices.ContainsFunc(w.rules.Adapters, func(a string) bool { return within(path, a) })
}

func within(path, adapter string) bool {
	if below, ok := strings.CutSuffix(adapter, "/*"); ok {
		return strings.HasPrefix(path, below+"/")
	}
	return path == adapter
}

// staleRules finds packages in the rules that are not there.
func (w *walk) staleRules() {
	for _, path := range slices.Concat(w.rules.Hub, w.rules.Wiring) {
		if w.packages[path] == nil {
			w.report.Stale = append(w.report.Stale, path+": no such package")
		}
	}
	for _, a := range w.rules.Adapters {
		found := false
		for path := range w.packages {
			found = found || within(path, a)
		}
		if !found {
			w.report.Stale = append(w.report.Stale, a+": no adapter is named so")
		}
	}
}
