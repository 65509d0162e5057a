package local_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"pocbakery/pkg/alarm"
	alarmlocal "pocbakery/pkg/alarm/local"
	"pocbakery/pkg/store"
)

func TestAMoveGoesFromEndToEndAndEachRunSeesItsOwnInstant(t *testing.T) {
	h := open(t)
	for _, at := range []string{"11:20", "11:10", "11:30", "12:30"} {
		h.arm("maja", at)
	}
	h.arm("olle", "11:10")
	h.onFire = func(s alarm.Schedule) error {
		if s.At.Equal(clock(t, "11:10")) && s.Hub == "maja" {
			h.arm("maja", "11:15") // a run's own next alarm, on the way
		}
		return nil
	}
	h.move(time.Hour)
	got := h.log()
	if got[0] > got[1] { // two of one instant run side by side
		got[0], got[1] = got[1], got[0]
	}
	same(t, strings.Join(got, ", "), "maja 11:10 > 11:10, olle 11:10 > 11:10, maja 11:15 > 11:15, maja 11:20 > 11:20, maja 11:30 > 11:30", "what fired")
	same(t, h.wall.Now(), clock(t, "12:00"), "the clock")
	same(t, h.alarmsLeft(), []string{"maja 12:30"}, "alarms left")
}

func TestTTLTakesWhatHasExpiredBetweenTwoAlarms(t *testing.T) {
	h := open(t)
	h.put("maja", "kept", "")
	h.put("maja", "until#1", "11:20")
	h.put("maja", "until#2", "11:40")
	var held []int
	h.onFire = func(alarm.Schedule) error { held = append(held, h.held()); return nil }
	for _, at := range []string{"11:19", "11:20", "11:21"} {
		h.arm("maja", at)
	}
	h.move(30 * time.Minute)
	same(t, held, []int{3, 3, 2}, "items as the runs see them: at one instant alarms come first")
	h.move(9 * time.Minute)
	same(t, h.held(), 2, "a minute before the second's end")
	h.move(time.Minute)
	same(t, h.held(), 1, "at its end")
}

func TestWithTTLOffTheTableKeepsWhatHasExpired(t *testing.T) {
	h := open(t)
	h.put("maja", "until", "11:20")
	h.loop.SetTTL(false)
	h.move(time.Hour)
	same(t, h.held(), 1, "items with TTL off")
	items, err := h.file.Get(t.Context(), h.wall.Now(), store.Key{PK: "maja", SK: "until"})
	same(t, err, nil, "reading it")
	same(t, items[0].Exists(), false, "what a read says of it")
	h.loop.SetTTL(true)
	h.move(time.Second)
	same(t, h.held(), 0, "items once TTL is on again")
}

func TestTTLSwitchedOnTakesWhatExpiredMeanwhileUnasked(t *testing.T) {
	h := open(t)
	h.loop.SetTTL(false)
	h.put("maja", "until", "11:20")
	h.move(time.Hour)
	stop := h.run()
	defer stop()
	h.arm("maja", "12:00") // due: when it has fired, the loop has settled once
	until(t, func() bool { return len(h.log()) == 1 })
	time.Sleep(5 * time.Millisecond) // the loop has gone back to sleep
	h.loop.SetTTL(true)
	until(t, func() bool { return h.held() == 0 })
}

func TestAlarmsByFaultFireNotAtAllOrTwice(t *testing.T) {
	h := open(t)
	h.arm("maja", "11:10")
	h.alarms.SetMode(alarmlocal.Drop)
	h.move(15 * time.Minute)
	same(t, len(h.log()), 0, "runs with alarms dropped")
	same(t, len(h.alarmsLeft()), 0, "a dropped alarm is used up")
	h.arm("maja", "11:20")
	h.arm("maja", "11:30")
	h.alarms.SetMode(alarmlocal.Double)
	h.move(10 * time.Minute)
	h.alarms.SetMode(alarmlocal.On)
	h.move(10 * time.Minute)
	same(t, strings.Join(h.log(), ", "), "maja 11:20 > 11:20, maja 11:20 > 11:20, maja 11:30 > 11:30", "runs")
}

func TestARunThatFailsIsReportedAndTheMoveGoesOn(t *testing.T) {
	h := open(t)
	h.arm("maja", "11:10")
	h.arm("olle", "11:20")
	h.onFire = func(s alarm.Schedule) error {
		if s.Hub == "maja" {
			return errors.New("the oven is cold")
		}
		return nil
	}
	h.move(time.Hour)
	same(t, strings.Join(h.log(), ", "), strings.Repeat("maja 11:10 > 11:10, ", 3)+"olle 11:20 > 11:20", "runs")
	same(t, h.reported, []string{"run_failed: the oven is cold"}, "reports")
}

func TestWithWipesOffErasingFailsAndNothingElse(t *testing.T) {
	h := open(t)
	h.put("maja", "thing", "")
	key := store.Key{PK: "maja", SK: "thing"}
	h.wipes.Set(true)
	same(t, errors.Is(h.faults.Erase(t.Context(), key), store.ErrUnavailable), true, "erasing fails")
	same(t, h.held(), 1, "items")
	_, err := h.faults.Get(t.Context(), h.wall.Now(), key)
	same(t, err, nil, "reading")
	h.wipes.Set(false)
	same(t, h.faults.Erase(t.Context(), key), nil, "erasing again")
	same(t, h.held(), 0, "items")
}

func TestTheOffsetOfTheClockOutlivesARestart(t *testing.T) {
	h := open(t)
	h.arm("maja", "11:50")
	h.move(45*time.Minute + 250*time.Millisecond)
	h.machine.Add(int64(time.Minute)) // while it is down
	h.restart()
	same(t, h.wall.Now(), clock(t, "11:46:00.250"), "the clock")
	same(t, h.alarmsLeft(), []string{"maja 11:50"}, "alarms")
	same(t, h.wall.MoveTo(t.Context(), clock(t, "11:30")), nil, "a move back")
	same(t, h.wall.Now(), clock(t, "11:46:00.250"), "is none")
}

