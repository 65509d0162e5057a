package explore

// texted is what has a canonical text: two are the same exactly if their
// texts are.
type texted interface{ text() string }

// numbers gives each different thing of a kind a number, from 0.
type numbers[T texted] struct {
	known map[string]int32
	all   []T
}

func newNumbers[T texted]() *numbers[T] { return &numbers[T]{known: map[string]int32{}} }

func (n *numbers[T]) number(thing T) int32 {
	text := thing.text()
	if known, ok := n.known[text]; ok {
		return known
	}
	n.known[text] = int32(len(n.all))
	n.all = append(n.all, thing)
	return int32(len(n.all) - 1)
}
