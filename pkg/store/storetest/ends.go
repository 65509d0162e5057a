package storetest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"pocbakery/pkg/store"
)

// names writes refs as "key@minutes after noon".
func names(refs []store.Ref) []string {
	var out []string
	for _, r := range refs {
		out = append(out, fmt.Sprintf("%s@%v", r.SK, r.At.Sub(noon).Minutes()))
	}
	return out
}

// wantDue checks what Due says of a clock up to so many minutes after noon.
func (f *fixture) wantDue(clock string, minutes, limit int, want ...string) {
	f.Helper()
	f.wantDueUntil(clock, noon.Add(time.Duration(minutes)*time.Minute), limit, want...)
}

func (f *fixture) wantDueUntil(clock string, until time.Time, limit int, want ...string) {
	f.Helper()
	refs, err := f.s.Due(f.ctx, f.hub, store.Clock(clock[0]), until, limit)
	if err != nil {
		f.Fatalf("due: %v", err)
	}
	for _, r := range refs {
		if r.PK != f.hub {
			f.Fatalf("due names another hub: %v", r)
		}
	}
	f.texts(names(refs), want)
}

// wantOverdue checks what Overdue says of some hubs; others are left out,
// since an eventually consistent index may show what an earlier case erased.
func (f *fixture) wantOverdue(minutes, limit int, hub string, want ...string) {
	f.Helper()
	var got []string
	for try := 0; ; try++ {
		refs, err := f.s.Overdue(f.ctx, noon.Add(time.Duration(minutes)*time.Minute), limit)
		if err != nil {
			f.Fatalf("overdue: %v", err)
		}
		if !slices.IsSortedFunc(refs, func(a, b store.Ref) int { return a.At.Compare(b.At) }) {
			f.Fatalf("overdue is out of order: %v", refs)
		}
		got = names(slices.DeleteFunc(refs, func(r store.Ref) bool { return !strings.HasPrefix(r.PK, hub) }))
		if fmt.Sprint(got) == fmt.Sprint(want) || !f.opts.EventuallyConsistentOverdue || try == 100 {
			break
		}
		// Only for a table that lags, and only for as long as it does.
		<-time.After(100 * time.Millisecond)
	}
	f.texts(got, want)
}

