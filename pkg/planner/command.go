package planner

import (
	"fmt"
	"slices"
	"time"

	"pocbakery/pkg/hub"
	"pocbakery/pkg/refusal"
)

// maxExtension is the longest extension, and the most that can be said to have
// been spent on a block, in minutes.
const maxExtension = 480

func (s *state) block(id string) (*Block, *Task, error) {
	for _, b := range s.blocks {
		if t := s.task(b.Task); b.ID == id && t != nil {
			return b, t, nil
		}
	}
	return nil, nil, refusal.New(refusal.NoSuchBlock, "No block of the last days or of the plan has this id.")
}

func final(b *Block) error {
	return refusal.New(refusal.BlockFinal, fmt.Sprintf("This block is %s, and stays so.", b.State))
}

// start begins a planned block now. A block that was under way makes way: what
// was begun of it is done, the rest is placed again.
func (s *state) start(id string, now time.Time) (*Block, error) {
	b, t, err := s.block(id)
	switch {
	case err != nil:
		return nil, err
	case b.final():
		return nil, final(b)
	case b.State == Running:
		return b, nil
	}
	if b.State == Overrun {
		b.Started = true // what runs over was begun, as it turns out
		return b, nil
	}
	for _, o := range slices.Clone(s.blocks) {
		if o == b || o.final() || o.Start.Time().After(now) || !o.End.Time().After(now) && o.State != Overrun {
			continue
		}
		if o.State == Planned && !o.Pinned {
			s.takeOut(o)
			continue
		}
		if err := s.stop(o, min(minutesBetween(o.Start.Time(), now), o.minutes()), now); err != nil {
			return nil, err
		}
	}
	minutes := b.minutes()
	b.State, b.Started = Running, true
	if b.Pinned {
		t.PinnedAt = instant(now)
	}
	b.Start = instant(now)
	s.endAt(b, now.Add(time.Duration(minutes)*time.Minute), now)
	s.repack(now)
	return b, nil
}

// endAt ends a block at an instant, or where the next event or pin begins if
// that is sooner.
func (s *state) endAt(b *Block, end, now time.Time) {
	if wall, ok := s.nextWall(b, now); ok && wall.Before(end) && wall.After(b.Start.Time()) {
		end = wall
	}
	b.End = instant(end)
}

// takeOut takes a block that was not begun out of the plan.
func (s *state) takeOut(b *Block) {
	s.blocks = slices.DeleteFunc(s.blocks, func(o *Block) bool { return o == b })
}

// stop ends a block that is under way, with so many minutes done.
func (s *state) stop(b *Block, minutes int, now time.Time) error {
	t := s.task(b.Task)
	b.State, b.End, b.Tick, b.Limit = Done, instant(now), instant{}, instant{}
	t.PinnedAt = instant{}
	s.finish(t, min(minutes, t.Remaining), now)
	return nil
}

// done finishes a block, with the minutes really spent where they are said.
func (s *state) done(id string, minutes int, now time.Time) (*Block, error) {
	b, t, err := s.block(id)
	if err != nil {
		return nil, err
	}
	if b.State == Done {
		return nil, final(b)
	}
	planned := b.minutes()
	off := planned
	if b.final() && minutes > 0 { // it gave its minutes back, and takes those that were spent
		off = minutes
	}
	switch {
	case b.final():
	case b.Start.Time().After(now): // ahead of its time, which is free again
		b.Start, b.End = instant(now), instant(now)
	default:
		b.End = instant(now)
	}
	b.State, b.Tick, b.Limit = Done, instant{}, instant{}
	if b.Pinned {
		t.PinnedAt = instant{}
	}
	if !t.Done {
		s.finish(t, off, now)
	}
	s.repack(now)
	return b, nil
}

// extend gives a block more minutes, up to the next event or pin; what does not
// fit there becomes another piece.
func (s *state) extend(id string, minutes int, now time.Time) (*Block, error) {
	if minutes < 1 || minutes > maxExtension {
		return nil, invalid("minutes", fmt.Sprintf("A block is extended by 1 to %d minutes.", maxExtension))
	}
	b, t, err := s.block(id)
	switch {
	case err != nil:
		return nil, err
	case b.final():
		return nil, final(b)
	}
	old := b.End.Time()
	end := old.Add(time.Duration(minutes) * time.Minute)
	if soon := now.Add(time.Minute).Truncate(time.Second); end.Before(soon) {
		end = soon
	}
	t.Remaining += minutesBetween(old, end)
	t.Minutes += minutesBetween(old, end)
	after := now
	if b.Start.Time().After(now) {
		after = b.Start.Time()
	}
	s.endAt(b, end, after)
	if b.End.Time().Before(old) { // it reached into the event before, and reaches no further now
		b.End = instant(old)
	}
	if b.State == Overrun && b.End.Time().After(now) {
		b.State, b.Started, b.Tick, b.Limit = Running, true, instant{}, instant{}
	}
	s.repack(now)
	return b, nil
}

