package explore

import (
	"slices"

	"pocbakery/pkg/alarm"
)

// shots is what the scheduler holds at one point of an exploration. Like a
// table it never changes.
type shots struct {
	waiting []alarm.Schedule // in the order of their instants
	// used ones have fired, and their names are still taken: creating such a
	// one again is no error and makes nothing.
	used []alarm.Schedule
}

func compareShots(a, b alarm.Schedule) int {
	if d := a.At.Compare(b.At); d != 0 {
		return d
	}
	return a.Try - b.Try
}

func (s shots) create(shot alarm.Schedule) shots {
	if slices.Contains(s.waiting, shot) || slices.Contains(s.used, shot) {
		return s
	}
	s.waiting = append(slices.Clone(s.waiting), shot)
	slices.SortStableFunc(s.waiting, compareShots)
	return s
}

func (s shots) list(hub string) []alarm.Schedule {
	return slices.DeleteFunc(slices.Clone(s.waiting), func(have alarm.Schedule) bool { return have.Hub != hub })
}

func (s shots) remove(shot alarm.Schedule) shots {
	s.waiting = slices.DeleteFunc(slices.Clone(s.waiting), func(have alarm.Schedule) bool { return have == shot })
	return s
}

func (s shots) text() string {
	var b []byte
	for _, w := range s.waiting {
		b = appendShot(b, w)
	}
	b = append(b, '|')
	for _, u := range s.used {
		b = appendShot(b, u)
	}
	return string(b)
}
