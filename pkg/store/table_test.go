package store_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"pocbakery/pkg/store"
	"pocbakery/pkg/store/faults"
	"pocbakery/pkg/store/mem"
)

var (
	ctx   = context.Background()
	noon  = time.Date(2040, 5, 17, 12, 0, 0, 0, time.UTC)
	key   = store.Key{PK: "hub", SK: "slot#1"}
	other = store.Key{PK: "hub", SK: "slot#2"}
)

// rig is a Table over faults over a table in memory.
type rig struct {
	*testing.T
	table *store.Table
	f     *faults.Store
	m     *mem.Store
}

func newRig(t *testing.T) *rig {
	m := mem.New(nil)
	f := faults.Wrap(m, rand.New(rand.NewPCG(1, 2)))
	return &rig{T: t, table: store.NewTable(f, rand.New(rand.NewPCG(3, 4)).Uint64), f: f, m: m}
}

// next makes the following commits fail so, one after the other.
func (r *rig) next(script ...faults.Fault) {
	for n, f := range script {
		if f != fine {
			r.f.Next(faults.Commit, n+1, f)
		}
	}
}

const fine faults.Fault = 0

func (r *rig) seed(k store.Key, fields store.Fields) {
	r.Helper()
	if err := r.m.Commit(ctx, noon, store.Put(k, store.IfAbsent(), fields)); err != nil {
		r.Fatal(err)
	}
}

func (r *rig) held(k store.Key) store.Item {
	r.Helper()
	items, err := r.m.Get(ctx, noon, k)
	if err != nil {
		r.Fatal(err)
	}
	return items[0]
}

func (r *rig) want(err, kind error) {
	r.Helper()
	if !errors.Is(err, kind) {
		r.Fatalf("error is %v, not %v", err, kind)
	}
}

func (r *rig) wantGuardFailed(err error) *store.GuardFailed {
	r.Helper()
	var guard *store.GuardFailed
	if !errors.As(err, &guard) {
		r.Fatalf("error is %v, not a failed guard", err)
	}
	return guard
}

// bare is an update whose guard its own effect does not make false.
func bare() store.Write {
	return store.Write{Op: store.OpUpdate, Key: key, Guard: store.If().OrAbsent(), Add: map[string]int64{"n": 1}}
}

func TestEveryWriteBearsTheSchemaAndAMark(t *testing.T) {
	r := newRig(t)
	fields := store.Fields{"s": "x"}
	if err := r.table.Commit(ctx, noon, store.Put(key, store.IfAbsent(), fields)); err != nil {
		t.Fatal(err)
	}
	first := r.held(key)
	if first.Int("v") != store.Schema || len(first.String("by")) != 8 || first.String("s") != "x" || len(fields) != 1 {
		t.Fatalf("item is %v, fields are %v", first, fields)
	}
	if err := r.table.Commit(ctx, noon, bare()); err != nil {
		t.Fatal(err)
	}
	second := r.held(key)
	if second.Int("v") != store.Schema || second.String("by") == first.String("by") {
		t.Fatalf("item is %v", second)
	}
}

