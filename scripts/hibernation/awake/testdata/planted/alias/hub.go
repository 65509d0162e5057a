// Package alias has timers under other names.
package alias

import "example.org/dep/clock"

// Alarm is the second alias in a row.
type Alarm = clock.Alarm // want time.Timer

type bell struct {
	*Alarm // want time.Timer
}

// Run is a hub's code.
func Run(b bell) { b.Reset(1) } // want (*time.Timer).Reset
