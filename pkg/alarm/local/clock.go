// Package local is the alarm clock of a local run and of tests: it keeps its
// one-shots in the table's own file and fires them itself.
//
// # Promises
//
//  1. A one-shot that was created is on the disk, and fires at or after its
//     instant, also when the process was down then: it fires at the next start.
//  2. Firing moves the one-shot aside first and drops it when its run has
//     ended, so that a crash in between fires it again, and the run may create
//     one of the same name meanwhile.
//  3. A run that fails is tried twice more at once, as Lambda tries an
//     asynchronous event.
//
// By fault it loses what it should fire, or fires it twice.
package local

import (
	"bytes"
	"context"
	"encoding/binary"
	"sync"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"

	"pocbakery/pkg/alarm"
	"pocbakery/pkg/store/bolt"
)

// Mode is how the clock fires.
type Mode string

// The modes: as it should, not at all, or everything twice.
const (
	On     Mode = "on"
	Drop   Mode = "drop"
	Double Mode = "double"
)

const (
	tries   = 3 // of a run that fails
	atOnce  = 8 // runs at the same time
	perTake = 256
)

// The clock's buckets: one-shots by instant and by name, and those that are
// firing.
var (
	byInstant = []byte("alarm/at")
	byName    = []byte("alarm/name")
	firing    = []byte("alarm/firing")
)

// Fire runs the hub that a one-shot wakes.
type Fire func(ctx context.Context, s alarm.Schedule) error

// Clock is the alarm clock.
type Clock struct {
	file  *bolt.Store
	count func(op string)
	mode  atomic.Value // Mode
	moved chan struct{}
	turn  sync.Mutex // one FireDue at a time
}

// New is a clock that keeps its one-shots in this file. count is told the
// name of each operation asked of it.
func New(file *bolt.Store, count func(op string)) (*Clock, error) {
	c := &Clock{file: file, count: count, moved: make(chan struct{}, 1)}
	c.mode.Store(On)
	err := file.Write(context.Background(), func(tx *bbolt.Tx) error {
		for _, b := range [][]byte{byInstant, byName, firing} {
			if _, err := tx.CreateBucketIfNotExists(b); err != nil {
				return err
			}
		}
		// What was firing when the process ended fires again.
		for name, _ := tx.Bucket(firing).Cursor().First(); name != nil; name, _ = tx.Bucket(firing).Cursor().First() {
			if err := add(tx, string(name)); err != nil {
				return err
			}
			if err := tx.Bucket(firing).Delete(name); err != nil {
				return err
			}
		}
		return nil
	})
	return c, err
}

// SetMode changes how the clock fires from now on.
func (c *Clock) SetMode(m Mode) { c.mode.Store(m) }

// Mode is how the clock fires.
func (c *Clock) Mode() Mode { return c.mode.Load().(Mode) }

// Create is alarm.Scheduler's.
func (c *Clock) Create(ctx context.Context, s alarm.Schedule) error {
	c.count("create")
	name := s.Name()
	known := false
	if err := c.file.View(func(tx *bbolt.Tx) error {
		known = tx.Bucket(byName).Get([]byte(name)) != nil
		return nil
	}); err != nil || known {
		return err
	}
	if err := c.file.Write(ctx, func(tx *bbolt.Tx) error { return add(tx, name) }); err != nil {
		return err
	}
	c.Poke()
	return nil
}

// List is alarm.Scheduler's.
func (c *Clock) List(_ context.Context, hub string) ([]alarm.Schedule, error) {
	c.count("list")
	return c.list(hub)
}

// All lists the one-shots of every hub, in the order of their names.
func (c *Clock) All() ([]alarm.Schedule, error) { return c.list("") }

func (c *Clock) list(hub string) (all []alarm.Schedule, err error) {
	prefix := []byte(hub + ".")
	if hub == "" {
		prefix = nil
	}
	err = c.file.View(func(tx *bbolt.Tx) error {
		cur := tx.Bucket(byName).Cursor()
		for name, _ := cur.Seek(prefix); name != nil && bytes.HasPrefix(name, prefix); name, _ = cur.Next() {
			s, err := alarm.ParseName(string(name))
			if err != nil {
				return err
			}
			all = append(all, s)
		}
		return nil
	})
	return all, err
}

