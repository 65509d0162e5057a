package hub_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pocbakery/pkg/alarm"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/store"
)

func TestTheEndsOfAHubAreListedInTheirOrderOnBothClocks(t *testing.T) {
	l := open(t)
	l.lend("loan#b", store.Business, 20*time.Minute)
	l.lend("loan#w", store.Wall, 10*time.Minute)
	l.lend("loan#c", store.Business, 30*time.Minute)
	if err := l.Engine.Commit(t.Context(), l.root, l.now(), l.root.MoveWrite(15*time.Minute, l.Now())); err != nil {
		t.Fatal(err)
	}
	list := func(limit int) string {
		t.Helper()
		loans, aside, err := l.Engine.Ends(t.Context(), hub.Who{Hub: id}, limit)
		if err != nil || len(aside) > 0 {
			t.Fatal(aside, err)
		}
		var out []string
		for _, n := range loans {
			out = append(out, fmt.Sprintf("%s %c %s %s", n.SK, n.Clock, n.At.Format("15:04"), n.Wall.Format("15:04")))
		}
		return strings.Join(out, ", ")
	}
	if got := list(10); got != "loan#b b 12:20 12:05, loan#w w 12:10 12:10, loan#c b 12:30 12:15, root w 10:00 10:00" {
		t.Error(got)
	}
	if got := list(2); got != "loan#b b 12:20 12:05, loan#w w 12:10 12:10" {
		t.Error(got)
	}
}

func TestWhatWasSetAsideIsListedWithItsReason(t *testing.T) {
	l := open(t)
	l.lend("poison#1", store.Wall, 0)
	l.lend("poison", store.Wall, 0)
	for range 12 {
		_, _ = l.Engine.Run(t.Context(), alarm.Schedule{Hub: string(id)})
	}
	loans, aside, err := l.Engine.Ends(t.Context(), hub.Who{Hub: id}, 10)
	if err != nil || len(loans) != 1 || len(aside) != 2 || aside[0].SK != "poison" || !strings.Contains(aside[1].Why, "cannot be settled") {
		t.Errorf("%v %v %v", loans, aside, err)
	}
}
