package explore_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pocbakery/pkg/explore"
	"pocbakery/pkg/store"
)

// The explorer itself, on processes small enough to count by hand.

var tally1 = store.Key{PK: "hub", SK: "tally"}

func calls(name string, call func(context.Context, explore.World) (string, error)) explore.Program {
	return explore.Program{Name: name, Call: call}
}

// answersOf explores a cast and returns every combination of answers it ends in.
func answersOf(t *testing.T, c explore.Cast) ([]string, explore.Result) {
	t.Helper()
	if c.Instants == nil {
		c.Instants = instants[:1]
	}
	ends := map[string]bool{}
	c.Final = func(_ explore.Scene, answers []string) error {
		ends[strings.Join(answers, " ")] = true
		return nil
	}
	r := explore.Explore(c)
	if r.Violation != nil {
		t.Fatal(r.Violation, r.Trail)
	}
	return slices.Sorted(maps.Keys(ends)), r
}

// inOrder is a process of so many steps, each of which notes in the table, for
// each step of the other process, which of the two came first.
func inOrder(me string, steps int, other string, otherSteps int) explore.Program {
	return calls(me, func(ctx context.Context, w explore.World) (string, error) {
		for n := range steps {
			first := store.Fields{}
			for m := range otherSteps {
				pair := []string{fmt.Sprint(me, n), fmt.Sprint(other, m)}
				slices.Sort(pair)
				first[strings.Join(pair, "or")] = me
			}
			if err := w.Table.Commit(ctx, opening, store.Write{Op: store.OpUpdate, Key: tally1, Guard: store.If().OrAbsent(), Init: first}); err != nil {
				return "", err
			}
		}
		return "done", nil
	})
}

func TestTwoProcessesOfTwoStepsHaveSixInterleavings(t *testing.T) {
	for _, c := range []struct{ steps, others, want int }{{1, 1, 2}, {2, 1, 3}, {2, 2, 6}, {3, 3, 20}} {
		tables := map[int32]bool{}
		r := explore.Explore(explore.Cast{
			Instants: instants[:1], Programs: []explore.Program{inOrder("a", c.steps, "b", c.others), inOrder("b", c.others, "a", c.steps)},
			Final: func(s explore.Scene, _ []string) error { tables[s.Number] = true; return nil },
		})
		if len(tables) != c.want || r.Bounded || r.Violation != nil {
			t.Errorf("%d and %d steps have %d interleavings, want %d: %v %v", c.steps, c.others, len(tables), c.want, r, r.Violation)
		}
	}
}

func TestProcessesThatDoNotMeetHaveAStateForEveryPairOfPlaces(t *testing.T) {
	alone := func(name string) explore.Program {
		return calls(name, func(ctx context.Context, w explore.World) (string, error) {
			for n := range 2 {
				k := store.Key{PK: "hub", SK: fmt.Sprint(name, n)}
				if err := w.Table.Commit(ctx, opening, store.Put(k, store.IfAbsent(), store.Fields{})); err != nil {
					return "", err
				}
			}
			return "done", nil
		})
	}
	ends, r := answersOf(t, explore.Cast{Programs: []explore.Program{alone("a"), alone("b")}})
	if r.States != 9 || r.Finals != 1 || !slices.Equal(ends, []string{"done done"}) {
		t.Errorf("%v, ends %q; want 9 states and 1 end", r, ends)
	}
}

// addOne reads a number and writes the next, with a guard or without.
func addOne(guarded bool) explore.Program {
	return calls("add", func(ctx context.Context, w explore.World) (string, error) {
		for {
			items, err := w.Table.Get(ctx, opening, tally1)
			if err != nil {
				return "", err
			}
			guard := store.If().OrAbsent()
			if guarded {
				guard = store.IfStill(items[0])
			}
			err = w.Table.Commit(ctx, opening, store.Put(tally1, guard, store.Fields{"n": items[0].Int("n") + 1}))
			if store.FailedGuard(err) == nil {
				return "added", err
			}
		}
	})
}

func TestALostUpdateIsFound(t *testing.T) {
	for _, guarded := range []bool{false, true} {
		r := explore.Explore(explore.Cast{
			Instants: instants[:1], Programs: []explore.Program{addOne(guarded), addOne(guarded)},
			Final: func(s explore.Scene, _ []string) error {
				return check(s.Item(tally1).Int("n") == 2, "lost: %d", s.Item(tally1).Int("n"))
			},
		})
		if (r.Violation == nil) != guarded {
			t.Errorf("guarded %v: %v, violation %v", guarded, r, r.Violation)
		}
		if !guarded && len(r.Trail) != 4 {
			t.Errorf("the way to it is %q", r.Trail)
		}
	}
}

