package pack

import "time"

// Span is a stretch of time, half-open.
type Span struct{ From, Until time.Time }

func (s Span) length() time.Duration { return s.Until.Sub(s.From) }

// Problem is what is to be packed.
type Problem struct {
	Now    time.Time // nothing is placed before it
	Until  time.Time // nor beyond it: the horizon
	Zone   *time.Location
	Work   []Span // working hours, in order, none touching another
	Walls  []Wall
	Buffer time.Duration // kept free before an event
	Tasks  []Task
}

// Wall is time that is taken.
type Wall struct {
	ID    string
	Title string
	Kind  WallKind
	Span
}

// WallKind is what takes the time.
type WallKind int

// The kinds of walls.
const (
	Event   WallKind = iota // of a calendar; the buffer is kept before it
	Pin                     // a task that was put there by hand
	Running                 // a block that has begun
	Overrun                 // a block that goes on past its end
)

// Task is work to be placed.
type Task struct {
	ID        string
	Title     string
	Minutes   int // to be placed
	Priority  int // 1, the most urgent, to 4
	Due       time.Time
	NotBefore time.Time
	MinChunk  int // the least length of a piece, in minutes; 0: one piece
	Age       int // the older of two tasks has the smaller
	// Was is where its pieces stand in the plan last published, in order.
	Was []Span
}

// Plan is a problem packed.
type Plan struct {
	Pieces   []Piece // by start
	Unplaced []Unplaced
	Late     []Late
	Lateness int64 // weighted minutes
}

// Piece is a task, or a part of it, in its place.
type Piece struct {
	Task string
	N    int // which of the task's pieces, from 0
	Span
	Moved *Moved // nil where it stands where it stood, or is new
}

// Moved says where a piece stood.
type Moved struct {
	From time.Time
	Reason
}

// Unplaced is a task that found no room, or not enough.
type Unplaced struct {
	Task    string
	Minutes int // that found none
	Reason
}

// Late is a task that ends after its due instant.
type Late struct {
	Task    string
	Minutes int
	Reason
}

// Reason is the constraint that forced something, in words and by name.
type Reason struct {
	Because string
	Cause   Cause
}

// weights of the priorities.
var weights = [...]int64{first: 1 << 20, 1: 8, 2: 4, 3: 2, 4: 1}

// first is a priority that no task has: it goes before all that have one.
const first = 0

func weight(priority int) int64 { return weights[min(max(priority, first), 4)] }
