package api

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"pocbakery/pkg/access"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/limit"
	"pocbakery/pkg/planner"
	"pocbakery/pkg/refusal"
)

type calendarJSON struct {
	ID       string     `json:"id"`
	Kind     string     `json:"kind" doc:"ics, google, shop, or demo for the one a sandbox is born with"`
	Name     string     `json:"name"`
	State    string     `json:"state" enum:"ok,error,reconnect,asleep"`
	TreatAs  string     `json:"treat_as" enum:"busy,free" doc:"Overrides what the events say where it was set"`
	Pickup   *int       `json:"pickup_minutes,omitempty" doc:"Of a shop: how long a slot with pickups takes; 0 lists them only"`
	LastSync instant    `json:"last_sync_at,omitzero"`
	NextSync instant    `json:"next_sync_at,omitzero" doc:"Wall time"`
	Watch    *watchJSON `json:"watch,omitempty"`
	Error    string     `json:"error,omitempty"`
}

type watchJSON struct {
	ExpiresAt instant `json:"expires_at"`
}

func calendarOf(v planner.Calendar) calendarJSON {
	out := calendarJSON{ID: v.ID, Kind: v.Kind, Name: v.Name, State: v.State, TreatAs: v.TreatAs, LastSync: instant(v.LastSync), NextSync: instant(v.NextSync), Error: v.Error}
	if out.TreatAs == "" {
		out.TreatAs = planner.TreatBusy
	}
	for _, w := range v.Watches {
		out.Watch = &watchJSON{instant(w.Until)}
	}
	if v.Kind == planner.ShopOf {
		out.Pickup = &v.Pickup
	}
	return out
}

type calendarsJSON struct {
	Calendars []calendarJSON `json:"calendars"`
}

func (s *server) calendars(c *call) (out calendarsJSON, err error) {
	all, err := s.Planner.Calendars(c.ctx, c.who)
	out.Calendars = make([]calendarJSON, len(all))
	for i, v := range all {
		out.Calendars[i] = calendarOf(v)
	}
	return out, err
}

type connectBody struct {
	Kind    string `json:"kind" enum:"ics,google,shop"`
	URL     text   `json:"url,omitempty" maxLength:"2000" doc:"Of an iCalendar file: http, https or webcal"`
	Code    text   `json:"code,omitempty" maxLength:"1000" doc:"Of Google: from the consent; left out for another calendar of who has let us in"`
	State   text   `json:"state,omitempty" maxLength:"200" doc:"Of Google: from the consent"`
	Foreign text   `json:"calendar_id,omitempty" maxLength:"300" doc:"Of Google: which; the primary where it is left out"`
}

func (s *server) connect(c *call, in *connectBody) (calendarJSON, error) {
	n := planner.NewCalendar{Kind: in.Kind, URL: string(in.URL),
		Code: string(in.Code), State: string(in.State), Foreign: string(in.Foreign)}
	if cookie, err := c.request.Cookie(googleCookie); err == nil {
		n.Cookie = cookie.Value
	}
	if in.Kind == planner.ShopOf {
		var err error
		if n.Shop, err = s.shopOf(c); err != nil {
			return calendarJSON{}, err
		}
	}
	v, replayed, err := s.Planner.Connect(c.ctx, c.who, c.key, n)
	if err != nil {
		return calendarJSON{}, err
	}
	if replayed {
		c.replayed()
	}
	c.writer.Header()["Location"] = []string{"/v1/planner/calendars/" + v.ID}
	return calendarOf(v), nil
}

// shopOf is the hub whose shop a calendar of pickups follows: the session's,
// also where the planner is that of who signed in.
func (s *server) shopOf(c *call) (hub.ID, error) {
	if !access.IsAccountHub(c.who.Hub) {
		return c.who.Hub, nil
	}
	who, _, err := s.door.credentialAt(c.request, nowOf(c.writer))
	if err != nil || access.IsAccountHub(who.Hub) {
		return "", refusal.New(refusal.NoShop, "The pickups are those of a shop: send the session of a sandbox, too.")
	}
	return who.Hub, nil
}

type editCalendarBody struct {
	Name    maybe[text] `json:"name,omitempty" minLength:"1" maxLength:"80"`
	TreatAs maybe[text] `json:"treat_as,omitempty" enum:"busy,free" doc:"null for what the events say themselves"`
	Pickup  maybe[int]  `json:"pickup_minutes,omitempty" minimum:"0" maximum:"60"`
}

func (s *server) editCalendar(c *call, in *editCalendarBody) (calendarJSON, error) {
	if in.Name.Null {
		return calendarJSON{}, invalid("name", "A calendar cannot be without this.")
	}
	v, err := s.Planner.EditCalendar(c.ctx, c.who, c.path("id"), planner.CalendarEdit{
		Name: (*string)(in.Name.or()), TreatAs: (*string)(in.TreatAs.or()), Pickup: in.Pickup.or()})
	return calendarOf(v), err
}

func (s *server) disconnect(c *call) error { return s.Planner.Disconnect(c.ctx, c.who, c.path("id")) }

const planPath = "/v1/planner/plan.ics"

type planFileQuery struct {
	Key text `json:"key" maxLength:"200" doc:"The secret of plan_url"`
}

// planFile is a plan as an iCalendar file, not as JSON.
type planFile string

// Schema is the file's, in the document.
func (planFile) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Description: "An iCalendar file, RFC 5545"}
}

// planMedia is the file's media type.
const planMedia = "text/calendar; charset=utf-8"

func (s *server) planFile(c *call, in *planFileQuery) (planFile, error) {
	asked := s.Limits.Take(limit.Plans, string(in.Key), nowOf(c.writer))
	tellLimits(c.writer, asked)
	if err := asked.Err(); err != nil {
		return "", err
	}
	f, err := s.Planner.Feed(c.ctx, string(in.Key))
	return planFile(f), err
}

// writePlan sends a plan as a file, or says that it has not changed.
func writePlan(w http.ResponseWriter, r *http.Request, f planFile) {
	sum := sha256.Sum256([]byte(f))
	tag := `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
	h := w.Header()
	h.Set("Etag", tag)
	h.Set("Cache-Control", "private, max-age=3600")
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	send(w, r, http.StatusOK, []string{planMedia}, []byte(f))
}
