package planner

import (
	"context"
	"crypto/sha256"

	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pocbakery/pkg/alarm"
	"pocbakery/pkg/calendar"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/hub/hubtest"
	"pocbakery/pkg/localtime"
	"pocbakery/pkg/refusal"
	"pocbakery/pkg/store"
)

// desk is a planner in a world of its own, with one hub.
type desk struct {
	*hubtest.World
	t       testing.TB
	p       *Service
	who     hub.Who
	side    *side
	pickups []Pickup
	mailed  []string
	outs    []string // the secrets by which the mails end
}

// side is the other side of every ICS calendar.
type side struct {
	events []calendar.Event
	asked  int
	fail   error
	stays  bool // nothing changed since the last time
}

func (s *side) Fetch(_ context.Context, _ string, last calendar.State, _ time.Time) (calendar.Fetched, error) {
	s.asked++
	if s.fail != nil {
		return calendar.Fetched{}, s.fail
	}
	last.Feed = calendar.Feed{Events: slices.Clone(s.events)}
	return calendar.Fetched{State: last, Changed: !s.stays}, nil
}

// meeting is an event of that day's clock, in UTC: "10:00", "11:00".
func meeting(id, title, day, from, until string) calendar.Event {
	at := func(clock string) calendar.Stamp {
		t, err := time.Parse("2006-01-02 15:04", day+" "+clock)
		if err != nil {
			panic(err)
		}
		return calendar.Stamp{Clock: t, Zone: "UTC"}
	}
	return calendar.Event{ID: id, UID: id, Title: title, Start: at(from), End: at(until)}
}

func (d *desk) Pickups(_ context.Context, _ hub.ID, from, until time.Time) (out []Pickup, err error) {
	for _, p := range d.pickups {
		if !p.At.Before(from) && p.At.Before(until) {
			out = append(out, p)
		}
	}
	return out, nil
}

func (d *desk) Send(_ context.Context, _ hub.ID, b Briefing) error {
	d.mailed, d.outs = append(d.mailed, b.Date.String()), append(d.outs, b.Unsubscribe)
	return nil
}

// lasting is a planner of an account's hub, which has no end, on a UTC clock.
func lasting(t testing.TB, clock string) *desk { return open(t, clock, hub.Root{ID: "account1"}) }

// borrowed is a planner of a sandbox.
func borrowed(t testing.TB, clock string) *desk {
	return open(t, clock, hub.Root{ID: "sandbox1", Kind: "guest"})
}

func open(t testing.TB, clock string, root hub.Root) *desk {
	t.Helper()
	d := &desk{World: hubtest.At(t, clock), t: t, side: &side{}}
	root.BornAt = d.Now()
	fields := store.Fields{"kind": root.Kind, "born_at": store.FormatInstant(root.BornAt)}
	if root.Kind != "" {
		root.EndsAt = root.BornAt.Add(30 * 24 * time.Hour) // longer than a real one, so that a story fits in
		fields["ends_at"] = store.FormatInstant(root.EndsAt)
	}
	if err := d.Engine.Commit(context.Background(), root, root.Now(d.Now()), store.Put(root.Key(hub.RootSK), store.IfAbsent(), fields)); err != nil {
		t.Fatal(err)
	}
	d.p = New(Config{
		Engine: d.Engine, Random: rand.NewChaCha8([32]byte{1}), Pickups: d, Mail: d,
		Sides: map[string]calendar.Side{ICS: d.side},
		MAC: func(purpose string, parts ...string) [32]byte {
			return sha256.Sum256(fmt.Appendf(nil, "%s %q", purpose, parts))
		},
	})
	d.who = hub.Who{Hub: root.ID, Role: hub.Baker}
	return d
}

// nineToFive is a profile in UTC with work every day.
func nineToFive() Profile {
	p := Profile{Zone: "UTC", Briefing: "07:00"}
	for day := range p.Hours {
		p.Hours[day] = [][2]string{{"09:00", "17:00"}}
	}
	return p
}

func (d *desk) ctx() context.Context { return context.Background() }

func (d *desk) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) refused(err error, code refusal.Code) {
	d.t.Helper()
	if !refusal.Is(err, code) {
		d.t.Errorf("%v, want %s", err, code)
	}
}

func (d *desk) save(p Profile) {
	d.t.Helper()
	_, err := d.p.SaveProfile(d.ctx(), d.who, p)
	d.must(err)
}

