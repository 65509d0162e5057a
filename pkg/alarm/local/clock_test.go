package local_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.etcd.io/bbolt"
	"go.uber.org/goleak"

	"pocbakery/pkg/alarm"
	"pocbakery/pkg/alarm/local"
	"pocbakery/pkg/store/bolt"
)

// TestMain also says of every test that nothing it started outlives it.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var eleven = time.Date(2026, 11, 30, 11, 0, 0, 0, time.UTC)

// shelf is an alarm clock in a file, and what it fired.
type shelf struct {
	*testing.T
	path  string
	file  *bolt.Store
	clock *local.Clock

	mu       sync.Mutex
	asked    []string
	fired    []string
	reported []string
}

func open(t *testing.T) *shelf {
	t.Helper()
	return at(t, filepath.Join(t.TempDir(), "bakery.db"))
}

// at opens the clock that a file has.
func at(t *testing.T, path string) *shelf {
	t.Helper()
	s := &shelf{T: t, path: path}
	var err error
	if s.file, err = bolt.Open(path, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.file.Close() })
	if s.clock, err = local.New(s.file, s.count); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *shelf) count(op string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, op)
}

// cut is the clock as the next start finds it if the process dies right now.
func (s *shelf) cut() *shelf {
	s.Helper()
	path := filepath.Join(s.TempDir(), "bakery.db")
	if err := s.file.View(func(tx *bbolt.Tx) error { return tx.CopyFile(path, 0o600) }); err != nil {
		s.Fatal(err)
	}
	return at(s.T, path)
}

// in is a one-shot some minutes after eleven.
func in(hub string, minutes int) alarm.Schedule {
	return alarm.Schedule{Hub: hub, At: eleven.Add(time.Duration(minutes) * time.Minute)}
}

func (s *shelf) create(all ...alarm.Schedule) {
	s.Helper()
	for _, one := range all {
		if err := s.clock.Create(context.Background(), one); err != nil {
			s.Error(err)
		}
	}
}

// list is the one-shots of a hub, as minutes after eleven.
func (s *shelf) list(hub string) string {
	s.Helper()
	all, err := s.clock.List(s.Context(), hub)
	if err != nil {
		s.Error(err)
	}
	return text(all)
}

func text(all []alarm.Schedule) string {
	var out []string
	for _, one := range all {
		out = append(out, fmt.Sprintf("%s+%d.%d", one.Hub, int(one.At.Sub(eleven).Minutes()), one.Try))
	}
	return strings.Join(out, " ")
}

// fire fires what is due some minutes after eleven; then, which may be nil, is
// the run.
func (s *shelf) fire(minutes int, then func(alarm.Schedule) error) error {
	return s.clock.FireDue(context.Background(), eleven.Add(time.Duration(minutes)*time.Minute), s.run(then), s.report)
}

func (s *shelf) run(then func(alarm.Schedule) error) local.Fire {
	return func(_ context.Context, one alarm.Schedule) error {
		s.mu.Lock()
		s.fired = append(s.fired, text([]alarm.Schedule{one}))
		s.mu.Unlock()
		if then == nil {
			return nil
		}
		return then(one)
	}
}

func (s *shelf) report(one alarm.Schedule, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reported = append(s.reported, text([]alarm.Schedule{one})+": "+err.Error())
}

func (s *shelf) firedSorted() string {
	slices.Sort(s.fired)
	return strings.Join(s.fired, " ")
}

func same[T comparable](t testing.TB, got, want T, what string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n got %v\nwant %v", what, got, want)
	}
}

func TestCreatingTwiceIsCreatingOnce(t *testing.T) {
	s := open(t)
	s.create(in("ab", 10), in("ab", 10), in("ab", 10))
	same(t, s.list("ab"), "ab+10.0", "one-shots")
	same(t, s.clock.Delete(t.Context(), in("ab", 20)), nil, "deleting what is not there")
	again := in("ab", 10)
	again.Try = 1
	s.create(again)
	same(t, s.list("ab"), "ab+10.0 ab+10.1", "another try is another one")
	same(t, s.clock.Delete(t.Context(), in("ab", 10)), nil, "deleting")
	same(t, s.list("ab"), "ab+10.1", "what is left")
	same(t, s.fire(10, nil), nil, "firing")
	same(t, s.firedSorted(), "ab+10.1", "what fired")
	same(t, strings.Join(s.asked, " "), "create create create list delete create list delete list", "what was counted")
}

