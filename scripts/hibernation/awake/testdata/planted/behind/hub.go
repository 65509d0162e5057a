// Package behind calls methods that it does not know.
package behind

import (
	"fmt"

	"example.org/dep/label"
)

// Table is a port of the hub's.
type Table interface{ Commit() error }

// Run is a hub's code.
func Run(t Table) string {
	_ = t.Commit()
	return fmt.Sprint(label.Slow{})
}
