package main_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// line is a live connection of a guest.
type line struct {
	t *testing.T
	c *websocket.Conn
}

func (p *program) ticket(g guest) string {
	p.t.Helper()
	var made struct{ URL string }
	p.want(ask{method: "POST", path: "/v1/live-tickets", token: g.token}, http.StatusCreated).read(p.t, &made)
	return made.URL
}

func (p *program) look(t *testing.T, g guest) line {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	c, _, err := websocket.Dial(ctx, p.ticket(g), nil) //nolint:bodyclose // Dial leaves nothing to close
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.CloseNow() })
	return line{t, c}
}

// told reads messages until one of the type that is last, and says their types.
func (l line) told(last string) string {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(l.t.Context(), patience)
	defer cancel()
	var types []string
	for {
		_, text, err := l.c.Read(ctx)
		if err != nil {
			l.t.Fatalf("after %s: %v", types, err)
		}
		var m struct{ Type string }
		if err := json.Unmarshal(text, &m); err != nil {
			l.t.Fatal(err)
		}
		if types = append(types, m.Type); m.Type == last {
			return strings.Join(types, " ")
		}
	}
}

func TestTwoWindowsOnOneSandboxAreToldOfWhatHappensAndAnotherSandboxIsNot(t *testing.T) {
	t.Parallel()
	p, _ := begin(t)
	p.open()
	g, other := p.enter(), p.enter()
	one, two := p.look(t, g), p.look(t, g)
	away := p.look(t, other)
	slot := p.slots(g)[0]
	p.want(ask{method: "POST", path: "/v1/orders", token: g.token, key: newKey("live"), body: fmt.Sprintf(`{"pickup":%q,"lines":[{"sku":"cardamom-bun","quantity":1}]}`, slot.ID)}, http.StatusCreated)
	for _, l := range []line{one, two} {
		if got := l.told("Order"); got != "HoldMade OrderPlaced Slot Order" {
			t.Error(got)
		}
	}
	// The end of the hold is told too, whoever's alarm it is.
	p.want(ask{method: "POST", path: "/v1/sandbox/clock/advance", token: g.token, body: `{"seconds":900}`}, http.StatusOK)
	if got := one.told("Order"); got != "ClockAdvanced HoldReleased OrderExpired Slot Order" {
		t.Error(got)
	}
	p.want(ask{method: "POST", path: "/v1/sandbox/clock/advance", token: other.token, body: `{"seconds":60}`}, http.StatusOK)
	if got := away.told("ClockAdvanced"); got != "ClockAdvanced" {
		t.Error("another sandbox was told", got)
	}
	// The sandbox ends, and its connections with it.
	p.want(ask{method: "DELETE", path: "/v1/sandbox", token: g.token}, http.StatusNoContent)
	for {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		_, _, err := two.c.Read(ctx)
		cancel()
		if err != nil {
			if code := websocket.CloseStatus(err); code != websocket.StatusGoingAway {
				t.Error(err)
			}
			break
		}
	}
	p.stop()
}

func TestATicketIsGoodOnceAndForAMinute(t *testing.T) {
	t.Parallel()
	p, _ := begin(t)
	p.open()
	g := p.enter()
	refused := func(url string) int {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		c, a, err := websocket.Dial(ctx, url, nil) //nolint:bodyclose // Dial leaves nothing to close
		if err == nil {
			_ = c.CloseNow()
			return http.StatusSwitchingProtocols
		}
		if a == nil {
			t.Fatal(errors.Join(errors.New("no answer"), err))
		}
		return a.StatusCode
	}
	url := p.ticket(g)
	if got := refused(url); got != http.StatusSwitchingProtocols {
		t.Error("once:", got)
	}
	if got := refused(url); got != http.StatusUnauthorized {
		t.Error("twice:", got)
	}
	late := p.ticket(g)
	p.moveWall(time.Minute)
	if got := refused(late); got != http.StatusUnauthorized {
		t.Error("late:", got)
	}
	if got := refused(strings.Split(url, "?")[0]); got != http.StatusUnauthorized {
		t.Error("without:", got)
	}
	p.stop()
}
