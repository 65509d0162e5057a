package bolt_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"pocbakery/pkg/store"
	"pocbakery/pkg/store/bolt"
	"pocbakery/pkg/store/faults"
	"pocbakery/pkg/store/mem"
	"pocbakery/pkg/store/storetest"
)

var (
	ctx  = context.Background()
	noon = time.Date(2040, 5, 17, 12, 0, 0, 0, time.UTC)
)

// Other processes that the tests of this folder need are this program again,
// told by the environment what to do.
func TestMain(m *testing.M) {
	switch path := os.Getenv("BOLT_TEST_FILE"); os.Getenv("BOLT_TEST_ROLE") {
	case "hold":
		holdOpen(path)
	case "load":
		writeUntilKilled(path)
	default:
		os.Exit(m.Run())
	}
}

// again prepares this program to run once more in a role.
func again(t *testing.T, role, path string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), "BOLT_TEST_ROLE="+role, "BOLT_TEST_FILE="+path)
	cmd.Stderr = os.Stderr
	return cmd
}

func TestTheFileThroughFaultsDoesWhatThePortSays(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store {
		return store.NewTable(faults.Wrap(open(t, nil), rand.New(rand.NewPCG(1, 2))), rand.Uint64)
	})
}

func TestTheFileAnswersAsTheModelDoesAndCountsTheSame(t *testing.T) {
	var inFile, inMemory store.Meter
	file := open(t, &inFile)
	storetest.Differential(t, file, mem.New(&inMemory))
	a, b := inFile.Snapshot(), inMemory.Snapshot()
	for call := range a {
		if a[call] != b[call] {
			t.Errorf("%s: the file counts %v, the model %v", call, a[call], b[call])
		}
	}
}