// writes is one commit of each kind, prepared, and what it leaves behind.
func eachWrite(r *rig) map[string]struct {
	prepare func()
	writes  []store.Write
	done    func() bool
} {
	n := func(k store.Key, want int64) bool { return r.held(k).Int("n") == want }
	return map[string]struct {
		prepare func()
		writes  []store.Write
		done    func() bool
	}{
		"put under absent": {func() {}, []store.Write{store.Put(key, store.IfAbsent(), store.Fields{"n": int64(1)})},
			func() bool { return n(key, 1) && r.held(key).Rev == 1 }},
		"put under rev": {func() { r.seed(key, nil) }, []store.Write{store.Put(key, store.IfRev(1), store.Fields{"n": int64(1)})},
			func() bool { return n(key, 1) && r.held(key).Rev == 2 }},
		"update under a guard": {func() { r.seed(key, store.Fields{"n": int64(4)}) }, []store.Write{{Op: store.OpUpdate, Key: key, Guard: store.If(store.Lt("n", int64(6))), Add: map[string]int64{"n": 1}}},
			func() bool { return n(key, 5) && r.held(key).Rev == 2 }},
		"bare add":                     {func() {}, []store.Write{bare()}, func() bool { return n(key, 1) && r.held(key).Rev == 1 }},
		"bare add to what is there":    {func() { r.seed(key, nil) }, []store.Write{bare()}, func() bool { return n(key, 1) && r.held(key).Rev == 2 }},
		"delete under rev":             {func() { r.seed(key, nil) }, []store.Write{store.Delete(key, store.IfRev(1))}, func() bool { return !r.held(key).Exists() }},
		"delete anyway":                {func() { r.seed(key, nil) }, []store.Write{store.Delete(key, store.If().OrAbsent())}, func() bool { return !r.held(key).Exists() }},
		"transaction of deletes":       {func() { r.seed(key, nil); r.seed(other, nil) }, []store.Write{store.Delete(key, store.IfRev(1)), store.Delete(other, store.IfRev(1))}, func() bool { return !r.held(key).Exists() && !r.held(other).Exists() }},
		"transaction of all":           {func() { r.seed(key, nil) }, []store.Write{store.Delete(key, store.IfRev(1)), store.Put(other, store.IfAbsent(), store.Fields{"n": int64(1)})}, func() bool { return !r.held(key).Exists() && n(other, 1) }},
		"transaction with a bare add":  {func() {}, []store.Write{bare(), store.Put(other, store.IfAbsent(), nil)}, func() bool { return n(key, 1) && r.held(other).Rev == 1 }},
		"transaction of two bare adds": {func() { r.seed(key, nil) }, []store.Write{bare(), {Op: store.OpUpdate, Key: other, Guard: store.If().OrAbsent(), Add: map[string]int64{"n": 1}}}, func() bool { return n(key, 1) && n(other, 1) }},
	}
}

func TestEveryWriteHappensOnceWhateverBecomesOfItsReplies(t *testing.T) {
	for name, script := range map[string][]faults.Fault{
		"no fault":                         {},
		"refused once":                     {faults.Refused},
		"refused twice":                    {faults.Refused, faults.Refused},
		"lost, not applied":                {faults.Lost},
		"applied, reply lost":              {faults.Applied},
		"applied, both replies lost":       {faults.Applied, faults.Applied},
		"applied, then lost":               {faults.Applied, faults.Lost},
		"lost, then applied":               {faults.Lost, faults.Applied},
		"applied, then refused":            {faults.Applied, faults.Refused},
		"applied, then in conflict":        {faults.Applied, faults.Conflict},
		"lost, then in conflict":           {faults.Lost, faults.Conflict},
		"first try arrives after second":   {faults.Late, fine},
		"first try between second, third":  {faults.Late, faults.Lost},
		"first try after second, no reply": {faults.Late, faults.Applied},
	} {
		for kind := range eachWrite(nil) {
			t.Run(kind+", "+name, func(t *testing.T) {
				r := newRig(t)
				w := eachWrite(r)[kind]
				w.prepare()
				r.next(script...)
				if err := r.table.Commit(ctx, noon, w.writes...); err != nil {
					t.Fatalf("commit: %v", err)
				}
				if !w.done() {
					t.Fatalf("the table holds\n%s", r.m.Snapshot())
				}
				if r.f.Injected() != len(script)-count(script, fine) {
					t.Fatalf("%d faults were injected", r.f.Injected())
				}
			})
		}
	}
}

func count(script []faults.Fault, f faults.Fault) (n int) {
	for _, g := range script {
		if g == f {
			n++
		}
	}
	return n
}

func TestAnOutcomeThatStaysUnknownIsSaidToBe(t *testing.T) {
	for name, script := range map[string][]faults.Fault{
		"lost":                            {faults.Lost, faults.Lost, faults.Lost},
		"applied":                         {faults.Applied, faults.Applied, faults.Applied},
		"lost, then refused":              {faults.Lost, faults.Refused, faults.Refused},
		"applied, then refused":           {faults.Applied, faults.Refused, faults.Refused},
		"refused, lost, then in conflict": {faults.Refused, faults.Lost, faults.Conflict},
	} {
		r := newRig(t)
		r.next(script...)
		err := r.table.Commit(ctx, noon, bare())
		if !errors.Is(err, store.ErrUnknown) || errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrConflict) {
			t.Errorf("%s: %v", name, err)
		}
		if r.held(key).Int("n") > 1 {
			t.Errorf("%s: applied %d times", name, r.held(key).Int("n"))
		}
	}
}

