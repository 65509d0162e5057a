package bolt

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"go.etcd.io/bbolt"

	"pocbakery/pkg/store"
)

// job is one caller's change, queued. run must leave the transaction as it was
// when it fails, or mark the batch as touched; see settle.
type job struct {
	run func(*batch) error
	// state decides the race between the caller's context and the committer:
	// whoever moves it from queued has the say.
	state atomic.Int32
	err   error
	done  chan struct{}
}

const (
	queued int32 = iota
	takenUp
	givenUp
)

// queue is what waits for the committer. Its length is bounded by the callers,
// each of whom waits for an answer.
type queue struct {
	mu      sync.Mutex
	jobs    []*job
	closed  bool
	more    chan struct{} // holds one token while there may be jobs
	drained chan struct{} // closed when the committer has ended
}

func (q *queue) init() {
	q.more = make(chan struct{}, 1)
	q.drained = make(chan struct{})
}

func (q *queue) push(j *job) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	q.jobs = append(q.jobs, j)
	q.signal()
	return true
}

// take hands over all jobs and the emptied slice of an earlier take.
func (q *queue) take(spare []*job) (jobs []*job, closed bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	jobs, q.jobs = q.jobs, spare[:0]
	return jobs, q.closed
}

// gather lets the writers that are about to queue do so, as long as more come:
// where the processors are busy they would each pay a sync of their own. It
// only steps aside for who can run now; a lone writer waits for nothing.
func (q *queue) gather() {
	for before := -1; ; {
		runtime.Gosched()
		now := q.length()
		if now <= before {
			return
		}
		before = now
	}
}

func (q *queue) length() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.jobs)
}

func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.signal()
}

func (q *queue) signal() {
	select {
	case q.more <- struct{}{}:
	default:
	}
}

// do queues a change and waits for its answer.
func (s *Store) do(ctx context.Context, run func(*batch) error) error {
	if err := ended(ctx); err != nil {
		return err
	}
	j := &job{run: run, done: make(chan struct{})}
	if !s.queue.push(j) {
		return fmt.Errorf("%w: the data file is closed", store.ErrUnavailable)
	}
	select {
	case <-j.done:
		return j.err
	case <-ctx.Done():
		if j.state.CompareAndSwap(queued, givenUp) {
			return ended(ctx)
		}
		<-j.done
		return j.err
	}
}

// ended says ErrUnavailable once the context is over.
func ended(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	return nil
}

// commitAll is the committer.
func (s *Store) commitAll() {
	defer close(s.queue.drained)
	var spare []*job
	for range s.queue.more {
		s.queue.gather()
		jobs, closed := s.queue.take(spare)
		taken := jobs[:0]
		for _, j := range jobs {
			if j.state.CompareAndSwap(queued, takenUp) {
				taken = append(taken, j)
			}
		}
		if len(taken) > 0 {
			s.settle(taken)
		}
		for _, j := range taken {
			close(j.done)
		}
		clear(jobs)
		spare = jobs
		if closed {
			return
		}
	}
}

// settle gives each job its answer. A job that fails after it has touched the
// transaction spoils it: the whole batch is run again without that job.
func (s *Store) settle(jobs []*job) {
	failed := make(map[*job]bool)
	for {
		spoiler, err := s.attempt(jobs, failed)
		if spoiler == nil {
			if err != nil {
				for _, j := range jobs {
					if !failed[j] {
						j.err = err
					}
				}
			}
			return
		}
		failed[spoiler] = true
	}
}

// attempt runs the jobs in one transaction. err means that none of it counts.
func (s *Store) attempt(jobs []*job, failed map[*job]bool) (spoiler *job, err error) {
	tx, err := s.db.Begin(true)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	// After Commit this does nothing. It is here for a job that panics, too:
	// the process is to end by the panic, not by a lock never let go.
	defer func() { _ = tx.Rollback() }()
	b := newBatch(tx, s.cache)
	for _, j := range jobs {
		if failed[j] {
			continue
		}
		before := b.touched
		if j.err = j.run(b); j.err != nil && b.touched != before {
			return j, nil
		}
	}
	if b.touched == 0 {
		return nil, nil
	}
	if err = b.flush(); err == nil {
		err = tx.Commit()
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", store.ErrUnknown, err)
	}
	return nil, nil
}

// Write runs fn in the committer's next transaction, for those who keep a
// bucket of their own beside the table; they leave the others' alone. If fn
// fails nothing of it is kept and its error is returned. fn may be run again
// when another job of its batch fails: only its last run counts.
func (s *Store) Write(ctx context.Context, fn func(*bbolt.Tx) error) error {
	return s.do(ctx, func(b *batch) error {
		b.touched++
		return fn(b.tx)
	})
}
