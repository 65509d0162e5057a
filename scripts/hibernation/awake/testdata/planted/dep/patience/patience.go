// Package patience is of others.
package patience

import "time"

// Long waits.
type Long struct{}

// Wait waits.
func (Long) Wait(d time.Duration) { time.Sleep(d) } // want time.Sleep

// Short waits too.
type Short struct{}

// Wait waits.
func (*Short) Wait(d time.Duration) { time.Sleep(d) } // want time.Sleep
