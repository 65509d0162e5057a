package api

import (
	"context"
	"slices"
	"strconv"
	"sync"

	"pocbakery/pkg/calendar"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/localtime"
	"pocbakery/pkg/planner"
	"pocbakery/pkg/refusal"
)

// fakePlanner keeps what a planner keeps: one task a key, and ids that are known.
type fakePlanner struct {
	mu        sync.Mutex
	profile   planner.Profile
	tasks     []planner.TaskView
	calendars []planner.Calendar
	keys      map[string]string // of keys, what they made
	edit      planner.TaskEdit  // the last
	made      planner.NewTask   // the last
	pushed    []string
	connected planner.NewCalendar // the last
	fail      error               // instead of any answer
}

func newFakePlanner() *fakePlanner {
	return &fakePlanner{
		profile: planner.DefaultProfile(), keys: map[string]string{},
		tasks:     []planner.TaskView{{Task: planner.Task{ID: "tokena", Title: "Order flour", Minutes: 60, Remaining: 60, Priority: 1}, FinishesAt: noon, Late: &planner.Late{Minutes: 5, Because: "it is late"}}},
		calendars: []planner.Calendar{{ID: "tokena", Kind: planner.ShopOf, Name: "Pickups", State: planner.CalendarOK, Pickup: 5}},
	}
}

func (f *fakePlanner) begin() (func(), error) {
	f.mu.Lock()
	return f.mu.Unlock, f.fail
}

func (f *fakePlanner) view() planner.ProfileView {
	return planner.ProfileView{Profile: f.profile, FeedKey: "good"}
}

func (f *fakePlanner) Profile(context.Context, hub.Who) (planner.ProfileView, error) {
	done, err := f.begin()
	defer done()
	return f.view(), err
}

func (f *fakePlanner) SaveProfile(_ context.Context, _ hub.Who, p planner.Profile) (planner.ProfileView, error) {
	done, err := f.begin()
	defer done()
	if err == nil {
		f.profile = p
	}
	return f.view(), err
}

func (f *fakePlanner) NewFeedKey(context.Context, hub.Who) (planner.ProfileView, error) {
	done, err := f.begin()
	defer done()
	return f.view(), err
}

func (f *fakePlanner) day() planner.Plan {
	d, _ := localtime.ParseDate("2026-11-30")
	return planner.Plan{Date: d, Unplaced: []planner.Unplaced{{Task: "tokenb", Because: "no day has more than 480"}}, Blocks: []planner.BlockView{
		{ID: "tokena-0", Task: "tokena", Title: "Order flour", StartsAt: noon, EndsAt: noon, State: planner.Planned, Pinned: true, Overlaps: true, Rolled: true, Moved: &planner.Moved{From: noon, Because: "a call"}},
		{ID: "e", Event: &planner.EventRef{ID: "e", Title: "Call", Calendar: "tokena"}, Title: "Call", StartsAt: noon, EndsAt: noon, State: planner.Done},
	}}
}

func (f *fakePlanner) Plans(_ context.Context, _ hub.Who, _ localtime.Date, days int) ([]planner.Plan, error) {
	done, err := f.begin()
	defer done()
	return slices.Repeat([]planner.Plan{f.day()}, days), err
}

func (f *fakePlanner) Briefings(context.Context, hub.Who, int) ([]planner.Briefing, error) {
	done, err := f.begin()
	defer done()
	return []planner.Briefing{{Date: f.day().Date, SentAt: noon, Subject: "Monday", Text: "a", HTML: "<p>a"}}, err
}

func (f *fakePlanner) Events(_ context.Context, _ hub.Who, after string, _ int) ([]hub.Event, string, error) {
	done, err := f.begin()
	defer done()
	e := hub.Event{Type: planner.PlanChanged, Wall: noon, At: noon, Moves: 2, Nth: 1}
	return []hub.Event{e, {Type: planner.TaskAdded, Wall: noon, At: noon, Task: "tokena"}}, after, err
}

func (f *fakePlanner) Feed(_ context.Context, key string) (string, error) {
	done, err := f.begin()
	defer done()
	if err == nil && key != "good" {
		err = refusal.New(refusal.Unauthenticated, "No.")
	}
	return "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n", err
}

