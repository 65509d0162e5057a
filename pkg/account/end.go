package account

import (
	"context"
	"strings"

	"pocbakery/pkg/hub"
	"pocbakery/pkg/store"
)

// End ends an account's hub on the spot: when it returns, everything in it is
// gone and everybody of it is signed out. Who asks is one of them.
func (s *Service) End(ctx context.Context, who hub.Who) error {
	if err := s.gate(ctx); err != nil {
		return err
	}
	f, err := s.find(ctx, who.Hub)
	if err != nil {
		return err
	}
	if err := f.admits(who.MadeAt); err != nil {
		return err
	}
	if !f.row.Has(store.FieldDue) { // there is no hub; its person is signed out all the same
		return s.SignOutEverywhere(ctx, who)
	}
	if !f.row.Bool(fieldEnding) {
		if s.Ending != nil {
			if err := s.Ending(ctx, who.Hub); err != nil {
				return err
			}
		}
		// Due from now on: whatever breaks off here, the control hub goes on with.
		err := s.engine.Store().Commit(ctx, f.wall, store.Write{
			Op: store.OpUpdate, Key: f.key, Guard: store.If(), Set: store.Fields{
				fieldEnding: true, fieldNotBefore: store.FormatInstant(f.wall),
				store.FieldDue: store.DueAt(store.Wall, f.wall), store.FieldWake: store.FormatInstant(f.wall),
			},
		})
		if err != nil {
			return err
		}
	}
	_, err = s.boxes.Pass(ctx, who.Hub, f.key, f.wall)
	return err
}

// rowTimer ends a hub whose person has been away for too long, and takes what
// a write in flight brought back to one that was ended.
func (s *Service) rowTimer(ctx context.Context, turn hub.Turn) ([]hub.Event, error) {
	id, wall := hub.ID(strings.TrimPrefix(turn.Item.SK, rowPrefix)), turn.Now.Wall
	notBefore := turn.Item.Time(fieldNotBefore)
	if !turn.Item.Bool(fieldEnding) {
		notBefore = wall
		claimed, err := s.claim(ctx, turn)
		if err != nil || !claimed {
			return nil, err
		}
	}
	erased, err := s.boxes.RowPass(ctx, id, turn)
	if err != nil || erased > 0 { // it is due again
		return nil, err
	}
	return nil, ignoreGuard(s.engine.Store().Commit(ctx, wall, store.Write{
		Op: store.OpUpdate, Key: turn.Item.Key, Guard: store.If(store.Eq(fieldEnding, true)), Set: goneSince(notBefore),
		Remove: []string{store.FieldDue, store.FieldWake, fieldEnding},
	}))
}

// claim marks a row as ending, unless a visit has moved its end.
func (s *Service) claim(ctx context.Context, turn hub.Turn) (bool, error) {
	err := s.engine.Store().Commit(ctx, turn.Now.Wall, store.Write{
		Op: store.OpUpdate, Key: turn.Item.Key, Guard: store.If(store.Eq(store.FieldDue, turn.Item.String(store.FieldDue))),
		Set: store.Fields{fieldEnding: true, fieldNotBefore: store.FormatInstant(turn.Now.Wall)},
	})
	if err != nil {
		return false, ignoreGuard(err)
	}
	return true, nil
}
