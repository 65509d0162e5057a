// Package helper waits through a helper of a helper.
package helper

import (
	"errors"

	"planted/helper/retry"
)

// Run is a hub's code.
func Run() error { return retry.Twice(func() error { return errors.New("once") }) }
