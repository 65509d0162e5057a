// Package errgroup has the names of the real one.
package errgroup

// Group starts goroutines.
type Group struct{}

// Go starts one.
func (*Group) Go(f func() error) { go f() }

// TryGo starts one, or not.
func (*Group) TryGo(f func() error) bool {
	go f()
	return true
}
