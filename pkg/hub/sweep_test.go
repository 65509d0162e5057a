package hub_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"pocbakery/pkg/alarm"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/store"
)

func (l *lender) sweep() {
	l.T.Helper()
	if err := l.Engine.Dispatch(l.T.Context(), l.Engine.SweepJobs()); err != nil {
		l.T.Fatal(err)
	}
}

func TestTheSweepWakesAHubWhoseAlarmWasLostThoughItsRootBelievesInIt(t *testing.T) {
	l := open(t)
	end := l.lend("loan#1", store.Business, 10*time.Minute)
	l.arm(store.Business, end)
	l.Set(end.Add(59 * time.Second)) // the scheduler may still be coming
	l.sweep()
	same(t, len(l.settled), 0, "settled within the minute")
	l.Set(end.Add(5 * time.Minute))
	l.sweep()
	same(t, len(l.settled), 1, "settled by the sweep")
	l.sweep()
	same(t, len(l.settled), 1, "swept again in the same turn")
}

func TestTheSweepFindsAnEndThatAnAdvancedClockMadeEarlier(t *testing.T) {
	l := open(t)
	l.lend("loan#1", store.Business, 2*time.Hour) // its wake is two hours off
	if err := l.Engine.Store().Commit(t.Context(), l.Now(), l.root.MoveWrite(time.Hour, l.Now())); err != nil {
		t.Fatal(err)
	}
	l.Fire(alarm.Schedule{Hub: string(id)}) // arms for an hour from now
	l.Set(l.Now().Add(time.Hour + 5*time.Minute))
	l.sweep()
	same(t, len(l.settled), 1, "settled by the sweep")
}

func TestTheSweepRunsAHubWhoseClockWasMovedByARequestThatDied(t *testing.T) {
	l := open(t)
	l.arm(store.Business, l.lend("loan#1", store.Business, 2*time.Hour))
	if err := l.Engine.Store().Commit(t.Context(), l.Now(), l.root.MoveWrite(3*time.Hour, l.Now())); err != nil {
		t.Fatal(err)
	}
	same(t, l.read().Root.AlarmAt.IsZero(), true, "nobody relies on what was armed for the older clock")
	l.Set(l.Now().Add(5 * time.Minute))
	l.sweep()
	same(t, len(l.settled), 1, "settled by the sweep")
}

func TestTheSweepRunsTheLongestOverdueFirstAndGoesOnNextTime(t *testing.T) {
	l := open(t)
	for n := range 60 {
		r := l.root
		r.ID = hub.ID(fmt.Sprintf("hub%04d", n))
		if err := l.Engine.Store().Commit(t.Context(), l.Now(), r.Birth(), store.Put(r.Key("loan#1"), store.IfAbsent(), store.Fields{
			store.FieldDue:  store.DueAt(store.Wall, l.Now().Add(time.Duration(60-n)*time.Second)),
			store.FieldWake: store.FormatInstant(l.Now().Add(time.Duration(60-n) * time.Second)), store.FieldTTL: r.TTL,
		})); err != nil {
			t.Fatal(err)
		}
	}
	l.Set(l.Now().Add(5 * time.Minute))
	l.sweep()
	same(t, len(l.settled), 50, "hubs of one sweep")
	left, _ := l.Mem.Overdue(t.Context(), l.Now(), 100)
	same(t, left[0].PK, "hub0009", "the longest overdue that is left")
	l.Set(l.Now().Add(5 * time.Minute))
	l.sweep()
	same(t, len(l.settled), 60, "after the next")
}

func TestAJobRunsOnceATurnAndOneThatFailsStopsNoOther(t *testing.T) {
	l := open(t)
	ran := map[string]int{}
	jobs := []hub.Job{
		{Name: "broken", Every: 5 * time.Minute, Do: func(context.Context, time.Time) error { ran["broken"]++; return errors.New("broken") }},
		{Name: "slow", Every: 15 * time.Minute, Do: func(context.Context, time.Time) error { ran["slow"]++; return nil }},
	}
	for range 6 { // half an hour of a rule that fires twice each time
		for range 2 {
			_ = l.Engine.Dispatch(t.Context(), jobs)
		}
		l.Set(l.Now().Add(5 * time.Minute))
	}
	same(t, ran["broken"], 6, "turns of five minutes")
	same(t, ran["slow"], 2, "turns of fifteen")
}

// A turn every five minutes, woken by clocks that are off in turn: none is missed.
func TestATurnOfTheSweepIsNotMissedByAClockThatIsBehind(t *testing.T) {
	l := open(t)
	ran := 0
	jobs := []hub.Job{{Name: "counted", Every: 5 * time.Minute, Do: func(context.Context, time.Time) error { ran++; return nil }}}
	began := l.Now()
	for n, off := range []time.Duration{3 * time.Second, -3 * time.Second, 0, -3 * time.Second, 3 * time.Second} {
		l.Set(began.Add(time.Duration(n)*5*time.Minute + off))
		if err := l.Engine.Dispatch(t.Context(), jobs); err != nil {
			t.Fatal(err)
		}
	}
	same(t, ran, 5, "turns")
}

func TestTheCollectorDeletesOneShotsOfHubsThatAreGoneAndNoOthers(t *testing.T) {
	l := open(t)
	l.arm(store.Business, l.lend("loan#1", store.Business, 10*time.Hour))
	for _, h := range []string{"gone", "control"} {
		if err := l.Alarms.Create(t.Context(), alarm.Schedule{Hub: h, At: alarm.Ceil(l.Now().Add(time.Hour))}); err != nil {
			t.Fatal(err)
		}
	}
	l.sweep()
	all, _ := l.Alarms.List(t.Context(), "")
	var left []string
	for _, s := range all {
		left = append(left, s.Hub)
	}
	same(t, fmt.Sprint(left), "[control abcdefgh]", "one-shots left")
}

func TestDeadRowsDoNotStandInTheSweepsWay(t *testing.T) {
	l := open(t)
	l.lend("loan#1", store.Wall, time.Hour)
	l.Set(l.root.BornAt.Add(36 * time.Hour)) // past the backstop; the table keeps the rows
	l.sweep()
	left, _ := l.Mem.Overdue(t.Context(), l.Now(), 100)
	same(t, len(left), 0, "overdue rows")
}

func TestASweepTellsHowLongTheOldestEndWasOverslept(t *testing.T) {
	l := open(t)
	var told []string
	l.Engine.Overslept = func(ends int, oldest time.Duration) { told = append(told, fmt.Sprint(ends, " ", oldest)) }
	l.sweep()
	l.lend("loan#1", store.Wall, 7*time.Minute)
	l.Set(l.Now().Add(10 * time.Minute))
	l.sweep()
	same(t, fmt.Sprint(told), "[0 0s 1 3m0s]", "told by a sweep that finds nothing, and by one that does")
}
