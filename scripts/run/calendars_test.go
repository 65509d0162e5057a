package main_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

type countsJSON struct{ List, Watch, Stop, Token, Channels int }

func (p *program) counts() (c countsJSON) {
	p.t.Helper()
	p.want(ask{method: "GET", path: "/_local/google/counts"}, http.StatusOK).read(p.t, &c)
	return c
}

// meet makes the demo calendar hold one meeting, as its owner would.
func (p *program) meet(title string, at time.Time) {
	p.t.Helper()
	p.want(ask{method: "PUT", path: "/_local/google/calendars/primary/events", body: fmt.Sprintf(
		`{"events":[{"id":"meeting","summary":%q,"start":%q,"end":%q}]}`, title, at.Format(time.RFC3339), at.Add(time.Hour).Format(time.RFC3339))}, http.StatusOK)
}

func (p *program) faulty(list string) {
	p.t.Helper()
	p.want(ask{method: "PUT", path: "/_local/google/faults", body: fmt.Sprintf(`{"list":%q}`, list)}, http.StatusOK)
}

// The whole way: the program, its own other side over HTTP, and its pushes.
func TestACalendarOfGooglesTellsOfChangesAndIsLetGo(t *testing.T) {
	p, _ := begin(t)
	g := p.enter()
	at := p.now().AddDate(0, 0, 1).Truncate(time.Hour)
	const calendars = "/v1/planner/calendars"
	shows := func(title string) {
		t.Helper()
		if a := p.want(ask{method: "GET", path: "/v1/planner/plan?days=3", token: g.token}, http.StatusOK); !strings.Contains(string(a.body), title) {
			t.Errorf("the plan has no %q: %.2000s", title, a.body)
		}
	}
	var c struct{ ID, State, Error string }
	p.want(ask{method: "POST", path: calendars, token: g.token, body: `{"kind":"google","code":"another","state":"x"}`}, http.StatusUnprocessableEntity)
	p.want(ask{method: "POST", path: calendars, token: g.token, body: `{"kind":"google","code":"local-code"}`}, http.StatusCreated).read(t, &c)
	p.moveWall(time.Minute)
	if n := p.counts(); c.State != "ok" || n.Channels != 1 {
		t.Fatalf("%+v, %+v", c, n)
	}

	before := p.counts().List
	for n := range 100 {
		p.meet(fmt.Sprint("Version ", n, "."), at)
	}
	p.moveWall(time.Minute)
	shows("Version 99.")
	if n := p.counts().List - before; n < 1 || n > 2 {
		t.Error(n, "lists for 100 changes")
	}

	p.faulty("410-mid-page")
	p.meet("After a lost token", at)
	p.moveWall(time.Minute)
	p.faulty("ok")
	p.moveWall(time.Hour)
	shows("After a lost token")

	p.faulty("401")
	p.meet("Unseen", at)
	p.moveWall(time.Minute)
	if a := p.want(ask{method: "GET", path: calendars, token: g.token}, http.StatusOK); !strings.Contains(string(a.body), `"state":"reconnect"`) {
		t.Errorf("after a grant that is no good: %s", a.body)
	}
	asked := p.counts().List
	p.meet("Unseen still", at)
	p.moveWall(2 * time.Hour)
	if n := p.counts().List; n != asked {
		t.Error("it is asked again", n-asked, "times")
	}
	p.faulty("ok")

	// The channel of a grant that is no good ends by itself; that of a new one is
	// stopped.
	p.want(ask{method: "DELETE", path: calendars + "/" + c.ID, token: g.token}, http.StatusNoContent)
	before = p.counts().Channels
	p.want(ask{method: "POST", path: calendars, token: g.token, body: `{"kind":"google","code":"local-code"}`}, http.StatusCreated).read(t, &c)
	p.moveWall(time.Minute)
	shows("Unseen still")
	if n := p.counts().Channels; n != before+1 {
		t.Error(n, "channels after", before)
	}
	p.want(ask{method: "DELETE", path: calendars + "/" + c.ID, token: g.token}, http.StatusNoContent)
	if n := p.counts(); n.Channels != before || n.Stop != 1 {
		t.Errorf("it is not let go: %+v", n)
	}
}
