package sandbox

import (
	"context"
	"errors"
	"strings"
	"time"

	"pocbakery/pkg/hub"
	"pocbakery/pkg/store"
)

const (
	// wipedEvent is what a run is told of a pass that erased something. It is
	// written nowhere: what it is about is gone.
	wipedEvent hub.EventType = "SandboxWiped"

	// maxPause bounds the pause before a wipe that failed is tried again.
	maxPause = 15 * time.Minute

	fieldWiped = "wiped"      // on the row: a pass has erased something
	fieldTries = "wipe_tries" // on the row: that failed
)

// Wipe ends a sandbox on the spot: when it returns, its items and schedules
// are gone, and everything asked of it is refused.
func (s *Service) Wipe(ctx context.Context, who hub.Who) error {
	view, err := s.engine.Open(ctx, who)
	if err != nil {
		return err
	}
	_, err = s.Pass(ctx, who.Hub, rowKey(who.Hub), view.Now.Wall)
	return err
}

// Pass is one pass over any hub that has a row in the control hub: it erases
// all there is, of which it returns the count, and stamps the row for another
// pass if that is anything.
func (s *Service) Pass(ctx context.Context, id hub.ID, row store.Key, wall time.Time) (erased int, err error) {
	return s.pass(ctx, id, row, wall, s.armControl)
}

// armControl makes sure that the control hub wakes for a row due again. It asks
// nothing of the control hub, in which others may be due that are not this
// request's to wait for.
func (s *Service) armControl(ctx context.Context, due time.Time) {
	if err := s.engine.ArmUnread(ctx, hub.Control, due); err != nil {
		s.engine.Report("arm_failed", hub.Control, err)
	}
}

// inRun arms nothing: the control hub's own run does, at its end.
func inRun(context.Context, time.Time) {}

// ownTimer wipes a sandbox whose own end has come.
func (s *Service) ownTimer(ctx context.Context, turn hub.Turn) ([]hub.Event, error) {
	erased, err := s.Pass(ctx, turn.Root.ID, rowKey(turn.Root.ID), turn.Now.Wall)
	return wipedEvents(erased, err), err
}

func wipedEvents(erased int, err error) []hub.Event {
	if err != nil || erased == 0 {
		return nil
	}
	return []hub.Event{{Type: wipedEvent}}
}

// rowTimer looks after a sandbox whose row is due: another pass, and if that
// found nothing, the row has done its work. A pass that fails is due again
// after a pause that grows, so that a sandbox which cannot be wiped does not
// keep the others waiting.
func (s *Service) rowTimer(ctx context.Context, turn hub.Turn) ([]hub.Event, error) {
	id, wall := hub.ID(strings.TrimPrefix(turn.Item.SK, rowPrefix)), turn.Now.Wall
	erased, err := s.RowPass(ctx, id, turn)
	if err != nil {
		return nil, err
	}
	if wall.Unix() >= turn.Item.Int(store.FieldTTL)-rowOutlivesSeconds && !turn.Item.Bool(fieldWiped) {
		s.engine.Report("backstop", id, errors.New("ended by its backstop, not by a wipe"))
	}
	if erased > 0 {
		return wipedEvents(erased, nil), nil
	}
	return nil, store.IgnoreGuard(s.engine.Store().Commit(ctx, wall, store.Delete(turn.Item.Key, store.If())))
}

// RowPass is a pass over a hub whose row in the control hub is due. Where it
// fails, the row is due again after a pause.
func (s *Service) RowPass(ctx context.Context, id hub.ID, turn hub.Turn) (erased int, err error) {
	wall := turn.Now.Wall
	erased, err = s.pass(ctx, id, turn.Item.Key, wall, inRun)
	if err == nil {
		return erased, nil
	}
	pause := min(time.Minute<<min(turn.Item.Int(fieldTries), 4), maxPause)
	if later := s.stamp(ctx, turn.Item.Key, wall, wall.Add(pause), false); later != nil {
		return 0, errors.Join(err, later)
	}
	return 0, &hub.PutOff{Err: err}
}

// pass is one pass over a sandbox. It returns how many items it erased; if any,
// the sandbox's row is due again after the grace, which is armed for.
func (s *Service) pass(ctx context.Context, id hub.ID, row store.Key, wall time.Time, arm func(context.Context, time.Time)) (erased int, err error) {
	keys, rooted, err := s.keys(ctx, id)
	if err != nil {
		return 0, err
	}
	if len(keys) > 0 {
		// The row is stamped first: whatever breaks off after that is finished by
		// the pass it is due for.
		again := wall.Add(s.grace)
		if err := s.stamp(ctx, row, wall, again, true); err != nil {
			return 0, err
		}
		arm(ctx, again)
		if rooted {
			over := hub.Root{ID: id}.OverWrite()
			if err := store.IgnoreGuard(s.engine.Store().Commit(ctx, wall, over)); err != nil {
				return 0, err
			}
			if keys, _, err = s.keys(ctx, id); err != nil {
				return 0, err
			}
		}
		if s.Erasing != nil {
			s.Erasing(ctx, keys)
		}
		if err := s.engine.Store().Erase(ctx, keys...); err != nil {
			return 0, errors.Join(err, s.stamp(ctx, row, wall, again, false))
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
func (s *Service) stamp(ctx context.Context, row store.Key, wall, due time.Time, wiping bool) error {
	w := store.Write{
		Op: store.OpUpdate, Key: row, Guard: store.If(),
		Set: store.Fields{store.FieldDue: store.DueAt(store.Wall, due), store.FieldWake: store.FormatInstant(due)},
	}
	if wiping {
		w.Set[fieldWiped] = true
	} else { // it has failed
		w.Add, w.Remove = map[string]int64{fieldTries: 1}, []string{fieldWiped}
	}
	return store.IgnoreGuard(s.engine.Store().Commit(ctx, wall, w))
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
