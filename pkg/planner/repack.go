package planner

import (
	"slices"
	"time"

	"pocbakery/pkg/hub"
	"pocbakery/pkg/localtime"
	"pocbakery/pkg/planner/pack"
)

// horizonDays is how far ahead work is placed, in local days, today among them.
const horizonDays = 14

// repack places what can move anew, as of a business instant.
func (s *state) repack(at time.Time) {
	over := s.over()
	s.pin(at)
	p, movable := s.problem(at)
	plan := pack.Pack(p)

	changed, moves := false, int64(0)
	kept := slices.DeleteFunc(slices.Clone(s.blocks), func(b *Block) bool { return !b.stands(at, over) })
	pieces := map[string]int{}
	for _, piece := range plan.Pieces {
		n := pieces[piece.Task]
		pieces[piece.Task]++
		b := new(Block)
		t := s.task(piece.Task)
		if old := movable[piece.Task]; n < len(old) {
			*b = *old[n]
		} else {
			*b = Block{ID: blockID(t.ID, t.Pieces), Task: t.ID, State: Planned, Rolled: t.Rolled}
			t.Pieces++
			changed = true
		}
		changed = changed || !b.Start.Time().Equal(piece.From) || !b.End.Time().Equal(piece.Until)
		b.Title, b.Start, b.End = t.Title, instant(piece.From), instant(piece.Until)
		if piece.Moved != nil {
			b.From, b.Because = instant(piece.Moved.From), piece.Moved.Because
			moves++
		}
		kept = append(kept, b)
	}
	for id, old := range movable {
		changed = changed || len(old) > pieces[id]
	}
	s.blocks = kept
	sortBlocks(s.blocks)
	s.head.Unplaced, s.head.Late = nil, nil
	for _, u := range plan.Unplaced {
		s.head.Unplaced = append(s.head.Unplaced, left{u.Task, u.Because})
	}
	for _, l := range plan.Late {
		if s.head.Late == nil {
			s.head.Late = map[string]cause{}
		}
		s.head.Late[l.Task] = cause{l.Minutes, l.Because}
	}
	if changed {
		s.tell(hub.Event{Type: PlanChanged, Moves: moves}, at)
	}
}

// pin gives every pinned task its block.
func (s *state) pin(at time.Time) {
	over := s.over()
	for _, t := range s.tasks {
		var open *Block
		for _, b := range s.blocks {
			if b.Task == t.ID && b.Pinned && !b.final() {
				open = b
			}
		}
		switch {
		case open != nil && (t.PinnedAt.IsZero() || t.Done):
			open.Pinned = false
		case open == nil && !t.PinnedAt.IsZero() && !t.Done && t.Remaining > 0:
			open = &Block{ID: blockID(t.ID, t.Pieces), Task: t.ID, State: Planned, Pinned: true, Rolled: t.Rolled}
			t.Pieces++
			s.blocks = append(s.blocks, open)
			fallthrough
		case open != nil && open.State == Planned:
			open.Title, open.Start = t.Title, t.PinnedAt
			open.End = instant(t.PinnedAt.Time().Add(time.Duration(t.Remaining) * time.Minute))
			s.blocks = slices.DeleteFunc(s.blocks, func(b *Block) bool { return b.Task == t.ID && b != open && !b.stands(at, over) })
		}
	}
	sortBlocks(s.blocks)
}

// problem is what there is to pack, and the blocks that may move, by task.
func (s *state) problem(at time.Time) (pack.Problem, map[string][]*Block) {
	zone := s.zone()
	p := pack.Problem{
		Now: at, Zone: zone, Buffer: time.Duration(s.profile.Buffer) * time.Minute,
		Until: localtime.Instant(zone, s.today(at).AddDays(horizonDays), 0),
	}
	p.Work = s.profile.work(at, p.Until)
	for _, o := range s.busy {
		if o.busy && o.until.After(at) && o.from.Before(p.Until) {
			p.Walls = append(p.Walls, pack.Wall{ID: "event:" + o.id, Title: o.title, Span: pack.Span{From: o.from, Until: o.until}})
		}
	}
	over := s.over()
	movable, fixed := map[string][]*Block{}, map[string]int{}
	for _, b := range s.blocks {
		if b.final() {
			continue
		}
		if !b.stands(at, over) {
			movable[b.Task] = append(movable[b.Task], b)
			continue
		}
		fixed[b.Task] += b.minutes()
		wall := pack.Wall{ID: "block:" + b.ID, Title: b.Title, Kind: pack.Running, Span: pack.Span{From: b.Start.Time(), Until: b.End.Time()}}
		switch {
		case b.State == Overrun: // the rest begins at the next quarter hour
			wall.Kind, wall.Until = pack.Overrun, nextQuarter(at)
		case b.Pinned && b.Start.Time().After(at):
			wall.Kind = pack.Pin
		}
		p.Walls = append(p.Walls, wall)
	}
	for n, t := range s.tasks {
		minutes := t.Remaining - fixed[t.ID]
		if t.Done || minutes <= 0 {
			continue
		}
		task := pack.Task{
			ID: t.ID, Title: t.Title, Minutes: minutes, Priority: t.Priority, Due: t.Due.Time(), NotBefore: t.NotBefore.Time(),
			MinChunk: t.MinChunk, Age: n,
		}
		for _, b := range movable[t.ID] {
			task.Was = append(task.Was, pack.Span{From: b.Start.Time(), Until: b.End.Time()})
		}
		p.Tasks = append(p.Tasks, task)
	}
	return p, movable
}
