// Package wiring puts the program together.
package wiring

import (
	"planted/behind"
	"planted/behind/adapter"
	"planted/behind/decorator"
)

// Run runs it.
func Run() string { return behind.Run(decorator.Patient{Table: adapter.Table{}}) }
