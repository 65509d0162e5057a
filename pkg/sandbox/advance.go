package sandbox

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"pocbakery/pkg/alarm"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/refusal"
	"pocbakery/pkg/store"
)

const (
	// maxAdvance is the longest step a visitor's clock can take.
	maxAdvance = 7 * 24 * time.Hour
	// maxOffset is the furthest it can get.
	maxOffset = 10 * 365 * 24 * time.Hour

	// maxTries bounds how often a move lost to another writer is tried again.
	maxTries = 20

	oncePrefix   = "once#"
	fieldSeconds = "seconds"
)

// Advanced is a clock that was moved, and what came due on its way.
type Advanced struct {
	Now      hub.Now
	Offset   time.Duration
	Events   []hub.Event // what was decided, in its order
	Replayed bool
}

// Advance moves the sandbox's business clock forward by whole seconds, 1 to
// 604,800, and settles every end on the way at its own instant before it
// returns. Under a key, which may be empty, it moves the clock once.
func (s *Service) Advance(ctx context.Context, who hub.Who, by time.Duration, key string) (Advanced, error) {
	if by < time.Second || by > maxAdvance {
		return Advanced{}, refusal.At(refusal.Invalid, "seconds",
			fmt.Sprintf("The clock moves 1 to %d seconds at a time.", maxAdvance/time.Second))
	}
	sum := s.mac("advance", string(who.Hub), key)
	m := move{Service: s, who: who, by: by, keyed: key != "", onceSK: oncePrefix + hex.EncodeToString(sum[:16])}
	replayed, err := m.once(ctx)
	if err != nil {
		return Advanced{}, err
	}
	// A repeat runs too: it finishes what a first try may have left.
	ran, runErr := s.engine.Run(ctx, alarm.Schedule{Hub: string(who.Hub)})
	after, err := s.engine.Open(ctx, who)
	if err != nil {
		return Advanced{}, err
	}
	if runErr != nil || ran.More {
		return Advanced{}, refusal.New(refusal.AdvanceRunning,
			"The clock stands at the target; what came due on the way is still being settled.").After(time.Second)
	}
	return Advanced{Now: after.Now, Offset: after.Root.Offset, Events: ran.Events, Replayed: replayed}, nil
}

// move is one move of a clock, over all its tries.
type move struct {
	*Service
	who    hub.Who
	by     time.Duration
	keyed  bool
	onceSK string
}

// once moves the clock unless the key has moved it already, which it reports.
func (m move) once(ctx context.Context) (replayed bool, err error) {
	for range maxTries {
		view, err := m.engine.OpenToChange(ctx, m.who, m.onceSK)
		if err != nil {
			return false, err
		}
		if m.keyed && view.Items[0].Exists() {
			if view.Items[0].Int(fieldSeconds) != m.seconds() {
				return true, refusal.New(refusal.KeyReused, "This Idempotency-Key moved the clock by another number of seconds.")
			}
			return true, nil
		}
		if view.Root.Offset+m.by > maxOffset {
			return false, refusal.At(refusal.Invalid, "seconds", "The clock cannot get more than ten years ahead.")
		}
		moved := m.event(view)
		err = m.engine.Commit(ctx, view.Root, view.Now, m.writes(view, moved)...)
		if err == nil {
			m.engine.Tell(ctx, view.Root, moved)
		}
		if store.FailedGuard(err) == nil && !errors.Is(err, store.ErrConflict) {
			return false, err
		}
	}
	return false, store.ErrConflict
}

func (m move) seconds() int64 { return int64(m.by / time.Second) }

// event says that the clock was moved.
func (m move) event(view hub.View) hub.Event {
	return hub.Event{
		Type: hub.ClockAdvanced, Wall: view.Now.Wall, At: view.Now.Business.Add(m.by), Seconds: m.seconds(),
		Nth: view.Root.Offset.Milliseconds(),
	}
}

// writes add to the offset and say so; under a key they leave the mark by
// which a repeat is known.
func (m move) writes(view hub.View, moved hub.Event) []store.Write {
	writes := []store.Write{
		view.Root.MoveWrite(m.by, view.Now.Wall),
		view.Root.LogWrite(moved),
	}
	if m.keyed {
		mark := store.Fields{fieldSeconds: m.seconds()}
		writes = append(writes, store.Put(view.Root.Key(m.onceSK), store.IfAbsent(), mark))
	}
	return writes
}