// add adds a task.
func (s *state) add(id string, n NewTask, now time.Time) (*Task, error) {
	if len(s.tasks) >= maxTasks {
		return nil, refusal.New(refusal.TooMany, fmt.Sprintf("A planner has at most %d tasks; delete some that are done.", maxTasks))
	}
	t := &Task{
		ID: id, Title: n.Title, Minutes: n.Minutes, Remaining: n.Minutes, Due: instant(n.Due), NotBefore: instant(n.NotBefore),
		Priority: n.Priority, MinChunk: n.MinChunk, PinnedAt: instant(n.PinnedAt), Repeat: n.Repeat, Made: instant(now),
	}
	if err := s.sound(t, now); err != nil {
		return nil, err
	}
	s.tasks = append(s.tasks, t)
	s.tell(hub.Event{Type: TaskAdded, Task: t.ID}, now)
	s.repack(now)
	return t, nil
}

// sound refuses a task that no plan could have.
func (s *state) sound(t *Task, now time.Time) error {
	if err := t.check(); err != nil {
		return err
	}
	if t.PinnedAt.IsZero() || t.Done {
		return nil
	}
	from := t.PinnedAt.Time()
	until := from.Add(time.Duration(t.Remaining) * time.Minute)
	if !until.After(now) {
		return invalid("pinned_at", "This is over already.")
	}
	for _, o := range s.tasks {
		if o.ID == t.ID || o.Done || o.PinnedAt.IsZero() {
			continue
		}
		start := o.PinnedAt.Time()
		if end := start.Add(time.Duration(o.Remaining) * time.Minute); start.Before(until) && from.Before(end) {
			return refusal.At(refusal.PinConflict, "pinned_at", fmt.Sprintf("%s is pinned there, %s to %s.", o.Title,
				start.In(s.zone()).Format("15:04"), end.In(s.zone()).Format("15:04")))
		}
	}
	return nil
}

// edit changes a task.
func (s *state) edit(id string, e TaskEdit, now time.Time) (*Task, error) {
	t := s.task(id)
	if t == nil {
		return nil, noSuchTask()
	}
	next := *t
	set(&next.Title, e.Title)
	set(&next.Priority, e.Priority)
	set(&next.MinChunk, e.MinChunk)
	set(&next.Repeat, e.Repeat)
	for field, v := range map[*instant]*time.Time{&next.Due: e.Due, &next.NotBefore: e.NotBefore, &next.PinnedAt: e.PinnedAt} {
		if v != nil {
			*field = instant(*v)
		}
	}
	if e.Minutes != nil {
		if !next.Done {
			next.Remaining = max(next.Remaining+*e.Minutes-next.Minutes, s.underWay(id, now), 1)
		}
		next.Minutes = *e.Minutes
	}
	if e.Done != nil && !*e.Done && next.Done {
		next.Done, next.Remaining, next.Undo = false, max(next.Undo, 0), 0
		if next.Remaining == 0 {
			next.Remaining = next.Minutes
		}
	}
	if err := s.sound(&next, now); err != nil {
		return nil, err
	}
	*t = next
	for _, b := range s.blocks {
		if b.Task == t.ID && !b.final() {
			b.Title = t.Title
		}
	}
	if e.Done != nil && *e.Done && !t.Done {
		s.finishTask(t, t.Remaining, now)
	}
	s.repack(now)
	return t, nil
}

// underWay is how many minutes of a task stand in blocks that have begun: those
// do not change by themselves.
func (s *state) underWay(id string, now time.Time) (minutes int) {
	for _, b := range s.blocks {
		if b.Task == id && !b.final() && b.stands(now, s.over()) && (b.State != Planned || !b.Start.Time().After(now)) {
			minutes += b.minutes()
		}
	}
	return minutes
}

func set[T any](field *T, v *T) {
	if v != nil {
		*field = *v
	}
}

// remove deletes a task, and its blocks that are still to come.
func (s *state) remove(id string, now time.Time) error {
	t := s.task(id)
	if t == nil {
		return noSuchTask()
	}
	s.tasks = slices.DeleteFunc(s.tasks, func(o *Task) bool { return o == t })
	s.blocks = slices.DeleteFunc(s.blocks, func(b *Block) bool { return b.Task == id && !b.final() })
	s.repack(now)
	return nil
}

func noSuchTask() error { return refusal.New(refusal.NoSuchTask, "No task has this id.") }

// saveProfile changes how the person works.
func (s *state) saveProfile(p Profile, now time.Time) error {
	if err := p.check(); err != nil {
		return err
	}
	p.Next = instant(p.briefingAfter(now))
	s.profile, s.head.Saved = p, true
	s.expand()
	s.repack(now)
	return nil
}
