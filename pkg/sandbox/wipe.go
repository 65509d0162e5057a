package sandbox

import (
	"context"
	"errors"
	"strings"
	"time"

	"pocbakery/pkg/hub"
	"pocbakery/pkg/store"
)

// Wipe ends a sandbox on the spot: when it returns, its items and schedules
// are gone, and everything asked of it is refused.
func (s *Service) Wipe(ctx context.Context, who hub.Who) error {
	view, err := s.engine.Open(ctx, who)
	if err != nil {
		return err
	}
	_, err = s.pass(ctx, who.Hub, view.Now.Wall)
	return err
}

// ownTimer wipes a sandbox whose own end has come.
func (s *Service) ownTimer(ctx context.Context, turn hub.Turn) ([]hub.Event, error) {
	_, err := s.pass(ctx, turn.Root.ID, turn.Now.Wall)
	return nil, err
}

// rowTimer looks after a sandbox whose row is due: another pass, and if that
// found nothing, the row has done its work.
func (s *Service) rowTimer(ctx context.Context, turn hub.Turn) ([]hub.Event, error) {
	id := hub.ID(strings.TrimPrefix(turn.Item.SK, rowPrefix))
	erased, err := s.pass(ctx, id, turn.Now.Wall)
	if err != nil || erased > 0 {
		return nil, err
	}
	return nil, ignoreGuard(s.engine.Store().Commit(ctx, turn.Now.Wall, store.Delete(turn.Item.Key, store.If())))
}

// pass is one pass over a sandbox. It returns how many items it erased; if any,
// the sandbox's row is due again after the grace.
func (s *Service) pass(ctx context.Context, id hub.ID, wall time.Time) (erased int, err error) {
	keys, rooted, err := s.keys(ctx, id)
	if err != nil {
		return 0, err
	}
	if len(keys) > 0 {
		if rooted {
			over := hub.Root{ID: id}.OverWrite()
			if err := ignoreGuard(s.engine.Store().Commit(ctx, wall, over)); err != nil {
				return 0, err
			}
			if keys, _, err = s.keys(ctx, id); err != nil {
				return 0, err
			}
		}
		again := wall.Add(s.grace)
		if err := s.stamp(ctx, id, wall, again); err != nil {
			return 0, err
		}
		s.engine.Arm(ctx, hub.Control, store.Wall, again)
		if err := s.engine.Store().Erase(ctx, keys...); err != nil {
			return 0, err
		}
	}
	return len(keys), s.unschedule(ctx, id)
}

// keys lists what the table really holds of a sandbox, expired or not, its
// root last: while that stands, the sandbox's own timer comes back to a pass
// that broke off.
func (s *Service) keys(ctx context.Context, id hub.ID) (keys []store.Key, rooted bool, err error) {
	root := hub.Root{ID: id}
	items, err := s.engine.ListAll(ctx, hub.View{Root: root}, store.Range{})
	for _, i := range items {
		if i.SK == hub.RootSK {
			rooted = true
			continue
		}
		keys = append(keys, i.Key)
	}
	if rooted {
		keys = append(keys, root.Key(hub.RootSK))
	}
	return keys, rooted, err
}

// stamp makes the sandbox's row due again. A sandbox without a row was looked
// after already, and what is erased now is all there is.
func (s *Service) stamp(ctx context.Context, id hub.ID, wall, due time.Time) error {
	return ignoreGuard(s.engine.Store().Commit(ctx, wall, store.Write{
		Op: store.OpUpdate, Key: rowKey(id), Guard: store.If(),
		Set: store.Fields{store.FieldDue: store.DueAt(store.Wall, due), store.FieldWake: store.FormatInstant(due)},
	}))
}

// unschedule deletes the sandbox's one-shots that have not fired.
func (s *Service) unschedule(ctx context.Context, id hub.ID) error {
	left, err := s.alarms.List(ctx, string(id))
	if err != nil {
		return err
	}
	for _, a := range left {
		if err := s.alarms.Delete(ctx, a); err != nil {
			return err
		}
	}
	return nil
}

// ignoreGuard takes a guard that did not hold for success: what was to be
// changed is gone already.
func ignoreGuard(err error) error {
	var failed *store.GuardFailed
	if errors.As(err, &failed) {
		return nil
	}
	return err
}
