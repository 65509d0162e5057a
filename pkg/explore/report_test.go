package explore_test

import (
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"testing"

	"pocbakery/pkg/explore"
)

// exploreAll explores casts, two or so at a time, tells of each, and of all at
// the end.
func exploreAll(t *testing.T, casts ...explore.Cast) {
	t.Helper()
	sum := &summary{}
	t.Cleanup(func() { t.Log(sum) })
	for _, c := range casts {
		t.Run(c.Name, func(t *testing.T) {
			if why := hurried(); why != "" && c.Budget >= large {
				t.Skip("a large cast, left out " + why)
			}
			t.Parallel()
			sum.add(exploreOne(t, c))
		})
	}
}

// exploreOne explores a cast and tells of it, and of the way to its violation.
func exploreOne(t *testing.T, c explore.Cast) explore.Result {
	t.Helper()
	r := explore.Explore(c)
	t.Log(r)
	if r.Violation != nil {
		for _, line := range r.Trail[:min(len(r.Trail), 60)] {
			t.Log("  " + line)
		}
		t.Errorf("violated: %v", r.Violation)
	}
	return r
}

// hurried says why large casts are left out, empty where they are not.
func hurried() string {
	if testing.Short() {
		return "under -short"
	}
	if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		return "under -race"
	}
	return ""
}

// summary adds up what several explorations came to.
type summary struct {
	mu                             sync.Mutex
	casts, states, finals, bounded int
}

func (s *summary) add(r explore.Result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.casts, s.states, s.finals = s.casts+1, s.states+r.States, s.finals+r.Finals
	if r.Bounded {
		s.bounded++
	}
}

func (s *summary) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return fmt.Sprintf("%d casts, %d states, %d final; %d exhausted, %d bounded to %d preemptions",
		s.casts, s.states, s.finals, s.casts-s.bounded, s.bounded, explore.Preemptions)
}
