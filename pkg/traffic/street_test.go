package traffic_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"pocbakery/pkg/alarm"
	"pocbakery/pkg/bakery"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/hub/hubtest"
	"pocbakery/pkg/refusal"
	"pocbakery/pkg/sandbox"
	"pocbakery/pkg/store"
	"pocbakery/pkg/store/faults"
	"pocbakery/pkg/traffic"
)

// street is a world with one sandbox, its shop, and people to come.
type street struct {
	*hubtest.World
	shop    *bakery.Shop
	boxes   *sandbox.Service
	traffic *traffic.Service
	who     hub.Who
}

// seeds is randomness that counts.
type seeds struct{ n uint64 }

func (s *seeds) Read(b []byte) (int, error) {
	s.n++
	return copy(b, binary.BigEndian.AppendUint64(nil, s.n*0x9e3779b97f4a7c15)), nil
}

func open(t testing.TB, clock string) *street {
	t.Helper()
	return openWith(t, clock, &seeds{})
}

func openWith(t testing.TB, clock string, random io.Reader) *street {
	t.Helper()
	w := hubtest.At(t, clock)
	mac := func(purpose string, parts ...string) [32]byte {
		return sha256.Sum256([]byte(purpose + "\x00" + strings.Join(parts, "\x00")))
	}
	s := &street{World: w, who: hub.Who{Hub: "abcdefgh", Role: hub.Baker}}
	s.shop = bakery.NewShop(w.Engine, bakery.DefaultHours(), bakery.SeededMenu(), mac)
	s.boxes = sandbox.New(w.Engine, w.Alarms, 45*time.Second, mac, func(sandbox.WipeRun) {})
	s.traffic = traffic.New(w.Engine, s.shop, bakery.SeededMenu(), random)
	if err := w.Engine.Store().Commit(t.Context(), w.Now(), sandbox.Birth(sandbox.Born(s.who.Hub, "guest", 1, w.Now()))...); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *street) start(minutes, perMinute int) traffic.Traffic {
	s.T.Helper()
	t, err := s.traffic.Start(context.Background(), s.who, minutes, perMinute)
	if err != nil {
		s.T.Fatal(err)
	}
	return t
}

func (s *street) stop() traffic.Traffic {
	s.T.Helper()
	t, err := s.traffic.Stop(context.Background(), s.who)
	if err != nil {
		s.T.Fatal(err)
	}
	return t
}

func (s *street) read() traffic.Traffic {
	s.T.Helper()
	t, err := s.traffic.Read(context.Background(), s.who)
	if err != nil {
		s.T.Fatal(err)
	}
	return t
}

// run runs the hub, as a one-shot would.
func (s *street) run() {
	s.T.Helper()
	s.Fire(alarm.Schedule{Hub: string(s.who.Hub)})
}

// sleep moves the clock and loses every one-shot on the way.
func (s *street) sleep(d time.Duration) { s.Set(s.Now().Add(d)) }

// orders are the orders in the table, and how many of them were paid for.
func (s *street) orders() (all, paid int) {
	s.T.Helper()
	page, err := s.Mem.List(context.Background(), time.Time{}, string(s.who.Hub), store.Prefix("order#"))
	if err != nil {
		s.T.Fatal(err)
	}
	for _, i := range page.Items {
		if i.String("state") == "void" {
			continue
		}
		all++
		if i.String("state") == "paid" {
			paid++
		}
	}
	return all, paid
}

// agrees checks that what the run counts is what stands in the shop's book.
func (s *street) agrees(what string) {
	s.T.Helper()
	sum := s.read().Total()
	all, paid := s.orders()
	if sum.Placed != all || sum.Paid != paid || sum.Paid+sum.Abandoned != sum.Placed {
		s.T.Errorf("%s: counted %+v, and the book has %d orders, %d paid", what, sum, all, paid)
	}
}

// told are the types of the hub's own events.
func (s *street) told() (types []string) {
	s.T.Helper()
	view, err := s.Engine.Open(context.Background(), s.who)
	if err != nil {
		s.T.Fatal(err)
	}
	events, err := s.Engine.Log(context.Background(), view)
	if err != nil {
		s.T.Fatal(err)
	}
	for _, e := range hub.SortEvents(events)[1:] {
		types = append(types, fmt.Sprintf("%s %s", e.Type, e.At.Format("15:04:05")))
	}
	return types
}

