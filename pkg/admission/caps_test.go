package admission_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"pgregory.net/rapid"

	"pocbakery/pkg/access"
	"pocbakery/pkg/admission"
	"pocbakery/pkg/limit"
	"pocbakery/pkg/refusal"
	"pocbakery/pkg/store/faults"
)

// ask asks as somebody from an address, with a token where one is needed.
func (d *door) ask(r admission.Request) (admission.Admitted, string, time.Duration) {
	d.T.Helper()
	if r.Kind == "" {
		r.Kind = admission.Guest
	}
	if r.TurnstileToken == "" {
		r.TurnstileToken = "a token"
	}
	a, err := d.desk.Admit(d.T.Context(), r)
	var no *refusal.Refusal
	if errors.As(err, &no) {
		return a, string(no.Code), no.RetryAfter
	}
	if err != nil {
		d.T.Errorf("neither an answer nor a refusal: %v", err)
	}
	return a, "", 0
}

func from(n int) netip.Addr { return netip.AddrFrom4([4]byte{203, 0, 113, byte(n)}) }

// at sets the world's clock.
func (d *door) at(clock string) {
	d.T.Helper()
	t, err := time.Parse("2006-01-02 15:04:05", clock)
	if err != nil {
		d.T.Fatal(err)
	}
	d.Set(t)
}

func TestAnAccountStartsThreeADay(t *testing.T) {
	d := open(t, "2026-11-30 21:00:00")
	as := func(subject string, n int) (string, time.Duration) {
		_, code, after := d.ask(admission.Request{Kind: admission.Account, Subject: subject, Key: key(n), TurnstileToken: "none is asked for"})
		return code, after
	}
	for n := range 3 {
		code, _ := as("anna", n)
		same(t, code, "", fmt.Sprint("anna's ", n))
	}
	code, after := as("anna", 3)
	same(t, code, "account-limit", "anna's fourth")
	same(t, after, 3*time.Hour, "to 00:00 UTC")
	code, _ = as("anna", 2)
	same(t, code, "", "a repeat of her third")
	code, _ = as("Anna", 4)
	same(t, code, "", "an account that looks alike")
	d.at("2026-12-01 00:00:00")
	code, _ = as("anna", 3)
	same(t, code, "", "anna's fourth, the next day")
	same(t, d.used(), "2026-12-01 1/300 0/100 0/100", "the ledger")
}

func TestAnAccountIsAdmittedWithFiveItemsAndOneReadRequest(t *testing.T) {
	d := open(t, "2026-11-30 12:00:00")
	d.enter(admission.Guest, 99) // arms the control hub
	for n, want := range []float64{14, 14, 14} {
		d.Meter.Reset()
		if _, code, _ := d.ask(admission.Request{Kind: admission.Account, Subject: "anna", Key: key(n), Address: from(1)}); code != "" {
			t.Fatal(code)
		}
		total := d.Meter.Total()
		same(t, total.Requests, 2, "a read and a transaction")
		same(t, total.WriteUnits <= want, true, fmt.Sprintf("%v write units, at most %v", total.WriteUnits, want))
	}
}

func TestAnAddressStartsTenADay(t *testing.T) {
	d := open(t, "2026-11-30 23:00:00")
	for n := range 10 {
		_, code, _ := d.ask(admission.Request{Key: key(n), Address: from(1)})
		same(t, code, "", fmt.Sprint("number ", n))
	}
	_, code, after := d.ask(admission.Request{Key: key(10), Address: from(1)})
	same(t, code, "address-limit", "the eleventh")
	same(t, after, time.Hour, "to 00:00 UTC")
	_, code, _ = d.ask(admission.Request{Key: key(3), Address: from(1)})
	same(t, code, "", "a repeat")
	_, code, _ = d.ask(admission.Request{Key: key(10), Address: from(2)})
	same(t, code, "", "the same key from another address")
	off := admission.Off
	d.edit(admission.Edit{RateLimit: &off})
	_, code, _ = d.ask(admission.Request{Key: key(11), Address: from(1)})
	same(t, code, "", "the eleventh, where nobody is held to limits by time")
	on := admission.On
	d.edit(admission.Edit{RateLimit: &on})
	_, code, _ = d.ask(admission.Request{Key: key(12), Address: from(1)})
	same(t, code, "address-limit", "and where they are again")
	d.at("2026-12-01 00:00:00")
	_, code, _ = d.ask(admission.Request{Key: key(12), Address: from(1)})
	same(t, code, "", "the next day")
}

