package pack

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// Rules 3, 4 and 6 of the planner: P1 and P2 on random days, again after
// something happened to them.
func TestRules3To6NoPlanBreaksARule(t *testing.T) {
	for seed := range uint64(400) {
		c := dice(seed)
		p := c.problem(1+c.IntN(5), c.IntN(25))
		plan := Pack(p)
		sound(t, p, plan)
		p = c.disturb(p.publish(plan))
		sound(t, p, Pack(p))
		if t.Failed() {
			t.Fatal("seed ", seed)
		}
	}
}

// Rule 5.
func TestRule5PackingAgainWhatNothingHappenedToChangesNothing(t *testing.T) {
	for seed := range uint64(600) {
		c := dice(seed)
		p := c.problem(1+c.IntN(4), c.IntN(20))
		for range 3 {
			plan := Pack(p)
			p = p.publish(plan)
			again := Pack(p)
			for _, piece := range again.Pieces {
				if piece.Moved != nil {
					t.Fatalf("seed %d: %v moved, though nothing happened", seed, piece)
				}
			}
			if a, b := places(plan), places(again); !slices.Equal(a, b) {
				t.Fatalf("seed %d:\n%v\n%v", seed, a, b)
			}
			p = c.disturb(p)
		}
	}
}

func places(p Plan) (out []string) {
	for _, piece := range p.Pieces {
		out = append(out, piece.Task+" "+piece.From.Format("2 15:04")+" to "+piece.Until.Format("15:04"))
	}
	return out
}

// Rule 5: what a moved meeting does not hit stays, unless somebody would be
// later for it.
func TestRule5OneMovedMeetingMovesOnlyWhatItHits(t *testing.T) {
	others := 0
	for seed := range uint64(600) {
		c := dice(seed)
		p := c.problem(1+c.IntN(4), 3+c.IntN(15))
		if len(p.Walls) == 0 {
			continue
		}
		p = p.publish(Pack(p))
		w := &p.Walls[c.IntN(len(p.Walls))]
		by := time.Duration(c.IntN(25)-12) * 15 * time.Minute
		w.From, w.Until = w.From.Add(by), w.Until.Add(by)
		plan := Pack(p)
		hit := func(piece Piece, was Span) bool {
			return w.From.Add(-p.Buffer).Before(was.Until) && was.From.Before(w.Until)
		}
		for _, piece := range plan.Pieces {
			i := slices.IndexFunc(p.Tasks, func(t Task) bool { return t.ID == piece.Task })
			if piece.Moved == nil || minutes(p.Tasks[i].Was) != p.Tasks[i].Minutes || slices.ContainsFunc(p.Tasks[i].Was, func(s Span) bool { return hit(piece, s) }) {
				continue
			}
			others++
			if stay := staying(p, hit); plan.Lateness >= stay {
				t.Fatalf("seed %d: %v moved for a meeting elsewhere, and the lateness is %d instead of %d", seed, piece, plan.Lateness, stay)
			}
		}
	}
	if others == 0 {
		t.Error("nothing ever moved for somebody's lateness: this test looked at nothing")
	}
}

func minutes(spans []Span) (sum int) {
	for _, s := range spans {
		sum += int(s.length() / time.Minute)
	}
	return sum
}

func ends(p Plan, task string) (end time.Time) {
	for _, piece := range p.Pieces {
		if piece.Task == task {
			end = piece.Until
		}
	}
	return end
}

// staying is the least lateness with everything that was not hit where it stood.
func staying(p Problem, hit func(Piece, Span) bool) int64 {
	var free []Task
	p.Walls = slices.Clone(p.Walls)
	fixed := int64(0)
	for _, task := range p.Tasks {
		if len(task.Was) == 0 || slices.ContainsFunc(task.Was, func(s Span) bool { return hit(Piece{}, s) }) {
			task.Was = nil
			free = append(free, task)
			continue
		}
		for _, s := range task.Was {
			p.Walls = append(p.Walls, Wall{ID: "fixed", Kind: Pin, Span: s})
		}
		if end := task.Was[len(task.Was)-1].Until; !task.Due.IsZero() && end.After(task.Due) {
			fixed += weight(task.Priority) * int64(end.Sub(task.Due)/time.Minute)
		}
	}
	p.Tasks = free
	return fixed + Pack(p).Lateness
}

