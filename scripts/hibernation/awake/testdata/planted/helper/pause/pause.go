// Package pause is a helper's helper.
package pause

import "time"

// Briefly waits.
func Briefly() { time.Sleep(time.Millisecond) } // want time.Sleep

// Unused is called by nobody yet: a package of ours is checked whole.
func Unused() { <-time.After(time.Second) } // want time.After
