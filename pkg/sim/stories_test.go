package sim

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"pocbakery/pkg/admission"
	"pocbakery/pkg/bakery"
)

var rewrite = flag.Bool("rewrite", false, "write the answers into testdata/stories")

// TestStories plays testdata/stories. A line is a clock, a command and, behind
// an arrow, the answer; the package doc says what the commands are.
func TestStories(t *testing.T) {
	files, err := filepath.Glob("testdata/stories/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no stories", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got, err := tellStory(string(text))
			if err != nil {
				t.Fatal(err)
			}
			if got == string(text) {
				return
			}
			if *rewrite {
				if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			want := strings.Split(string(text), "\n")
			for n, line := range strings.Split(got, "\n") {
				if n >= len(want) || line != want[n] {
					t.Errorf("line %d\n got %s\nwant %s", n+1, line, want[min(n, len(want)-1)])
				}
			}
		})
	}
}

// teller plays one story.
type teller struct {
	w      *World
	people map[string]*visitor
	orders map[string]bakery.OrderRef
}

// tellStory plays a story and returns it with the answers it got.
func tellStory(text string) (string, error) {
	var s *teller
	var out strings.Builder
	for n, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			out.WriteString(line + "\n")
			continue
		}
		told, _, _ := strings.Cut(line, "  -> ")
		stamp, command, ok := strings.Cut(told, "  ")
		layout := time.DateTime
		if strings.Contains(stamp, ".") {
			layout += ".000"
		}
		now, err := time.Parse(layout, stamp)
		if err != nil || !ok {
			return "", fmt.Errorf("line %d has no clock: %s", n+1, line)
		}
		if s == nil {
			s = &teller{w: open(Chaos, now), people: map[string]*visitor{}, orders: map[string]bakery.OrderRef{}}
			s.w.dice = diceOf(1, 1)
		}
		s.w.pass(now)
		answer, err := s.do(strings.TrimSpace(command))
		if err != nil {
			return "", fmt.Errorf("line %d: %w", n+1, err)
		}
		if s.w.wrong != nil {
			return "", fmt.Errorf("line %d: %w\n%s", n+1, s.w.wrong, strings.Join(s.w.story, "\n"))
		}
		fmt.Fprintf(&out, "%s  -> %s\n", strings.TrimRight(told, " "), answer)
	}
	return out.String(), nil
}

// do does a command, with what is to befall it before a colon.
func (s *teller) do(command string) (string, error) {
	if before, after, ok := strings.Cut(command, ": "); ok {
		if err := s.befall(before); err != nil {
			return "", err
		}
		command = after
	}
	f := strings.Fields(command)
	if len(f) == 0 {
		return "", fmt.Errorf("no command")
	}
	switch f[0] {
	case "admit":
		return s.admit(f[1], admission.Kind(f[2]))
	case "alarms":
		s.w.weather.outage = f[1] == "off"
		return f[1], nil
	case "open":
		return s.open(f[1], f[2])
	case "rule":
		return s.ask(func(ctx context.Context, k *worker) (string, error) {
			return "done", k.engine.Dispatch(ctx, k.engine.SweepJobs())
		})
	case "ledger":
		return s.ask(func(ctx context.Context, k *worker) (string, error) {
			st, err := k.desk.Status(ctx)
			return fmt.Sprintf("%s %d of %d", st.Date, st.Sandboxes.Used, st.Sandboxes.Cap), err
		})
	}
	v := s.people[f[1]]
	if v == nil {
		return "", fmt.Errorf("nobody is called %q", f[1])
	}
	return s.ask(func(ctx context.Context, k *worker) (string, error) { return s.visit(ctx, k, v, f) })
}

// open opens the shop every day between two hours of its wall.
func (s *teller) open(from, to string) (string, error) {
	hours := bakery.Interval{From: time.Duration(number(from)) * time.Hour, To: time.Duration(number(to)) * time.Hour}
	for d := range s.w.hours.Open {
		s.w.hours.Open[d] = []bakery.Interval{hours}
	}
	for _, k := range s.w.workers {
		k.start()
	}
	return "done", nil
}

// befall notes what is to befall the next request.
func (s *teller) befall(what string) error {
	sc := script{between: map[int]func(){}, faults: map[int]fault{}}
	for part := range strings.SplitSeq(what, ", ") {
		words := strings.Fields(part)
		switch {
		case strings.HasPrefix(part, "dies after commit "):
			sc.diesAfter = number(words[3])
		case strings.HasPrefix(part, "no reply to commit "):
			sc.faults[number(words[4])] = applied
		case strings.HasPrefix(part, "conflict in commit "):
			sc.faults[number(words[3])] = conflict
		case part == "no one-shot":
			sc.creates = true
		case part == "the table is down":
			sc.down = true
		case strings.HasPrefix(part, "before call "):
			command := strings.Join(words[3:], " ")
			sc.between[number(words[2])] = func() {
				if d, err := time.ParseDuration(command); err == nil {
					s.w.pass(s.w.now.Add(d))
					return
				}
				if _, err := s.do(command); err != nil {
					s.w.violated("stories", "%v", err)
				}
			}
		default:
			return fmt.Errorf("nothing is called %q", part)
		}
	}
	s.w.script = sc
	return nil
}

func number(s string) int { n, _ := strconv.Atoi(s); return n }

// ask makes a request and shows its answer.
func (s *teller) ask(call func(context.Context, *worker) (string, error)) (answer string, err error) {
	k := s.w.workers[0]
	_, lived, err := s.w.ask(k, false, func(ctx context.Context) (err error) {
		answer, err = call(ctx, k)
		return err
	})
	s.w.script = script{}
	if !lived {
		return "it dies", nil
	}
	if code := s.w.answer(err); code != "" {
		return code, nil
	}
	return answer, nil
}

func (s *teller) admit(name string, kind admission.Kind) (string, error) {
	v := s.people[name]
	if v == nil {
		v = &visitor{name: name, key: "the key of visitor " + name + " 123456"}
		s.people[name] = v
		s.w.visitors = append(s.w.visitors, v)
	}
	return s.ask(func(ctx context.Context, k *worker) (string, error) {
		a, err := k.desk.Admit(ctx, admission.Request{Kind: kind, Key: v.key, TurnstileToken: "a token"})
		if err != nil {
			return "", err
		}
		again := ""
		if a.Replayed {
			again = ", as before"
		}
		if v.id != "" && v.id != a.Root.ID {
			again = ", another one"
		}
		v.id, v.ends = a.Root.ID, a.Root.EndsAt
		return "a sandbox until " + at(a.Root.EndsAt) + again, nil
	})
}
