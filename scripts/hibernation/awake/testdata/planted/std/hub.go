// Package std comes upon a goroutine of the standard library's.
package std

import "context"

// Run is a hub's code.
func Run(ctx context.Context) {
	_, stop := context.WithCancel(ctx)
	stop()
}