func TestARefusedCommitIsTriedThreeTimes(t *testing.T) {
	r := newRig(t)
	r.next(faults.Refused, faults.Refused, faults.Refused)
	r.want(r.table.Commit(ctx, noon, bare()), store.ErrUnavailable)
	if r.f.Injected() != 3 || r.m.Snapshot() != "" {
		t.Fatalf("%d tries, the table holds %s", r.f.Injected(), r.m.Snapshot())
	}
}

func TestAConflictIsAnsweredAtOnce(t *testing.T) {
	r := newRig(t)
	r.next(faults.Conflict, faults.Refused)
	r.want(r.table.Commit(ctx, noon, bare()), store.ErrConflict)
	if r.f.Injected() != 1 {
		t.Fatal("it was tried again")
	}
}

func TestAFailedGuardIsARefusalWhateverWentBefore(t *testing.T) {
	for _, script := range [][]faults.Fault{{}, {faults.Refused}, {faults.Lost}, {faults.Applied}, {faults.Applied, faults.Applied}} {
		r := newRig(t)
		r.seed(key, store.Fields{"n": int64(6), "by": "somebody"})
		r.next(script...)
		err := r.table.Commit(ctx, noon,
			store.Write{Op: store.OpUpdate, Key: key, Guard: store.If(store.Lt("n", int64(6))), Add: map[string]int64{"n": 1}},
			store.Delete(other, store.IfRev(1)))
		guard := r.wantGuardFailed(err)
		if guard.Items[0].Int("n") != 6 || !guard.Failed[0] || !guard.Failed[1] {
			t.Fatalf("failure is %+v", guard)
		}
	}
}

func TestADeleteOfWhatIsNotThereIsARefusalUnlessAReplyWasLost(t *testing.T) {
	r := newRig(t)
	r.wantGuardFailed(r.table.Commit(ctx, noon, store.Delete(key, store.IfRev(1))))
	r.next(faults.Refused)
	r.wantGuardFailed(r.table.Commit(ctx, noon, store.Delete(key, store.IfRev(1))))
	// Lost: another may have deleted it, but it is gone, as was asked.
	r.next(faults.Lost)
	if err := r.table.Commit(ctx, noon, store.Delete(key, store.IfRev(1))); err != nil {
		t.Fatal(err)
	}
}

// meddler lets another writer in between a commit and its second try.
type meddler struct {
	store.Store
	between func()
}

func (m *meddler) Commit(ctx context.Context, now time.Time, writes ...store.Write) error {
	err := m.Store.Commit(ctx, now, writes...)
	if m.between != nil {
		m.between()
		m.between = nil
	}
	return err
}

func TestAMarkWrittenOverIsAnsweredWithTheOtherWritersItem(t *testing.T) {
	r := newRig(t)
	another := store.NewTable(r.m, rand.New(rand.NewPCG(9, 9)).Uint64)
	table := store.NewTable(&meddler{r.f, func() {
		if err := another.Commit(ctx, noon, store.Write{Op: store.OpUpdate, Key: key, Guard: store.IfRev(1), Set: store.Fields{"theirs": true}}); err != nil {
			t.Fatal(err)
		}
	}}, rand.New(rand.NewPCG(5, 6)).Uint64)
	r.next(faults.Applied)
	guard := r.wantGuardFailed(table.Commit(ctx, noon, store.Put(key, store.IfAbsent(), store.Fields{"ours": true})))
	if i := guard.Items[0]; !i.Bool("ours") || !i.Bool("theirs") {
		t.Fatalf("the item is %v", i)
	}
}

func TestATransactionIsRecognisedByAnyItemThatBearsItsMark(t *testing.T) {
	r := newRig(t)
	table := store.NewTable(&meddler{r.f, func() {
		if err := r.m.Commit(ctx, noon, store.Write{Op: store.OpUpdate, Key: key, Guard: store.IfRev(1), Set: store.Fields{"by": "somebody"}}); err != nil {
			t.Fatal(err)
		}
	}}, rand.New(rand.NewPCG(5, 6)).Uint64)
	r.next(faults.Applied)
	if err := table.Commit(ctx, noon, store.Put(key, store.IfAbsent(), nil), store.Put(other, store.IfAbsent(), nil)); err != nil {
		t.Fatal(err)
	}
}

