package web

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"pocbakery/pkg/hub"
	"pocbakery/pkg/localtime"
	"pocbakery/pkg/planner"
	"pocbakery/pkg/refusal"
)

// Planner plans a person's days. *planner.Service is one.
type Planner interface {
	Profile(ctx context.Context, who hub.Who) (planner.ProfileView, error)
	Plans(ctx context.Context, who hub.Who, from localtime.Date, days int) ([]planner.Plan, error)
	Tasks(ctx context.Context, who hub.Who, q planner.TaskQuery) ([]planner.TaskView, string, error)
	Calendars(ctx context.Context, who hub.Who) ([]planner.Calendar, error)
	Briefings(ctx context.Context, who hub.Who, limit int) ([]planner.Briefing, error)
	PlannerCommands
}

// PlannerCommands are what the forms of the page do.
type PlannerCommands interface {
	AddTask(ctx context.Context, who hub.Who, key string, n planner.NewTask) (planner.TaskView, bool, error)
	EditTask(ctx context.Context, who hub.Who, id string, e planner.TaskEdit) (planner.TaskView, error)
	DeleteTask(ctx context.Context, who hub.Who, id string) error
	StartBlock(ctx context.Context, who hub.Who, key, id string) (planner.Plan, bool, error)
	FinishBlock(ctx context.Context, who hub.Who, key, id string, minutes int) (planner.Plan, bool, error)
	ExtendBlock(ctx context.Context, who hub.Who, key, id string, minutes int) (planner.Plan, bool, error)
	Connect(ctx context.Context, who hub.Who, key string, n planner.NewCalendar) (planner.Calendar, bool, error)
	Disconnect(ctx context.Context, who hub.Who, id string) error
}

const plannerPath = "/planner"

// shownBriefings and shownTasks bound what the page lists.
const (
	shownBriefings = 5
	shownTasks     = 100
)

// plannerPage is the body of /planner.
type plannerPage struct {
	Card      *card
	Day       string
	Zone      string
	Before    string // addresses of the days around
	After     string
	Today     string // empty where it is the one shown
	Empty     bool   // nothing is on this day
	Lines     []planLine
	Unplaced  []reasonLine
	Tasks     []taskLine
	Calendars []calendarLine
	Briefings []briefingLine
	Key       string   // of the forms that add
	Back      *command // the way back from Google's consent
}

// planLine is a block, an event, or the line of now.
type planLine struct {
	Now      string // the time; the line is nothing else
	Time     string
	Instant  string
	Title    string
	State    string
	Event    bool
	Overrun  bool
	Note     string
	From     string // when it stood elsewhere
	Because  string
	Commands []command
}

type reasonLine struct{ Title, Because string }

type taskLine struct {
	Title, About, Late string
	Done               bool
	Commands           []command
}

type calendarLine struct {
	Name, About, Error string
	Commands           []command
}

type briefingLine struct{ Day, Text string }

func (s *Site) planner(w http.ResponseWriter, r *http.Request) { s.showPlanner(w, r, nil) }

// plans finds whose planner it is; where it is nobody's, it has answered.
func (s *Site) plans(w http.ResponseWriter, r *http.Request) (visit, bool) {
	who, ok, err := s.PlannerWho(r)
	switch {
	case err == nil && !ok:
		err = refusal.New(refusal.Unauthenticated, "Nobody is signed in.")
	case err == nil && who.Role != hub.Baker:
		err = refusal.New(refusal.Forbidden, "The planner is for the people behind the counter.")
	}
	var v visit
	if err == nil {
		v, err = s.open(r, who)
	}
	if err != nil {
		s.turnedAway(w, r, err, plannerPath)
		return visit{}, false
	}
	return v, true
}

// showPlanner renders a day, with the refusal of a command.
func (s *Site) showPlanner(w http.ResponseWriter, r *http.Request, no error) {
	personal(w)
	v, ok := s.plans(w, r)
	if !ok {
		return
	}
	day, _ := localtime.ParseDate(r.URL.Query().Get("date"))
	page, err := s.plannerPage(r, v, day)
	if err != nil {
		s.turnedAway(w, r, err, plannerPath)
		return
	}
	status := http.StatusOK
	if no != nil {
		page.Card = s.loneCard(no)
		status = s.headRefusal(w, no)
	}
	f := s.frame(v, "Planner", "planner", page, plannerPath)
	if v.root.EndsAt.IsZero() { // one's own hub has no shop, and no clock to move
		f.Strip = nil
	}
	s.render(w, r, status, "planner", f)
}

func (s *Site) plannerPage(r *http.Request, v visit, day localtime.Date) (*plannerPage, error) {
	ctx, who := r.Context(), v.who
	profile, err := s.Planner.Profile(ctx, who)
	if err != nil {
		return nil, err
	}
	zone, err := time.LoadLocation(profile.Zone)
	if err != nil {
		return nil, err
	}
	p := planView{Site: s, words: words{zone: zone}, now: v.now, today: localtime.DateOf(v.now.In(zone))}
	if day == (localtime.Date{}) {
		day = p.today
	}
	out := &plannerPage{Day: day.UTC().Format("Monday 2 January"), Zone: profile.Zone, Before: dayURL(day.AddDays(-1)), After: dayURL(day.AddDays(1))}
	if day != p.today {
		out.Today = plannerPath
	}
	if out.Key, err = s.newKey(); err != nil {
		return nil, err
	}
	plans, err := s.Planner.Plans(ctx, who, day, 1)
	if err != nil {
		return nil, err
	}
	tasks, _, err := s.Planner.Tasks(ctx, who, planner.TaskQuery{Limit: shownTasks})
	if err != nil {
		return nil, err
	}
	calendars, err := s.Planner.Calendars(ctx, who)
	if err != nil {
		return nil, err
	}
	briefings, err := s.Planner.Briefings(ctx, who, shownBriefings)
	if err != nil {
		return nil, err
	}
	out.Lines, out.Empty = p.lines(plans[0]), len(plans[0].Blocks) == 0
	for _, t := range tasks {
		out.Tasks = append(out.Tasks, p.task(t))
		for _, u := range plans[0].Unplaced {
			if u.Task == t.ID {
				out.Unplaced = append(out.Unplaced, reasonLine{t.Title, u.Because})
			}
		}
	}
	for _, c := range calendars {
		out.Calendars = append(out.Calendars, p.calendar(c, v.wall))
	}
	for _, b := range briefings {
		out.Briefings = append(out.Briefings, briefingLine{b.Subject, strings.TrimSpace(b.Text)})
	}
	if q := r.URL.Query(); q.Get("code") != "" {
		out.Back = p.form(plannerPath+"/calendars", "Connect the calendar", field{"kind", planner.Google}, field{"code", q.Get("code")}, field{"state", q.Get("state")})
		out.Back.Primary = true
	}
	return out, nil
}

func dayURL(d localtime.Date) string {
	return plannerPath + "?" + url.Values{"date": {d.String()}}.Encode()
}
