package live_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pocbakery/pkg/access"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/hub/hubtest"
	"pocbakery/pkg/live"
	"pocbakery/pkg/refusal"
	"pocbakery/pkg/sandbox"
)

// office is connections that keep what they are told.
type office struct {
	mu     sync.Mutex
	got    map[string][]string
	gone   map[string]bool
	broken map[string]bool
	closed []string
}

func (o *office) Post(_ context.Context, connection string, messages [][]byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.gone[connection]:
		return live.ErrGone
	case o.broken[connection]:
		return errors.New("slow")
	}
	for _, m := range messages {
		o.got[connection] = append(o.got[connection], string(m))
	}
	return nil
}

func (o *office) Close(_ context.Context, connection string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = append(o.closed, connection)
	return nil
}

type world struct {
	*hubtest.World
	lines  *live.Lines
	boxes  *sandbox.Service
	office *office
	who    hub.Who
}

func open(t *testing.T) *world {
	w := hubtest.At(t, "2026-11-30 12:00:00")
	ring := access.NewKeyring([]byte("a master secret of 32 characters"))
	o := &office{got: map[string][]string{}, gone: map[string]bool{}, broken: map[string]bool{}}
	boxes := sandbox.New(w.Engine, w.Alarms, 45*time.Second, ring.MAC, func(sandbox.WipeRun) {})
	render := func(_ context.Context, who hub.Who, events []hub.Event) (out [][]byte) {
		for _, e := range events {
			out = append(out, []byte(string(who.Hub)+" "+string(e.Type)))
		}
		return out
	}
	lines := live.New(w.Engine, ring, o, render, rand.Reader)
	boxes.Erasing = lines.Erasing
	wall := w.Engine.Wall()
	root := sandbox.Born("aaaa", "guest", 1, wall)
	if err := w.Engine.Commit(t.Context(), root, root.Now(wall), sandbox.Birth(root)...); err != nil {
		t.Fatal(err)
	}
	return &world{w, lines, boxes, o, hub.Who{Hub: root.ID, Session: "s", Role: hub.Baker, EndsAt: root.EndsAt}}
}

func (w *world) ticket() string {
	w.T.Helper()
	t, _, err := w.lines.Ticket(w.T.Context(), w.who)
	if err != nil {
		w.T.Fatal(err)
	}
	return t
}

func (w *world) connect(connection string) {
	w.T.Helper()
	if id, err := w.lines.Connect(w.T.Context(), w.ticket(), connection); err != nil || id != w.who.Hub {
		w.T.Fatal(id, err)
	}
}

func (w *world) happen(n int) {
	w.T.Helper()
	view, err := w.Engine.Open(w.T.Context(), w.who)
	if err != nil {
		w.T.Fatal(err)
	}
	w.Engine.Tell(w.T.Context(), view.Root, slices.Repeat([]hub.Event{{Type: hub.ClockAdvanced, Wall: view.Now.Wall}}, n)...)
}

func code(err error) string {
	var no *refusal.Refusal
	if errors.As(err, &no) {
		return string(no.Code)
	}
	return fmt.Sprint(err)
}

func TestV1OneTicketIsOneConnection(t *testing.T) {
	w := open(t)
	ticket := w.ticket()
	if _, err := w.lines.Connect(t.Context(), ticket, "c1"); err != nil {
		t.Fatal(err)
	}
	_, err := w.lines.Connect(t.Context(), ticket, "c2")
	if code(err) != "unauthenticated" {
		t.Error("again:", err)
	}
	for _, bad := range []string{"", "lt1.", ticket + "x", strings.Replace(ticket, "lt1.", "s1.", 1)} {
		w.Meter.Reset()
		if _, err := w.lines.Connect(t.Context(), bad, "c3"); code(err) != "unauthenticated" || w.Meter.Total().Requests != 0 {
			t.Errorf("%.10q: %v, %d requests", bad, err, w.Meter.Total().Requests)
		}
	}
	late := w.ticket()
	w.Set(w.Now().Add(live.TicketFor))
	if _, err := w.lines.Connect(t.Context(), late, "c3"); code(err) != "unauthenticated" {
		t.Error("at its end:", err)
	}
}

func TestATicketOfASessionThatWasSignedOutOpensNothing(t *testing.T) {
	w := open(t)
	ticket := w.ticket()
	if err := w.Engine.Revoke(t.Context(), w.who); err != nil {
		t.Fatal(err)
	}
	if _, err := w.lines.Connect(t.Context(), ticket, "c1"); code(err) != "unauthenticated" {
		t.Error(err)
	}
}

func TestV2AHubWithoutAConnectionIsNeverAsked(t *testing.T) {
	w := open(t)
	view, err := w.Engine.Open(t.Context(), w.who)
	if err != nil {
		t.Fatal(err)
	}
	w.Meter.Reset()
	w.Engine.Tell(t.Context(), view.Root, hub.Event{Type: hub.ClockAdvanced})
	if n := w.Meter.Total().Requests; n != 0 {
		t.Errorf("%d requests", n)
	}
}

func TestV3WhatIsGoneIsForgottenAndWhatIsSlowLeftAlone(t *testing.T) {
	w := open(t)
	for _, c := range []string{"c1", "c2", "c3"} {
		w.connect(c)
	}
	w.office.gone["c1"], w.office.broken["c2"] = true, true
	w.happen(2)
	if got := fmt.Sprint(w.office.got); got != "map[c3:[aaaa ClockAdvanced aaaa ClockAdvanced]]" {
		t.Error(got)
	}
	w.office.gone["c1"], w.office.broken["c2"] = false, false
	w.happen(1)
	if got := fmt.Sprint(w.office.got); got != "map[c2:[aaaa ClockAdvanced] c3:[aaaa ClockAdvanced aaaa ClockAdvanced aaaa ClockAdvanced]]" {
		t.Error(got)
	}
}

func TestAHubHasTenConnectionsAtTheMost(t *testing.T) {
	w := open(t)
	for n := range 10 {
		w.connect(fmt.Sprint("c", n))
	}
	if _, err := w.lines.Connect(t.Context(), w.ticket(), "c10"); code(err) != "too-many" {
		t.Error(err)
	}
	if err := w.lines.Disconnect(t.Context(), w.who.Hub, "c3"); err != nil {
		t.Fatal(err)
	}
	w.connect("c10")
}

func TestAConnectionEndsAfterTwoHoursOrWithItsHub(t *testing.T) {
	w := open(t)
	w.connect("c1")
	w.Advance(2 * time.Hour)
	if got := fmt.Sprint(w.office.closed); got != "[c1]" {
		t.Error("after two hours:", got)
	}
	w.connect("c2")
	if err := w.boxes.Wipe(t.Context(), w.who); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(w.office.closed); got != "[c1 c2]" {
		t.Error("after a wipe:", got)
	}
}