func TestWhatWasWrittenIsThereAfterOpeningAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "table.db")
	key := store.Key{PK: "hub", SK: "a"}
	for n := range int64(3) {
		s, err := bolt.Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Commit(ctx, noon, store.Write{Op: store.OpUpdate, Key: key, Guard: store.If().OrAbsent(), Add: map[string]int64{"n": 1}}); err != nil {
			t.Fatal(err)
		}
		items, err := s.Get(ctx, noon, key)
		if err != nil || items[0].Int("n") != n+1 {
			t.Fatalf("get: %v, %v", err, items)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func holdOpen(path string) {
	s, err := bolt.Open(path, nil)
	if err != nil {
		os.Stdout.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
	os.Stdout.WriteString("open\n")
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	_ = s.Close()
}

func TestASecondProcessIsRefusedAndTold(t *testing.T) {
	path := filepath.Join(t.TempDir(), "table.db")
	cmd := again(t, "hold", path)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, _ := bufio.NewReader(out).ReadString('\n'); line != "open\n" {
		t.Fatalf("the first process says %q", line)
	}
	began := time.Now()
	_, err = bolt.Open(path, nil)
	if !errors.Is(err, bolt.ErrInUse) || !strings.Contains(err.Error(), "another process holds the data folder") || !strings.Contains(err.Error(), path) {
		t.Fatalf("error is %v", err)
	}
	if took := time.Since(began); took > 2*time.Second {
		t.Fatalf("it took %v", took)
	}
	_ = in.Close()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	s, err := bolt.Open(path, nil)
	if err != nil {
		t.Fatalf("after the first has gone: %v", err)
	}
	_ = s.Close()
}

func TestAFileOfAnotherKindIsRefusedAndLeftAlone(t *testing.T) {
	dir := t.TempDir()
	foreign := filepath.Join(dir, "foreign.db")
	db, err := bbolt.Open(foreign, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Update(func(tx *bbolt.Tx) error { _, err := tx.CreateBucket([]byte("theirs")); return err }); err != nil {
		t.Fatal(err)
	}
	_ = db.Close()
	contents := map[string][]byte{
		"short.db": []byte("hello"),
		"text.db":  bytes.Repeat([]byte("no table at all\n"), 4096),
		"zeros.db": make([]byte, 1<<16),
	}
	for name, content := range contents {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"foreign.db", "short.db", "text.db", "zeros.db"} {
		s, err := bolt.Open(filepath.Join(dir, name), nil)
		if !errors.Is(err, bolt.ErrForeign) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			_ = s.Close()
		}
		if got, _ := os.ReadFile(filepath.Join(dir, name)); contents[name] != nil && !bytes.Equal(got, contents[name]) {
			t.Errorf("%s was changed", name)
		}
	}
}

func TestAFileThatCannotBeOpenedIsNamed(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	paths := []string{filepath.Join(dir, "missing", "table.db"), filepath.Join(dir, "file", "table.db"), dir}
	if os.Getuid() != 0 { // root may write anywhere
		sealed := filepath.Join(dir, "sealed")
		if err := os.Mkdir(sealed, 0o500); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, filepath.Join(sealed, "table.db"))
	}
	for _, path := range paths {
		_, err := bolt.Open(path, nil)
		if err == nil || errors.Is(err, bolt.ErrForeign) || errors.Is(err, bolt.ErrInUse) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestNothingIsDoneAfterClose(t *testing.T) {
	s, err := bolt.Open(filepath.Join(t.TempDir(), "table.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Close(), s.Close()); err != nil {
		t.Fatal(err)
	}
	key := store.Key{PK: "hub", SK: "a"}
	_, getErr := s.Get(ctx, noon, key)
	_, listErr := s.List(ctx, noon, "hub", store.Range{})
	_, dueErr := s.Due(ctx, "hub", store.Wall, noon, 1)
	_, overdueErr := s.Overdue(ctx, noon, 1)
	_, hubsErr := s.Hubs(ctx)
	_, reapErr := s.Reap(ctx, noon, 1)
	nothing := func(*bbolt.Tx) error { return nil }
	for name, err := range map[string]error{
		"get": getErr, "list": listErr, "due": dueErr, "overdue": overdueErr, "hubs": hubsErr, "reap": reapErr,
		"commit": s.Commit(ctx, noon, store.Put(key, store.IfAbsent(), nil)),
		"erase":  s.Erase(ctx, key),
		"write":  s.Write(ctx, nothing),
		"view":   s.View(nothing),
	} {
		if !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, ok := s.NextTTL(); ok {
		t.Error("there is a next ttl")
	}
}

func TestHubsAreCounted(t *testing.T) {
	s := open(t, nil)
	want := func(want ...bolt.HubCount) {
		t.Helper()
		got, err := s.Hubs(ctx)
		if err != nil || len(got) != len(want) {
			t.Fatalf("hubs are %v, %v", got, err)
		}
		for n := range want {
			if got[n] != want[n] {
				t.Fatalf("hubs are %v", got)
			}
		}
	}
	want()
	put := func(pk, sk string) store.Write {
		return store.Put(store.Key{PK: pk, SK: sk}, store.If().OrAbsent(), store.Fields{"ttl": noon.Unix()})
	}
	for _, err := range []error{
		s.Commit(ctx, time.Time{}, put("b", "1"), put("b", "2"), put("a", "1")),
		s.Commit(ctx, time.Time{}, put("b", "1")),
		s.Commit(ctx, noon, put("b", "2")), // over an expired one
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	want(bolt.HubCount{Hub: "a", Count: 1}, bolt.HubCount{Hub: "b", Count: 2})
	if err := s.Erase(ctx, store.Key{PK: "a", SK: "1"}, store.Key{PK: "b", SK: "1"}, store.Key{PK: "c", SK: "1"}); err != nil {
		t.Fatal(err)
	}
	want(bolt.HubCount{Hub: "b", Count: 1})
}

func TestReapingTakesWhatIsPastItsTTLEarliestFirst(t *testing.T) {
	s := open(t, nil)
	for n, sk := range []string{"c", "a", "b", "lasting"} {
		fields := store.Fields{"due": "b2040-05-17T12:00:00.000Z"}
		if sk != "lasting" {
			fields["ttl"] = noon.Unix() + int64(n)
		}
		if err := s.Commit(ctx, noon, store.Put(store.Key{PK: "hub", SK: sk}, store.IfAbsent(), fields)); err != nil {
			t.Fatal(err)
		}
	}
	steps := []struct {
		now   time.Time
		limit int
		want  int
		next  time.Time
	}{
		{noon.Add(-time.Nanosecond), 10, 0, noon},
		{noon, 10, 1, noon.Add(time.Second)},
		{noon.Add(time.Hour), 0, 0, noon.Add(time.Second)},
		{noon.Add(time.Hour), 1, 1, noon.Add(2 * time.Second)},
		{noon.Add(time.Hour), 10, 1, time.Time{}},
		{noon.Add(time.Hour), 10, 0, time.Time{}},
	}
	for n, step := range steps {
		if got, err := s.Reap(ctx, step.now, step.limit); err != nil || got != step.want {
			t.Fatalf("step %d: %d were reaped, %v", n, got, err)
		}
		if next, ok := s.NextTTL(); !next.Equal(step.next) || ok == step.next.IsZero() {
			t.Fatalf("step %d: the next is %v, %v", n, next, ok)
		}
	}
	refs, err := s.Due(ctx, "hub", store.Business, noon, 10)
	if err != nil || len(refs) != 1 || refs[0].SK != "lasting" {
		t.Fatalf("due is %v, %v", refs, err)
	}
}
