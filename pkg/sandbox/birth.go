package sandbox

import (
	"hash/fnv"
	"time"

	"pocbakery/pkg/hub"
	"pocbakery/pkg/store"
)

const (
	// wipeHour is the hour of the day, UTC, at which sandboxes end.
	wipeHour = 10
	// wipeSpread spreads the own timers of sandboxes that end together, so
	// that three hundred ends are not three hundred runs in one second.
	wipeSpread = 240 * time.Second
	// rowAfter is how long after its end a sandbox's row is due.
	rowAfter = 5 * time.Minute
	// rowOutlives is how much longer the row's backstop is than the sandbox's,
	// so that the sweep still finds it.
	rowOutlives        = 48 * time.Hour
	rowOutlivesSeconds = int64(rowOutlives / time.Second)

	rowPrefix = "sandbox#"
)

// EndOf is the end of a sandbox born at this instant: the first 10:00 UTC
// after it.
func EndOf(born time.Time) time.Time {
	born = born.UTC()
	end := time.Date(born.Year(), born.Month(), born.Day(), wipeHour, 0, 0, 0, time.UTC)
	if !end.After(born) {
		end = end.AddDate(0, 0, 1)
	}
	return end
}

// Born is the root of a sandbox born now.
func Born(id hub.ID, kind string, seed int64, now time.Time) hub.Root {
	end := EndOf(now)
	h := fnv.New64a()
	h.Write([]byte(id))
	spread := time.Duration(h.Sum64()%uint64(wipeSpread/time.Second)) * time.Second
	return hub.Root{
		ID: id, Exists: true, Kind: kind, Seed: seed, BornAt: now, EndsAt: end, WipeAt: end.Add(spread),
		TTL: hub.BackstopTTL(now),
	}
}

// RowDue is when the control hub looks after a sandbox.
func RowDue(r hub.Root) time.Time { return r.EndsAt.Add(rowAfter) }

// Birth are the writes of a new sandbox: its root, and its row in the control
// hub. They go with the write that admits it.
func Birth(r hub.Root) []store.Write {
	due := RowDue(r)
	return []store.Write{
		r.Birth(),
		store.Put(rowKey(r.ID), store.IfAbsent(), store.Fields{
			store.FieldDue: store.DueAt(store.Wall, due), store.FieldWake: store.FormatInstant(due),
			store.FieldTTL: r.TTL + rowOutlivesSeconds,
		}),
	}
}

func rowKey(id hub.ID) store.Key {
	return store.Key{PK: string(hub.Control), SK: rowPrefix + string(id)}
}
