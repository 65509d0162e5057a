// Package decorator is put around the table by the wiring. The hub never names
// it.
package decorator

import (
	"fmt"
	"time"

	"planted/behind"
)

// Patient tries again.
type Patient struct{ behind.Table }

// Commit tries twice.
func (p Patient) Commit() error {
	if p.Table.Commit() == nil {
		return nil
	}
	time.Sleep(time.Second) // want time.Sleep
	_ = fmt.Sprint(note{})
	return p.Table.Commit()
}

// note is mentioned by what the port reaches, so it is printed like any other.
type note struct{}

func (note) String() string {
	<-time.After(time.Second) // want time.After
	return "again"
}

// Watch is nothing the port has.
func (p Patient) Watch() { <-time.After(time.Second) }
