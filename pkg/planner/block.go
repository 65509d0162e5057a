package planner

import (
	"fmt"
	"slices"
	"time"

	"pocbakery/pkg/localtime"
)

// BlockState is where a block is in its life.
type BlockState string

// The states of a block.
const (
	Planned BlockState = "planned"
	Running BlockState = "running"
	Overrun BlockState = "overrun"
	Done    BlockState = "done"
	Missed  BlockState = "missed"
)

// Block is a piece of a task, placed in time.
type Block struct {
	ID      string     `json:"i"`
	Task    string     `json:"t"`
	Title   string     `json:"n"`
	Start   instant    `json:"s"`
	End     instant    `json:"e"`
	State   BlockState `json:"o"`
	Pinned  bool       `json:"x,omitzero"`
	Rolled  bool       `json:"r,omitzero"`
	Started bool       `json:"g,omitzero"`
	Left    bool       `json:"l,omitzero"` // its overrun is over
	Tick    instant    `json:"k,omitzero"` // of an overrun: when the rest is packed again
	Limit   instant    `json:"m,omitzero"` // of an overrun: when it is over
	From    instant    `json:"f,omitzero"` // where it stood before its last move
	Because string     `json:"b,omitzero"`

	// day is the row it was read from. What is final stays there, whatever zone
	// its person moves to: the row beside it may not have been read.
	day localtime.Date
}

// quarter is what an overrun is counted in, and overrunFor how long it lasts.
const (
	quarter    = 15 * time.Minute
	overrunFor = time.Hour
)

// final reports whether nothing happens to the block by itself any more.
func (b *Block) final() bool { return b.State == Done || b.State == Missed || b.Left }

func (b *Block) minutes() int { return minutesBetween(b.Start.Time(), b.End.Time()) }

// minutesBetween rounds up: a minute that was begun is a minute.
func minutesBetween(from, until time.Time) int {
	return int((until.Sub(from) + time.Minute - 1) / time.Minute)
}

// end is the instant at which something happens to the block by itself.
func (b *Block) end() (time.Time, bool) {
	switch {
	case b.final():
		return time.Time{}, false
	case b.State == Overrun:
		return b.Tick.Time(), true
	default:
		return b.End.Time(), true
	}
}

// stands reports whether the block does not move by itself: it has begun, is
// past or was put there by hand. While another runs over nothing begins.
func (b *Block) stands(now time.Time, over bool) bool {
	begun := b.Start.Time().Before(now) || (b.Start.Time().Equal(now) && !over)
	return b.final() || b.Pinned || b.State != Planned || begun
}

// over reports whether a block runs over its end.
func (s *state) over() bool {
	return slices.ContainsFunc(s.blocks, func(b *Block) bool { return b.State == Overrun && !b.Left })
}

// nextQuarter is the quarter hour after an instant. All zones of today are
// whole quarters from UTC.
func nextQuarter(t time.Time) time.Time { return t.Truncate(quarter).Add(quarter) }

func blockID(task string, n int) string { return fmt.Sprintf("%s-%d", task, n) }

func sortBlocks(blocks []*Block) {
	slices.SortStableFunc(blocks, func(a, b *Block) int { return a.Start.Time().Compare(b.Start.Time()) })
}
