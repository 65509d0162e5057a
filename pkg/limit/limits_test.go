package limit_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"pocbakery/pkg/limit"
	"pocbakery/pkg/refusal"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func fresh() *limit.Limits {
	return limit.New(bytes.NewReader(make([]byte, 32)), func(string, error) {})
}

// passed is how many of n at one instant pass.
func passed(l *limit.Limits, n limit.Name, who string, asked int, at time.Time) (ok int) {
	for range asked {
		if !l.Take(n, who, at).Refused {
			ok++
		}
	}
	return ok
}

func TestAQuotaPassesAtOnceAndComesBackEvenly(t *testing.T) {
	for n := limit.Sandboxes; n <= limit.Sockets; n++ {
		l, quota := fresh(), n.Rate().Quota
		if got := passed(l, n, "a", quota+50, noon); got != quota {
			t.Errorf("%s: %d passed at once, want %d", n, got, quota)
		}
		if got := passed(l, n, "b", quota+50, noon); got != quota {
			t.Errorf("%s: %d of another passed, want %d", n, got, quota)
		}
		step := time.Minute / time.Duration(quota)
		if got := passed(l, n, "a", 5, noon.Add(step-1)); got != 0 {
			t.Errorf("%s: %d passed just before one came back", n, got)
		}
		if got := passed(l, n, "a", 5, noon.Add(step)); got != 1 {
			t.Errorf("%s: %d passed when one came back", n, got)
		}
		if got := passed(l, n, "a", quota+50, noon.Add(2*time.Minute)); got != quota {
			t.Errorf("%s: %d passed after a window, want %d", n, got, quota)
		}
	}
}

// L1 and L2, whatever is asked when.
func TestNoWindowHoldsTwiceTheQuotaAndAClockThatWentBackKeepsNobodyOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]limit.Name{limit.Sandboxes, limit.Sockets, limit.Commands}).Draw(t, "limit")
		l, at := fresh(), noon
		var when []time.Time
		for range rapid.IntRange(1, 400).Draw(t, "asked") {
			at = at.Add(time.Duration(rapid.IntRange(0, 3000).Draw(t, "pause")) * time.Millisecond)
			d := l.Take(n, "a", at)
			if d.Left < 0 || d.Left > n.Rate().Quota || d.Full < 0 || d.Full > time.Minute {
				t.Fatalf("%+v", d)
			}
			if !d.Refused {
				when = append(when, at)
			}
		}
		most := 2*n.Rate().Quota - 1
		for i := range when {
			if j := i + most; j < len(when) && when[j].Sub(when[i]) < time.Minute {
				t.Fatalf("%d of %s within %s", most+1, n, when[j].Sub(when[i]))
			}
		}
		back := at.Add(-time.Duration(rapid.IntRange(1, 30).Draw(t, "days")) * 24 * time.Hour)
		passed(l, n, "a", n.Rate().Quota, back)
		if got := passed(l, n, "a", n.Rate().Quota, back.Add(time.Minute)); got != n.Rate().Quota {
			t.Fatalf("a window after a clock went back %d pass, want %d", got, n.Rate().Quota)
		}
	})
}

func TestTheFieldsSayWhatIsLeft(t *testing.T) {
	l := fresh()
	passed(l, limit.Commands, "a", 18, noon)
	d := l.Take(limit.Commands, "a", noon)
	h := l.Take(limit.Hub, "hub", noon)
	if got, want := limit.Policy(d, h), `"commands";q=60;w=60, "hub";q=300;w=60`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := limit.State(d, h), `"commands";r=41;t=19, "hub";r=299;t=1`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := limit.State(limit.Decision{}); got != "" {
		t.Errorf("of no limit: %s", got)
	}
	passed(l, limit.Commands, "a", 41, noon)
	var no *refusal.Refusal
	if err := l.Take(limit.Commands, "a", noon).Err(); !errors.As(err, &no) || no.Code != refusal.RateLimited || no.RetryAfter != time.Minute {
		t.Errorf("got %v", err)
	}
}

var anna, bert = netip.MustParseAddr("203.0.113.9"), netip.MustParseAddr("203.0.113.10")

func TestAnAddressAsksForOneSandboxAMinuteAndRepeatsItTenTimes(t *testing.T) {
	l := fresh()
	enter := func(who netip.Addr, key string, spends bool, after time.Duration, want bool) {
		t.Helper()
		if d := l.Enter(who, key, spends, noon.Add(after)); d.Refused == want {
			t.Errorf("%s %s after %s: %+v", who, key, after, d)
		}
	}
	enter(anna, "k0", false, 0, true) // nothing is spent by who could not be admitted
	enter(anna, "k1", true, 0, true)
	enter(anna, "k2", true, 0, false)
	enter(anna, "k2", false, 0, false)
	enter(bert, "k1", true, 0, true)
	for n := range 10 {
		enter(anna, "k1", true, time.Duration(n)*5*time.Second, true)
	}
	enter(anna, "k1", true, time.Minute-time.Millisecond, false)
	enter(anna, "k2", true, time.Minute-time.Millisecond, false)
	enter(anna, "k1", true, time.Minute, true) // another minute, another spending
	enter(anna, "k2", true, time.Minute, false)
	enter(anna, "k1", true, time.Minute, true)
}

