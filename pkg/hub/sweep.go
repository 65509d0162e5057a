package hub

import (
	"context"
	"errors"
	"time"

	"pocbakery/pkg/alarm"
	"pocbakery/pkg/store"
)

// Job is a safety net that one rule drives together with all others: a new one
// is an entry in a table, not another rule.
type Job struct {
	Name  string
	Every time.Duration // how long after a run the next; a multiple of the rule's five minutes
	Do    func(ctx context.Context, now time.Time) error
}

// Liveness is the job that looks for ends which nobody honoured.
const Liveness = "liveness"

// JobKey is where a job's last turn stands.
func JobKey(name string) store.Key { return store.Key{PK: string(Control), SK: jobPrefix + name} }

// LastTurn is the instant of a job's last turn; zero for one that had none.
func LastTurn(i store.Item) time.Time { return i.Time(fieldRan) }

const (
	jobPrefix = "job#"
	fieldRan  = "ran"

	// unpunctual is how much sooner than its period a job's next turn may come:
	// the rule is not to the second, nor are the clocks of those it wakes.
	unpunctual = time.Minute
	// sweepGrace is how long past its end an item is before the sweep takes it
	// for overslept: a scheduler fires within a minute.
	sweepGrace = time.Minute
	// sweepItems and sweepHubs bound one liveness run; the next goes on with
	// what is the oldest then.
	sweepItems = 500
	sweepHubs  = 50
	// rootsAtOnce is how many hubs the collector asks for at once.
	rootsAtOnce = 100
)

// SweepJobs are the engine's own safety nets.
func (e *Engine) SweepJobs() []Job {
	return []Job{
		{Name: Liveness, Every: 5 * time.Minute, Do: e.wakeOverslept},
		{Name: "garbage", Every: 15 * time.Minute, Do: e.collect},
	}
}

// Dispatch runs the jobs that are due. Each run of a job is claimed by a
// conditional write, so that a rule that fires twice runs it once. A job that
// fails does not stop the others; it runs again in its next turn.
func (e *Engine) Dispatch(ctx context.Context, jobs []Job) error {
	wall := e.Wall()
	var failed error
	for _, j := range jobs {
		last := store.FormatInstant(wall.Add(unpunctual - j.Every))
		err := e.store.Commit(ctx, wall, store.Write{
			Op: store.OpUpdate, Key: JobKey(j.Name),
			Guard: store.If(store.Lt(fieldRan, last)).OrAbsent(), Set: store.Fields{fieldRan: store.FormatInstant(wall)},
		})
		if store.FailedGuard(err) != nil { // claimed already
			continue
		}
		if err == nil {
			err = j.Do(ctx, wall)
		}
		if err != nil {
			e.report("job_failed", Control, err)
			failed = errors.Join(failed, err)
		}
	}
	return failed
}

// wakeOverslept runs the hubs that have an end which nobody honoured, the
// longest overdue first. It asks the ends, not the roots: an alarm that was
// lost is one that its root still believes in.
func (e *Engine) wakeOverslept(ctx context.Context, now time.Time) error {
	refs, err := e.store.Overdue(ctx, now.Add(-sweepGrace), sweepItems)
	if err != nil {
		return err
	}
	if e.Overslept != nil {
		var oldest time.Duration
		if len(refs) > 0 {
			oldest = now.Sub(refs[0].At)
		}
		e.Overslept(len(refs), oldest)
	}
	var failed error
	ran := map[string]bool{}
	for _, ref := range refs {
		if e.Left != nil && e.Left(ctx) < runReserve {
			break
		}
		if !ran[ref.PK] && len(ran) < sweepHubs {
			ran[ref.PK] = true
			_, err := e.Run(ctx, alarm.Schedule{Hub: ref.PK})
			failed = errors.Join(failed, err)
		}
		if ran[ref.PK] && ID(ref.PK) != Control {
			failed = errors.Join(failed, e.buryDead(ctx, now, ref.Key))
		}
	}
	return failed
}

// buryDead removes an overdue item of a hub that is gone, if it is past its
// ttl: it would stand in every sweep's way for as long as the table keeps it.
func (e *Engine) buryDead(ctx context.Context, now time.Time, k store.Key) error {
	items, err := e.store.Get(ctx, now, k)
	if err != nil || items[0].Exists() {
		return err
	}
	return e.bury(ctx, now, k)
}

// collect deletes one-shots whose hub is gone. A hub is written before its
// first one-shot is created, so what is being born is no garbage.
func (e *Engine) collect(ctx context.Context, now time.Time) error {
	all, err := e.alarm.List(ctx, "")
	if err != nil {
		return err
	}
	byHub := map[string][]alarm.Schedule{}
	var keys []store.Key
	for _, s := range all {
		if ID(s.Hub) == Control {
			continue
		}
		if byHub[s.Hub] == nil {
			keys = append(keys, store.Key{PK: s.Hub, SK: RootSK})
		}
		byHub[s.Hub] = append(byHub[s.Hub], s)
	}
	for len(keys) > 0 {
		some := keys[:min(len(keys), rootsAtOnce)]
		keys = keys[len(some):]
		roots, err := e.store.Get(ctx, now, some...)
		if err != nil {
			return err
		}
		for i, root := range roots {
			if root.Exists() {
				continue
			}
			for _, s := range byHub[some[i].PK] {
				if err := e.alarm.Delete(ctx, s); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
