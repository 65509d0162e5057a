package api

import (
	"net"
	"reflect"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"pocbakery/pkg/localtime"
	"pocbakery/pkg/planner"
)

// stamp is an instant in a request: RFC 3339, with any offset.
type stamp string

// Schema is the instant's, in the document.
func (stamp) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "date-time", Examples: []any{"2026-11-30T09:15:00Z"}}
}

// firstYear and lastYear bound the instants that a person can mean.
const (
	firstYear = 2000
	lastYear  = 2200
)

// instantIn reads an instant of a body; an empty one is none.
func instantIn(field string, in stamp) (time.Time, error) {
	if in == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.RFC3339Nano, string(in))
	if err != nil || t.Year() < firstYear || t.Year() > lastYear {
		return time.Time{}, invalid(field, "This must be an instant such as 2026-12-05T09:15:00Z.")
	}
	return t.UTC().Truncate(time.Millisecond), nil
}

// hoursJSON are the working hours of a week. A day left out is a day off.
type hoursJSON struct {
	Mon [][]text `json:"mon,omitempty" maxItems:"12" doc:"Pairs of local times, such as 09:00 and 17:00; one that ends at or before its start ends the next day"`
	Tue [][]text `json:"tue,omitempty" maxItems:"12"`
	Wed [][]text `json:"wed,omitempty" maxItems:"12"`
	Thu [][]text `json:"thu,omitempty" maxItems:"12"`
	Fri [][]text `json:"fri,omitempty" maxItems:"12"`
	Sat [][]text `json:"sat,omitempty" maxItems:"12"`
	Sun [][]text `json:"sun,omitempty" maxItems:"12"`
}

// days are the members by time.Weekday.
func (h *hoursJSON) days() [7]*[][]text {
	return [7]*[][]text{&h.Sun, &h.Mon, &h.Tue, &h.Wed, &h.Thu, &h.Fri, &h.Sat}
}

func hoursOf(h planner.Hours) (out hoursJSON) {
	for d, day := range out.days() {
		for _, i := range h[d] {
			*day = append(*day, []text{text(i[0]), text(i[1])})
		}
	}
	return out
}

func (h hoursJSON) hours() (out planner.Hours, err error) {
	for d, day := range h.days() {
		for _, i := range *day {
			if len(i) != 2 {
				return out, invalid("working_hours", "An interval is two local times, such as 09:00 and 17:00.")
			}
			out[d] = append(out[d], [2]string{string(i[0]), string(i[1])})
		}
	}
	return out, nil
}

type saveProfileBody struct {
	TimeZone string    `json:"time_zone" maxLength:"64" doc:"An IANA name"`
	Hours    hoursJSON `json:"working_hours"`
	Briefing text      `json:"briefing_at,omitempty" maxLength:"5" doc:"Local time; 07:00 where it is left out"`
	Buffer   int       `json:"buffer_minutes,omitempty" minimum:"0" maximum:"240" doc:"Kept free before an event"`
	PlanURL  text      `json:"plan_url,omitempty" maxLength:"300" doc:"May stand here as it was read, and changes nothing"`
}

type profileJSON struct {
	TimeZone string    `json:"time_zone"`
	Hours    hoursJSON `json:"working_hours"`
	Briefing string    `json:"briefing_at" doc:"Local time"`
	Buffer   int       `json:"buffer_minutes"`
	PlanURL  string    `json:"plan_url" doc:"The plan as a feed for other calendars. Whoever has this address reads it"`
}

func (c *call) profileOf(p planner.ProfileView) profileJSON {
	return profileJSON{p.Zone, hoursOf(p.Hours), p.Briefing, p.Buffer, c.origin() + planPath + "?key=" + p.FeedKey}
}

// origin is the site as its visitor sees it. Behind a gateway we see plain HTTP.
func (c *call) origin() string {
	host := c.request.Host
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	if ip := net.ParseIP(name); name == "localhost" || strings.HasSuffix(name, ".localhost") || (ip != nil && ip.IsLoopback()) {
		return "http://" + host
	}
	return "https://" + host
}

func (s *server) profile(c *call) (profileJSON, error) {
	p, err := s.Planner.Profile(c.ctx, c.who)
	return c.profileOf(p), err
}

func (s *server) saveProfile(c *call, in *saveProfileBody) (profileJSON, error) {
	n := planner.Profile{Zone: in.TimeZone, Briefing: string(in.Briefing), Buffer: in.Buffer}
	if n.Briefing == "" {
		n.Briefing = planner.DefaultProfile().Briefing
	}
	var err error
	if n.Hours, err = in.Hours.hours(); err != nil {
		return profileJSON{}, err
	}
	p, err := s.Planner.SaveProfile(c.ctx, c.who, n)
	return c.profileOf(p), err
}

func (s *server) newPlanURL(c *call) (profileJSON, error) {
	p, err := s.Planner.NewFeedKey(c.ctx, c.who)
	return c.profileOf(p), err
}

type unsubscribeQuery struct {
	Key text `json:"t" maxLength:"200" doc:"The secret of a mail"`
}

// unsubscribe is the one click of RFC 8058: a mail program posts a form of its
// own making.
func (s *server) unsubscribe(c *call, in *unsubscribeQuery) error {
	return s.Planner.Unsubscribe(c.ctx, string(in.Key))
}

