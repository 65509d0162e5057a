// Package backoff is of others, and reached in part.
package backoff

import "time"

// Do is what the hub calls.
func Do() { wait(time.Second) }

func wait(d time.Duration) {
	t := time.NewTimer(d) // want time.NewTimer
	<-t.C
}

// Every is what nobody mentions, so it is not found.
func Every(d time.Duration) *time.Ticker { return time.NewTicker(d) }
