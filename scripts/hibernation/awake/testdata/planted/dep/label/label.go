// Package label is of others.
package label

import "time"

// Slow is printed slowly.
type Slow struct{}

func (Slow) String() string {
	time.Sleep(time.Second) // want time.Sleep
	return "slow"
}