func TestCreatingAtOnceFromManySidesIsCreatingOnce(t *testing.T) {
	s := open(t)
	var all sync.WaitGroup
	for range 32 {
		all.Go(func() { s.create(in("ab", 10), in("abc", 11)) })
	}
	all.Wait()
	same(t, s.list(""), "ab+10.0 abc+11.0", "one-shots")
}

func TestAHubsListHasNoOtherHubsOneShots(t *testing.T) {
	s := open(t)
	s.create(in("abc", 5), in("ab", 10), in("a", 1), in("ab", 2), in("ab0", 3), in("b", 4))
	same(t, s.list("ab"), "ab+2.0 ab+10.0", "of ab, in the order of their instants")
	same(t, s.list("abc"), "abc+5.0", "of abc")
	same(t, s.list("a"), "a+1.0", "of a")
	same(t, s.list("abcd"), "", "of a hub that has none")
	all, err := s.clock.All()
	same(t, err, nil, "all of them")
	same(t, len(all), 6, "all of them")
	next, ok := s.clock.Next()
	same(t, ok && next.Equal(in("a", 1).At), true, "the next of all")
}

func TestWhatIsDueFiresAndNothingElse(t *testing.T) {
	s := open(t)
	s.create(in("ab", 10), in("abc", 10), in("cd", 11))
	late := eleven.Add(10*time.Minute - time.Nanosecond)
	same(t, s.clock.FireDue(t.Context(), late, s.run(nil), s.report), nil, "firing")
	same(t, s.firedSorted(), "", "a nanosecond before")
	same(t, s.fire(10, nil), nil, "firing")
	same(t, s.firedSorted(), "ab+10.0 abc+10.0", "at the instant")
	same(t, s.list(""), "cd+11.0", "what is left")
}

// Runs begin in the order of their instants, as places among the eight come
// free: whoever begins has at most seven before it that have not begun.
func TestOneShotsFireInOrderAndAtMostEightAtOnce(t *testing.T) {
	s := open(t)
	const n = 24
	for i := range n {
		s.create(in(fmt.Sprintf("hub%02d", (i*7)%n), i))
	}
	var mu sync.Mutex
	var order []int
	running, most := 0, 0
	full := make(chan struct{})
	err := s.fire(n, func(one alarm.Schedule) error {
		mu.Lock()
		order = append(order, int(one.At.Sub(eleven).Minutes()))
		running++
		most = max(most, running)
		mine, eighth := full, len(order)%8 == 0
		if eighth {
			full = make(chan struct{})
		}
		mu.Unlock()
		if eighth { // eight have come: let them all go, after a while for a ninth
			time.Sleep(2 * time.Millisecond)
			close(mine)
		}
		select {
		case <-mine:
		case <-time.After(10 * time.Second):
			t.Error("there are never eight at once")
		}
		mu.Lock()
		running--
		mu.Unlock()
		return nil
	})
	same(t, err, nil, "firing")
	same(t, len(order), n, "runs")
	same(t, most, 8, "runs at once")
	for place, minute := range order {
		if minute > place+7 {
			t.Errorf("the %d. to fire is that of minute %d: %v", place, minute, order)
		}
	}
}

