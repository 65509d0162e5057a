package explore

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"pocbakery/pkg/store"
	"pocbakery/pkg/store/mem"
	"pocbakery/pkg/store/storetest"
)

func TestTheExploredTableKeepsThePortsContract(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store { return &shared{one: aloneTable{&alone{}}} })
}

func TestTheExploredTableDoesWhatTheNaiveOneDoes(t *testing.T) {
	storetest.Differential(t, &shared{one: aloneTable{&alone{}}}, mem.New(nil))
}

// shared lets many goroutines use a table that is made for one, and minds
// their contexts, which an exploration has none of.
type shared struct {
	mu  sync.Mutex
	one aloneTable
}

func (s *shared) enter(ctx context.Context) (func(), error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	s.mu.Lock()
	return s.mu.Unlock, nil
}

func (s *shared) Get(ctx context.Context, now time.Time, keys ...store.Key) ([]store.Item, error) {
	leave, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	return s.one.Get(ctx, now, keys...)
}

func (s *shared) List(ctx context.Context, now time.Time, pk string, r store.Range) (store.Page, error) {
	leave, err := s.enter(ctx)
	if err != nil {
		return store.Page{}, err
	}
	defer leave()
	return s.one.List(ctx, now, pk, r)
}

func (s *shared) Due(ctx context.Context, pk string, c store.Clock, until time.Time, limit int) ([]store.Ref, error) {
	leave, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	return s.one.Due(ctx, pk, c, until, limit)
}

func (s *shared) Overdue(ctx context.Context, until time.Time, limit int) ([]store.Ref, error) {
	leave, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	return s.one.Overdue(ctx, until, limit)
}

func (s *shared) Commit(ctx context.Context, now time.Time, writes ...store.Write) error {
	leave, err := s.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	return s.one.Commit(ctx, now, writes...)
}

func (s *shared) Erase(ctx context.Context, keys ...store.Key) error {
	leave, err := s.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	return s.one.Erase(ctx, keys...)
}
