package sandbox

import (
	"context"
	"time"

	"pocbakery/pkg/hub"
	"pocbakery/pkg/store"
)

// Health is how ends are honoured, for whoever wants to know: three items and
// one place of an index tell it, however many sandboxes there are.
type Health struct {
	// Overdue is the oldest end that has come and was not honoured yet, of any
	// hub; zero where there is none. An alarm may take a minute.
	Overdue time.Time
	// Swept is the last turn of the sweep that looks for such ends; zero for never.
	Swept time.Time
	// Wiped is the control hub's last run over sandboxes that had ended; its
	// At is zero where there was none.
	Wiped WipeRun
}

// healthFor is how long health that was read is shown: it is asked for by
// everybody who looks at the status page.
const healthFor = 2 * time.Second

const (
	lastRunSK   = "wiperun"
	fieldAt     = "at"
	fieldCount  = "count"
	fieldFailed = "failed"
	fieldLeft   = "remaining"
)

func lastRunKey() store.Key { return store.Key{PK: string(hub.Control), SK: lastRunSK} }

// seenHealth is health as it was read.
type seenHealth struct {
	health Health
	at     time.Time
}

// Health reads how ends are honoured, at most every two seconds.
func (s *Service) Health(ctx context.Context) (Health, error) {
	wall := s.engine.Wall()
	if seen := s.health.Load(); seen != nil && !wall.Before(seen.at) && wall.Sub(seen.at) < healthFor {
		return seen.health, nil
	}
	items, err := s.engine.Store().Get(ctx, wall, hub.JobKey(hub.Liveness), lastRunKey())
	if err != nil {
		return Health{}, err
	}
	late, err := s.engine.Store().Overdue(ctx, wall, 1)
	if err != nil {
		return Health{}, err
	}
	h := Health{Swept: hub.LastTurn(items[0])}
	if len(late) > 0 {
		h.Overdue = late[0].At
	}
	if last := items[1]; last.Exists() {
		h.Wiped = WipeRun{Wiped: int(last.Int(fieldCount)), Failed: int(last.Int(fieldFailed)), Remaining: int(last.Int(fieldLeft)), At: last.Time(fieldAt)}
	}
	s.health.Store(&seenHealth{h, wall})
	return h, nil
}

// keep notes the control hub's last run, for Health. One that cannot be noted
// has run all the same.
func (s *Service) keep(ctx context.Context, r WipeRun) {
	err := s.engine.Store().Commit(ctx, r.At, store.Put(lastRunKey(), store.If().OrAbsent(), store.Fields{
		fieldAt: store.FormatInstant(r.At), fieldCount: int64(r.Wiped), fieldFailed: int64(r.Failed), fieldLeft: int64(r.Remaining),
	}))
	if err != nil {
		s.engine.Report("wipe_run_not_noted", hub.Control, err)
	}
}
