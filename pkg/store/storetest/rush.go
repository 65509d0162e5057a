package storetest

import (
	"errors"
	"sync"
	"testing"

	"pocbakery/pkg/store"
)

func isErr(err, want error) bool { return errors.Is(err, want) }

// writers run at once in the cases of this file.
const writers = 32

// rush runs one function in many goroutines and waits for all of them.
func rush(t *testing.T, run func(writer int) error) {
	t.Helper()
	var wg sync.WaitGroup
	errs := make([]error, writers)
	for n := range writers {
		wg.Go(func() { errs[n] = run(n) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// settled commits until the answer is not that another transaction is under way.
func (f *fixture) settled(writes ...store.Write) error {
	for {
		if err := f.s.Commit(f.ctx, noon, writes...); !errors.Is(err, store.ErrConflict) {
			return err
		}
	}
}

var rushCases = []behaviour{
	{"CountersUnderARushLoseNothing", func(f *fixture) {
		const each = 10
		rush(f.T, func(int) error {
			for range each {
				if err := f.settled(store.Write{Op: store.OpUpdate, Key: f.key("a"), Guard: anyway, Add: map[string]int64{"n": 1}}); err != nil {
					return err
				}
			}
			return nil
		})
		f.want(noon, "a", writers*each, store.Fields{"n": int64(writers * each)})
	}},
	{"AGuardUnderARushNeverOversells", func(f *fixture) {
		const capacity = 6
		f.put("a", store.Fields{"taken": int64(0), "capacity": int64(capacity)})
		var mu sync.Mutex
		sold := 0
		rush(f.T, func(int) error {
			err := f.settled(store.Write{Op: store.OpUpdate, Key: f.key("a"), Guard: store.If(store.LtField("taken", "capacity")), Add: map[string]int64{"taken": 1}})
			var guard *store.GuardFailed
			if errors.As(err, &guard) {
				if guard.Items[0].Int("taken") != capacity {
					return errors.New("refused while there was room")
				}
				return nil
			}
			mu.Lock()
			defer mu.Unlock()
			sold++
			return err
		})
		if sold != capacity {
			f.Fatalf("%d were sold of %d", sold, capacity)
		}
		f.want(noon, "a", capacity+1, store.Fields{"taken": int64(capacity), "capacity": int64(capacity)})
	}},
	{"CompareAndSwapUnderARushLosesNothing", func(f *fixture) {
		const each = 3
		rush(f.T, func(int) error {
			for range each {
				items, err := f.s.Get(f.ctx, noon, f.key("a"))
				if err != nil {
					return err
				}
				for item := items[0]; ; {
					err := f.settled(store.Put(f.key("a"), store.IfStill(item), store.Fields{"n": item.Int("n") + 1}))
					var guard *store.GuardFailed
					if errors.As(err, &guard) {
						item = guard.Items[0]
						continue
					}
					if err != nil {
						return err
					}
					break
				}
			}
			return nil
		})
		f.want(noon, "a", writers*each, store.Fields{"n": int64(writers * each)})
	}},
	{"TransactionsUnderARushAreNeverHalfDone", func(f *fixture) {
		const stock = 20
		f.put("from", store.Fields{"n": int64(stock)})
		rush(f.T, func(int) error {
			err := f.settled(
				store.Write{Op: store.OpUpdate, Key: f.key("to"), Guard: anyway, Add: map[string]int64{"n": 1}},
				store.Write{Op: store.OpUpdate, Key: f.key("from"), Guard: store.If(store.Gt("n", int64(0))), Add: map[string]int64{"n": -1}})
			var guard *store.GuardFailed
			if errors.As(err, &guard) {
				if guard.Failed[0] || !guard.Failed[1] {
					return errors.New("the wrong guard failed")
				}
				return nil
			}
			return err
		})
		f.want(noon, "from", stock+1, store.Fields{"n": int64(0)})
		f.want(noon, "to", stock, store.Fields{"n": int64(stock)})
	}},
}