type planQuery struct {
	Date text `json:"date,omitempty" format:"date" doc:"A local date; today where it is left out"`
	Days int  `json:"days" minimum:"1" maximum:"14" default:"1" doc:"How many dates in a row"`
}

type planJSON struct {
	Date     string         `json:"date" format:"date"`
	Blocks   []blockJSON    `json:"blocks" doc:"By start; events of calendars among them"`
	Unplaced []unplacedJSON `json:"unplaced"`
}

type unplacedJSON struct {
	Task    string `json:"task" doc:"A task's id"`
	Because string `json:"because"`
}

type blockJSON struct {
	ID       string             `json:"id"`
	Task     string             `json:"task,omitempty" doc:"A task's id"`
	Event    *eventRefJSON      `json:"event,omitempty" doc:"Of an event"`
	Title    string             `json:"title"`
	StartsAt instant            `json:"starts_at"`
	EndsAt   instant            `json:"ends_at"`
	State    planner.BlockState `json:"state" enum:"planned,running,overrun,done,missed"`
	Pinned   bool               `json:"pinned"`
	Rolled   bool               `json:"rolled_over,omitzero" doc:"A block of the task was left undone before"`
	Overlaps bool               `json:"overlaps,omitzero" doc:"It is pinned over something"`
	Moved    *movedJSON         `json:"moved,omitempty"`
}

type eventRefJSON struct {
	ID       string `json:"id"`
	Title    string `json:"title"`
	Calendar string `json:"calendar" doc:"A calendar's id"`
}

type movedJSON struct {
	From    instant `json:"from" doc:"Where it stood before its last move"`
	Because string  `json:"because"`
}

func planOf(p planner.Plan) planJSON {
	out := planJSON{Date: p.Date.String(), Blocks: make([]blockJSON, len(p.Blocks)), Unplaced: make([]unplacedJSON, len(p.Unplaced))}
	for i, b := range p.Blocks {
		v := blockJSON{ID: b.ID, Task: b.Task, Title: b.Title, StartsAt: instant(b.StartsAt), EndsAt: instant(b.EndsAt), State: b.State,
			Pinned: b.Pinned, Rolled: b.Rolled, Overlaps: b.Overlaps}
		if b.Event != nil {
			v.Event = &eventRefJSON{b.Event.ID, b.Event.Title, b.Event.Calendar}
		}
		if b.Moved != nil {
			v.Moved = &movedJSON{instant(b.Moved.From), b.Moved.Because}
		}
		out.Blocks[i] = v
	}
	for i, u := range p.Unplaced {
		out.Unplaced[i] = unplacedJSON(u)
	}
	return out
}

// plansJSON is one day, or several.
type plansJSON struct {
	Date     string         `json:"date,omitzero"`
	Blocks   []blockJSON    `json:"blocks,omitzero"`
	Unplaced []unplacedJSON `json:"unplaced,omitzero"`
	Plans    []planJSON     `json:"plans,omitzero"`
}

// TransformSchema says which members come together.
func (plansJSON) TransformSchema(r huma.Registry, s *huma.Schema) *huma.Schema {
	one := r.Schema(reflect.TypeFor[planJSON](), true, "")
	several := &huma.Schema{Type: huma.TypeObject, Properties: map[string]*huma.Schema{"plans": s.Properties["plans"]},
		Required: []string{"plans"}, AdditionalProperties: false, Description: "Where more than one date was asked for"}
	return &huma.Schema{Type: huma.TypeObject, OneOf: []*huma.Schema{one, several}}
}

func (s *server) plan(c *call, in *planQuery) (out plansJSON, err error) {
	from, err := date("date", string(in.Date))
	if err != nil {
		return out, err
	}
	plans, err := s.Planner.Plans(c.ctx, c.who, localtime.Date(from), in.Days)
	if err != nil {
		return out, err
	}
	if len(plans) == 1 {
		p := planOf(plans[0])
		return plansJSON{Date: p.Date, Blocks: p.Blocks, Unplaced: p.Unplaced}, nil
	}
	for _, p := range plans {
		out.Plans = append(out.Plans, planOf(p))
	}
	return out, nil
}

type briefingsQuery struct {
	Limit int `json:"limit" minimum:"1" maximum:"100" default:"50"`
}

type briefingsJSON struct {
	Briefings []briefingJSON `json:"briefings" doc:"The latest first"`
}

type briefingJSON struct {
	Date    string  `json:"date" format:"date"`
	SentAt  instant `json:"sent_at"`
	Subject string  `json:"subject"`
	Text    string  `json:"text"`
	HTML    string  `json:"html"`
}

func (s *server) briefings(c *call, in *briefingsQuery) (out briefingsJSON, err error) {
	all, err := s.Planner.Briefings(c.ctx, c.who, in.Limit)
	out.Briefings = make([]briefingJSON, len(all))
	for i, b := range all {
		out.Briefings[i] = briefingJSON{b.Date.String(), instant(b.SentAt), b.Subject, b.Text, b.HTML}
	}
	return out, err
}

type plannerEventsQuery struct {
	After text `json:"after,omitempty" maxLength:"128" doc:"An event's id, or an instant"`
	Limit int  `json:"limit" minimum:"1" maximum:"100" default:"50"`
}

func (s *server) plannerEvents(c *call, in *plannerEventsQuery) (eventsJSON, error) {
	events, next, err := s.Planner.Events(c.ctx, c.who, string(in.After), in.Limit)
	return eventsJSON{eventsOf(events), next}, err
}