// Delete is alarm.Scheduler's.
func (c *Clock) Delete(ctx context.Context, s alarm.Schedule) error {
	c.count("delete")
	return c.file.Write(ctx, func(tx *bbolt.Tx) error { return remove(tx, s.Name()) })
}

// Next is the instant of the earliest one-shot.
func (c *Clock) Next() (at time.Time, ok bool) {
	_ = c.file.View(func(tx *bbolt.Tx) error {
		if k, _ := tx.Bucket(byInstant).Cursor().First(); k != nil {
			at, ok = time.Unix(int64(binary.BigEndian.Uint64(k)), 0).UTC(), true
		}
		return nil
	})
	return at, ok
}

// Moved receives after a Poke; creating a one-shot is one.
func (c *Clock) Moved() <-chan struct{} { return c.moved }

// Poke wakes whoever waits for the next instant: it may be another one, or the
// clock it is read by may have moved.
func (c *Clock) Poke() {
	select {
	case c.moved <- struct{}{}:
	default:
	}
}

// FireDue fires every one-shot whose instant is at or before now, at most
// eight at a time, and returns when all of their runs have ended. A run's
// failure is reported; what it left undone has been armed for again.
func (c *Clock) FireDue(ctx context.Context, now time.Time, fire Fire, report func(alarm.Schedule, error)) error {
	c.turn.Lock()
	defer c.turn.Unlock()
	for {
		due, err := c.take(ctx, now)
		if err != nil || len(due) == 0 {
			return err
		}
		var all sync.WaitGroup
		slots := make(chan struct{}, atOnce)
		for _, s := range due {
			slots <- struct{}{}
			all.Go(func() {
				defer func() { <-slots }()
				if err := c.fire(ctx, s, fire); err != nil {
					report(s, err)
				}
			})
		}
		all.Wait()
		err = c.file.Write(ctx, func(tx *bbolt.Tx) error {
			for _, s := range due {
				if err := tx.Bucket(firing).Delete([]byte(s.Name())); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
}

func (c *Clock) fire(ctx context.Context, s alarm.Schedule, fire Fire) (err error) {
	times := map[Mode]int{On: 1, Double: 2}[c.Mode()]
	for range times {
		for range tries {
			if err = fire(ctx, s); err == nil || ctx.Err() != nil {
				break
			}
		}
	}
	return err
}

// take moves what is due aside.
func (c *Clock) take(ctx context.Context, now time.Time) (due []alarm.Schedule, err error) {
	if next, ok := c.Next(); !ok || next.After(now) {
		return nil, nil
	}
	err = c.file.Write(ctx, func(tx *bbolt.Tx) error {
		due = nil
		cur := tx.Bucket(byInstant).Cursor()
		for k, _ := cur.First(); k != nil && len(due) < perTake; k, _ = cur.First() {
			s, err := alarm.ParseName(string(k[8:]))
			if err != nil {
				return err
			}
			if s.At.After(now) {
				return nil
			}
			if err := remove(tx, s.Name()); err != nil {
				return err
			}
			if err := tx.Bucket(firing).Put([]byte(s.Name()), nil); err != nil {
				return err
			}
			due = append(due, s)
		}
		return nil
	})
	return due, err
}

func instantKey(s alarm.Schedule) []byte {
	return append(binary.BigEndian.AppendUint64(nil, uint64(max(s.At.Unix(), 0))), s.Name()...)
}

func add(tx *bbolt.Tx, name string) error {
	s, err := alarm.ParseName(name)
	if err != nil {
		return err
	}
	if err := tx.Bucket(byName).Put([]byte(name), []byte{1}); err != nil {
		return err
	}
	return tx.Bucket(byInstant).Put(instantKey(s), nil)
}

func remove(tx *bbolt.Tx, name string) error {
	s, err := alarm.ParseName(name)
	if err != nil {
		return err
	}
	if err := tx.Bucket(byName).Delete([]byte(name)); err != nil {
		return err
	}
	return tx.Bucket(byInstant).Delete(instantKey(s))
}
