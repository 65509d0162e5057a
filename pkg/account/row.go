package account

import (
	"context"
	"time"

	"pocbakery/pkg/access"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/store"
)

const (
	rowPrefix      = "account#"
	fieldEnding    = "ending"
	fieldNotBefore = "not_before"
)

func rowKey(id hub.ID) store.Key {
	return store.Key{PK: string(hub.Control), SK: rowPrefix + string(id)}
}

// found is a hub and its row, as one request found them.
type found struct {
	wall time.Time
	root hub.Root
	row  store.Item
	key  store.Key // of the row
}

func (s *Service) find(ctx context.Context, id hub.ID) (found, error) {
	wall, key := s.engine.Wall(), rowKey(id)
	items, err := s.engine.Store().Get(ctx, wall, hub.Root{ID: id}.Key(hub.RootSK), key)
	if err != nil {
		return found{}, err
	}
	return found{wall: wall, root: hub.RootOf(id, items[0]), row: items[1], key: key}, nil
}

// admits refuses a credential that was made too early.
func (f found) admits(madeAt time.Time) error {
	if err := (hub.Root{NotBefore: f.row.Time(fieldNotBefore)}).Admits(madeAt); err != nil {
		return err
	}
	return f.root.Admits(madeAt)
}

// ending reports whether the hub's end has come and it is not gone yet.
func (f found) ending() bool {
	_, due, ok := store.ParseDue(f.row.String(store.FieldDue))
	return f.row.Bool(fieldEnding) || ok && !f.wall.Before(due)
}

// goneSince is what a row says of a hub that is gone: whoever signed in before
// has to do so again, which needs no saying once such a sign-in is too old.
func goneSince(at time.Time) store.Fields {
	return store.Fields{
		fieldNotBefore: store.FormatInstant(at),
		store.FieldTTL: at.Add(access.IdentityFor + 24*time.Hour).Unix(),
	}
}
