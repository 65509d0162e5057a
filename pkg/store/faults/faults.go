// Package faults wraps a table and makes it fail, before or after its calls
// were applied: by rates, for simulations and a local run, or by a script, for
// tests. It waits for nothing but a latency function that it is given.
//
// What it answers is what the port allows: a read that fails is
// store.ErrUnavailable, a write that was applied all the same is
// store.ErrUnknown, one that was not is store.ErrUnavailable or
// store.ErrUnknown, and a conflict is store.ErrConflict.
package faults

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"pocbakery/pkg/store"
)

// Config says how often calls fail. The zero Config fails none.
type Config struct {
	// ErrorRate is the share of calls that fail, half of them after they were
	// applied: 0 to 1.
	ErrorRate float64
	// ConflictRate is the share of commits that are answered ErrConflict.
	ConflictRate float64
	// Latency is called before every call; nil for none.
	Latency func()
}

// Kind is a kind of call.
type Kind byte

// The six kinds.
const (
	Get Kind = iota + 1
	List
	Due
	Overdue
	Commit
	Erase
	kinds
)

// Fault is how a call fails.
type Fault byte

// The faults. A read knows only Refused; any other of them is that, too.
const (
	Refused  Fault = iota + 1 // not applied, ErrUnavailable
	Lost                      // not applied, ErrUnknown
	Applied                   // applied if its guards hold, ErrUnknown
	Late                      // applied right after the next write, ErrUnknown
	Conflict                  // not applied, ErrConflict
)

// Store is the failing table. Any number of goroutines may use it.
type Store struct {
	inner store.Store

	mu     sync.Mutex
	rnd    *rand.Rand
	config Config
	// script is the faults to come, by kind and by how many calls are made
	// until then.
	script   [kinds]map[int]Fault
	injected int
	late     []func()
}

var _ store.Store = (*Store)(nil)

// Wrap wraps a table. The generator is used under a lock.
func Wrap(inner store.Store, rnd *rand.Rand) *Store {
	return &Store{inner: inner, rnd: rnd}
}

// Set changes the rates of the calls from now on.
func (s *Store) Set(c Config) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.config = c
}

// Next makes the n-th call of a kind from now on fail; 1 is the very next.
func (s *Store) Next(k Kind, n int, f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.script[k] == nil {
		s.script[k] = make(map[int]Fault)
	}
	s.script[k][n] = f
}

// Injected is how many calls were made to fail so far.
func (s *Store) Injected() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.injected
}

// draw says how the call that is being made fails: 0 for not at all.
func (s *Store) draw(k Kind) Fault {
	s.mu.Lock()
	latency := s.config.Latency
	f := s.scripted(k)
	if f == 0 {
		f = s.random(k)
	}
	if f != 0 {
		s.injected++
	}
	s.mu.Unlock()
	if latency != nil {
		latency()
	}
	return f
}

func (s *Store) scripted(k Kind) (f Fault) {
	if len(s.script[k]) == 0 {
		return 0
	}
	rest := make(map[int]Fault)
	for n, g := range s.script[k] {
		if n == 1 {
			f = g
		} else {
			rest[n-1] = g
		}
	}
	s.script[k] = rest
	return f
}

func (s *Store) random(k Kind) Fault {
	writes := k == Commit || k == Erase
	if s.config.ErrorRate > 0 && s.rnd.Float64() < s.config.ErrorRate {
		switch {
		case !writes:
			return Refused
		case s.rnd.IntN(2) == 0:
			return Applied
		case s.rnd.IntN(2) == 0:
			return Lost
		}
		return Refused
	}
	if k == Commit && s.config.ConflictRate > 0 && s.rnd.Float64() < s.config.ConflictRate {
		return Conflict
	}
	return 0
}

// read fails a read or makes it. A reply that is lost was read, all the same.
func (s *Store) read(k Kind, call func() error) error {
	if s.draw(k) != 0 {
		return fmt.Errorf("%w: injected", store.ErrUnavailable)
	}
	return call()
}

// write fails a write, before or after it is applied, or makes it.
func (s *Store) write(ctx context.Context, k Kind, call func(context.Context) error) error {
	f := s.draw(k)
	// What was to come late comes after this call.
	defer s.arrive(s.takeLate())
	switch f {
	case Refused:
		return fmt.Errorf("%w: injected", store.ErrUnavailable)
	case Conflict:
		return fmt.Errorf("%w: injected", store.ErrConflict)
	case Lost:
		return fmt.Errorf("%w: injected, not applied", store.ErrUnknown)
	case Late:
		s.mu.Lock()
		s.late = append(s.late, func() { _ = call(context.WithoutCancel(ctx)) })
		s.mu.Unlock()
		return fmt.Errorf("%w: injected, to be applied later", store.ErrUnknown)
	case Applied:
		err := call(ctx)
		var guard *store.GuardFailed
		if err == nil || errors.As(err, &guard) || errors.Is(err, store.ErrConflict) {
			// The table's answer, whichever, is the reply that is lost.
			err = fmt.Errorf("%w: injected, the table had its say", store.ErrUnknown)
		}
		return err
	}
	return call(ctx)
}

func (s *Store) takeLate() []func() {
	s.mu.Lock()
	defer s.mu.Unlock()
	late := s.late
	s.late = nil
	return late
}

func (s *Store) arrive(late []func()) {
	for _, call := range late {
		call()
	}
}

// Get is store.Store's.
func (s *Store) Get(ctx context.Context, now time.Time, keys ...store.Key) (items []store.Item, err error) {
	err = s.read(Get, func() error {
		items, err = s.inner.Get(ctx, now, keys...)
		return err
	})
	return items, err
}

// List is store.Store's.
func (s *Store) List(ctx context.Context, now time.Time, pk string, r store.Range) (page store.Page, err error) {
	err = s.read(List, func() error {
		page, err = s.inner.List(ctx, now, pk, r)
		return err
	})
	return page, err
}

// Due is store.Store's.
func (s *Store) Due(ctx context.Context, pk string, clock store.Clock, until time.Time, limit int) (refs []store.Ref, err error) {
	err = s.read(Due, func() error {
		refs, err = s.inner.Due(ctx, pk, clock, until, limit)
		return err
	})
	return refs, err
}

// Overdue is store.Store's.
func (s *Store) Overdue(ctx context.Context, until time.Time, limit int) (refs []store.Ref, err error) {
	err = s.read(Overdue, func() error {
		refs, err = s.inner.Overdue(ctx, until, limit)
		return err
	})
	return refs, err
}

// Commit is store.Store's.
func (s *Store) Commit(ctx context.Context, now time.Time, writes ...store.Write) error {
	return s.write(ctx, Commit, func(ctx context.Context) error {
		return s.inner.Commit(ctx, now, writes...)
	})
}

// Erase is store.Store's.
func (s *Store) Erase(ctx context.Context, keys ...store.Key) error {
	return s.write(ctx, Erase, func(ctx context.Context) error {
		return s.inner.Erase(ctx, keys...)
	})
}
