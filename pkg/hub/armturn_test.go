package hub_test

import (
	"context"
	"testing"
	"time"

	"pocbakery/pkg/alarm"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/hub/hubtest"
	"pocbakery/pkg/store"
)

// What is lent within a turn is armed for when the run ends, and nothing runs
// inside the turn, though what is lent or the turn's own item be due already.
func TestATurnLendsWithoutRunningItsHubInside(t *testing.T) {
	w := hubtest.At(t, "2026-11-30 12:00:00")
	key := func(sk string) store.Key { return store.Key{PK: "abcdefgh", SK: sk} }
	put := func(sk string, c store.Clock, at time.Time) {
		t.Helper()
		err := w.Engine.Store().Commit(t.Context(), w.Now(), store.Put(key(sk), store.If().OrAbsent(), store.Fields{
			store.FieldDue: store.DueAt(c, at), store.FieldWake: store.FormatInstant(at)}))
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Engine.Store().Commit(t.Context(), w.Now(), store.Put(key(hub.RootSK), store.IfAbsent(), store.Fields{"kind": "guest"})); err != nil {
		t.Fatal(err)
	}
	inside, deepest, lent := 0, 0, 0
	w.Engine.Handle("lender", func(ctx context.Context, turn hub.Turn) ([]hub.Event, error) {
		inside++
		defer func() { inside-- }()
		deepest = max(deepest, inside)
		for _, at := range []time.Time{w.Now().Add(-time.Second), w.Now().Add(time.Hour)} {
			put("loan#"+at.Format("1504"), store.Business, at)
			w.Engine.Arm(ctx, "abcdefgh", store.Business, at)
			w.Engine.Arm(ctx, "another0", store.Business, at) // of another hub: as ever
		}
		return nil, w.Engine.Store().Commit(ctx, w.Now(), store.Delete(turn.Item.Key, store.If().OrAbsent()))
	})
	w.Engine.Handle("loan", func(ctx context.Context, turn hub.Turn) ([]hub.Event, error) {
		lent++
		return nil, w.Engine.Store().Commit(ctx, w.Now(), store.Delete(turn.Item.Key, store.If()))
	})
	put("lender", store.Wall, w.Now())
	w.Fire(alarm.Schedule{Hub: "abcdefgh"})
	if deepest != 1 || lent != 1 {
		t.Errorf("%d turns deep, %d loans ended", deepest, lent)
	}
	left, err := w.Alarms.List(t.Context(), "abcdefgh")
	if err != nil || len(left) != 1 || !left[0].At.Equal(w.Now().Add(time.Hour)) {
		t.Errorf("%v %v", left, err)
	}
}