func TestTheSameProblemHasTheSamePlan(t *testing.T) {
	for seed := range uint64(50) {
		p := dice(seed).problem(3, 20)
		if a, b := Pack(p), Pack(p); !reflect.DeepEqual(a, b) {
			t.Fatal("seed ", seed)
		}
	}
}

func TestRule3ATaskWithoutDueDisplacesNothing(t *testing.T) {
	p := Problem{Now: monday, Zone: time.UTC, Until: monday.AddDate(0, 0, 1), Work: week(1), Tasks: []Task{
		{ID: "old", Title: "Sweep", Minutes: 300, Priority: 4, Was: []Span{span1("09:00", "14:00")}},
		{ID: "new", Title: "Order flour", Minutes: 200, Priority: 1, Age: 1},
	}}
	plan := Pack(p)
	if len(plan.Pieces) != 1 || plan.Pieces[0].Moved != nil || len(plan.Unplaced) != 1 || plan.Unplaced[0].Task != "new" {
		t.Error(plan)
	}
	p.Tasks[1].Due = at("12:20") // now it can be late, and takes its place
	plan = Pack(p)
	if plan.Lateness != 0 || len(plan.Unplaced) != 1 || plan.Unplaced[0].Task != "old" || plan.Unplaced[0].Cause != (Cause{Kind: ByPiece}) {
		t.Errorf("%+v", plan)
	}
}

func TestRule5WhatBecomesFreeIsNotFilledByPullingForward(t *testing.T) {
	p := Problem{Now: monday, Zone: time.UTC, Until: monday.AddDate(0, 0, 1), Work: week(1), Tasks: []Task{
		{ID: "a", Minutes: 60, Priority: 1, Was: []Span{span1("11:00", "12:00")}},
		{ID: "b", Minutes: 60, Priority: 4, Age: 1},
	}}
	if got := places(Pack(p)); !slices.Equal(got, []string{"b 30 09:00 to 10:00", "a 30 11:00 to 12:00"}) {
		t.Error(got)
	}
}

