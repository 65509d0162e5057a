// Package closure starts goroutines and may forget them.
package closure

import (
	"sync"

	"golang.org/x/sync/errgroup"
)

// Run is a hub's code.
func Run(n int, f func()) func() {
	return func() {
		go f() // want go
	}
}

// Joined waits in the block it started in.
func Joined(n int, f func()) {
	var all sync.WaitGroup
	for range n {
		all.Go(f) // want joined
	}
	f()
	all.Wait()
}

// Deferred waits on every way out.
func Deferred(n int, f func() bool) bool {
	var all sync.WaitGroup
	defer all.Wait()
	all.Go(func() { f() }) // want joined
	if n == 0 {
		return false
	}
	return f()
}

// Early may return before it waits.
func Early(n int, f func()) {
	var all sync.WaitGroup
	all.Go(f) // want (*sync.WaitGroup).Go
	if n == 0 {
		return
	}
	all.Wait()
}

// Never waits.
func Never(f func()) {
	var all sync.WaitGroup
	all.Go(f) // want (*sync.WaitGroup).Go
}

// Broken leaves the block it would wait in.
func Broken(n int, f func() bool) {
	for range n {
		var all sync.WaitGroup
		all.Go(func() { f() }) // want (*sync.WaitGroup).Go
		if f() {
			break
		}
		all.Wait()
	}
}

// Grouped leaves it to another.
func Grouped(g *errgroup.Group, f func() error) {
	g.Go(f) // want (*golang.org/x/sync/errgroup.Group).Go
}
