// Package loops waits for others.
package loops

// Run is a hub's code.
func Run(in chan int, done chan struct{}) {
	for { // want loop
		select {
		case <-in:
		case <-done:
			return
		}
	}
}

func drain(in chan int, ok func() bool) {
	for range in { // want loop
	}
	for ok() { // want loop
		<-in
	}
	select {} // want loop
}

// bounded is no loop that outlives its call: it receives what it is owed, and
// selects once.
func bounded(in chan int, done chan struct{}) {
	for i := 0; i < 8; i++ {
		<-in
	}
	for range 8 {
		<-in
	}
	select {
	case <-in:
	case <-done:
	}
}

var _, _ = drain, bounded
