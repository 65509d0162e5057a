package sandbox_test

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
	"time"

	"pocbakery/pkg/hub"
	"pocbakery/pkg/hub/hubtest"
	"pocbakery/pkg/refusal"
	"pocbakery/pkg/sandbox"
	"pocbakery/pkg/store"
	"pocbakery/pkg/store/faults"
)

const grace = 45 * time.Second

type lot struct {
	*hubtest.World
	boxes *sandbox.Service
	who   hub.Who
	root  hub.Root
	runs  []sandbox.WipeRun
}

func open(t testing.TB, clock string) *lot {
	t.Helper()
	w := hubtest.At(t, clock)
	mac := func(purpose string, parts ...string) [32]byte {
		return sha256.Sum256([]byte(purpose + strings.Join(parts, "\x00")))
	}
	l := &lot{World: w, who: hub.Who{Hub: "abcdefgh"}}
	l.boxes = sandbox.New(w.Engine, w.Alarms, grace, mac, func(r sandbox.WipeRun) { l.runs = append(l.runs, r) })
	l.root = sandbox.Born(l.who.Hub, "guest", 1, w.Now())
	if err := w.Engine.Store().Commit(t.Context(), w.Now(), sandbox.Birth(l.root)...); err != nil {
		t.Fatal(err)
	}
	return l
}

// put writes items as a request that opened the sandbox long ago would.
func (l *lot) put(n int) {
	l.T.Helper()
	for i := range n {
		w := store.Put(l.root.Key(fmt.Sprintf("thing#%03d", i)), store.IfAbsent(), store.Fields{"x": "y"})
		if err := l.Engine.Commit(l.T.Context(), l.root, l.root.Now(l.Now()), w); err != nil {
			l.T.Fatal(err)
		}
	}
}

// left says what the table really holds of a hub.
func (l *lot) left(id string) int {
	l.T.Helper()
	page, err := l.Mem.List(l.T.Context(), time.Time{}, id, store.Range{})
	if err != nil {
		l.T.Fatal(err)
	}
	return len(page.Items)
}

