// Package heartbeat beats as soon as it is imported.
package heartbeat

func init() {
	go beat() // want go
}

func beat() {
	for range beats { // want loop
	}
}

var beats = make(chan struct{})
