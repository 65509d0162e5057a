package pack

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// oracle is the least lateness of tasks in one piece, by trying every order
// minute by minute, without any of the packer's code.
type oracle struct {
	p     Problem
	taken []bool // by five minutes from the problem's now
	best  int64
}

func (o *oracle) least() int64 {
	cells := int(o.p.Until.Sub(o.p.Now) / (5 * time.Minute))
	o.taken = make([]bool, cells)
	for i := range o.taken {
		from := o.p.Now.Add(time.Duration(i) * 5 * time.Minute)
		until := from.Add(5 * time.Minute)
		o.taken[i] = !slices.ContainsFunc(o.p.Work, func(w Span) bool { return !from.Before(w.From) && !until.After(w.Until) })
		for _, w := range o.p.Walls {
			o.taken[i] = o.taken[i] || (w.From.Add(-o.p.Buffer).Before(until) && from.Before(w.Until))
		}
	}
	o.best = 1 << 60
	o.try(o.p.Tasks, 0)
	return o.best
}

func (o *oracle) try(left []Task, late int64) {
	if late >= o.best {
		return
	}
	if len(left) == 0 {
		o.best = late
		return
	}
	for n, t := range left {
		rest := slices.Concat(left[:n:n], left[n+1:])
		cells := (t.Minutes + 4) / 5
		first := -1
		for i, free := 0, 0; i < len(o.taken); i++ {
			if free++; o.taken[i] || o.p.Now.Add(time.Duration(i)*5*time.Minute).Before(t.NotBefore) {
				free = 0
			}
			if free == cells {
				first = i - cells + 1
				break
			}
		}
		end := o.p.Until
		if first >= 0 {
			end = o.p.Now.Add(time.Duration(first)*5*time.Minute + time.Duration(t.Minutes)*time.Minute)
			for i := range cells {
				o.taken[first+i] = true
			}
		}
		o.try(rest, late+weight(t.Priority)*max(int64(end.Sub(t.Due)/time.Minute), 0))
		if first >= 0 {
			for i := range cells {
				o.taken[first+i] = false
			}
		}
	}
}

// Rule 3, against every order there is: equal on at least 95 of 100, never
// worse by more than a tenth.
func TestRule3TheSearchIsAsGoodAsTryingEveryOrder(t *testing.T) {
	equal, all, late := 0, 0, 0
	for seed := range uint64(400) {
		c := dice(seed + 10_000)
		p := c.problem(1+c.IntN(2), 3+c.IntN(6))
		for i := range p.Tasks {
			task := &p.Tasks[i]
			task.MinChunk = 0
			task.Minutes -= task.Minutes % 5 // so that the oracle's cells are exact
			if task.Due.IsZero() || c.IntN(2) == 0 {
				task.Due = at("09:00").Add(time.Duration(c.IntN(60)) * 5 * time.Minute)
			}
		}
		for i := range p.Walls {
			p.Walls[i].Until = p.Walls[i].From.Add(p.Walls[i].length().Truncate(5 * time.Minute))
		}
		least := (&oracle{p: p}).least()
		got := Pack(p).Lateness
		all++
		if least > 0 {
			late++
		}
		if got == least {
			equal++
		}
		if got < least || float64(got) > 1.1*float64(least) {
			t.Errorf("seed %d: lateness %d, the least is %d", seed, got, least)
		}
	}
	t.Logf("%d of %d equal, %d of them with lateness", equal, all, late)
	if equal*100 < all*95 || late < all/2 {
		t.Errorf("%d of %d equal, %d with lateness", equal, all, late)
	}
}

// one is a problem without walls: one stretch of work for all of them.
func one(tasks []Task) Problem {
	until := monday.AddDate(0, 0, 14)
	return Problem{Now: monday, Zone: time.UTC, Until: until, Work: []Span{{monday, until}}, Tasks: tasks}
}

// What is due already is worked off by weight over length (Smith's rule), and
// that is optimal.
func TestRule3TasksDueAtOnceAreAtTheKnownOptimum(t *testing.T) {
	for seed := range uint64(20) {
		c := dice(seed)
		var tasks []Task
		for n := range 40 {
			tasks = append(tasks, Task{ID: fmt.Sprint(n), Priority: 1 + c.IntN(4), Minutes: 5 * (1 + c.IntN(24)), Due: monday, Age: n})
		}
		byRule := slices.Clone(tasks)
		slices.SortStableFunc(byRule, func(a, b Task) int {
			return int(int64(a.Minutes)*weight(b.Priority) - int64(b.Minutes)*weight(a.Priority))
		})
		want, end := int64(0), 0
		for _, task := range byRule {
			end += task.Minutes
			want += weight(task.Priority) * int64(end)
		}
		if got := Pack(one(tasks)).Lateness; got != want {
			t.Errorf("seed %d: lateness %d, the optimum is %d", seed, got, want)
		}
	}
}

// Tasks of one length are an assignment of tasks to places, whose optimum a
// dynamic programme finds.
func TestRule3TasksOfOneLengthAreNearTheKnownOptimum(t *testing.T) {
	exact := 0
	for seed := range uint64(20) {
		c := dice(seed)
		const n, length = 12, 60
		var tasks []Task
		for i := range n {
			tasks = append(tasks, Task{ID: fmt.Sprint(i), Priority: 1 + c.IntN(4), Minutes: length, Due: monday.Add(time.Duration(c.IntN(n*length/5)) * 5 * time.Minute), Age: i})
		}
		best := make([]int64, 1<<n) // by the set of tasks placed first
		for set := 1; set < 1<<n; set++ {
			best[set] = 1 << 60
			count := 0
			for i := range n {
				count += set >> i & 1
			}
			end := monday.Add(time.Duration(count*length) * time.Minute)
			for i := range n {
				if set>>i&1 == 1 {
					best[set] = min(best[set], best[set&^(1<<i)]+weight(tasks[i].Priority)*max(int64(end.Sub(tasks[i].Due)/time.Minute), 0))
				}
			}
		}
		got, want := Pack(one(tasks)).Lateness, best[1<<n-1]
		if got == want {
			exact++
		}
		if got < want || float64(got) > 1.1*float64(want) {
			t.Errorf("seed %d: lateness %d, the optimum is %d", seed, got, want)
		}
	}
	if exact < 15 {
		t.Errorf("%d of 20 at the optimum", exact)
	}
}

// The growth over the number of tasks, over 14 days: a fresh plan, one after a
// meeting moved, and that with the reasons of everything in it.
func BenchmarkPack(b *testing.B) {
	for _, n := range []int{25, 50, 100, 200} {
		fresh := dice(7).problem(14, n)
		moved := fresh.publish(Pack(fresh))
		moved.Walls = slices.Clone(moved.Walls)
		moved.Walls[0].From, moved.Walls[0].Until = moved.Walls[0].From.Add(time.Hour), moved.Walls[0].Until.Add(time.Hour)
		for name, run := range map[string]func(){
			"fresh": func() { solve(fresh) }, "moved": func() { solve(moved) }, "moved, with reasons": func() { Pack(moved) },
		} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				for b.Loop() {
					run()
				}
			})
		}
	}
}