func same[T comparable](t testing.TB, got, want T, what string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func TestASandboxEndsAtTheFirstTenOClockAfterItsBirth(t *testing.T) {
	for born, end := range map[string]string{
		"2026-11-30 09:59:59": "2026-11-30 10:00:00",
		"2026-11-30 10:00:00": "2026-12-01 10:00:00",
		"2026-12-31 23:59:59": "2027-01-01 10:00:00",
	} {
		at, _ := time.Parse(time.DateTime, born)
		same(t, sandbox.EndOf(at).Format(time.DateTime), end, "born "+born)
	}
	at := time.Date(2026, 11, 30, 9, 59, 59, 999e6, time.UTC)
	r := sandbox.Born("abc", "guest", 1, at)
	same(t, r.WipeAt.Sub(r.EndsAt) >= 0 && r.WipeAt.Sub(r.EndsAt) < 240*time.Second, true, "its own timer is within 240 seconds after")
	same(t, time.Unix(r.TTL, 0).Before(at.Add(36*time.Hour)), false, "its backstop is not early")
}

func TestWipeNowLeavesNothingAndItsRowGoesWithAnEmptyPass(t *testing.T) {
	l := open(t, "2026-11-30 12:00:00")
	l.put(60)
	if err := l.boxes.Wipe(t.Context(), l.who); err != nil {
		t.Fatal(err)
	}
	same(t, l.left("abcdefgh"), 0, "items when it answers")
	_, err := l.boxes.Read(t.Context(), l.who)
	same(t, refusal.Is(err, refusal.SandboxEnded), true, "what it answers from then on")
	same(t, refusal.Is(l.boxes.Wipe(t.Context(), l.who), refusal.SandboxEnded), true, "a second wipe")
	l.put(3) // a write in flight brings rows back
	l.Advance(grace + time.Second)
	same(t, l.left("abcdefgh"), 0, "items after the second pass")
	same(t, l.left("control"), 3, "the row stays until a pass finds nothing, beside the root and the note of the run")
	l.Advance(grace + time.Second)
	same(t, l.left("control"), 2, "then only the control hub's root and the note")
	all, _ := l.Alarms.List(t.Context(), "")
	same(t, len(all), 0, "one-shots")
}

func TestAWipeCostsWhatItIsBudgetedFor(t *testing.T) {
	l := open(t, "2026-11-30 12:00:00")
	const n = 120
	l.put(n - 1) // and the root
	l.Set(l.Now().Add(time.Minute))
	l.Meter.Reset()
	if err := l.boxes.Wipe(t.Context(), l.who); err != nil {
		t.Fatal(err)
	}
	c := l.Meter.Snapshot()
	same(t, c["erase"].Requests, (n+24)/25, "batch writes")
	same(t, c["update"].Requests+c["put"].Requests+c["delete"].Requests, 3, "the mark, the stamp, and the control hub's alarm_at")
	l.Meter.Reset()
	l.Advance(grace + time.Second)
	c = l.Meter.Snapshot()
	same(t, c["delete"].Requests, 1, "the row's end")
}

func TestAPassThatBreaksOffIsFinishedByTheRow(t *testing.T) {
	for _, fault := range []faults.Fault{faults.Refused, faults.Lost, faults.Applied} {
		l := open(t, "2026-11-30 12:00:00")
		l.put(30)
		for n := 1; n <= 3; n++ {
			l.Faults.Next(faults.Erase, n, fault)
		}
		if err := l.boxes.Wipe(t.Context(), l.who); err == nil && fault != faults.Applied {
			t.Error("a wipe that erased nothing says that it did")
		}
		_, err := l.boxes.Read(t.Context(), l.who)
		same(t, refusal.Is(err, refusal.SandboxEnded), true, "it is over all the same")
		l.Advance(23 * time.Hour)
		same(t, l.left("abcdefgh"), 0, "items in the end")
	}
}

func TestAWipeNowThatBreaksOffAnywhereIsFinishedWithinMinutes(t *testing.T) {
	for call := 1; call <= 6; call++ {
		l := open(t, "2026-11-30 12:00:00")
		l.put(30)
		for more := range 3 { // with all its tries
			l.Faults.Next(faults.Commit, call+more, faults.Refused)
		}
		err := l.boxes.Wipe(t.Context(), l.who)
		if _, gone := l.boxes.Read(t.Context(), l.who); err != nil && gone == nil {
			continue // it has not begun, and the visitor asks again
		}
		l.Advance(5 * time.Minute)
		same(t, l.left("abcdefgh"), 0, fmt.Sprint("items, when commit ", call, " fails"))
	}
}

func TestTheOwnTimerWipesAndTheRowFollowsAfterFiveMinutes(t *testing.T) {
	l := open(t, "2026-11-30 09:50:00")
	l.put(5)
	l.Engine.Arm(t.Context(), l.who.Hub, store.Wall, l.root.WipeAt)
	if err := l.Engine.ArmUnread(t.Context(), hub.Control, sandbox.RowDue(l.root)); err != nil {
		t.Fatal(err)
	}
	l.Advance(10*time.Minute - time.Millisecond)
	_, err := l.boxes.Read(t.Context(), l.who)
	same(t, err, nil, "a millisecond before its end")
	l.Advance(time.Millisecond)
	_, err = l.boxes.Read(t.Context(), l.who)
	same(t, refusal.Is(err, refusal.SandboxEnded), true, "at its end")
	l.Advance(4 * time.Minute)
	same(t, l.left("abcdefgh"), 0, "items after its own timer")
	l.Advance(10 * time.Minute)
	same(t, l.left("control"), 2, "the control hub's items")
}

func TestWithoutItsOwnTimerTheRowWipes(t *testing.T) {
	l := open(t, "2026-11-30 09:50:00")
	l.put(5)
	if err := l.Engine.ArmUnread(t.Context(), hub.Control, sandbox.RowDue(l.root)); err != nil {
		t.Fatal(err)
	}
	l.Advance(15*time.Minute + time.Second)
	same(t, l.left("abcdefgh"), 0, "items")
}

// lend adds a sandbox of another visitor, whose own timer was lost.
func (l *lot) lend(n int) {
	l.T.Helper()
	r := sandbox.Born(hub.ID(fmt.Sprintf("box%04d", n)), "guest", 1, l.Now())
	if err := l.Engine.Store().Commit(l.T.Context(), l.Now(), sandbox.Birth(r)...); err != nil {
		l.T.Fatal(err)
	}
}

func TestTheControlHubWipesWhatTimersLeftFiftyARunAndOneThatFailsStarvesNobody(t *testing.T) {
	l := open(t, "2026-11-30 09:50:00")
	for n := range 119 {
		l.lend(n)
	}
	if err := l.Engine.ArmUnread(t.Context(), hub.Control, sandbox.RowDue(l.root)); err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= 3*8; n++ { // the first eight, which are taken together, cannot be erased, with all their tries
		l.Faults.Next(faults.Erase, n, faults.Refused)
	}
	l.Advance(15*time.Minute + 30*time.Second)
	left := 0
	for n := range 119 {
		left += l.left(fmt.Sprintf("box%04d", n))
	}
	same(t, left+l.left("abcdefgh"), 8, "what eight failures left so far")
	wiped, failed := 0, 0
	for _, r := range l.runs {
		same(t, r.Wiped <= 50, true, fmt.Sprint("wiped in one run: ", r.Wiped))
		wiped, failed = wiped+r.Wiped, failed+r.Failed
	}
	same(t, wiped, 112, "wiped so far")
	same(t, failed, 8, "failed so far")
	same(t, l.runs[0].Remaining, 70, "remaining after the first run")
	same(t, l.runs[len(l.runs)-1].Remaining, 0, "remaining after the last")
	l.Advance(15 * time.Minute)
	same(t, l.left("control"), 2, "in the end the control hub has only its root and the note of its last run")
}

func TestASandboxThatOnlyItsBackstopEndedIsReported(t *testing.T) {
	l := open(t, "2026-11-30 10:00:00")
	l.put(3)
	for n := 1; n <= 600; n++ { // no wipe ever works
		l.Faults.Next(faults.Erase, n, faults.Refused)
	}
	if err := l.Engine.ArmUnread(t.Context(), hub.Control, sandbox.RowDue(l.root)); err != nil {
		t.Fatal(err)
	}
	l.Advance(36*time.Hour - time.Second)
	same(t, l.left("abcdefgh"), 4, "items, a second before the backstop")
	l.Set(l.Now().Add(time.Second))
	l.Mem.Reap(l.Now())
	l.Advance(time.Hour)
	same(t, strings.Contains(strings.Join(l.Reports(), " "), "backstop"), true, "a report of it")
	same(t, l.left("control"), 2, "its row is gone")
}

func TestAdvancingMovesTheClockOnceUnderAKey(t *testing.T) {
	l := open(t, "2026-11-30 12:00:00")
	move := func(by time.Duration, key string) (sandbox.Advanced, error) {
		return l.boxes.Advance(t.Context(), l.who, by, key)
	}
	a, err := move(15*time.Minute, "key-key-key")
	if err != nil {
		t.Fatal(err)
	}
	same(t, a.Now.Business.Sub(a.Now.Wall), 15*time.Minute, "the offset")
	a, err = move(15*time.Minute, "key-key-key")
	same(t, err, nil, "the repeat")
	same(t, a.Replayed, true, "it is a replay")
	same(t, a.Offset, 15*time.Minute, "the offset stays")
	_, err = move(16*time.Minute, "key-key-key")
	same(t, refusal.Is(err, refusal.KeyReused), true, "another step under the key")
	a, _ = move(15*time.Minute, "")
	same(t, a.Offset, 30*time.Minute, "without a key it moves each time")
	for _, by := range []time.Duration{0, -time.Second, 604801 * time.Second} {
		_, err := move(by, "")
		same(t, refusal.Is(err, refusal.Invalid), true, fmt.Sprint(by, " is refused"))
	}
	view, _ := l.boxes.Read(t.Context(), l.who)
	same(t, view.Root.EndsAt, l.root.EndsAt, "the sandbox's own end")
}

func TestEveryItemOfASandboxCarriesItsBackstop(t *testing.T) {
	l := open(t, "2026-11-30 12:00:00")
	l.put(2)
	if _, err := l.boxes.Advance(t.Context(), l.who, time.Hour, "key-key-key"); err != nil {
		t.Fatal(err)
	}
	if err := l.Engine.Revoke(t.Context(), hub.Who{Hub: l.who.Hub, Session: "s"}); err != nil {
		t.Fatal(err)
	}
	page, _ := l.Mem.List(t.Context(), time.Time{}, "abcdefgh", store.Range{})
	for _, i := range page.Items {
		same(t, i.Int(store.FieldTTL), l.root.TTL, i.SK)
	}
	same(t, len(page.Items), 6, "items")
}