func TestTenOfFortyAtOnceFromOneAddressAreAdmitted(t *testing.T) {
	d := open(t, "2026-11-30 12:00:00")
	seen := together(40, func(i int) string {
		_, code, _ := d.ask(admission.Request{Key: key(i), Address: from(1)})
		return code
	})
	same(t, seen[""], 10, "admitted")
	same(t, seen["address-limit"], 30, "refused")
}

// An address is counted in seven bytes; up to about 120 a day the ledger stays
// within 1 KB, and so in one unit's price.
func TestThreeHundredAddressesAreCountedInALedgerOfThreeKilobytes(t *testing.T) {
	d := open(t, "2026-11-30 12:00:00")
	many := 1000
	d.edit(admission.Edit{GuestShare: &many, Cap: &many})
	for n := range 320 {
		address := netip.AddrFrom4([4]byte{10, 0, byte(n >> 8), byte(n)})
		d.Meter.Reset()
		if _, code, _ := d.ask(admission.Request{Key: key(n), Address: address}); code != "" {
			t.Fatal(n, code)
		}
		total := d.Meter.Total()
		same(t, total.ReadUnits, 2, "read units")
		most := 12.0
		if n >= 110 {
			most = 14
		}
		if n >= 255 {
			most = 16
		}
		if n > 0 && total.WriteUnits > most {
			t.Fatalf("number %d costs %v write units, want %v at most", n, total.WriteUnits, most)
		}
	}
}

func TestAFullDayIsAnsweredFromMemoryForASecondAndNotPastItsDay(t *testing.T) {
	d := open(t, "2026-11-30 23:59:58")
	one := 1
	d.edit(admission.Edit{Cap: &one})
	first, _, _ := d.enter(admission.Guest, 1)
	_, code, _ := d.enter(admission.Guest, 2)
	same(t, code, "day-full", "the second")
	d.Meter.Reset()
	for n := range 100 {
		_, code, after := d.enter(admission.Guest, 100+n)
		same(t, code, "day-full", "from memory")
		same(t, after, 2*time.Second, "says when")
	}
	same(t, d.Meter.Total().Requests, 0, "table requests")
	again, code, _ := d.enter(admission.Guest, 1)
	same(t, code, "", "a repeat of who was admitted here")
	same(t, again.Root.ID, first.Root.ID, "its sandbox")

	other := admission.NewDesk(d.Engine, d.Alarms, ring(), passes{}, admission.DefaultSettings(), zeros{})
	_, err := other.Admit(t.Context(), admission.Request{Kind: admission.Guest, Key: key(5), TurnstileToken: "a token"})
	same(t, refusal.Is(err, refusal.DayFull), true, "another process reads for itself")

	d.Set(d.Now().Add(time.Second - time.Millisecond))
	d.Meter.Reset()
	d.enter(admission.Guest, 3)
	same(t, d.Meter.Total().Requests, 0, "still within the second")
	d.Set(d.Now().Add(time.Millisecond))
	d.enter(admission.Guest, 3)
	same(t, d.Meter.Total().Requests, 1, "after it, it is read again")
	d.Set(d.Now().Add(999 * time.Millisecond))
	d.enter(admission.Guest, 3)
	same(t, d.Meter.Total().Requests, 1, "and believed")
	d.Set(d.Now().Add(time.Millisecond)) // 00:00:00
	_, code, _ = d.enter(admission.Guest, 3)
	same(t, code, "", "at midnight nothing is full")
}

