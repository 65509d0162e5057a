package bolt_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"

	"go.etcd.io/bbolt"

	"pocbakery/pkg/store"
	"pocbakery/pkg/store/bolt"
)

// add counts n up in an item.
func add(sk string) store.Write {
	return store.Write{Op: store.OpUpdate, Key: store.Key{PK: "hub", SK: sk}, Guard: store.If().OrAbsent(), Add: map[string]int64{"n": 1}}
}

func held(t *testing.T, s *bolt.Store, sk string) int64 {
	t.Helper()
	items, err := s.Get(ctx, noon, store.Key{PK: "hub", SK: sk})
	if err != nil {
		t.Fatal(err)
	}
	return items[0].Int("n")
}

// blocked runs inside a synctest bubble: the committer is held inside a Write
// while queue gathers what it queues; then it is let go.
func blocked(t *testing.T, run func(s *bolt.Store, queue func(func()), release func())) {
	path := filepath.Join(t.TempDir(), "table.db")
	synctest.Test(t, func(t *testing.T) {
		s, err := bolt.Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		gate := make(chan struct{})
		var wg sync.WaitGroup
		queue := func(f func()) {
			wg.Go(f)
			synctest.Wait() // it has queued and waits for its answer
		}
		queue(func() {
			if err := s.Write(ctx, func(*bbolt.Tx) error { <-gate; return nil }); err != nil {
				t.Error(err)
			}
		})
		run(s, queue, func() { close(gate); wg.Wait() })
		if err := bolt.CheckIndexes(s); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestOneBatchAnswersEachOfItsCommitsForItself(t *testing.T) {
	blocked(t, func(s *bolt.Store, queue func(func()), release func()) {
		var first, second, third, refused, invalid, large error
		queue(func() { first = s.Commit(ctx, noon, add("a")) })
		queue(func() {
			refused = s.Commit(ctx, noon, add("b"), store.Put(store.Key{PK: "hub", SK: "a"}, store.IfAbsent(), nil))
		})
		queue(func() {
			invalid = s.Commit(ctx, noon, add("b"), store.Write{Op: store.OpUpdate, Key: store.Key{PK: "hub", SK: "a"}, Guard: store.If(), Set: store.Fields{"x": 1.5}})
		})
		queue(func() {
			second = s.Commit(ctx, noon, store.Put(store.Key{PK: "hub", SK: "s"}, store.IfAbsent(), store.Fields{"n": "text"}))
		})
		queue(func() { large = s.Commit(ctx, noon, add("b"), add("s")) }) // adds to a text
		queue(func() { third = s.Commit(ctx, noon, add("a")) })
		release()
		if err := errors.Join(first, second, third); err != nil {
			t.Fatal(err)
		}
		var guard *store.GuardFailed
		if !errors.As(refused, &guard) || guard.Items[1].Int("n") != 1 {
			t.Fatalf("refused is %v", refused)
		}
		if !errors.Is(invalid, store.ErrInvalid) || !errors.Is(large, store.ErrInvalid) {
			t.Fatalf("errors are %v, %v", invalid, large)
		}
		if held(t, s, "a") != 2 || held(t, s, "b") != 0 {
			t.Fatalf("held are %d, %d", held(t, s, "a"), held(t, s, "b"))
		}
	})
}

func TestACommitCancelledInTheQueueIsNeverApplied(t *testing.T) {
	blocked(t, func(s *bolt.Store, queue func(func()), release func()) {
		var err error
		cancelled, cancel := context.WithCancel(ctx)
		queue(func() { err = s.Commit(cancelled, noon, add("a")) })
		queue(func() { _ = s.Commit(ctx, noon, add("b")) })
		cancel()
		synctest.Wait() // the caller has its answer before the committer goes on
		if !errors.Is(err, store.ErrUnavailable) || !errors.Is(err, context.Canceled) {
			t.Fatalf("error is %v", err)
		}
		release()
		if held(t, s, "a") != 0 || held(t, s, "b") != 1 {
			t.Fatal("the wrong commit was applied")
		}
	})
}

func TestACommitTakenUpIsAnsweredWithTheTruthThoughItsContextEnds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "table.db")
	synctest.Test(t, func(t *testing.T) {
		s, err := bolt.Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		cancelled, cancel := context.WithCancel(ctx)
		gate, answered := make(chan struct{}), make(chan error, 1)
		go func() {
			answered <- s.Write(cancelled, func(tx *bbolt.Tx) error {
				<-gate
				b, err := tx.CreateBucketIfNotExists([]byte("mine"))
				if err != nil {
					return err
				}
				return b.Put([]byte("k"), []byte("v"))
			})
		}()
		synctest.Wait()
		cancel()
		synctest.Wait()
		select {
		case err := <-answered:
			t.Fatalf("answered %v before it was settled", err)
		default:
		}
		close(gate)
		if err := <-answered; err != nil {
			t.Fatal(err)
		}
		if err := s.View(func(tx *bbolt.Tx) error {
			if string(tx.Bucket([]byte("mine")).Get([]byte("k"))) != "v" {
				return errors.New("it is not there")
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	})
}

func TestCloseAppliesWhatIsQueuedAndRefusesTheRest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "table.db")
	synctest.Test(t, func(t *testing.T) {
		s, err := bolt.Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		gate := make(chan struct{})
		var wg sync.WaitGroup
		var queued, closed error
		wg.Go(func() { _ = s.Write(ctx, func(*bbolt.Tx) error { <-gate; return nil }) })
		synctest.Wait()
		wg.Go(func() { queued = s.Commit(ctx, noon, add("a")) })
		synctest.Wait()
		wg.Go(func() { closed = s.Close() })
		synctest.Wait()
		if err := s.Commit(ctx, noon, add("b")); !errors.Is(err, store.ErrUnavailable) {
			t.Fatalf("error is %v", err)
		}
		close(gate)
		wg.Wait()
		if err := errors.Join(queued, closed); err != nil {
			t.Fatal(err)
		}
		if s, err = bolt.Open(path, nil); err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if held(t, s, "a") != 1 || held(t, s, "b") != 0 {
			t.Fatal("the wrong commit was applied")
		}
	})
}

func TestAWriteThatFailsLeavesNothingAndSpoilsNobodysCommit(t *testing.T) {
	blocked(t, func(s *bolt.Store, queue func(func()), release func()) {
		broken := errors.New("broken")
		put := func(k string, err error) func(*bbolt.Tx) error {
			return func(tx *bbolt.Tx) error {
				b, bucketErr := tx.CreateBucketIfNotExists([]byte("mine"))
				if bucketErr != nil {
					return bucketErr
				}
				return errors.Join(b.Put([]byte(k), []byte("v")), err)
			}
		}
		var errs [5]error
		queue(func() { errs[0] = s.Commit(ctx, noon, add("a")) })
		queue(func() { errs[1] = s.Write(ctx, put("bad", broken)) })
		queue(func() { errs[2] = s.Write(ctx, put("good", nil)) })
		queue(func() { errs[3] = s.Write(ctx, put("worse", broken)) })
		queue(func() { errs[4] = s.Commit(ctx, noon, add("a")) })
		release()
		if !errors.Is(errs[1], broken) || !errors.Is(errs[3], broken) || errors.Join(errs[0], errs[2], errs[4]) != nil {
			t.Fatalf("errors are %v", errs)
		}
		if held(t, s, "a") != 2 {
			t.Fatalf("%d were added", held(t, s, "a"))
		}
		_ = s.View(func(tx *bbolt.Tx) error {
			b := tx.Bucket([]byte("mine"))
			if b.Get([]byte("bad")) != nil || b.Get([]byte("worse")) != nil || b.Get([]byte("good")) == nil {
				t.Error("the wrong writes were kept")
			}
			return nil
		})
	})
}

func TestARefusedCommitIsMeteredAndACancelledOneIsNot(t *testing.T) {
	var m store.Meter
	s := open(t, &m)
	if err := s.Commit(ctx, noon, add("a")); err != nil {
		t.Fatal(err)
	}
	m.Reset()
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if s.Commit(ended, noon, add("a")) == nil || s.Commit(ctx, noon) == nil || s.Commit(ctx, noon, store.Delete(store.Key{PK: "hub", SK: "a"}, store.IfRev(9))) == nil {
		t.Fatal("no error")
	}
	if got := fmt.Sprint(m.Snapshot()); got != "map[delete:{1 0 1}]" {
		t.Fatalf("counted %v", got)
	}
}
