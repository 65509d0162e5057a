// Package methodvalue hands on a method and a function that it never calls.
package methodvalue

import (
	"sync"
	"time"

	"example.org/dep/patience"
)

var steps = []func(time.Duration){
	time.Sleep, // want time.Sleep
	patience.Long{}.Wait,
	new(patience.Short).Wait,
}

// Run is a hub's code.
func Run(group *sync.WaitGroup) (func(time.Duration), func(func())) {
	return each(steps), group.Go // want (*sync.WaitGroup).Go
}

func each[F any](all []F) F { return all[0] }
