package awake

import (
	"fmt"
	"strings"
)

// Report is what a walk came to.
type Report struct {
	Findings []Finding
	// Stale are the rules that no longer fit the tree, as messages.
	Stale []string
	// Ours, Others and Declarations say how much was walked.
	Ours, Others, Declarations int
}

// Finding is one thing found.
type Finding struct {
	What string // as an exception names it
	Does string
	In   string // the declaration it stands in, as an exception names it
	At   string // file:line
	// Chain is how the hub comes to it: packages by import, then declarations
	// by mention, and last what was found.
	Chain []string
}

// String is the finding for a reader: where, what, and how the hub gets there.
func (f Finding) String() string {
	return fmt.Sprintf("%s: %s %s, in %s\n\t%s", f.At, f.What, f.Does, f.In, strings.Join(f.Chain, "\n\t-> "))
}
