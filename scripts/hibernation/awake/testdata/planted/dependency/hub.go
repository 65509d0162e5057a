// Package dependency waits inside of another module.
package dependency

import "example.org/dep/backoff"

// Run is a hub's code.
func Run() { backoff.Do() }