func TestACrashLeavesWhatWasWrittenAndTheCallerCallsAgain(t *testing.T) {
	twice := calls("twice", func(ctx context.Context, w explore.World) (string, error) {
		for range 2 {
			w1 := store.Write{Op: store.OpUpdate, Key: tally1, Guard: store.If().OrAbsent(), Add: map[string]int64{"n": 1}}
			if err := w.Table.Commit(ctx, opening, w1); err != nil {
				return "", err
			}
		}
		items, err := w.Table.Get(ctx, opening, tally1)
		return fmt.Sprint(items[0].Int("n")), err
	})
	for retries, want := range [][]string{{"2", explore.Died}, {"2", "3", "4"}} {
		twice.Retries = retries
		ends, _ := answersOf(t, explore.Cast{Programs: []explore.Program{twice}, Faults: explore.Faults{Crash: 1}})
		if !slices.Equal(ends, want) {
			t.Errorf("%d retries end in %q, want %q", retries, ends, want)
		}
	}
}

func TestALostReplyIsRecognisedByItsMark(t *testing.T) {
	once := func(name string) explore.Program {
		return calls(name, func(ctx context.Context, w explore.World) (string, error) {
			err := w.Table.Commit(ctx, opening, store.Put(tally1, store.IfAbsent(), store.Fields{}))
			if store.FailedGuard(err) != nil {
				return "late", nil
			}
			return "first", err
		})
	}
	for _, f := range []explore.Faults{{Lost: 1}, {Late: 1}} {
		ends, _ := answersOf(t, explore.Cast{Programs: []explore.Program{once("a"), once("b")}, Faults: f})
		if want := []string{"first late", "late first"}; !slices.Equal(ends, want) {
			t.Errorf("%+v ends in %q, want %q", f, ends, want)
		}
	}
}

func TestTheClockMovesBetweenAnyTwoLooks(t *testing.T) {
	looker := calls("look", func(_ context.Context, w explore.World) (string, error) {
		first := w.Clock()
		return fmt.Sprint(first.Sub(opening).Minutes(), "-", w.Clock().Sub(opening).Minutes()), nil
	})
	ends, _ := answersOf(t, explore.Cast{Programs: []explore.Program{looker}, Instants: instants})
	if want := []string{"0-0", "0-15", "0-30", "15-15", "15-30", "30-30"}; !slices.Equal(ends, want) {
		t.Errorf("it saw %q, want %q", ends, want)
	}
}

func TestASearchWithoutBudgetForAllSaysSo(t *testing.T) {
	programs := []explore.Program{inOrder("a", 4, "b", 4), inOrder("b", 4, "a", 4)}
	_, whole := answersOf(t, explore.Cast{Programs: programs})
	_, part := answersOf(t, explore.Cast{Programs: programs, Budget: whole.States - 1})
	if whole.Bounded || whole.Finals != 70 || !part.Bounded || part.Finals >= whole.Finals || part.Finals == 0 {
		t.Errorf("whole: %v, part: %v", whole, part)
	}
}

func TestAProcessThatIsNotDeterminedByItsAnswersIsRefused(t *testing.T) {
	n := 0
	moody := calls("moody", func(ctx context.Context, w explore.World) (string, error) {
		n++
		for range 2 {
			if _, err := w.Table.Get(ctx, opening, store.Key{PK: "hub", SK: fmt.Sprint(n)}); err != nil {
				return "", err
			}
		}
		return "done", nil
	})
	r := explore.Explore(explore.Cast{Instants: []time.Time{opening}, Programs: []explore.Program{moody}})
	if r.Violation == nil || !strings.HasPrefix(r.Violation.Error(), "unsteady: moody") {
		t.Errorf("%v: %v", r, r.Violation)
	}
}

func TestTheSameCastHasTheSameStates(t *testing.T) {
	c := holdCast("place, pay, run", crash, place("A", 1), pay("A", "first", 1), run(0))
	if a, b := explore.Explore(c), explore.Explore(c); a.String() != b.String() {
		t.Errorf("%v, then %v", a, b)
	}
}
