package explore

import (
	"context"
	"time"

	"pocbakery/pkg/alarm"
	"pocbakery/pkg/store"
)

// alone is a world with one process in it. It is a store and a scheduler of
// its own, for one goroutine.
type alone struct {
	Scene
	now time.Time
}

func (a *alone) world() World {
	return World{
		Table:  store.NewTable(aloneTable{a}, func() uint64 { a.marks++; return a.marks }),
		Alarms: aloneAlarms{a},
		Clock:  func() time.Time { return a.now },
	}
}

type aloneTable struct{ *alone }

func (a aloneTable) Get(_ context.Context, now time.Time, keys ...store.Key) ([]store.Item, error) {
	if err := store.CheckKeys(keys); err != nil {
		return nil, err
	}
	return a.table.get(now, keys), nil
}

func (a aloneTable) List(_ context.Context, now time.Time, pk string, r store.Range) (store.Page, error) {
	if err := store.CheckRange(pk, r); err != nil {
		return store.Page{}, err
	}
	return a.table.list(now, pk, r), nil
}

func (a aloneTable) Due(_ context.Context, pk string, c store.Clock, until time.Time, limit int) ([]store.Ref, error) {
	if err := store.CheckDue(pk, c, limit); err != nil {
		return nil, err
	}
	return a.table.due(pk, c, until, limit), nil
}

func (a aloneTable) Overdue(_ context.Context, until time.Time, limit int) ([]store.Ref, error) {
	if err := store.CheckLimit(limit); err != nil {
		return nil, err
	}
	return a.table.overdue(until, limit), nil
}

func (a aloneTable) Commit(_ context.Context, now time.Time, writes ...store.Write) (err error) {
	a.table, err = a.table.commit(now, writes)
	return err
}

func (a aloneTable) Erase(_ context.Context, keys ...store.Key) error {
	if err := store.CheckKeys(keys); err != nil {
		return err
	}
	a.table = a.table.erase(keys)
	return nil
}

type aloneAlarms struct{ *alone }

func (a aloneAlarms) Create(_ context.Context, s alarm.Schedule) error {
	a.shots = a.shots.create(s)
	return nil
}

func (a aloneAlarms) List(_ context.Context, hub string) ([]alarm.Schedule, error) {
	return a.shots.list(hub), nil
}

func (a aloneAlarms) Delete(_ context.Context, s alarm.Schedule) error {
	a.shots = a.shots.remove(s)
	return nil
}
