package planner

import (
	"time"

	"pocbakery/pkg/hub"
	"pocbakery/pkg/localtime"
)

// settle decides every end of a block and every briefing up to a business
// instant, each at its own, in their order; at most so many. It reports whether
// more are due.
func (s *state) settle(until time.Time, most int) (more bool) {
	if s.head.Asleep {
		return false
	}
	for n := 0; ; n++ {
		block, at := s.nextBlock()
		brief := s.profile.Next.Time()
		due := s.head.Saved && !brief.IsZero() && !brief.After(until)
		switch more := due || (block != nil && !at.After(until)); {
		case !more || n == most:
			return more
		case due && (block == nil || brief.Before(at)):
			s.brief(brief)
		default:
			s.tick(block, at)
		}
	}
}

// nextBlock is the block whose end comes first.
func (s *state) nextBlock() (first *Block, at time.Time) {
	for _, b := range s.blocks {
		if end, ok := b.end(); ok && (first == nil || end.Before(at)) {
			first, at = b, end
		}
	}
	return first, at
}

// tick is a block's end at its instant: undone, it runs over, quarter by
// quarter, until it is left.
func (s *state) tick(b *Block, at time.Time) {
	if b.State != Overrun {
		b.Started, b.State = b.State == Running, Overrun
		b.Limit = instant(s.overrunUntil(at))
		s.tell(hub.Event{Type: BlockOverrun, Block: b.ID, Task: b.Task}, at)
	}
	limit := b.Limit.Time()
	if !at.Before(limit) {
		s.leave(b, at)
	} else if b.Tick = instant(nextQuarter(at)); b.Tick.Time().After(limit) {
		b.Tick = b.Limit
	}
	s.repack(at)
}

// overrunUntil is until when a block that ended may run over: an hour, or to
// the end of the working interval it ended in.
func (s *state) overrunUntil(end time.Time) time.Time {
	until := end.Add(overrunFor)
	for _, w := range s.profile.work(end.Add(-time.Minute), until) {
		if w.From.Before(end) && !w.Until.Before(end) && w.Until.Before(until) {
			return w.Until
		}
	}
	return until
}

// leave leaves a block in the past: what was not done of it is placed again.
func (s *state) leave(b *Block, at time.Time) {
	b.Left, b.Tick, b.Limit = true, instant{}, instant{}
	t := s.task(b.Task)
	if !b.Started {
		b.State = Missed
	}
	if t == nil || t.Done {
		return
	}
	t.Rolled, t.PinnedAt = true, instant{}
	if t.Repeat != "" && b.State == Missed {
		if next, ok := t.again(s.profile, at); ok { // replaced by the next, not piled up
			next.ID, next.Round, next.Pieces, next.Rolled = t.ID, t.Round, t.Pieces, true
			*t = *next
		}
	}
}

// finish takes minutes off a task, but for those that another block of it has
// begun, and ends it where none remain.
func (s *state) finish(t *Task, minutes int, at time.Time) {
	t.Remaining = max(t.Remaining-minutes, s.underWay(t.ID, at))
	if t.Remaining == 0 {
		s.finishTask(t, 0, at)
	}
}

// finishTask ends a task; undo is what remained.
func (s *state) finishTask(t *Task, undo int, at time.Time) {
	t.Done, t.Undo, t.Remaining, t.PinnedAt = true, undo, 0, instant{}
	kept := s.blocks[:0]
	for _, b := range s.blocks {
		if b.Task == t.ID && !b.final() {
			if b.Start.Time().After(at) {
				continue
			}
			b.State, b.Tick, b.Limit = Done, instant{}, instant{}
			if b.End.Time().After(at) {
				b.End = instant(at)
			}
		}
		kept = append(kept, b)
	}
	s.blocks = kept
	s.tell(hub.Event{Type: TaskDone, Task: t.ID}, at)
	if t.Repeat == "" {
		return
	}
	if next, ok := t.again(s.profile, at); ok && s.task(next.ID) == nil && len(s.tasks) < maxTasks {
		s.tasks = append(s.tasks, next)
		s.tell(hub.Event{Type: TaskAdded, Task: next.ID}, at)
	}
}

// nextWall is the first event or pin that begins after one instant, and when a
// block has to end for it.
func (s *state) nextWall(b *Block, after time.Time) (time.Time, bool) {
	var first time.Time
	meet := func(start, end time.Time) {
		if !start.Before(after) && (first.IsZero() || end.Before(first)) {
			first = end
		}
	}
	for _, o := range s.busy {
		if o.busy {
			meet(o.from, o.from.Add(-time.Duration(s.profile.Buffer)*time.Minute))
		}
	}
	for _, o := range s.blocks {
		if o != b && o.Pinned && !o.final() {
			meet(o.Start.Time(), o.Start.Time())
		}
	}
	return first, !first.IsZero()
}

// today is the local date at a business instant.
func (s *state) today(at time.Time) localtime.Date { return s.profile.dateAt(at) }