func TestMoreThanOneTakeFiresThemAll(t *testing.T) {
	s := open(t)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for n := range 75 {
				if err := s.clock.Create(context.Background(), in(fmt.Sprintf("hub%d", i), n)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	same(t, s.fire(75, nil), nil, "firing")
	same(t, len(slices.Compact(slices.Sorted(slices.Values(s.fired)))), 600, "different ones fired")
	same(t, len(s.fired), 600, "fired")
	same(t, s.list(""), "", "what is left")
}

func TestWhatWasFiringWhenTheProcessDiedFiresAgain(t *testing.T) {
	s := open(t)
	s.create(in("ab", 10), in("cd", 20))
	var dead *shelf
	same(t, s.fire(15, func(alarm.Schedule) error {
		same(t, s.list("ab"), "", "of the hub, while it fires")
		dead = s.cut()
		return nil
	}), nil, "firing")
	same(t, s.cut().list(""), "cd+20.0", "after a start that followed the run")
	same(t, dead.list(""), "ab+10.0 cd+20.0", "after a start that followed a crash in the run")
	same(t, dead.fire(15, nil), nil, "firing")
	same(t, dead.firedSorted(), "ab+10.0", "what fires again")
	same(t, dead.list(""), "cd+20.0", "what is left")
	same(t, dead.cut().list(""), "cd+20.0", "what is left after another start")
}

func TestARunThatCreatesItsOwnNameAgainIsFiredAgain(t *testing.T) {
	s := open(t)
	s.create(in("ab", 10))
	var dead *shelf
	runs := 0
	same(t, s.fire(10, func(one alarm.Schedule) error {
		if runs++; runs == 1 {
			s.create(one)
			same(t, s.list("ab"), "ab+10.0", "of the hub, while it fires")
			dead = s.cut()
		}
		return nil
	}), nil, "firing")
	same(t, runs, 2, "runs")
	same(t, s.list(""), "", "what is left")
	same(t, dead.list(""), "ab+10.0", "after a crash in the run: one, not two")
	same(t, dead.fire(10, nil), nil, "firing")
	same(t, dead.firedSorted(), "ab+10.0", "what fires after the crash")
}

func TestAOneShotSurvivesARestart(t *testing.T) {
	s := open(t)
	s.create(in("ab", 10))
	same(t, s.file.Close(), nil, "closing")
	next := at(t, s.path)
	same(t, next.list("ab"), "ab+10.0", "one-shots")
	same(t, next.fire(60, nil), nil, "firing, long after its instant")
	same(t, next.firedSorted(), "ab+10.0", "what fired")
}

func TestARunThatFailsIsTriedThreeTimesAndReportedOnce(t *testing.T) {
	s := open(t)
	s.create(in("ab", 10), in("cd", 10))
	var mu sync.Mutex
	runs := map[string]int{}
	same(t, s.fire(10, func(one alarm.Schedule) error {
		mu.Lock()
		defer mu.Unlock()
		runs[one.Hub]++
		if one.Hub == "ab" || runs[one.Hub] < 3 { // cd succeeds in the end
			return errors.New("the oven is cold")
		}
		return nil
	}), nil, "firing")
	same(t, runs["ab"], 3, "runs of what always fails")
	same(t, runs["cd"], 3, "runs of what succeeds the third time")
	same(t, strings.Join(s.reported, ", "), "ab+10.0: the oven is cold", "reports")
	same(t, s.list(""), "", "what is left")
}

func TestByFaultItFiresTwiceOrNotAtAll(t *testing.T) {
	s := open(t)
	s.create(in("ab", 10), in("cd", 20), in("ef", 30))
	s.clock.SetMode(local.Double)
	same(t, s.fire(10, nil), nil, "firing")
	same(t, s.firedSorted(), "ab+10.0 ab+10.0", "doubled")
	s.fired = nil
	s.clock.SetMode(local.Drop)
	same(t, s.fire(20, nil), nil, "firing")
	s.clock.SetMode(local.On)
	same(t, s.fire(30, nil), nil, "firing")
	same(t, s.firedSorted(), "ef+30.0", "dropped, then as it should")
	same(t, s.cut().list(""), "", "what a start brings back of what was dropped")
}

func TestCreatingWakesWhoWaitsForTheNextInstant(t *testing.T) {
	s := open(t)
	_, ok := s.clock.Next()
	same(t, ok, false, "a next instant where there is none")
	s.create(in("ab", 10))
	select {
	case <-s.clock.Moved():
	default:
		t.Error("nobody is woken")
	}
	next, _ := s.clock.Next()
	same(t, next, in("ab", 10).At, "the next instant")
}

func TestWhatBreaksOffIsFiredAtTheNextStart(t *testing.T) {
	s := open(t)
	s.create(in("ab", 10), in("cd", 10))
	ctx, stop := context.WithCancel(t.Context())
	err := s.clock.FireDue(ctx, in("", 10).At, func(ctx context.Context, _ alarm.Schedule) error {
		stop()
		return ctx.Err()
	}, s.report)
	same(t, err != nil, true, "it says that it broke off")
	same(t, s.file.Close(), nil, "closing")
	next := at(t, s.path)
	same(t, next.fire(10, nil), nil, "firing")
	same(t, next.firedSorted(), "ab+10.0 cd+10.0", "what fired")
}
