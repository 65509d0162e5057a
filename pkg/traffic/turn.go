package traffic

import (
	"context"
	"time"

	"pocbakery/pkg/hub"
	"pocbakery/pkg/store"
)

const (
	// turnReserve is how much of a run's time is left when a minute stops for
	// now: enough to mark it, and for the run to arm.
	turnReserve = 3 * time.Second
	// cutPause is when a minute that stopped for lack of time goes on.
	cutPause = time.Second
)

// turn plays the one minute that is due, or ends the run. A late one is called
// again by the hub for the minute after, until none is due any more. Where
// another run of the hub is at the same minute, both play it: whoever comes was
// there before, and one of them marks it.
func (t *Service) turn(ctx context.Context, turn hub.Turn) ([]hub.Event, error) {
	for range maxTries {
		events, err := t.tryTurn(ctx, turn)
		failed := store.FailedGuard(err)
		if failed == nil {
			return events, err
		}
		turn.Item = failed.Items[0]
	}
	return nil, store.ErrConflict
}

// tryTurn is one try. A guard that fails means that another was faster.
func (t *Service) tryTurn(ctx context.Context, turn hub.Turn) ([]hub.Event, error) {
	s, err := decode(turn.Item)
	switch {
	case err != nil:
		return nil, err
	case !s.open() && !turn.Item.Has(store.FieldDue):
		return nil, nil
	case !s.open():
		return nil, t.engine.Commit(ctx, turn.Root, turn.Now, s.write(turn.Root, nil, store.FieldDue, store.FieldWake))
	case turn.Now.Wall.Before(s.minuteAt(s.minute)):
		return nil, nil
	case s.minute >= s.minutes:
		return t.finish(ctx, turn, s)
	case s.basis.IsZero():
		// Written down before anybody orders: who goes on with this minute, at
		// whatever time of the shop's, sends the same people to the same slots.
		w := s.write(turn.Root, store.Fields{fieldBasis: store.FormatInstant(turn.Now.Business)})
		if err := t.engine.Commit(ctx, turn.Root, turn.Now, w); err != nil {
			return nil, err
		}
		if s, err = decode(w.Apply(s.item)); err != nil {
			return nil, err
		}
	}
	return nil, t.play(ctx, turn, s)
}

// finish ends a run whose end has come.
func (t *Service) finish(ctx context.Context, turn hub.Turn, s state) ([]hub.Event, error) {
	e := s.event(Stopped, turn.Now, s.end())
	over := s.write(turn.Root, store.Fields{fieldStopped: store.FormatInstant(s.end())}, store.FieldDue, store.FieldWake)
	if err := t.engine.Commit(ctx, turn.Root, turn.Now, over, turn.Root.LogWrite(e)); err != nil {
		return nil, err
	}
	return []hub.Event{e}, nil
}

// play sends the minute's people, from the one on who has not been, and marks
// the minute with what became of them.
func (t *Service) play(ctx context.Context, turn hub.Turn, s state) error {
	var sum Counts
	n := s.done
	for _, p := range t.people(s)[n:] {
		if n > s.done && t.engine.Left != nil && t.engine.Left(ctx) < turnReserve {
			break
		}
		c, over, err := t.send(ctx, turn.Root.ID, p)
		if err != nil || over {
			return err
		}
		sum = sum.plus(c)
		n++
	}
	return t.mark(ctx, turn, s, n, sum)
}

// mark writes down who has been and what became of them, if nobody else has. A
// run that was stopped meanwhile is told, too: they have been in the shop.
func (t *Service) mark(ctx context.Context, turn hub.Turn, s state, done int, sum Counts) error {
	now := s
	for range maxTries {
		if now.seed != s.seed || now.minute != s.minute || now.done != s.done {
			return nil // another has marked them, or another run has begun
		}
		err := t.engine.Commit(ctx, turn.Root, turn.Now, now.marked(turn.Root, t.engine.Wall(), done, sum))
		if !overtaken(err) {
			return err
		}
		items, err := t.engine.Store().Get(ctx, turn.Now.Wall, now.item.Key)
		if err != nil {
			return err
		}
		if now, err = decode(items[0]); err != nil {
			return err
		}
	}
	return store.ErrConflict
}

// marked is the write of the mark.
func (s state) marked(root hub.Root, wall time.Time, done int, sum Counts) store.Write {
	series := append([]Counts(nil), s.series...)
	for len(series) <= s.minute {
		series = append(series, Counts{})
	}
	series[s.minute] = series[s.minute].plus(sum)
	set := store.Fields{fieldSeries: encodeSeries(series)}
	if done < s.rate { // for lack of time
		set[fieldDone] = int64(done)
		if s.open() {
			due(set, wall.Add(cutPause))
		}
		return s.write(root, set)
	}
	set[fieldMinute], set[fieldDone] = int64(s.minute+1), int64(0)
	if s.open() {
		due(set, s.minuteAt(s.minute+1))
	}
	return s.write(root, set, fieldBasis)
}
