package local_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"pocbakery/pkg/access"
	"pocbakery/pkg/alarm"
	alarmlocal "pocbakery/pkg/alarm/local"
	"pocbakery/pkg/limit"
	"pocbakery/pkg/local"
	"pocbakery/pkg/store"
	"pocbakery/pkg/store/bolt"
	"pocbakery/pkg/store/faults"
)

// TestMain also says of every test that nothing it started outlives it.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// eleven is when everything here begins.
var eleven = time.Date(2026, 11, 30, 11, 0, 0, 0, time.UTC)

// clock is an instant of that day, "11:04" or "11:04:05".
func clock(t testing.TB, s string) time.Time {
	t.Helper()
	for _, layout := range []string{"15:04", "15:04:05", "15:04:05.000"} {
		if at, err := time.Parse(layout, s); err == nil {
			return at.AddDate(2026, 10, 29)
		}
	}
	t.Fatalf("%q is no time of day", s)
	return time.Time{}
}

// house is a local run without a bakery: what its alarms do is the test's.
type house struct {
	*testing.T
	path    string
	machine atomic.Int64 // the machine's clock, in nanoseconds after eleven
	file    *bolt.Store
	wall    *local.Wall
	alarms  *alarmlocal.Clock
	loop    *local.Loop
	faults  *faults.Store
	wipes   *local.WipeFault
	counts  *local.Counts
	admin   *local.Admin

	mu       sync.Mutex
	onFire   func(alarm.Schedule) error
	fired    []string // "hub alarm's time of day > clock's"
	reported []string
	switched []local.Switch
	swept    []time.Time // when the rule fired
	onSweep  func() error
}

func open(t *testing.T) *house {
	t.Helper()
	h := &house{T: t, path: filepath.Join(t.TempDir(), "bakery.db")}
	h.start()
	t.Cleanup(func() { _ = h.file.Close() })
	return h
}

func (h *house) start() {
	h.Helper()
	var err error
	h.counts = local.NewCounts()
	if h.file, err = bolt.Open(h.path, h.counts.Table); err != nil {
		h.Fatal(err)
	}
	if h.wall, err = local.OpenWall(h.file, h.machineNow); err != nil {
		h.Fatal(err)
	}
	if h.alarms, err = alarmlocal.New(h.file, h.counts.Scheduler); err != nil {
		h.Fatal(err)
	}
	h.loop = local.NewLoop(h.file, h.wall, h.alarms, h.fire, h.sweep, h.report)
	h.wipes = &local.WipeFault{Store: h.file}
	h.faults = faults.Wrap(h.wipes, rand.New(rand.NewPCG(1, 2)))
	h.admin = &local.Admin{
		File: h.file, Wall: h.wall, Loop: h.loop, Alarms: h.alarms, Faults: h.faults, Wipes: h.wipes, Counts: h.counts,
		Limits:     limit.New(strings.NewReader(""), func(string, error) {}),
		Siteverify: local.NewSiteverify(h.wall.Now),
		Sessions:   access.NewSessions([]byte("a master secret of 32 characters")), Issuer: local.Issuer,
		Operator: func(_ context.Context, s local.Switch) error {
			if s.Cap != nil && *s.Cap < 0 {
				return local.Invalid("A cap is not below 0.")
			}
			h.switched = append(h.switched, s)
			return nil
		},
	}
}

// restart is the process ended and begun again.
func (h *house) restart() {
	h.Helper()
	if err := h.file.Close(); err != nil {
		h.Fatal(err)
	}
	h.start()
}

func (h *house) machineNow() time.Time { return eleven.Add(time.Duration(h.machine.Load())) }

func (h *house) fire(_ context.Context, s alarm.Schedule) error {
	h.mu.Lock()
	h.fired = append(h.fired, fmt.Sprintf("%s %s > %s", s.Hub, s.At.Format("15:04"), h.wall.Now().Format("15:04")))
	then := h.onFire
	h.mu.Unlock()
	if then != nil {
		return then(s)
	}
	return nil
}

func (h *house) report(event string, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.reported = append(h.reported, event+": "+err.Error())
}

func (h *house) log() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.fired)
}

func (h *house) arm(hub, at string) {
	h.Helper()
	if err := h.alarms.Create(h.Context(), alarm.Schedule{Hub: hub, At: clock(h, at)}); err != nil {
		h.Fatal(err)
	}
}

// put keeps an item until a time of day; an empty one is for good.
func (h *house) put(hub, sk, ttl string) {
	h.Helper()
	fields := store.Fields{"x": "y"}
	if ttl != "" {
		fields[store.FieldTTL] = clock(h, ttl).Unix()
	}
	if err := h.file.Commit(h.Context(), time.Time{}, store.Put(store.Key{PK: hub, SK: sk}, store.IfAbsent(), fields)); err != nil {
		h.Fatal(err)
	}
}

// held is how many items the table really holds.
func (h *house) held() (n int) {
	hubs, err := h.file.Hubs(context.Background())
	if err != nil {
		h.Error(err)
	}
	for _, one := range hubs {
		n += one.Count
	}
	return n
}

func (h *house) move(by time.Duration) {
	h.Helper()
	if err := h.loop.Advance(h.Context(), by); err != nil {
		h.Fatal(err)
	}
}

func (h *house) alarmsLeft() (left []string) {
	h.Helper()
	all, err := h.alarms.All()
	if err != nil {
		h.Fatal(err)
	}
	for _, s := range all {
		left = append(left, s.Hub+" "+s.At.Format("15:04"))
	}
	return left
}

func same[T any](t testing.TB, got, want T, what string) {
	t.Helper()
	if g, w := fmt.Sprintf("%v", got), fmt.Sprintf("%v", want); g != w {
		t.Errorf("%s:\n got %s\nwant %s", what, g, w)
	}
}

// sweep notes when the rule fired.
func (h *house) sweep(context.Context) error {
	h.swept = append(h.swept, h.wall.Now())
	if h.onSweep != nil {
		return h.onSweep()
	}
	return nil
}
