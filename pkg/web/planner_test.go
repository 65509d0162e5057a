package web_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// plans is a page's form for an address that begins and ends so, by its action.
func (a answer) plans(begin, end string) string {
	a.t.Helper()
	m := regexp.MustCompile(`action="(` + begin + `[^"]*` + end + `)"`).FindStringSubmatch(a.body)
	if m == nil {
		a.t.Fatalf("no form for %s…%s: %s", begin, end, a.text())
	}
	return m[1]
}

func (v *visitor) presses(page answer, action string, more ...string) answer {
	v.t.Helper()
	form := url.Values{"key": {page.key(action)}}
	for i := 0; i+1 < len(more); i += 2 {
		form.Set(more[i], more[i+1])
	}
	return v.post(action, form)
}

func TestADayIsPlannedWithFormsOnly(t *testing.T) {
	h := newHouse(t)
	v := h.comesAs("guest")
	page := v.get("/planner?date=2026-12-07").is(200).says("Monday 7 December", "Supplier call", "Order flour and butter", "Demo calendar")
	v.presses(page, "/planner/tasks", "title", "Taste the rye", "minutes", "60", "priority", "1", "due", "2026-12-07T12:00").goesTo("/planner")
	page = v.get("/planner?date=2026-12-07").says("Taste the rye", "due 12:00 on Monday 7 December")
	v.presses(page, page.plans("/planner/blocks/", "/done")).goesTo("/planner")
	page = v.get("/planner").says("done")
	v.presses(page, page.plans("/planner/tasks/", "/delete")).goesTo("/planner")
	page = v.get("/planner")
	v.presses(page, page.plans("/planner/calendars/", "/delete")).goesTo("/planner")
	v.get("/planner?date=2026-12-07").saysNot("Supplier call")

	refused := v.presses(v.get("/planner"), "/planner/tasks", "title", "x", "minutes", "-5", "priority", "1").is(422)
	refused.says("A task takes 5 to 6000 minutes.", "Monday")
	v.presses(v.get("/planner"), "/planner/tasks", "title", "Repaint the shop", "minutes", "600", "priority", "4").goesTo("/planner")
	v.get("/planner").says("needs 600 minutes in one piece, no day has more than 480")
}

func TestAMoveSaysWhyOnThePage(t *testing.T) {
	h := newHouse(t)
	v := h.comesAs("guest")
	for range 3 {
		page := v.get("/planner?date=2026-12-07")
		v.presses(page, "/planner/tasks", "title", "Urgent", "minutes", "60", "priority", "1", "due", "2026-12-07T10:00").goesTo("/planner")
	}
	v.get("/planner?date=2026-12-07").says("Why did this move?", "It stood at ", "Urgent (priority 1, due")
}

func TestThePlannerIsForThoseBehindTheCounter(t *testing.T) {
	h := newHouse(t)
	h.comesAs("olle").get("/planner").is(403)
	if to := (&visitor{house: h}).get("/planner").is(303).Header.Get("Location"); !strings.HasPrefix(to, "/sign-in?next=%2Fplanner") {
		t.Error(to)
	}
}

func TestTheWayBackFromGoogleIsAFormOfItsOwn(t *testing.T) {
	h := newHouse(t)
	v := h.comesAs("guest")
	v.get("/planner?code=c&state=s").is(200).says(`name="code" value="c"`, `name="state" value="s"`, "Connect the calendar")
}