func TestASwitchIsSeenByOtherProcessesWithinASecond(t *testing.T) {
	d := open(t, "2026-11-30 12:00:00")
	zero, two := 0, 2
	d.edit(admission.Edit{Cap: &zero})
	_, code, _ := d.enter(admission.Guest, 1)
	same(t, code, "day-full", "while it is full")
	operator := admission.NewDesk(d.Engine, d.Alarms, ring(), passes{}, admission.DefaultSettings(), zeros{})
	if err := operator.Edit(t.Context(), admission.Edit{Cap: &two}); err != nil {
		t.Fatal(err)
	}
	d.Set(d.Now().Add(time.Second))
	_, code, _ = d.enter(admission.Guest, 1)
	same(t, code, "", "a second after it was raised elsewhere")
}

// limited is a door with limits by time.
func limited(t testing.TB, clock string) *door {
	d := open(t, clock)
	d.desk.Limits = limit.New(bytes.NewReader(make([]byte, 32)), func(string, error) {})
	return d
}

// The order of the checks: what is wrong first is what is answered.
func TestTheChecksComeInTheirOrder(t *testing.T) {
	d := limited(t, "2026-11-30 12:00:00")
	zero, all := 0, 300
	bare := func(n int, who netip.Addr) string {
		_, err := d.desk.Admit(t.Context(), admission.Request{Kind: admission.Guest, Key: key(n), Address: who})
		var no *refusal.Refusal
		errors.As(err, &no)
		return string(no.Code)
	}
	same(t, bare(1, from(1)), "turnstile-missing", "no token")
	_, code, _ := d.ask(admission.Request{Key: key(1), Address: from(1)})
	same(t, code, "", "who had no token has spent nothing")
	_, code, _ = d.ask(admission.Request{Key: key(2), Address: from(1)})
	same(t, code, "rate-limited", "a second within the minute")
	same(t, bare(2, from(1)), "rate-limited", "the limit comes before the token")
	_, err := d.desk.Admit(t.Context(), admission.Request{Kind: admission.Guest, Key: "short", Address: from(1)})
	same(t, refusal.Is(err, refusal.KeyInvalid), true, "the syntax comes before the limit")

	d.edit(admission.Edit{Cap: &zero}) // and with that this process knows
	same(t, bare(3, from(3)), "day-full", "what is known to be full comes before the token")
	d.Set(d.Now().Add(time.Second))
	d.Meter.Reset()
	same(t, bare(3, from(3)), "turnstile-missing", "what is not known does not")
	same(t, d.Meter.Total().Requests, 0, "and is not read for it")
	_, code, _ = d.ask(admission.Request{Key: key(1), Address: from(3)})
	same(t, code, "", "a known key replays, though the day is full")
	d.edit(admission.Edit{Cap: &all})
	_, code, _ = d.ask(admission.Request{Kind: admission.Account, Subject: "anna", Key: key(1), Address: from(4)})
	same(t, code, "idempotency-key-reused", "and as somebody else it does not")
}

func TestARepeatWithinTheMinuteIsFreeTenTimes(t *testing.T) {
	d := limited(t, "2026-11-30 12:00:00")
	first, _, _ := d.ask(admission.Request{Key: key(1), Address: from(1)})
	for range 10 {
		again, code, _ := d.ask(admission.Request{Key: key(1), Address: from(1)})
		same(t, code, "", "a repeat")
		same(t, again.Root.ID, first.Root.ID, "its sandbox")
	}
	d.Meter.Reset()
	_, code, after := d.ask(admission.Request{Key: key(1), Address: from(1)})
	same(t, code, "rate-limited", "the eleventh repeat")
	same(t, after, time.Minute, "Retry-After")
	same(t, d.Meter.Total().Requests, 0, "reads")
	d.Set(d.Now().Add(time.Minute))
	_, code, _ = d.ask(admission.Request{Key: key(1), Address: from(1)})
	same(t, code, "", "a minute later")
}

