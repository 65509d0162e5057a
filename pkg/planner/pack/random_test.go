package pack

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

var monday = time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)

func at(clock string) time.Time {
	t, err := time.Parse("2006-01-02 15:04", "2026-11-30 "+clock)
	if err != nil {
		panic(err)
	}
	return t
}

func span1(from, until string) Span { return Span{at(from), at(until)} }

// week is so many days of work from nine to five.
func week(days int) (work []Span) {
	for d := range days {
		work = append(work, Span{at("09:00").AddDate(0, 0, d), at("17:00").AddDate(0, 0, d)})
	}
	return work
}

// chance makes days that look like people's.
type chance struct{ *rand.Rand }

func dice(seed uint64) chance { return chance{rand.New(rand.NewPCG(seed, 1))} }

func (c chance) one(of ...int) int { return of[c.IntN(len(of))] }

// problem is a random one of so many days with so many tasks.
func (c chance) problem(days, tasks int) Problem {
	p := Problem{Now: monday, Zone: time.UTC, Until: monday.AddDate(0, 0, days), Buffer: time.Duration(c.one(0, 0, 5, 10)) * time.Minute}
	for d := range days {
		open := at("00:00").AddDate(0, 0, d)
		clock := func(minutes int) time.Time { return open.Add(time.Duration(minutes) * time.Minute) }
		switch c.IntN(5) {
		case 0:
			p.Work = append(p.Work, Span{clock(9 * 60), clock(12 * 60)}, Span{clock(13 * 60), clock(17 * 60)})
		case 1:
			p.Work = append(p.Work, Span{clock(8*60 + 30), clock(15 * 60)})
		default:
			p.Work = append(p.Work, Span{clock(9 * 60), clock(17 * 60)})
		}
		for n := range c.IntN(4) {
			from := clock(9*60 + 5*c.IntN(90))
			p.Walls = append(p.Walls, Wall{ID: fmt.Sprintf("e%d.%d", d, n), Title: fmt.Sprintf("Meeting %d.%d", d, n),
				Span: Span{from, from.Add(time.Duration(c.one(15, 30, 45, 60, 90, 7)) * time.Minute)}})
		}
	}
	for n := range tasks {
		p.Tasks = append(p.Tasks, c.task(n, days))
	}
	return p
}

func (c chance) task(n, days int) Task {
	t := Task{ID: fmt.Sprintf("t%d", n), Title: fmt.Sprintf("Task %d", n), Age: n, Priority: 1 + c.IntN(4), Minutes: c.one(15, 30, 45, 60, 60, 90, 120, 180, 50, 37)}
	if c.IntN(3) > 0 {
		t.Due = monday.Add(time.Duration(c.IntN(days*24*4)) * 15 * time.Minute)
	}
	if c.IntN(5) == 0 {
		t.NotBefore = monday.Add(time.Duration(c.IntN(days*24)) * time.Hour)
	}
	if c.IntN(3) == 0 {
		t.MinChunk = c.one(15, 30, 60)
	}
	return t
}

// publish is the problem with a plan as the one last published.
func (p Problem) publish(plan Plan) Problem {
	p.Tasks = slices.Clone(p.Tasks)
	for i := range p.Tasks {
		p.Tasks[i].Was = nil
		for _, piece := range plan.Pieces {
			if piece.Task == p.Tasks[i].ID {
				p.Tasks[i].Was = append(p.Tasks[i].Was, piece.Span)
			}
		}
	}
	return p
}

// disturb makes something happen to a day.
func (c chance) disturb(p Problem) Problem {
	p.Tasks, p.Walls, p.Work = slices.Clone(p.Tasks), slices.Clone(p.Walls), slices.Clone(p.Work)
	days := int(p.Until.Sub(p.Now) / (24 * time.Hour))
	switch c.IntN(6) {
	case 0, 1: // a meeting moves
		if len(p.Walls) > 0 {
			w := &p.Walls[c.IntN(len(p.Walls))]
			by := time.Duration(c.IntN(25)-12) * 15 * time.Minute
			w.From, w.Until = w.From.Add(by), w.Until.Add(by)
		}
	case 2: // one more
		from := p.Work[c.IntN(len(p.Work))].From.Add(time.Duration(c.IntN(40)) * 5 * time.Minute)
		p.Walls = append(p.Walls, Wall{ID: fmt.Sprintf("new%d", len(p.Walls)), Title: "New meeting", Span: Span{from, from.Add(time.Hour)}})
	case 3: // an urgent task
		t := c.task(len(p.Tasks), days)
		t.ID, t.Priority, t.Due, t.NotBefore = fmt.Sprintf("urgent%d", len(p.Tasks)), 1, p.Now.Add(time.Duration(2+c.IntN(20))*time.Hour), time.Time{}
		p.Tasks = append(p.Tasks, t)
	case 4: // a task is longer than was thought
		if len(p.Tasks) > 0 {
			p.Tasks[c.IntN(len(p.Tasks))].Minutes += c.one(15, 30, 60)
		}
	case 5: // a day is shorter
		w := &p.Work[c.IntN(len(p.Work))]
		w.Until = w.Until.Add(-time.Hour)
	}
	return p
}

// sound checks every rule that a plan keeps.
func sound(t *testing.T, p Problem, plan Plan) {
	t.Helper()
	placed := map[string]int{}
	pieces := map[string][]Piece{}
	for n, piece := range plan.Pieces {
		if n > 0 && plan.Pieces[n-1].Until.After(piece.From) {
			t.Errorf("P1: %v overlaps %v", piece, plan.Pieces[n-1])
		}
		if piece.From.Before(p.Now) || piece.Until.After(p.Until) || !piece.From.Truncate(5*time.Minute).Equal(piece.From) {
			t.Errorf("P1: %v is not on the grid between %v and %v", piece, p.Now, p.Until)
		}
		if !slices.ContainsFunc(p.Work, func(w Span) bool { return !piece.From.Before(w.From) && !piece.Until.After(w.Until) }) {
			t.Errorf("P1: %v is in no working interval", piece)
		}
		for _, w := range p.Walls {
			buffer := p.Buffer
			if w.Kind != Event {
				buffer = 0
			}
			if w.From.Add(-buffer).Before(piece.Until) && piece.From.Before(w.Until) {
				t.Errorf("P1: %v is on %v", piece, w)
			}
		}
		placed[piece.Task] += int(piece.length() / time.Minute)
		pieces[piece.Task] = append(pieces[piece.Task], piece)
	}
	for _, u := range plan.Unplaced {
		placed[u.Task] += u.Minutes
	}
	for _, task := range p.Tasks {
		if placed[task.ID] != task.Minutes {
			t.Errorf("%s: %d minutes of %d are placed or told", task.ID, placed[task.ID], task.Minutes)
		}
		for n, piece := range pieces[task.ID] {
			if piece.From.Before(task.NotBefore) || piece.N != n {
				t.Errorf("P1: %v begins too early, or is not piece %d", piece, n)
			}
			whole := len(plan.Unplaced) == 0 || !slices.ContainsFunc(plan.Unplaced, func(u Unplaced) bool { return u.Task == task.ID })
			last := n == len(pieces[task.ID])-1 && whole
			if length := int(piece.length() / time.Minute); n > 0 && task.MinChunk == 0 || length < task.MinChunk && !last && task.MinChunk < task.Minutes {
				t.Errorf("P2: piece %d of %s has %d minutes", n, task.ID, length)
			}
		}
	}
}
