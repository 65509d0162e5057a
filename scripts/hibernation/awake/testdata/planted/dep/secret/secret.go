// Package secret is of others.
package secret

import "time"

// Handler is called by name.
type Handler struct{}

// Handle waits.
func (Handler) Handle() { time.Sleep(time.Second) } // want time.Sleep