func same[T comparable](t testing.TB, got, want T, what string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func refused(t testing.TB, err error, code refusal.Code, what string) *refusal.Refusal {
	t.Helper()
	var r *refusal.Refusal
	if !errors.As(err, &r) || r.Code != code {
		t.Errorf("%s: got %v, want %s", what, err, code)
		return &refusal.Refusal{}
	}
	return r
}

// T1, T2: the minutes.
func TestMinutesAreTakenBeforeARunStarts(t *testing.T) {
	s := open(t, "2026-11-30 12:00:00")
	got := s.start(10, 6)
	same(t, got.Running, true, "running")
	same(t, got.UsedToday, 10, "used")
	same(t, got.EndsAt.Sub(got.StartedAt), 10*time.Minute, "length")
	_, err := s.traffic.Start(t.Context(), s.who, 1, 1)
	refused(t, err, refusal.TrafficRunning, "a second run")
	s.Advance(10 * time.Minute)
	same(t, s.read().Running, false, "at its end")
	_, err = s.traffic.Start(t.Context(), s.who, 21, 1)
	no := refused(t, err, refusal.TrafficSpent, "21 of the 20 left")
	same(t, no.RetryAfter, 11*time.Hour+50*time.Minute, "until 00:00 UTC")
	same(t, s.start(20, 1).UsedToday, 30, "all of them")
	s.Advance(20 * time.Minute)
	_, err = s.traffic.Start(t.Context(), s.who, 1, 1)
	refused(t, err, refusal.TrafficSpent, "one more")
}

func TestARunHasBounds(t *testing.T) {
	s := open(t, "2026-11-30 12:00:00")
	for _, c := range []struct {
		minutes, rate int
		field         string
	}{{0, 1, "minutes"}, {31, 1, "minutes"}, {-1, 1, "minutes"}, {1, 0, "orders_per_minute"}, {1, 31, "orders_per_minute"}} {
		_, err := s.traffic.Start(t.Context(), s.who, c.minutes, c.rate)
		same(t, refused(t, err, refusal.Invalid, fmt.Sprint(c)).Field, c.field, fmt.Sprint(c))
	}
	same(t, s.read().UsedToday, 0, "used")
}

func TestStoppingReturnsTheWholeMinutesNotBegun(t *testing.T) {
	for after, used := range map[time.Duration]int{
		0: 1, time.Millisecond: 1, time.Minute - time.Millisecond: 1, time.Minute: 2, 190 * time.Second: 4,
		9*time.Minute - time.Millisecond: 9, 9 * time.Minute: 10, 10*time.Minute - time.Millisecond: 10, 10 * time.Minute: 10, time.Hour: 10,
	} {
		s := open(t, "2026-11-30 12:00:00")
		s.start(10, 1)
		s.Advance(after)
		for range 3 {
			got := s.stop()
			same(t, got.UsedToday, used, "used after "+after.String())
			same(t, got.Running, false, "running after "+after.String())
		}
		s.start(traffic.MinutesPerDay-used, 1)
	}
}

func TestStoppingWhatDoesNotRunIsNoMatter(t *testing.T) {
	s := open(t, "2026-11-30 12:00:00")
	for range 2 {
		got := s.stop()
		same(t, got.UsedToday, 0, "used")
		same(t, got.Running, false, "running")
	}
	if told := s.told(); len(told) != 0 {
		t.Errorf("%v", told)
	}
}

// T2: a run across midnight is of the day on which it started.
func TestMinutesBelongToTheDayOfTheStart(t *testing.T) {
	s := open(t, "2026-11-30 23:55:00")
	same(t, s.start(20, 1).UsedToday, 20, "used on the 30th")
	s.Advance(5*time.Minute - time.Millisecond)
	same(t, s.read().UsedToday, 20, "just before midnight")
	s.Advance(time.Millisecond)
	got := s.read()
	same(t, got.UsedToday, 0, "at midnight")
	same(t, got.Running, true, "running across midnight")
	same(t, s.stop().UsedToday, 0, "what comes back is the 30th's")
	same(t, s.start(30, 1).UsedToday, 30, "all of the 1st")
	same(t, s.stop().UsedToday, 1, "and back")
}

func TestAClockThatIsBehindDoesNotBringADayBack(t *testing.T) {
	s := open(t, "2026-12-01 00:00:00")
	s.start(25, 1)
	s.stop()
	s.start(25, 1)
	s.sleep(-time.Second) // 23:59:59 of the day before
	same(t, s.read().UsedToday, 26, "used")
	s.stop()
	_, err := s.traffic.Start(t.Context(), s.who, 30, 1)
	same(t, refused(t, err, refusal.TrafficSpent, "a day that is over").RetryAfter, 24*time.Hour+time.Second, "until the end of the day that counts")
}

func TestTheWaitIsNeverNothing(t *testing.T) {
	s := open(t, "2026-11-30 23:00:00")
	s.start(30, 1)
	s.Advance(59*time.Minute + 59*time.Second + 999*time.Millisecond)
	_, err := s.traffic.Start(t.Context(), s.who, 1, 1)
	same(t, refused(t, err, refusal.TrafficSpent, "a millisecond before midnight").RetryAfter, time.Second, "rounded up")
}

// T3: the people.
func TestPeoplePayGoAwayAndAreRefused(t *testing.T) {
	s := open(t, "2026-11-30 12:00:00")
	s.start(10, 10)
	s.Advance(190 * time.Second)
	got := s.read()
	same(t, len(got.Series), 4, "minutes played")
	sum := got.Total()
	same(t, sum.Placed+sum.Refused, 40, "people")
	if sum.Paid == 0 || sum.Abandoned == 0 || sum.Refused == 0 {
		t.Errorf("%+v", sum)
	}
	s.agrees("under way")
	s.Advance(time.Hour)
	sum = s.read().Total()
	same(t, sum.Placed+sum.Refused, 100, "people in all")
	if all, paid := s.orders(); all != sum.Placed || paid != sum.Paid {
		t.Errorf("%d orders, %d paid, for %+v", all, paid, sum)
	}
	if told := strings.Join(s.told(), ", "); told != "TrafficStarted 12:00:00, TrafficStopped 12:10:00" {
		t.Error(told)
	}
	held, err := s.shop.Days(t.Context(), s.who, s.shop.Today(s.Now()), 14)
	if err != nil {
		t.Fatal(err)
	}
	for _, day := range held {
		for _, slot := range day.Slots {
			if slot.Held != 0 || slot.Taken() > slot.Capacity {
				t.Errorf("%s: %d held, %d taken", slot.ID, slot.Held, slot.Taken())
			}
		}
	}
}

func TestABusyRunFillsTheNextSlotsAndIsRefusedThere(t *testing.T) {
	s := open(t, "2026-11-30 07:00:00")
	s.start(30, 30)
	s.Advance(10 * time.Minute)
	sum := s.read().Total()
	if sum.Refused < 150 {
		t.Errorf("%+v", sum)
	}
	s.agrees("after ten minutes")
}

// T4: twice, early, late, lost.
func TestAnAlarmThatComesTwiceOrEarlyPlaysNothingTwice(t *testing.T) {
	s := open(t, "2026-11-30 12:00:00")
	s.start(3, 10)
	for range 4 {
		s.run()
		same(t, len(s.read().Series), 1, "minutes played in the first")
	}
	s.sleep(time.Minute - time.Millisecond)
	s.run()
	same(t, len(s.read().Series), 1, "early")
	s.sleep(time.Millisecond)
	together(8, func(int) { _, _ = s.Engine.Run(context.Background(), alarm.Schedule{Hub: string(s.who.Hub)}) })
	s.run()
	got := s.read()
	same(t, len(got.Series), 2, "at once")
	same(t, got.Total().Placed+got.Total().Refused, 20, "people")
	s.agrees("doubled")
	for _, r := range s.Reports() { // and none of those who came together was at a loss
		t.Errorf("reported: %s", r)
	}
}

func TestALateAlarmCatchesUpMinuteByMinute(t *testing.T) {
	s := open(t, "2026-11-30 12:00:00")
	s.start(10, 5)
	s.sleep(4*time.Minute + 30*time.Second)
	s.run()
	got := s.read()
	same(t, len(got.Series), 5, "minutes played")
	for n, c := range got.Series {
		same(t, c.Placed+c.Refused, 5, fmt.Sprint("people of minute ", n))
	}
	s.sleep(time.Hour)
	s.run()
	same(t, len(s.read().Series), 10, "all of them, after the end")
	if told := strings.Join(s.told(), ", "); told != "TrafficStarted 12:00:00, TrafficStopped 12:10:00" {
		t.Error(told)
	}
	s.agrees("late")
}

// T5: a run whose end no alarm has seen is over all the same.
func TestARunIsOverAtItsEndWhateverTheAlarmsDo(t *testing.T) {
	s := open(t, "2026-11-30 12:00:00")
	s.start(10, 5)
	s.sleep(10*time.Minute - time.Millisecond)
	same(t, s.read().Running, true, "just before")
	s.sleep(time.Millisecond)
	got := s.read()
	same(t, got.Running, false, "at the end")
	same(t, s.stop().UsedToday, 10, "nothing comes back")
	same(t, s.start(5, 5).UsedToday, 15, "and another can start")
	if told := strings.Join(s.told(), ", "); told != "TrafficStarted 12:00:00, TrafficStarted 12:10:00, TrafficStopped 12:10:00" {
		t.Error(told)
	}
	s.Advance(time.Hour)
	same(t, len(s.read().Series), 5, "minutes of the second")
}

// L6: each end uses the clock of what it is about, and traffic is of wall time.
func TestTrafficCountsInWallTime(t *testing.T) {
	s := open(t, "2026-11-30 12:00:00")
	s.start(10, 5)
	s.Advance(30 * time.Second)
	if _, err := s.boxes.Advance(t.Context(), s.who, 7*24*time.Hour, ""); err != nil {
		t.Fatal(err)
	}
	got := s.read()
	same(t, got.Running, true, "running")
	same(t, len(got.Series), 1, "minutes played")
	s.Advance(30 * time.Second)
	same(t, len(s.read().Series), 2, "the second at its own time")
	s.Advance(10 * time.Minute)
	got = s.read()
	same(t, len(got.Series), 10, "minutes played in all")
	same(t, got.Total().Placed+got.Total().Refused, 50, "people")
	if told := strings.Join(s.told(), ", "); told != "TrafficStarted 12:00:00, ClockAdvanced 12:00:30, TrafficStopped 12:10:00" {
		t.Error(told)
	}
}

func TestAReadOnlyBakeryStartsNoTrafficAndStopsIt(t *testing.T) {
	s := open(t, "2026-11-30 12:00:00")
	s.start(10, 5)
	s.Engine.Gate = func(context.Context) error { return refusal.New(refusal.ReadOnly, "No.") }
	s.Advance(61 * time.Second)
	got := s.read()
	same(t, got.Series[1], traffic.Counts{Refused: 5}, "whoever comes is refused")
	same(t, s.stop().UsedToday, 2, "stopped")
	_, err := s.traffic.Start(t.Context(), s.who, 1, 1)
	refused(t, err, refusal.ReadOnly, "starting")
}

func TestAWipeEndsTheTrafficWithEverythingElse(t *testing.T) {
	s := open(t, "2026-11-30 12:00:00")
	s.start(10, 5)
	s.Advance(90 * time.Second)
	if err := s.boxes.Wipe(t.Context(), s.who); err != nil {
		t.Fatal(err)
	}
	s.Advance(time.Hour)
	s.run()
	page, err := s.Mem.List(t.Context(), time.Time{}, string(s.who.Hub), store.Range{})
	if err != nil || len(page.Items) > 0 {
		t.Errorf("%v %v", page.Items, err)
	}
	_, err = s.traffic.Read(t.Context(), s.who)
	refused(t, err, refusal.SandboxEnded, "reading")
}

func TestNobodySimulatedComesIntoARealShop(t *testing.T) {
	s := open(t, "2026-11-30 12:00:00")
	root := store.Put(store.Key{PK: "shop", SK: hub.RootSK}, store.IfAbsent(), store.Fields{"kind": "shop", "born_at": store.FormatInstant(s.Now())})
	if err := s.Engine.Store().Commit(t.Context(), s.Now(), root); err != nil {
		t.Fatal(err)
	}
	_, err := s.traffic.Start(t.Context(), hub.Who{Hub: "shop", Role: hub.Baker}, 1, 1)
	refused(t, err, refusal.Forbidden, "a permanent shop")
}

// T6: a minute that does not fit into a run's time goes on a second later.
func TestAMinuteThatIsCutShortGoesOn(t *testing.T) {
	s := open(t, "2026-11-30 12:00:00")
	left := 0 // calls that find time left
	s.Engine.Left = func(context.Context) time.Duration {
		if left--; left < 0 {
			return 2 * time.Second
		}
		return time.Hour
	}
	left = 5
	s.start(2, 20)
	cut := s.read().Total()
	if n := cut.Placed + cut.Refused; n < 2 || n > 6 {
		t.Errorf("%d people came", n)
	}
	s.agrees("cut")
	for range 60 {
		left = 5
		s.Advance(time.Second)
	}
	left = 1000
	s.Advance(time.Minute)
	got := s.read()
	same(t, len(got.Series), 2, "minutes")
	same(t, got.Series[0].Placed+got.Series[0].Refused, 20, "people of the first")
	s.agrees("gone on")
}

func TestARunThatIsStoppedInTheMiddleOfAMinuteTellsWhoHadBeen(t *testing.T) {
	s := open(t, "2026-11-30 12:00:00")
	asked := 0
	s.Engine.Left = func(context.Context) time.Duration {
		if asked++; asked == 5 { // people are on their way into the shop
			s.stop()
		}
		return time.Hour
	}
	s.start(10, 10)
	got := s.read()
	same(t, got.Running, false, "running")
	same(t, got.UsedToday, 1, "used")
	same(t, got.Total().Placed+got.Total().Refused, 10, "people")
	s.agrees("stopped")
	s.Advance(time.Hour)
	same(t, len(s.read().Series), 1, "minutes played after all")
	if n := len(s.told()); n != 2 {
		t.Errorf("%v", s.told())
	}
}

// Case Admission 11, and every write: failed, landed with its answer lost,
// doubled by a late arrival, in conflict.
func TestEveryWriteCanFailOrLandUnseen(t *testing.T) {
	kinds := []faults.Fault{faults.Refused, faults.Lost, faults.Applied, faults.Late, faults.Conflict}
	for _, fault := range kinds {
		for nth := 1; ; nth++ {
			name := fmt.Sprintf("fault %d at write %d", fault, nth)
			s := open(t, "2026-11-30 23:58:00")
			before := s.Faults.Injected()
			for n := range 3 { // the three tries of one commit
				s.Faults.Next(faults.Commit, nth+n, fault)
			}
			if _, err := s.traffic.Start(t.Context(), s.who, 5, 4); err != nil {
				var no *refusal.Refusal
				if errors.As(err, &no) {
					t.Errorf("%s: starting: %v", name, err)
				}
				for n := range 3 {
					s.Faults.Next(faults.Commit, n+1, 0)
				}
				if got := s.read(); got.Running != (got.UsedToday == 5) {
					t.Errorf("%s: %+v", name, got)
				}
				_, _ = s.traffic.Start(t.Context(), s.who, 5, 4)
			}
			s.Advance(61 * time.Second)
			if used := s.read().UsedToday; used != 5 {
				t.Errorf("%s: %d used", name, used)
			}
			for range 10 { // the sweep, or whoever comes next
				s.run()
				s.sleep(5 * time.Second)
			}
			s.agrees(name)
			var stopped traffic.Traffic
			var err error
			for range 5 {
				if stopped, err = s.traffic.Stop(t.Context(), s.who); err == nil {
					break
				}
			}
			if err != nil || stopped.Running || stopped.UsedToday != 2 {
				t.Errorf("%s: stopped %+v, %v", name, stopped, err)
			}
			same(t, s.stop().UsedToday, 2, name+": stopped again")
			s.agrees(name + ", stopped")
			for n, c := range s.read().Series {
				same(t, c.Placed+c.Refused, 4, fmt.Sprint(name, ": people of minute ", n))
			}
			events := strings.Join(s.told(), " ")
			if strings.Count(events, "Started") != 1 || strings.Count(events, "Stopped") != 1 {
				t.Errorf("%s: %s", name, events)
			}
			if s.Faults.Injected()-before < 3 { // past the last write
				break
			}
			if nth > 80 {
				t.Fatal("there is no end of writes")
			}
		}
	}
}

// The same at the writes of stopping alone: minutes come back once.
func TestMinutesComeBackOnceWhateverBefallsTheWrite(t *testing.T) {
	for _, fault := range []faults.Fault{faults.Refused, faults.Lost, faults.Applied, faults.Late, faults.Conflict} {
		for times := 1; times <= 4; times++ {
			s := open(t, "2026-11-30 12:00:00")
			s.start(10, 1)
			s.Advance(190 * time.Second)
			for n := range times {
				s.Faults.Next(faults.Commit, n+1, fault)
			}
			for range 6 {
				_, _ = s.traffic.Stop(t.Context(), s.who)
			}
			together(8, func(int) { _, _ = s.traffic.Stop(context.Background(), s.who) })
			same(t, s.read().UsedToday, 4, fmt.Sprintf("fault %d, %d times", fault, times))
			same(t, strings.Count(strings.Join(s.told(), " "), "Stopped"), 1, "told")
		}
	}
}

// A crash is a run that stops dead between two writes; the next finds the same
// people, and those who have been are not there twice.
func TestACrashInTheMiddleOfAMinuteDoublesNobody(t *testing.T) {
	for at := 1; at <= 40; at++ {
		s := open(t, "2026-11-30 12:00:00")
		calls := 0
		s.Faults.Set(faults.Config{Latency: func() {
			if calls++; calls == at {
				panic("the power went")
			}
		}})
		func() {
			defer func() { _ = recover() }()
			_, _ = s.traffic.Start(t.Context(), s.who, 3, 8)
		}()
		s.Faults.Set(faults.Config{})
		if !s.read().Running {
			s.start(3, 8)
		}
		// The shop's clock moves before anybody goes on.
		if _, err := s.boxes.Advance(t.Context(), s.who, 6*time.Hour, ""); err != nil && !refusal.Is(err, refusal.AdvanceRunning) {
			t.Fatal(err)
		}
		s.Advance(10 * time.Minute)
		s.run()
		got := s.read()
		same(t, len(got.Series), 3, fmt.Sprint("minutes, crashed at call ", at))
		same(t, got.Total().Placed+got.Total().Refused, 24, fmt.Sprint("people, crashed at call ", at))
		all, _ := s.orders()
		same(t, got.Total().Placed, all, fmt.Sprint("orders, crashed at call ", at))
	}
}

func TestTheSameSeedSendsTheSamePeople(t *testing.T) {
	seed := []byte("12345678")
	var runs []string
	for range 2 {
		s := openWith(t, "2026-11-30 12:00:00", bytes.NewReader(seed))
		s.start(5, 10)
		s.Advance(time.Hour)
		page, err := s.Mem.List(t.Context(), time.Time{}, string(s.who.Hub), store.Prefix("order#"))
		if err != nil {
			t.Fatal(err)
		}
		var keys []string
		for _, i := range page.Items {
			keys = append(keys, i.SK+i.String("lines")+i.String("name"))
		}
		runs = append(runs, fmt.Sprint(keys, s.read().Series))
	}
	if runs[0] != runs[1] {
		t.Errorf("%s\n%s", runs[0], runs[1])
	}
}

// A hub that has had its traffic sleeps.
func TestARunThatIsOverWakesNobody(t *testing.T) {
	s := open(t, "2026-11-30 12:00:00")
	s.start(2, 5)
	s.Advance(time.Hour)
	refs, err := s.Engine.Store().Due(t.Context(), string(s.who.Hub), store.Wall, s.Now().AddDate(1, 0, 0), 10)
	if err != nil || len(refs) != 1 || refs[0].SK != hub.RootSK {
		t.Errorf("%v %v", refs, err)
	}
	for _, r := range s.Reports() {
		t.Errorf("reported: %s", r)
	}
}

// together calls f(0..n-1) at once.
func together(n int, f func(i int)) {
	done := make(chan struct{})
	for i := range n {
		go func() { f(i); done <- struct{}{} }()
	}
	for range n {
		<-done
	}
}
