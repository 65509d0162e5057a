package sim

import "math/rand/v2"

// dice is the chance of one step: all of it comes from the step's word, so that
// a history from which a step is dropped keeps the others as they were.
type dice struct{ *rand.Rand }

func diceOf(word, salt uint64) dice { return dice{rand.New(rand.NewPCG(word, salt))} }

// in is true one time in n.
func (d dice) in(n int) bool { return d.IntN(n) == 0 }

// pick is one of them, and the zero value of none.
func pick[T any](d dice, of []T) (t T) {
	if len(of) == 0 {
		return t
	}
	return of[d.IntN(len(of))]
}

// choice is something that can be done, and how often it is next to others.
type choice struct {
	weight int
	do     func()
}

// choose picks one by weight.
func choose(d dice, of []choice) func() {
	sum := 0
	for _, c := range of {
		sum += c.weight
	}
	n := d.IntN(sum)
	for _, c := range of {
		if n -= c.weight; n < 0 {
			return c.do
		}
	}
	panic("sim: weights that do not add up")
}

// Read makes dice a source of ids.
func (d dice) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(d.Uint32())
	}
	return len(p), nil
}