// fresh empties the planner of what it was born with.
func (d *desk) fresh() *desk {
	d.t.Helper()
	d.save(nineToFive())
	tasks, _, err := d.p.Tasks(d.ctx(), d.who, TaskQuery{Limit: 100})
	d.must(err)
	for _, t := range tasks {
		d.must(d.p.DeleteTask(d.ctx(), d.who, t.ID))
	}
	cals, err := d.p.Calendars(d.ctx(), d.who)
	d.must(err)
	for _, c := range cals {
		d.must(d.p.Disconnect(d.ctx(), d.who, c.ID))
	}
	return d
}

func (d *desk) add(n NewTask) TaskView {
	d.t.Helper()
	if n.Priority == 0 {
		n.Priority = 2
	}
	t, _, err := d.p.AddTask(d.ctx(), d.who, "", n)
	d.must(err)
	return t
}

func (d *desk) connect() Calendar {
	d.t.Helper()
	c, _, err := d.p.Connect(d.ctx(), d.who, "", NewCalendar{Kind: ICS, URL: "https://example.org/a.ics"})
	d.must(err)
	return c
}

func (d *desk) plan(day string) Plan {
	d.t.Helper()
	on, _ := localtime.ParseDate(day)
	plans, err := d.p.Plans(d.ctx(), d.who, on, 1)
	d.must(err)
	return plans[0]
}

// told is a plan in one line a block, in UTC.
func told(p Plan) string {
	var out []string
	for _, b := range p.Blocks {
		line := fmt.Sprintf("%s to %s %s", b.StartsAt.Format("15:04"), b.EndsAt.Format("15:04"), b.Title)
		switch {
		case b.Event != nil:
			line += " (event)"
		default:
			line += " (" + string(b.State) + ")"
		}
		if b.Moved != nil {
			line += " from " + b.Moved.From.Format("15:04")
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

func (d *desk) sees(day, want string) Plan {
	d.t.Helper()
	p := d.plan(day)
	if got := told(p); got != strings.TrimSpace(want) {
		d.t.Errorf("%s at %s:\n%s\nwant\n%s", day, d.business().Format("15:04"), got, want)
	}
	return p
}

// business is the hub's business time.
func (d *desk) business() time.Time {
	v, err := d.Engine.Open(d.ctx(), d.who)
	d.must(err)
	return v.Now.Business
}

// until lets wall time pass to a UTC clock time of today, or of tomorrow.
func (d *desk) until(clock string) {
	d.t.Helper()
	t, err := time.Parse("15:04", clock)
	d.must(err)
	now := d.Now()
	to := time.Date(now.Year(), now.Month(), now.Day(), t.Hour(), t.Minute(), 0, 0, time.UTC)
	if !to.After(now) {
		to = to.AddDate(0, 0, 1)
	}
	d.Advance(to.Sub(now))
}

// jump moves the business clock, as a sandbox's visitor does.
func (d *desk) jump(by time.Duration) hub.Ran {
	d.t.Helper()
	v, err := d.Engine.Open(d.ctx(), d.who)
	d.must(err)
	d.must(d.Engine.Commit(d.ctx(), v.Root, v.Now, v.Root.MoveWrite(by, v.Now.Wall)))
	ran, err := d.Engine.Run(d.ctx(), alarm.Schedule{Hub: string(d.who.Hub)})
	d.must(err)
	return ran
}

// rows are the hub's items with this prefix.
func (d *desk) rows(prefix string) (out []string) {
	d.t.Helper()
	v := hub.View{Root: hub.Root{ID: d.who.Hub}, Now: hub.Now{Wall: d.Now()}}
	items, err := d.Engine.ListAll(d.ctx(), v, store.Prefix(prefix))
	d.must(err)
	for _, i := range items {
		out = append(out, i.SK)
	}
	return out
}

func (d *desk) events() (out []string) {
	d.t.Helper()
	for after := ""; ; {
		events, next, err := d.p.Events(d.ctx(), d.who, after, 100)
		d.must(err)
		for _, e := range events {
			out = append(out, string(e.Type))
		}
		if len(events) == 0 {
			return out
		}
		after = next
	}
}

func alarmOf(d *desk) alarm.Schedule { return alarm.Schedule{Hub: string(d.who.Hub)} }
