// Package retry is a helper.
package retry

import "planted/helper/pause"

// Twice tries twice.
func Twice(f func() error) error {
	if f() == nil {
		return nil
	}
	pause.Briefly()
	return f()
}
