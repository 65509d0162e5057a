// Package adapter is one, so it may wait.
package adapter

import "time"

// Table is a table.
type Table struct{}

// Commit takes its time.
func (Table) Commit() error {
	time.Sleep(time.Second)
	return nil
}