var endCases = []behaviour{
	{"DueNamesTheEndsOfOneClockEarliestFirst", func(f *fixture) {
		f.put("x", store.Fields{"due": due("b", 30)})
		f.put("a", store.Fields{"due": due("b", 20)})
		f.put("m", store.Fields{"due": due("b", -10)})
		f.put("wall", store.Fields{"due": due("w", 5)})
		f.put("none", store.Fields{"n": int64(1)})
		f.wantDue("b", 100, 10, "m@-10", "a@20", "x@30")
		f.wantDue("w", 100, 10, "wall@5")
		other := f.hub
		f.hub = f.newHub()
		f.wantDue("b", 100, 10)
		f.hub = other
	}},
	{"DueHoldsTheInstantItself", func(f *fixture) {
		f.put("a", store.Fields{"due": due("b", 10)})
		at := noon.Add(10 * time.Minute)
		f.wantDueUntil("b", at.Add(-time.Millisecond), 10)
		f.wantDueUntil("b", at.Add(-time.Nanosecond), 10)
		f.wantDueUntil("b", at, 10, "a@10")
		f.wantDueUntil("b", at.In(time.FixedZone("", 7200)), 10, "a@10")
	}},
	{"DueIsLimited", func(f *fixture) {
		for n := range 5 {
			f.put(numbered(n), store.Fields{"due": due("b", 9-n)})
		}
		f.wantDue("b", 100, 2, numbered(4)+"@5", numbered(3)+"@6")
		f.wantDue("b", 100, 1, numbered(4)+"@5")
	}},
	{"DueFollowsEveryWrite", func(f *fixture) {
		f.put("a", store.Fields{"due": due("b", 1)})
		f.put("b", store.Fields{"due": due("b", 2)})
		set := func(guard store.Guard, fields store.Fields, remove ...string) {
			f.commit(noon, store.Write{Op: store.OpUpdate, Key: f.key("a"), Guard: guard, Set: fields, Remove: remove})
		}
		set(store.IfRev(1), store.Fields{"due": due("b", 3)})
		f.wantDue("b", 100, 10, "b@2", "a@3")
		set(store.IfRev(2), store.Fields{"due": due("w", 4)})
		f.wantDue("b", 100, 10, "b@2")
		f.wantDue("w", 100, 10, "a@4")
		set(store.IfRev(3), store.Fields{"other": "x"})
		f.wantDue("w", 100, 10, "a@4")
		set(store.IfRev(4), nil, "due")
		f.wantDue("w", 100, 10)
		f.commit(noon, store.Write{Op: store.OpUpdate, Key: f.key("a"), Guard: store.IfRev(5), Init: store.Fields{"due": due("b", 5)}})
		f.commit(noon, store.Write{Op: store.OpUpdate, Key: f.key("a"), Guard: store.IfRev(6), Init: store.Fields{"due": due("b", 6)}})
		f.wantDue("b", 100, 10, "b@2", "a@5")
		f.put("a", store.Fields{"due": due("b", 0)})
		f.wantDue("b", 100, 10, "a@0", "b@2")
		f.put("a", nil)
		f.commit(noon, store.Delete(f.key("b"), anyway))
		f.wantDue("b", 100, 10)
	}},
	{"EndsOfOneInstantAreAllNamed", func(f *fixture) {
		for _, sk := range []string{"c", "a", "b"} {
			f.put(sk, store.Fields{"due": due("b", 1), "wake": wake(1)})
		}
		refs, err := f.s.Due(f.ctx, f.hub, store.Business, noon.Add(time.Hour), 10)
		if err != nil {
			f.Fatalf("due: %v", err)
		}
		got := names(refs)
		slices.Sort(got)
		f.texts(got, []string{"a@1", "b@1", "c@1"})
	}},
	{"OverdueNamesTheEndsOfAllHubsEarliestFirst", func(f *fixture) {
		f.put("a", store.Fields{"wake": wake(30)})
		f.put("b", store.Fields{"wake": wake(10), "due": due("b", 50)})
		f.put("none", store.Fields{"due": due("w", 1)})
		f.hub = f.newHub()
		f.put("c", store.Fields{"wake": wake(20)})
		f.wantOverdue(100, 100, "t"+runID, "b@10", "c@20", "a@30")
		f.wantOverdue(20, 100, "t"+runID, "b@10", "c@20")
		f.wantOverdue(9, 100, "t"+runID)
	}},
	{"OverdueIsLimited", func(f *fixture) {
		for n := range 4 {
			// Long before all others, so that the limit cuts none of these off.
			f.put(numbered(n), store.Fields{"wake": wake(-1_000_000 - n)})
		}
		f.wantOverdue(0, 2, "t"+runID, numbered(3)+"@-1.000003e+06", numbered(2)+"@-1.000002e+06")
	}},
	{"OverdueFollowsEveryWrite", func(f *fixture) {
		f.put("a", store.Fields{"wake": wake(1)})
		f.commit(noon, store.Write{Op: store.OpUpdate, Key: f.key("a"), Guard: store.IfRev(1), Set: store.Fields{"wake": wake(3)}})
		f.wantOverdue(100, 100, f.hub, "a@3")
		f.commit(noon, store.Write{Op: store.OpUpdate, Key: f.key("a"), Guard: store.IfRev(2), Remove: []string{"wake"}})
		f.wantOverdue(100, 100, f.hub)
		f.put("a", store.Fields{"wake": wake(4)})
		f.wantOverdue(100, 100, f.hub, "a@4")
		f.commit(noon, store.Delete(f.key("a"), anyway))
		f.wantOverdue(100, 100, f.hub)
	}},
}
