package hub_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"pocbakery/pkg/alarm"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/hub/hubtest"
	"pocbakery/pkg/refusal"
	"pocbakery/pkg/store"
	"pocbakery/pkg/store/faults"
)

const id hub.ID = "abcdefgh"

// lender is a world with one hub whose items of kind loan end by being
// deleted, and in which those of kind poison cannot be settled.
type lender struct {
	*hubtest.World
	root    hub.Root
	settled []string // "sk at"
}

func open(t testing.TB) *lender {
	t.Helper()
	w := hubtest.At(t, "2026-11-30 12:00:00")
	born := w.Now()
	l := &lender{World: w, root: hub.Root{ID: id, BornAt: born, EndsAt: born.Add(22 * time.Hour), WipeAt: born.Add(22 * time.Hour), TTL: hub.BackstopTTL(born)}}
	if err := w.Engine.Store().Commit(t.Context(), born, l.root.Birth()); err != nil {
		t.Fatal(err)
	}
	w.Engine.Handle("loan", func(ctx context.Context, turn hub.Turn) ([]hub.Event, error) {
		l.settled = append(l.settled, turn.Item.SK+" "+turn.At.Format("15:04:05.000"))
		return nil, w.Engine.Commit(ctx, turn.Root, turn.Now, store.Delete(turn.Item.Key, store.IfRev(turn.Item.Rev)))
	})
	w.Engine.Handle("poison", func(context.Context, hub.Turn) ([]hub.Event, error) { return nil, errors.New("cannot be settled") })
	w.Engine.Handle("idle", func(context.Context, hub.Turn) ([]hub.Event, error) { return nil, nil })
	return l
}

// lend writes an item that ends after d on a clock, without arming.
func (l *lender) lend(sk string, c store.Clock, d time.Duration) time.Time {
	l.T.Helper()
	now := l.now()
	end := now.Wall
	if c == store.Business {
		end = now.Business
	}
	end = end.Add(d)
	w := store.Put(l.root.Key(sk), store.IfAbsent(), store.Fields{
		store.FieldDue: store.DueAt(c, end), store.FieldWake: store.FormatInstant(now.Wall.Add(d)),
	})
	if err := l.Engine.Commit(l.T.Context(), l.root, now, w); err != nil {
		l.T.Fatal(err)
	}
	return end
}

func (l *lender) now() hub.Now { return l.read().Now }

func (l *lender) read() hub.View {
	l.T.Helper()
	v, err := l.Engine.Open(l.T.Context(), hub.Who{Hub: id})
	if err != nil {
		l.T.Fatal(err)
	}
	return v
}

func (l *lender) arm(c store.Clock, end time.Time) {
	l.Engine.Arm(l.T.Context(), id, c, end)
}

// armed are the one-shots, as "15:04:05".
func (l *lender) armed() string {
	l.T.Helper()
	all, _ := l.Alarms.List(l.T.Context(), string(id))
	var out []string
	for _, s := range all {
		out = append(out, s.At.Format(time.TimeOnly))
	}
	return strings.Join(out, " ")
}