func TestNothingIsTriedAfterTheContextHasEnded(t *testing.T) {
	r := newRig(t)
	ctx, cancel := context.WithCancel(ctx)
	r.f.Set(faults.Config{Latency: cancel})
	r.next(faults.Lost, faults.Lost)
	r.want(r.table.Commit(ctx, noon, bare()), store.ErrUnknown)
	r.want(r.table.Commit(ctx, noon, bare()), store.ErrUnknown)
	r.f.Next(faults.Get, 1, faults.Refused)
	r.f.Next(faults.Get, 2, faults.Refused)
	_, err := r.table.Get(ctx, noon, key)
	r.want(err, store.ErrUnavailable)
	if r.f.Injected() != 3 {
		t.Fatalf("%d calls were made", r.f.Injected())
	}
}

func TestReadsAndErasesAreTriedThreeTimes(t *testing.T) {
	for name, call := range map[string]struct {
		kind faults.Kind
		do   func(r *rig) error
	}{
		"get":     {faults.Get, func(r *rig) error { _, err := r.table.Get(ctx, noon, key); return err }},
		"list":    {faults.List, func(r *rig) error { _, err := r.table.List(ctx, noon, "hub", store.Range{}); return err }},
		"due":     {faults.Due, func(r *rig) error { _, err := r.table.Due(ctx, "hub", store.Wall, noon, 1); return err }},
		"overdue": {faults.Overdue, func(r *rig) error { _, err := r.table.Overdue(ctx, noon, 1); return err }},
		"erase":   {faults.Erase, func(r *rig) error { return r.table.Erase(ctx, key) }},
	} {
		for _, f := range []faults.Fault{faults.Refused, faults.Lost, faults.Applied} {
			r := newRig(t)
			r.f.Next(call.kind, 1, f)
			r.f.Next(call.kind, 2, f)
			if err := call.do(r); err != nil {
				t.Errorf("%s, failed twice: %v", name, err)
			}
			for n := range 3 {
				r.f.Next(call.kind, n+1, f)
			}
			if err := call.do(r); err == nil {
				t.Errorf("%s, failed three times: no error", name)
			}
			if r.f.Injected() != 5 {
				t.Errorf("%s: %d faults", name, r.f.Injected())
			}
		}
	}
}

func TestANewerItemIsRefusedAndNeverWrittenOver(t *testing.T) {
	r := newRig(t)
	r.seed(key, store.Fields{"v": int64(store.Schema + 1), "n": int64(1)})
	before := r.m.Snapshot()
	_, err := r.table.Get(ctx, noon, other, key)
	r.want(err, store.ErrNewerSchema)
	_, err = r.table.List(ctx, noon, "hub", store.Range{})
	r.want(err, store.ErrNewerSchema)
	for name, w := range map[string]store.Write{
		"a put under absent": store.Put(key, store.IfAbsent(), nil),
		"a put under rev":    store.Put(key, store.IfRev(1), nil),
		"a put anyway":       store.Put(key, store.If().OrAbsent(), nil),
		"an update":          bare(),
		"a delete":           store.Delete(key, store.If()),
		"a failing guard":    store.Delete(key, store.IfRev(9)),
	} {
		if err := r.table.Commit(ctx, noon, w); !errors.Is(err, store.ErrNewerSchema) {
			t.Errorf("%s: %v", name, err)
		}
		if err := r.table.Commit(ctx, noon, store.Put(other, store.IfAbsent(), nil), w); !errors.Is(err, store.ErrNewerSchema) {
			t.Errorf("%s, in a transaction: %v", name, err)
		}
	}
	if r.m.Snapshot() != before {
		t.Fatalf("the table holds\n%s", r.m.Snapshot())
	}
	if err := r.table.Erase(ctx, key); err != nil || r.m.Snapshot() != "" {
		t.Fatalf("erase: %v", err)
	}
}

func TestAnItemOfNoSchemaIsReadAndWritten(t *testing.T) {
	r := newRig(t)
	r.seed(key, store.Fields{"n": int64(1)})
	if err := r.table.Commit(ctx, noon, bare()); err != nil {
		t.Fatal(err)
	}
	items, err := r.table.Get(ctx, noon, key)
	if err != nil || items[0].Int("n") != 2 || items[0].Int("v") != store.Schema {
		t.Fatalf("get: %v, %v", err, items)
	}
}