// Case 9, its first half: who comes in is bounded by the ledger alone.
func TestCase09WithoutALimiterTheLedgerHolds(t *testing.T) {
	d := limited(t, "2026-11-30 12:00:00")
	d.desk.Limits.Break(true)
	share := 300
	d.edit(admission.Edit{GuestShare: &share})
	seen := together(400, func(i int) string {
		_, code, _ := d.ask(admission.Request{Key: key(i), Address: netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)})})
		return code
	})
	same(t, seen[""], 300, "admitted")
	same(t, seen["day-full"], 100, "refused")
}

// Case 9, its second half.
func TestCase09WithoutALedgerNobodyIsAdmitted(t *testing.T) {
	d := open(t, "2026-11-30 12:00:00")
	d.Faults.Set(faults.Config{ErrorRate: 1})
	_, code, _ := d.enter(admission.Guest, 1)
	same(t, code, "unavailable", "the answer")
	d.Faults.Set(faults.Config{})
	same(t, d.used(), "2026-11-30 0/300 0/100 0/100", "the ledger")
}

// Case 10, its second half: the first try's answer was lost, and its token is spent.
func TestCase10ARetryWhoseTokenIsSpentGetsTheFirstAnswer(t *testing.T) {
	d := open(t, "2026-11-30 12:00:00")
	spent := map[string]bool{}
	desk := admission.NewDesk(d.Engine, d.Alarms, ring(), once(spent), admission.DefaultSettings(), zeros{})
	r := admission.Request{Kind: admission.Guest, Key: key(1), TurnstileToken: "once"}
	first, err := desk.Admit(t.Context(), r)
	same(t, err, nil, "the first")
	again, err := desk.Admit(t.Context(), r)
	same(t, err, nil, "the retry")
	same(t, again.Root.ID, first.Root.ID, "its sandbox")
	r.Key = key(2)
	_, err = desk.Admit(t.Context(), r)
	same(t, refusal.Is(err, refusal.TurnstileFailed), true, "the token under another key")
}

// once passes each token once.
type once map[string]bool

func (o once) Check(_ context.Context, token, _ string) error {
	if o[token] {
		return refusal.New(refusal.TurnstileFailed, "It was used before.")
	}
	o[token] = true
	return nil
}

func TestTenThousandRefusalsWriteNothing(t *testing.T) {
	d := limited(t, "2026-11-30 12:00:00")
	zero := 0
	d.edit(admission.Edit{GuestShare: &zero})
	d.Set(d.Now().Add(time.Second))
	before := d.Mem.Snapshot()
	d.Meter.Reset()
	codes := map[string]int{}
	for n := range 10_000 { // 50 a second, from a thousand addresses
		d.Set(d.Now().Add(20 * time.Millisecond))
		_, code, _ := d.ask(admission.Request{Key: key(n), Address: netip.AddrFrom4([4]byte{10, 0, byte(n % 1000 >> 8), byte(n % 1000)})})
		codes[code]++
	}
	same(t, codes["rate-limited"]+codes["guest-share-full"], 10_000, fmt.Sprint("refused: ", codes))
	total := d.Meter.Total()
	same(t, total.WriteUnits, 0, "write units")
	same(t, d.Mem.Snapshot(), before, "what the table holds")
	if total.Requests > 201 {
		t.Errorf("%d reads in 200 seconds, want one a second", total.Requests)
	}
}