// Rule 9, the sentences.
func TestRule9TheSentenceNamesTheOtherWithItsTimes(t *testing.T) {
	base := Problem{Now: monday, Zone: time.UTC, Until: monday.AddDate(0, 0, 14), Work: week(14)}
	call := Wall{ID: "e1", Title: "Supplier call", Span: span1("09:00", "10:00")}
	for _, c := range []struct {
		name  string
		walls []Wall
		tasks []Task
		want  string
	}{
		{"a meeting on it", []Wall{call}, []Task{{ID: "a", Minutes: 60, Priority: 1, Was: []Span{span1("09:00", "10:00")}}},
			"moved from 09:00: Supplier call now 09:00 to 10:00"},
		{"a block that runs over", []Wall{{ID: "b", Title: "Order flour", Kind: Overrun, Span: span1("09:00", "10:15")}},
			[]Task{{ID: "a", Minutes: 60, Priority: 1, Was: []Span{span1("10:00", "11:00")}}},
			"moved from 10:00: Order flour is not done and runs over, 09:00 to 10:15"},
		{"longer than every day", nil, []Task{{ID: "a", Minutes: 600, Priority: 4}},
			"needs 600 minutes in one piece, no day has more than 480"},
		{"more urgent work", nil, []Task{
			{ID: "a", Title: "Sweep", Minutes: 60, Priority: 4, Was: []Span{span1("09:00", "10:00")}},
			{ID: "b", Title: "Order flour", Minutes: 60, Priority: 1, Due: at("10:00"), Age: 1}},
			"moved from 09:00: Order flour (priority 1, due 10:00) takes 09:00 to 10:00"},
		{"due before it can be done", nil, []Task{{ID: "a", Minutes: 90, Priority: 2, Due: at("09:15")}},
			"ends 10:30, due 09:15: its 90 minutes are due 09:15"},
		{"late for a meeting", []Wall{call}, []Task{{ID: "a", Minutes: 60, Priority: 2, Due: at("10:00")}},
			"ends 11:00, due 10:00: Supplier call now 09:00 to 10:00"},
	} {
		p := base
		p.Walls, p.Tasks = c.walls, c.tasks
		plan := Pack(p)
		var said []string
		for _, piece := range plan.Pieces {
			if piece.Moved != nil {
				said = append(said, piece.Moved.Because)
			}
		}
		for _, l := range plan.Late {
			said = append(said, l.Because)
		}
		for _, u := range plan.Unplaced {
			said = append(said, u.Because)
		}
		if got := strings.Join(said, "; "); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// Rule 9: without the named constraint, and with all else the same, the task
// does better.
func TestRule9EveryReasonIsTheOneThatForcedIt(t *testing.T) {
	reasons := map[CauseKind]int{}
	moves, lates, lefts := 0, 0, 0
	for seed := range uint64(1000) {
		c := dice(seed)
		p := c.problem(1+c.IntN(2), 3+c.IntN(8))
		p = c.disturb(p.publish(Pack(p)))
		plan := Pack(p)
		without := func(task string, r Reason) Plan {
			reasons[r.Cause.Kind]++
			if r.Because == "" || r.Cause.Kind == 0 {
				t.Fatalf("seed %d: %s has no reason: %+v", seed, task, r)
			}
			q := p.Without(task, r.Cause)
			if reflect.DeepEqual(p, q) {
				t.Fatalf("seed %d: %s names nothing that can be taken away: %+v", seed, task, r)
			}
			return Pack(q)
		}
		for _, piece := range plan.Pieces {
			if piece.Moved == nil {
				continue
			}
			moves++
			q := without(piece.Task, piece.Moved.Reason)
			i := slices.IndexFunc(q.Pieces, func(o Piece) bool { return o.Task == piece.Task && o.N == piece.N })
			nearer := i >= 0 && q.Pieces[i].From.Sub(piece.Moved.From).Abs() < piece.From.Sub(piece.Moved.From).Abs()
			whole := !slices.ContainsFunc(q.Unplaced, func(u Unplaced) bool { return u.Task == piece.Task })
			sooner := whole && ends(q, piece.Task).Before(ends(plan, piece.Task))
			if !nearer && !sooner && (i >= 0 || !whole) {
				t.Fatalf("seed %d: without %+v, %v is no nearer to where it stood", seed, piece.Moved.Reason, piece)
			}
		}
		for _, l := range plan.Late {
			lates++
			q := without(l.Task, l.Reason)
			for _, again := range q.Late {
				if again.Task == l.Task && again.Minutes >= l.Minutes {
					t.Fatalf("seed %d: without %+v, %s is as late", seed, l.Reason, l.Task)
				}
			}
			if slices.ContainsFunc(q.Unplaced, func(u Unplaced) bool { return u.Task == l.Task }) {
				t.Fatalf("seed %d: without %+v, %s is not even placed", seed, l.Reason, l.Task)
			}
		}
		for _, u := range plan.Unplaced {
			lefts++
			q := without(u.Task, u.Reason)
			for _, again := range q.Unplaced {
				if again.Task == u.Task && again.Minutes >= u.Minutes {
					t.Fatalf("seed %d: without %+v, as much of %s finds no room", seed, u.Reason, u.Task)
				}
			}
		}
	}
	t.Logf("%d moves, %d late, %d unplaced; by kind %v", moves, lates, lefts, reasons)
	if moves < 500 || lates < 300 || lefts < 500 {
		t.Errorf("too few were looked at: %d moves, %d late, %d unplaced", moves, lates, lefts)
	}
}