// run runs the loop, as the program does, until the one returned is called.
func (h *house) run() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	all.Go(func() { h.loop.Run(ctx) })
	return func() { cancel(); all.Wait() }
}

// until waits for what another goroutine is about to do.
func until(t *testing.T, done func() bool) {
	t.Helper()
	for late := time.Now().Add(10 * time.Second); !done(); time.Sleep(100 * time.Microsecond) {
		if time.Now().After(late) {
			t.Fatal("it never happens")
		}
	}
}

func TestTheLoopFiresWhatTheClockWasMovedToAndWhatIsDueAtItsStart(t *testing.T) {
	h := open(t)
	h.arm("maja", "11:00") // due already
	stop := h.run()
	until(t, func() bool { return len(h.log()) == 1 })
	h.arm("maja", "11:10")
	h.move(11 * time.Minute)
	same(t, strings.Join(h.log(), ", "), "maja 11:00 > 11:00, maja 11:10 > 11:10", "runs")
	h.arm("olle", "11:10") // it is past when it is created, and the loop sleeps
	until(t, func() bool { return len(h.log()) == 3 })
	stop()
	same(t, len(h.reported), 0, "reports")
}

func TestAfterAMoveTheLoopSleepsOnlyForWhatIsLeft(t *testing.T) {
	h := open(t)
	h.arm("maja", "11:04")
	stop := h.run()
	defer stop()
	h.move(4*time.Minute - 10*time.Millisecond)
	same(t, len(h.log()), 0, "runs before the instant")
	h.machine.Add(int64(10 * time.Millisecond))
	until(t, func() bool { return len(h.log()) == 1 })
}

// A run that is still on its way has yet to arm for what follows: a move that
// did not wait for it would go past that.
func TestAMoveWaitsForTheRunThatTheLoopHasBegun(t *testing.T) {
	h := open(t)
	began, finish := make(chan struct{}), make(chan struct{})
	h.onFire = func(s alarm.Schedule) error {
		if s.At.Equal(eleven) {
			close(began)
			<-finish
			h.arm("maja", "11:01") // its next end
		}
		return nil
	}
	h.arm("maja", "11:00")
	h.arm("olle", "11:30")
	stop := h.run()
	defer stop()
	<-began
	var moved sync.WaitGroup
	moved.Go(func() { h.move(time.Hour) })
	// Given a while to do it wrong.
	for late := time.Now().Add(20 * time.Millisecond); h.wall.Now().Equal(eleven) && time.Now().Before(late); time.Sleep(100 * time.Microsecond) {
		continue
	}
	same(t, h.wall.Now(), eleven, "the clock while a run is on")
	close(finish)
	moved.Wait()
	same(t, strings.Join(h.log(), ", "), "maja 11:00 > 11:00, maja 11:01 > 11:01, olle 11:30 > 11:30", "runs")
	same(t, h.wall.Now(), clock(t, "12:00"), "the clock after the move")
}

func TestTheRuleFiresOnItsOwnInstantsUnlessItIsOff(t *testing.T) {
	h := open(t)
	h.arm("olle", "23:00") // something that has an end
	h.move(12 * time.Minute)
	want := len(h.swept)
	if want < 2 || want > 3 {
		t.Errorf("in 12 minutes the rule fired %d times", want)
	}
	for _, at := range h.swept {
		if at.Sub(at.Truncate(5*time.Minute)) > time.Second {
			t.Errorf("it fired at %s", at)
		}
	}
	h.loop.SetRules(false)
	h.move(20 * time.Minute)
	if len(h.swept) != want {
		t.Errorf("switched off it fired %d times", len(h.swept)-want)
	}
}

func TestAtOneInstantAlarmsComeFirstThenTheRuleThenTTL(t *testing.T) {
	h := open(t)
	h.arm("olle", "23:00") // something that has an end
	h.put("maja", "until", "11:05")
	h.arm("maja", "11:05")
	h.onFire = func(alarm.Schedule) error {
		same(t, len(h.swept), 0, "turns of the rule when the alarm fires")
		return nil
	}
	h.onSweep = func() error {
		same(t, len(h.log()), 1, "alarms fired when the rule does")
		same(t, h.held(), 1, "items when the rule fires")
		return errors.New("the broom is broken")
	}
	h.move(5*time.Minute - time.Nanosecond)
	same(t, len(h.swept)+len(h.log()), 0, "what ran a nanosecond before")
	h.move(time.Nanosecond)
	same(t, h.swept, []time.Time{clock(t, "11:05")}, "turns of the rule")
	same(t, h.held(), 0, "items: a rule that fails stops nothing")
	same(t, h.reported, []string{"sweep_failed: the broom is broken"}, "reports")
}

func TestTheRuleSwitchedOnAgainGoesOnWithItsNextTurn(t *testing.T) {
	h := open(t)
	h.arm("olle", "23:00") // something that has an end
	h.loop.SetRules(false)
	h.move(22 * time.Minute)
	same(t, len(h.swept), 0, "turns while it is off")
	h.loop.SetRules(true)
	h.move(8 * time.Minute)
	same(t, h.swept, []time.Time{clock(t, "11:25"), clock(t, "11:30")}, "turns since")
}

func TestWhereNothingHasAnEndTheRuleIsSpared(t *testing.T) {
	h := open(t)
	h.move(400 * 24 * time.Hour)
	same(t, len(h.swept), 0, "turns in a year of nothing")
}