func TestOfManyAtOnceOneSpendsAndTenRepeat(t *testing.T) {
	l := fresh()
	var ok atomic.Int64
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			if !l.Enter(anna, "k1", true, noon).Refused {
				ok.Add(1)
			}
		})
	}
	all.Wait()
	if ok.Load() != 11 {
		t.Errorf("%d passed, want 11", ok.Load())
	}
}

func TestALimiterThatCannotCountLetsAllPassAndSaysSoOnce(t *testing.T) {
	var said []string
	l := limit.New(bytes.NewReader(make([]byte, 32)), func(event string, _ error) { said = append(said, event) })
	l.Break(true)
	for range 100 {
		if d := l.Take(limit.Sockets, "a", noon); d.Applies || d.Refused {
			t.Fatalf("%+v", d)
		}
		if d := l.Enter(anna, "k", true, noon); d.Refused {
			t.Fatalf("%+v", d)
		}
	}
	l.Break(false)
	if got := passed(l, limit.Sockets, "a", 10, noon); got != 6 {
		t.Errorf("%d pass when it counts again", got)
	}
	l.Break(true)
	l.Take(limit.Sockets, "a", noon)
	if got := strings.Join(said, " "); got != "rate_limit_unavailable rate_limit_unavailable" {
		t.Errorf("said %q, want it once for each time it failed", got)
	}
	broken := limit.New(strings.NewReader("short"), func(string, error) { said = nil })
	if d := broken.Take(limit.Hub, "a", noon); d.Applies || said != nil {
		t.Errorf("without a key of the hash: %+v, %v", d, said)
	}
}

func TestOffLetsAllPassAndOnCountsOn(t *testing.T) {
	l := fresh()
	passed(l, limit.Sockets, "a", 6, noon)
	l.Off(true)
	if got := passed(l, limit.Sockets, "a", 100, noon); got != 100 {
		t.Errorf("%d pass while it is off", got)
	}
	l.Off(false)
	if got := passed(l, limit.Sockets, "a", 100, noon); got != 0 {
		t.Errorf("%d pass when it is on again", got)
	}
	var none *limit.Limits
	none.Off(true)
	if d := none.Take(limit.Hub, "a", noon); d.Applies || d.Refused {
		t.Errorf("of no limits: %+v", d)
	}
}

// L4: the hash's key is another each day, and forgets.
func TestADayForgetsThoseOfTheDayBefore(t *testing.T) {
	l := fresh()
	late := time.Date(2026, 11, 30, 23, 59, 59, 0, time.UTC)
	passed(l, limit.Sockets, "a", 6, late)
	if got := passed(l, limit.Sockets, "a", 6, late.Add(time.Second)); got != 6 {
		t.Errorf("%d pass at midnight", got)
	}
}

// L3: many more than are kept take no more memory.
func TestAMillionAddressesTakeNoMoreMemoryThanAFew(t *testing.T) {
	if got := heapOf(t, 1_000_000); got > 2*1_200_000 { // the limit's and the repeats'
		t.Errorf("%d bytes are in use", got)
	}
}

// heapOf is what so many addresses leave in use.
func heapOf(t testing.TB, addresses int) int64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	l := fresh()
	for i := range addresses {
		at := noon.Add(time.Duration(i) * time.Microsecond)
		l.Enter(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}), "k", true, at)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(l)
	return int64(after.HeapAlloc) - int64(before.HeapAlloc)
}

func TestTheLatestAreKeptThroughAFlood(t *testing.T) {
	l := fresh()
	l.Enter(anna, "k", true, noon.Add(30*time.Second))
	for i := range 60_000 { // each older than anna's
		l.Enter(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}), "k", true, noon)
	}
	if !l.Enter(anna, "other", true, noon.Add(31*time.Second)).Refused {
		t.Error("she was forgotten before those of before her")
	}
}

func BenchmarkAMillionAddresses(b *testing.B) {
	for b.Loop() {
		b.ReportMetric(float64(heapOf(b, 1_000_000)), "B-in-use")
	}
}

func BenchmarkRefuse(b *testing.B) {
	l := limit.New(zeros{}, func(string, error) {})
	l.Enter(anna, "k1", true, noon)
	b.ReportAllocs()
	for b.Loop() {
		if !l.Enter(anna, "k2", true, noon).Refused {
			b.Fatal("it passed")
		}
	}
}

func BenchmarkTake(b *testing.B) {
	l := limit.New(zeros{}, func(string, error) {})
	b.ReportAllocs()
	b.RunParallel(func(p *testing.PB) {
		for n := 0; p.Next(); n++ {
			l.Take(limit.Commands, "a2b3c4d5e6f7g2h3i4j5k6l7m2", noon)
		}
	})
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

var _ io.Reader = zeros{}

func ExampleState() {
	l := limit.New(zeros{}, func(string, error) {})
	fmt.Println(limit.State(l.Take(limit.Commands, "a session", noon)))
	// Output: "commands";r=59;t=1
}
