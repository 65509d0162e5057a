package sim

import (
	"context"
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	"pocbakery/pkg/store"
)

// callKind is a kind of call to the table or the scheduler.
type callKind string

const (
	read   callKind = "read"
	commit callKind = "commit"
	erase  callKind = "erase"
	create callKind = "create"
)

// line is the table as a worker reaches it: calls fail before or after they
// were applied, others come in between, the caller dies. What is applied is
// judged.
type line struct{ w *World }

var _ store.Store = (*line)(nil)

// Trace makes stories tell every item that is written.
var Trace bool

// lateWrite is a commit whose caller gave up on it and that lands all the same.
type lateWrite struct {
	at   time.Time
	land func()
}

func hash(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return h.Sum64()
}

// named shows what a call is about.
func named(keys []store.Key) string {
	var names []string
	for _, k := range keys {
		names = append(names, k.SK)
	}
	if len(names) == 0 {
		return ""
	}
	return " " + strings.Join(names, ", ")
}

// reading makes a read.
func (l *line) reading(keys []store.Key, call func() error) error {
	if f := l.w.before(read, keys); f != none {
		return fmt.Errorf("%w: simulated", store.ErrUnavailable)
	}
	err := call()
	l.w.after(keys)
	return err
}

// Get is store.Store's.
func (l *line) Get(ctx context.Context, now time.Time, keys ...store.Key) (items []store.Item, err error) {
	err = l.reading(keys, func() error {
		items, err = l.w.table.Get(ctx, now, keys...)
		return err
	})
	return items, err
}

// List is store.Store's.
func (l *line) List(ctx context.Context, now time.Time, pk string, r store.Range) (page store.Page, err error) {
	err = l.reading([]store.Key{{PK: pk}}, func() error {
		page, err = l.w.table.List(ctx, now, pk, r)
		return err
	})
	return page, err
}

// Due is store.Store's.
func (l *line) Due(ctx context.Context, pk string, c store.Clock, until time.Time, limit int) (refs []store.Ref, err error) {
	err = l.reading([]store.Key{{PK: pk}}, func() error {
		refs, err = l.w.table.Due(ctx, pk, c, until, limit)
		return err
	})
	return refs, err
}

// Overdue is store.Store's.
func (l *line) Overdue(ctx context.Context, until time.Time, limit int) (refs []store.Ref, err error) {
	err = l.reading(nil, func() error {
		refs, err = l.w.table.Overdue(ctx, until, limit)
		return err
	})
	return refs, err
}

// Commit is store.Store's.
func (l *line) Commit(ctx context.Context, now time.Time, writes ...store.Write) error {
	keys := make([]store.Key, len(writes))
	for i, w := range writes {
		keys[i] = w.Key
	}
	f := l.w.before(commit, keys)
	wide := l.w.current().laneOf(keys) != ""
	apply := func() error { return l.w.commit(now, writes, wide) }
	switch f {
	case refused:
		return fmt.Errorf("%w: simulated", store.ErrUnavailable)
	case conflict:
		return fmt.Errorf("%w: simulated", store.ErrConflict)
	case lost:
		return fmt.Errorf("%w: simulated, not applied", store.ErrUnknown)
	case late:
		if !wide {
			l.w.later(func() { _ = apply() })
		}
		return fmt.Errorf("%w: simulated, to be applied later", store.ErrUnknown)
	case applied:
		err := apply()
		l.w.after(keys)
		if err == nil || store.FailedGuard(err) != nil {
			err = fmt.Errorf("%w: simulated, the table had its say", store.ErrUnknown)
		}
		return err
	}
	err := apply()
	l.w.after(keys)
	return err
}

// later lets a write land within the time that a request may last.
func (w *World) later(land func()) {
	w.late = append(w.late, &lateWrite{w.now.Add(time.Duration(w.dice.IntN(int(longest)))), land})
}

// Erase is store.Store's.
func (l *line) Erase(ctx context.Context, keys ...store.Key) error {
	f := l.w.before(erase, keys)
	wide := l.w.current().laneOf(keys) != ""
	switch f {
	case refused:
		return fmt.Errorf("%w: simulated", store.ErrUnavailable)
	case lost:
		return fmt.Errorf("%w: simulated, not applied", store.ErrUnknown)
	case torn:
		if err := l.w.erase(keys[:len(keys)/2], wide); err != nil {
			return err
		}
		return fmt.Errorf("%w: simulated, half of it", store.ErrUnknown)
	case applied:
		if err := l.w.erase(keys, wide); err != nil {
			return err
		}
		return fmt.Errorf("%w: simulated, applied", store.ErrUnknown)
	}
	err := l.w.erase(keys, wide)
	l.w.after(keys)
	return err
}

// commit applies writes, and has what they changed judged.
func (w *World) commit(now time.Time, writes []store.Write, wide bool) error {
	if wide {
		lock.Lock()
		defer lock.Unlock()
	}
	before := make([]store.Item, len(writes))
	for i, x := range writes {
		if before[i] = w.item(x.Key); before[i].ExpiredAt(now) {
			before[i] = store.Item{Key: x.Key}
		}
	}
	if err := w.table.Commit(quiet, now, writes...); err != nil {
		return err
	}
	if Trace {
		for _, x := range writes {
			w.tell("  . %s = %v", x.Key.SK, w.item(x.Key).Fields)
		}
	}
	changes := make([]change, len(writes))
	for i, x := range writes {
		changes[i] = change{before: before[i], after: w.item(x.Key), now: now}
	}
	w.judge(changes)
	return nil
}

// erase removes items, and has that judged.
func (w *World) erase(keys []store.Key, wide bool) error {
	if wide {
		lock.Lock()
		defer lock.Unlock()
	}
	w.judgeErase(keys)
	return w.table.Erase(quiet, keys...)
}