func (f *fakePlanner) Unsubscribe(_ context.Context, key string) error {
	done, err := f.begin()
	defer done()
	if err == nil && key != "good" {
		err = refusal.New(refusal.Unauthenticated, "No.")
	}
	return err
}

func (f *fakePlanner) Tasks(context.Context, hub.Who, planner.TaskQuery) ([]planner.TaskView, string, error) {
	done, err := f.begin()
	defer done()
	return slices.Clone(f.tasks), "", err
}

func (f *fakePlanner) find(id string) (int, error) {
	i := slices.IndexFunc(f.tasks, func(t planner.TaskView) bool { return t.ID == id })
	if i < 0 {
		return 0, refusal.New(refusal.NoSuchTask, "No such task.")
	}
	return i, nil
}

func (f *fakePlanner) AddTask(_ context.Context, _ hub.Who, key string, n planner.NewTask) (planner.TaskView, bool, error) {
	done, err := f.begin()
	defer done()
	if err != nil {
		return planner.TaskView{}, false, err
	}
	f.made = n
	if id := f.keys[key]; key != "" && id != "" {
		i, err := f.find(id)
		return f.tasks[i], true, err
	}
	t := planner.TaskView{Task: planner.Task{ID: "task" + strconv.Itoa(len(f.tasks)), Title: n.Title, Minutes: n.Minutes, Remaining: n.Minutes, Priority: n.Priority}}
	f.tasks, f.keys[key] = append(f.tasks, t), t.ID
	return t, false, nil
}

func (f *fakePlanner) EditTask(_ context.Context, _ hub.Who, id string, e planner.TaskEdit) (planner.TaskView, error) {
	done, err := f.begin()
	defer done()
	if err != nil {
		return planner.TaskView{}, err
	}
	f.edit = e
	i, err := f.find(id)
	return f.tasks[i], err
}

func (f *fakePlanner) DeleteTask(_ context.Context, _ hub.Who, id string) error {
	done, err := f.begin()
	defer done()
	if err != nil {
		return err
	}
	i, err := f.find(id)
	if err == nil {
		f.tasks = slices.Delete(f.tasks, i, i+1)
	}
	return err
}

func (f *fakePlanner) StartBlock(context.Context, hub.Who, string, string) (planner.Plan, bool, error) {
	done, err := f.begin()
	defer done()
	return f.day(), false, err
}

func (f *fakePlanner) FinishBlock(context.Context, hub.Who, string, string, int) (planner.Plan, bool, error) {
	done, err := f.begin()
	defer done()
	return f.day(), true, err
}

func (f *fakePlanner) ExtendBlock(context.Context, hub.Who, string, string, int) (planner.Plan, bool, error) {
	done, err := f.begin()
	defer done()
	return f.day(), false, err
}

func (f *fakePlanner) Calendars(context.Context, hub.Who) ([]planner.Calendar, error) {
	done, err := f.begin()
	defer done()
	return slices.Clone(f.calendars), err
}

func (f *fakePlanner) Connect(_ context.Context, _ hub.Who, key string, n planner.NewCalendar) (planner.Calendar, bool, error) {
	done, err := f.begin()
	defer done()
	f.connected = n
	return planner.Calendar{ID: "cal", Kind: n.Kind, Name: "Calendar", State: planner.CalendarError, Error: "it answered 404"}, false, err
}

func (f *fakePlanner) EditCalendar(_ context.Context, _ hub.Who, id string, _ planner.CalendarEdit) (planner.Calendar, error) {
	done, err := f.begin()
	defer done()
	return f.calendars[0], err
}

func (f *fakePlanner) Disconnect(context.Context, hub.Who, string) error {
	done, err := f.begin()
	defer done()
	return err
}

func (f *fakePlanner) GoogleLogin(context.Context, hub.Who) (planner.Login, error) {
	done, err := f.begin()
	defer done()
	return planner.Login{URL: "https://google.example/consent?state=s", Cookie: "sealed"}, err
}

func (f *fakePlanner) Offered(context.Context, hub.Who) ([]calendar.Listed, error) {
	done, err := f.begin()
	defer done()
	return []calendar.Listed{{ID: "me", Name: "Me", Primary: true}}, err
}

func (f *fakePlanner) Push(_ context.Context, channel, token string) error {
	done, err := f.begin()
	defer done()
	f.pushed = append(f.pushed, channel+" "+token)
	return err
}