// A1 and A2, whatever happens in whatever order: no cap is passed but by being
// lowered, and no key has two sandboxes.
func TestNoHistoryPassesACapOrGivesAKeyTwoPlaces(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		d := open(t, "2026-11-30 23:50:00")
		var step func()
		within := 0
		// Between an admission's read and its write something else may happen.
		between := meanwhile(func() {
			if within++; within == 1 && rapid.Bool().Draw(r, "meanwhile") {
				step()
			}
			within--
		})
		process := func() *admission.Desk {
			return admission.NewDesk(d.Engine, d.Alarms, ring(), between, admission.DefaultSettings(), chance(r))
		}
		desks := []*admission.Desk{process(), process()}
		limits := map[string]int{"cap": 300, "share": 100, "demo": 100}
		lent := map[int]string{}            // by key
		used := map[string]map[string]int{} // by day and by what is counted
		count := func(day, what string) int {
			if used[day] == nil {
				used[day] = map[string]int{}
			}
			used[day][what]++
			return used[day][what]
		}
		step = func() {
			switch rapid.IntRange(0, 11).Draw(r, "step") {
			case 0:
				n := rapid.IntRange(0, 6).Draw(r, "cap")
				e := []admission.Edit{{Cap: &n}, {GuestShare: &n}, {DemoCap: &n}}[rapid.IntRange(0, 2).Draw(r, "which")]
				for d.desk.Edit(t.Context(), e) != nil { // a fault was waiting for it
				}
				switch {
				case e.Cap != nil:
					limits["cap"] = n
				case e.GuestShare != nil:
					limits["share"] = n
				default:
					limits["demo"] = n
				}
			case 1:
				d.Set(d.Now().Add(time.Duration(rapid.IntRange(1, 8*60).Draw(r, "seconds")) * time.Second))
			case 2:
				fault := rapid.SampledFrom([]faults.Fault{faults.Refused, faults.Lost, faults.Applied, faults.Late, faults.Conflict}).Draw(r, "fault")
				d.Faults.Next(rapid.SampledFrom([]faults.Kind{faults.Get, faults.Commit}).Draw(r, "call"), 1, fault)
			case 3: // a process dies, and another begins
				desks[1] = process()
			default:
				n := rapid.IntRange(0, 39).Draw(r, "key")
				kind := []admission.Kind{admission.Guest, admission.Demo, admission.Account}[n%3]
				subject := ""
				if kind == admission.Account {
					subject = fmt.Sprint("account ", n%2)
				}
				a, err := desks[rapid.IntRange(0, 1).Draw(r, "desk")].Admit(t.Context(), admission.Request{
					Kind: kind, Subject: subject, Key: key(n), TurnstileToken: "a token", Address: from(n % 2),
				})
				if err != nil {
					return
				}
				id := string(a.Root.ID)
				if before, ok := lent[n]; ok && before != id {
					r.Fatalf("key %d has %s and %s", n, before, id)
				}
				lent[n] = id
				if a.Replayed {
					return // counted where it was admitted, unless that answer was lost
				}
				day := d.Now().Format(time.DateOnly)
				for what, most := range map[string]int{
					"all": limits["cap"], "kind " + string(kind): map[admission.Kind]int{admission.Guest: limits["share"], admission.Demo: limits["demo"], admission.Account: 1000}[kind],
					subject: int(admission.MaxOfAccount), from(n % 2).String(): int(admission.MaxOfAddress),
				} {
					if got := count(day, what); what != "" && got > most {
						r.Fatalf("%d of %q on %s, at most %d", got, what, day, most)
					}
				}
			}
		}
		for range rapid.IntRange(1, 120).Draw(r, "steps") {
			step()
		}
	})
}

// meanwhile is what happens while the human check is asked, which passes.
type meanwhile func()

func (m meanwhile) Check(context.Context, string, string) error { m(); return nil }

// chance is randomness that a history draws from its seed.
func chance(r *rapid.T) io.Reader {
	return rand.NewChaCha8([32]byte{byte(rapid.Uint8().Draw(r, "seed")), byte(rapid.Uint8().Draw(r, "seed")), byte(rapid.Uint8().Draw(r, "seed"))})
}

// zeros is no randomness at all, for a desk that draws once.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

func ring() *access.Keyring { return access.NewKeyring([]byte("a master secret of 32 characters")) }
