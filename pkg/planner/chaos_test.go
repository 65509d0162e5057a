package planner

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pocbakery/pkg/calendar"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/localtime"
	"pocbakery/pkg/refusal"
	"pocbakery/pkg/store"
	"pocbakery/pkg/store/faults"
)

// A person's days, at random, over a table that fails a tenth of its calls,
// half of them after they were applied: whatever comes of it keeps the rules.
func TestRandomDaysKeepTheRulesOverATableThatFails(t *testing.T) {
	for seed := range uint64(4) {
		dice := rand.New(rand.NewPCG(seed, 9))
		d := borrowed(t, "2026-11-30 06:00:00").fresh()
		d.connect()
		d.Faults.Set(faults.Config{ErrorRate: 0.1, ConflictRate: 0.05})
		added := 0
		for range 80 {
			added += d.act(dice)
			if dice.IntN(4) == 0 {
				d.Advance(time.Duration(dice.IntN(90)) * time.Minute)
			}
			d.Faults.Set(faults.Config{})
			d.sound(seed)
			d.Faults.Set(faults.Config{ErrorRate: 0.1, ConflictRate: 0.05})
			if t.Failed() {
				return
			}
		}
		d.Faults.Set(faults.Config{})
		if slices.Contains(d.Reports(), hub.SetAside) {
			t.Errorf("seed %d: something was set aside", seed)
		}
		if added < 5 {
			t.Errorf("seed %d: only %d tasks were added", seed, added)
		}
	}
}

// act is one command; it returns 1 if it added a task.
func (d *desk) act(dice *rand.Rand) (added int) {
	day := localtime.DateOf(d.business())
	plans, err := d.p.Plans(d.ctx(), d.who, day, 2)
	var block string
	if err == nil {
		for _, p := range plans {
			for _, b := range p.Blocks {
				if b.Event == nil && (block == "" || dice.IntN(3) == 0) {
					block = b.ID
				}
			}
		}
	}
	key := fmt.Sprintf("key-%d", dice.IntN(1<<30))
	for range 2 { // each is repeated, as by somebody whose answer was lost
		switch n := dice.IntN(9); n {
		case 0, 1, 2:
			task := NewTask{Title: "Task", Minutes: 15 * (1 + dice.IntN(10)), Priority: 1 + dice.IntN(4)}
			if dice.IntN(2) == 0 {
				task.Due = d.Now().Add(time.Duration(dice.IntN(60)) * time.Hour)
			}
			if dice.IntN(3) == 0 {
				task.MinChunk = 30
			}
			if dice.IntN(8) == 0 {
				task.PinnedAt = d.Now().Add(time.Duration(dice.IntN(20)) * time.Hour).Truncate(time.Minute)
			}
			if _, replayed, e := d.p.AddTask(d.ctx(), d.who, key, task); e == nil && !replayed {
				added = 1
			}
		case 3:
			_, _, err = d.p.StartBlock(d.ctx(), d.who, key, block)
		case 4:
			_, _, err = d.p.FinishBlock(d.ctx(), d.who, key, block, dice.IntN(60))
		case 5:
			_, _, err = d.p.ExtendBlock(d.ctx(), d.who, key, block, 1+dice.IntN(60))
		case 6:
			from := d.Now().Truncate(time.Minute).Add(time.Duration(dice.IntN(48*60)) * time.Minute)
			at := func(t time.Time) calendar.Stamp { return calendar.Stamp{Clock: t, Zone: "UTC"} }
			d.side.events = append(d.side.events, calendar.Event{ID: key, UID: key, Title: "Meeting", Start: at(from), End: at(from.Add(time.Hour))})
		case 7:
			if len(d.side.events) > 0 {
				d.side.events = d.side.events[1:]
			}
		case 8:
			minutes := 15 * (1 + dice.IntN(10))
			tasks, _, e := d.p.Tasks(d.ctx(), d.who, TaskQuery{Limit: 100})
			if e == nil && len(tasks) > 0 {
				_, err = d.p.EditTask(d.ctx(), d.who, tasks[dice.IntN(len(tasks))].ID, TaskEdit{Minutes: &minutes})
			}
		}
		var no *refusal.Refusal
		if err != nil && !errors.As(err, &no) && !errors.Is(err, store.ErrUnavailable) && !errors.Is(err, store.ErrUnknown) && !errors.Is(err, store.ErrConflict) {
			d.t.Errorf("%v", err)
		}
	}
	return added
}

// sound checks the rules on the plan of two weeks.
func (d *desk) sound(seed uint64) {
	d.t.Helper()
	now := d.business()
	plans, err := d.p.Plans(d.ctx(), d.who, localtime.DateOf(now).AddDays(-1), 14)
	d.must(err)
	var blocks []BlockView
	placed := map[string]int{}
	ids := map[string]bool{}
	for _, p := range plans {
		for _, b := range p.Blocks {
			if b.Event != nil {
				continue
			}
			if ids[b.ID] {
				d.t.Errorf("seed %d: two blocks are %s", seed, b.ID)
			}
			ids[b.ID] = true
			if b.StartsAt.Before(b.EndsAt) { // one that was done ahead of its time takes none
				blocks = append(blocks, b)
			}
			if b.State == Planned || b.State == Running {
				placed[b.Task] += minutesBetween(b.StartsAt, b.EndsAt)
				if !b.EndsAt.After(now) {
					d.t.Errorf("seed %d: %+v has ended", seed, b)
				}
			}
		}
	}
	for i, b := range blocks {
		for _, o := range blocks[i+1:] {
			if b.StartsAt.Before(o.EndsAt) && o.StartsAt.Before(b.EndsAt) && !b.Pinned && !o.Pinned {
				d.t.Errorf("seed %d: N2: %+v overlaps %+v", seed, b, o)
			}
		}
		if b.State != Planned || b.Pinned || !b.StartsAt.After(now) {
			continue
		}
		for _, p := range plans {
			for _, o := range p.Blocks {
				if o.Event != nil && b.StartsAt.Before(o.EndsAt) && o.StartsAt.Before(b.EndsAt) {
					d.t.Errorf("seed %d: N2: %+v is on %+v", seed, b, o)
				}
			}
		}
	}
	tasks, _, err := d.p.Tasks(d.ctx(), d.who, TaskQuery{Limit: 100})
	d.must(err)
	for _, task := range tasks {
		unplaced := slices.ContainsFunc(plans[0].Unplaced, func(u Unplaced) bool { return u.Task == task.ID })
		over := slices.ContainsFunc(blocks, func(b BlockView) bool { return b.Task == task.ID && b.State == Overrun })
		if !task.Done && !unplaced && !over && placed[task.ID] != task.Remaining {
			d.t.Errorf("seed %d: %d minutes of %s are placed, %d remain: %+v", seed, placed[task.ID], task.ID, task.Remaining, slices.DeleteFunc(slices.Clone(blocks), func(b BlockView) bool { return b.Task != task.ID }))
		}
	}
}