func same[T comparable](t testing.TB, got, want T, what string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func TestTheAlarmIsSetToTheEarliestEndAndNeverMoved(t *testing.T) {
	l := open(t)
	l.arm(store.Business, l.lend("loan#1", store.Business, 15*time.Minute))
	l.arm(store.Business, l.lend("loan#2", store.Business, 20*time.Minute))
	same(t, l.armed(), "12:15:00", "a later end creates none")
	l.arm(store.Business, l.lend("loan#3", store.Business, 10*time.Minute))
	same(t, l.armed(), "12:10:00 12:15:00", "an earlier one creates its own")
	same(t, l.read().Root.AlarmAt.Format(time.TimeOnly), "12:10:00", "alarm_at")
	l.Advance(time.Hour)
	same(t, strings.Join(l.settled, ", "), "loan#3 12:10:00.000, loan#1 12:15:00.000, loan#2 12:20:00.000", "settled, each at its own end")
	same(t, l.armed(), "10:00:00", "what is left is the hub's own end")
}

func TestAnAlarmIsRoundedUpToTheWholeSecond(t *testing.T) {
	l := open(t)
	l.arm(store.Wall, l.lend("loan#1", store.Wall, 1500*time.Millisecond))
	same(t, l.armed(), "12:00:02", "one-shots")
}

func TestAnArmingPlacerArmsForWhatACrashedOneLeft(t *testing.T) {
	l := open(t)
	l.lend("loan#1", store.Business, 5*time.Minute) // and crashed before arming
	l.arm(store.Business, l.lend("loan#2", store.Business, 10*time.Minute))
	same(t, l.armed(), "12:05:00", "one-shots")
}

func TestAnAlarmOverAMinutePastIsNotBelieved(t *testing.T) {
	l := open(t)
	l.arm(store.Business, l.lend("loan#1", store.Business, time.Minute))
	l.Set(l.Now().Add(2*time.Minute + time.Second)) // lost
	l.arm(store.Business, l.lend("loan#2", store.Business, 10*time.Minute))
	same(t, len(l.settled), 1, "the placer runs what is past at once")
	same(t, strings.Contains(l.armed(), "12:12:01"), true, "and the next is armed: "+l.armed())
}

func TestARunWokenEarlyDoubledOrForNothingChangesNothing(t *testing.T) {
	l := open(t)
	end := l.lend("loan#1", store.Business, 15*time.Minute)
	l.arm(store.Business, end)
	l.Set(end.Add(-time.Millisecond))
	l.Fire(alarm.Schedule{Hub: string(id), At: alarm.Ceil(end)})
	same(t, len(l.settled), 0, "early")
	all, _ := l.Alarms.List(t.Context(), string(id))
	same(t, all[len(all)-1].Try, 1, "it is armed again, under another name: the try")
	same(t, l.read().Root.AlarmAt.IsZero(), true, "and nobody relies on an instant whose one-shot has fired")
	l.Set(end)
	for range 3 {
		l.Fire(alarm.Schedule{Hub: string(id), At: end})
	}
	same(t, len(l.settled), 1, "settled")
}

func TestWhatCannotBeSettledDoesNotStopTheRestAndIsTriedWithGrowingPauses(t *testing.T) {
	l := open(t)
	l.lend("poison#1", store.Business, time.Minute)
	l.lend("idle#1", store.Business, time.Minute)
	l.arm(store.Business, l.lend("loan#1", store.Business, time.Minute))
	l.Set(l.Now().Add(time.Minute))
	_, err := l.Engine.Run(t.Context(), alarm.Schedule{Hub: string(id), At: l.Now()})
	same(t, err != nil, true, "an error")
	same(t, len(l.settled), 1, "the loan is settled")
	for n, pause := range []time.Duration{1, 2, 4, 8, 16, 32} {
		v := l.read()
		same(t, v.Root.AlarmAt.Sub(l.Now()), pause*time.Minute, fmt.Sprint("pause ", n))
		l.Set(v.Root.AlarmAt)
		_, _ = l.Engine.Run(t.Context(), alarm.Schedule{Hub: string(id), At: v.Root.AlarmAt})
	}
	reports := strings.Join(l.Reports(), " ")
	same(t, strings.Count(reports, "end_set_aside"), 2, "set aside in the end")
	items, _ := l.Mem.Get(t.Context(), l.Now(), l.root.Key("poison#1"))
	same(t, strings.Contains(items[0].String(hub.FieldAside), "cannot be settled"), true, "with its reason: "+items[0].String(hub.FieldAside))
	same(t, items[0].Has(store.FieldDue) || items[0].Has(store.FieldWake), false, "an end")
	same(t, l.read().Root.AlarmAt, l.root.WipeAt, "the hub sleeps till its own end")
}

func TestATableThatDoesNotAnswerSetsNothingAside(t *testing.T) {
	l := open(t)
	l.Engine.Handle("flaky", func(context.Context, hub.Turn) ([]hub.Event, error) { return nil, store.ErrUnavailable })
	l.arm(store.Business, l.lend("flaky#1", store.Business, time.Minute))
	l.Advance(12 * time.Hour)
	items, _ := l.Mem.Get(t.Context(), l.Now(), l.root.Key("flaky#1"))
	same(t, items[0].Has(store.FieldDue), true, "its end stands")
}

func TestTurnsOfAKindAreTakenTogetherUpToABoundAndARunIsBounded(t *testing.T) {
	l := open(t)
	var mu sync.Mutex
	now, most, all := 0, 0, 0
	var tallies []hub.Tally
	gate := make(chan struct{}, 8)
	l.Engine.HandleKind("many", hub.Kind{AtOnce: 8, PerRun: 50,
		Settle: func(ctx context.Context, turn hub.Turn) ([]hub.Event, error) {
			gate <- struct{}{}
			mu.Lock()
			now, all = now+1, all+1
			most = max(most, now)
			mu.Unlock()
			err := l.Engine.Commit(ctx, turn.Root, turn.Now, store.Delete(turn.Item.Key, store.IfRev(turn.Item.Rev)))
			mu.Lock()
			now--
			mu.Unlock()
			<-gate
			return []hub.Event{{Type: hub.ClockAdvanced}}, err
		},
		Done: func(_ context.Context, t hub.Tally) { tallies = append(tallies, t) },
	})
	for i := range 120 {
		l.lend(fmt.Sprintf("many#%03d", i), store.Wall, time.Minute)
	}
	l.arm(store.Wall, l.Now().Add(time.Minute))
	l.Advance(2 * time.Minute)
	same(t, all, 120, "turns")
	same(t, most <= 8, true, fmt.Sprint("at the same time: ", most))
	var told []string
	for _, t := range tallies {
		told = append(told, fmt.Sprintf("%d+%d", len(t.Events), t.Remaining))
	}
	same(t, strings.Join(told, " "), "50+70 50+20 20+0", "done and remaining, run by run")
}

func TestARunNearItsDeadlineLeavesTheRestToAnAlarmAtOnce(t *testing.T) {
	l := open(t)
	for i := range 3 {
		l.lend(fmt.Sprint("loan#", i), store.Business, time.Minute)
	}
	l.Set(l.Now().Add(time.Minute))
	l.Engine.Left = func(context.Context) time.Duration {
		if len(l.settled) == 2 {
			return time.Second
		}
		return 10 * time.Second
	}
	ran, err := l.Engine.Run(t.Context(), alarm.Schedule{Hub: string(id)})
	same(t, err, nil, "the run")
	same(t, ran.More, true, "more is left")
	same(t, l.armed(), "12:01:01", "one-shots")
	l.Engine.Left = nil
	l.Advance(time.Second)
	same(t, len(l.settled), 3, "settled in the end")
}

func TestEveryFaultOfARunIsMendedByRunningAgain(t *testing.T) {
	for _, kind := range []faults.Kind{faults.Get, faults.Due, faults.Commit} {
		for _, fault := range []faults.Fault{faults.Refused, faults.Lost, faults.Applied} {
			for n := 1; n <= 4; n++ {
				l := open(t)
				l.lend("loan#2", store.Business, 2*time.Minute)
				l.arm(store.Business, l.lend("loan#1", store.Business, time.Minute))
				for more := range 3 { // with all its tries
					l.Faults.Next(kind, n+more, fault)
				}
				l.Advance(time.Minute)
				l.Advance(3 * time.Minute)
				name := fmt.Sprintf("kind %d fault %d from call %d", kind, fault, n)
				same(t, len(l.settled) >= 2, true, name+": both settled")
				page, _ := l.Mem.List(t.Context(), l.Now(), string(id), store.Prefix("loan#"))
				same(t, len(page.Items), 0, name+": loans left")
			}
		}
	}
}

func TestAHubThatIsOverSettlesNothingButItsOwnEnd(t *testing.T) {
	l := open(t)
	l.lend("loan#1", store.Wall, time.Hour)
	wiped := 0
	l.Engine.Handle("root", func(ctx context.Context, turn hub.Turn) ([]hub.Event, error) {
		wiped++
		return nil, l.Mem.Erase(ctx, turn.Item.Key, l.root.Key("loan#1"))
	})
	l.Set(l.root.EndsAt)
	l.Fire(alarm.Schedule{Hub: string(id)})
	same(t, len(l.settled), 0, "settled")
	same(t, wiped, 1, "wiped")
	_, err := l.Engine.Open(t.Context(), hub.Who{Hub: id})
	same(t, refusal.Is(err, refusal.SandboxEnded), true, "it answers that it is over")
	ran, err := l.Engine.Run(t.Context(), alarm.Schedule{Hub: string(id)})
	same(t, err == nil && len(ran.Events) == 0, true, "a hub that is gone has nothing due")
}

func TestASignedOutSessionIsNobody(t *testing.T) {
	l := open(t)
	who := hub.Who{Hub: id, Session: "s1"}
	for range 2 {
		if err := l.Engine.Revoke(t.Context(), who); err != nil && !refusal.Is(err, refusal.Unauthenticated) {
			t.Fatal(err)
		}
	}
	_, err := l.Engine.Open(t.Context(), who)
	same(t, refusal.Is(err, refusal.Unauthenticated), true, "the session")
	_, err = l.Engine.Open(t.Context(), hub.Who{Hub: id, Session: "s2"})
	same(t, err, nil, "another of the hub")
}

func TestEventIDsSortByTheDecisionAndTellItInOrder(t *testing.T) {
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	e := func(ms int, typ hub.EventType) hub.Event {
		return hub.Event{Type: typ, Wall: at.Add(time.Duration(ms) * time.Millisecond), At: at, Ref: "r"}
	}
	events := hub.SortEvents([]hub.Event{e(1, "OrderPlaced"), e(0, "RefundRequested"), e(1, "HoldMade"), e(0, "RefundRequested")})
	var types []string
	for _, e := range events {
		types = append(types, string(e.Type))
	}
	same(t, strings.Join(types, " "), "RefundRequested HoldMade OrderPlaced", "sorted, each once")
	place, ok := hub.After("2026-11-30T12:00:00.001Z")
	same(t, ok && place > events[0].ID(), true, "a wall instant is a place in the feed")
	same(t, place < events[1].ID(), true, "before that instant's own events")
	for text, want := range map[string]bool{"": true, events[0].ID(): true, "garbage": false, "9999": false, "2026-13-45T00:00:00Z": false, "9999-12-31T23:59:59.999Z": true} {
		_, ok := hub.After(text)
		same(t, ok, want, text)
	}
	back, err := hub.DecodeLog(hub.EncodeLog(events))
	same(t, err, nil, "decoding")
	same(t, fmt.Sprint(back), fmt.Sprint(events), "the log")
}

func FuzzDecodeLog(f *testing.F) {
	f.Add("")
	f.Add(`[{"y":"HoldMade","w":1764504000000,"r":"x"}]`)
	f.Add(`[{"y":"HoldMade","w":-1,"later":{"a":[1]}}]`)
	f.Fuzz(func(t *testing.T, s string) {
		events, err := hub.DecodeLog(s)
		if err != nil || len(events) > hub.MaxLog {
			return
		}
		again, err := hub.DecodeLog(hub.EncodeLog(events))
		if err != nil || len(again) != len(events) {
			t.Errorf("%q does not come back: %v", s, err)
		}
	})
}
