package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"pocbakery/pkg/admission"
	"pocbakery/pkg/alarm"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/store"
)

// edit is the operator's.
func (h *house) edit(flag admission.Flag, caps ...int) {
	h.t.Helper()
	e := admission.Edit{Flag: &flag}
	for i, into := range []**int{&e.Cap, &e.GuestShare, &e.DemoCap} {
		if i < len(caps) {
			*into = &caps[i]
		}
	}
	if err := h.app.Desk.Edit(h.t.Context(), e); err != nil {
		h.t.Fatal(err)
	}
}

func TestTheStatusPageHasTheNumbersOfTheAPI(t *testing.T) {
	h := newHouse(t)
	none := &visitor{house: h}
	none.get("/status").is(200).says("The ledger of Saturday 5 December, UTC", "Copies of the shop are lent.", "0 of 300",
		"The count starts again at 01:00 on Sunday 6 December (Europe/Stockholm)", ", in about 15 hours", "<dd>none</dd>")
	h.comesAs("guest")
	h.comesAs("guest")
	h.comesAs("olle")
	for _, c := range []struct {
		flag admission.Flag
		caps []int
		says string
	}{
		{admission.On, nil, "Copies of the shop are lent."},
		{admission.On, []int{3, 2, 400}, "Copies of the shop are lent."},
		{admission.ReadOnly, []int{1, 0, 0}, "The bakery is read-only"},
		{admission.Off, []int{100000, 7, 3}, "No copies of the shop are lent."},
	} {
		h.edit(c.flag, c.caps...)
		var api struct {
			Date                    string
			Sandboxes, Guests, Demo struct{ Used, Cap int }
		}
		if err := json.Unmarshal([]byte(none.get("/v1/status").body), &api); err != nil {
			t.Fatal(err)
		}
		page := none.get("/status").says(c.says)
		for i, n := range []struct{ Used, Cap int }{api.Sandboxes, api.Guests, api.Demo} {
			shown := regexp.MustCompile(`<span>(\d+ of \d+)</span>`).FindAllStringSubmatch(page.body, -1)
			if len(shown) != 3 || shown[i][1] != fmt.Sprintf("%d of %d", n.Used, n.Cap) {
				t.Errorf("the page shows %v, the API %+v", shown, api)
			}
		}
	}
}

func TestTheStatusPageSaysHowEndsAreHonoured(t *testing.T) {
	h := newHouse(t)
	none := &visitor{house: h}
	h.comesAs("guest")
	none.get("/status").says("<dt>Last sweep</dt><dd>not yet</dd>", "<dt>Last wipe run</dt><dd>not yet")
	h.at.Set(time.Date(2026, 12, 5, 10, 7, 30, 0, time.UTC)) // its own timer was lost, and so was the control hub's
	none.get("/status").says("<dt>Oldest overdue</dt><dd>one of 11:0")
	if err := h.app.Wake(t.Context(), alarm.Schedule{Hub: string(hub.Control)}); err != nil {
		t.Fatal(err)
	}
	if err := h.app.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.at.Move(3 * time.Second)
	none.get("/status").says("<dt>Oldest overdue</dt><dd>none</dd>", "<dt>Last sweep</dt><dd>11:07</dd>", "<dt>Last wipe run</dt><dd>11:07\nIt wiped 1.</dd>")
}

func TestAStatusThatCannotBeReadSaysSo(t *testing.T) {
	h, table := brokenHouse(t)
	none := &visitor{house: h}
	for reads := range int64(3) {
		table.fail(store.ErrUnavailable, reads)
		none.get("/status").is(503).says("The order book did not answer", "Try again")
	}
	table.mend()
	none.get("/status").is(200)
}

func TestJourneyTheStatusIsLookedAtAgainAndItsCountdownRuns(t *testing.T) {
	h := newHouse(t)
	g := atBrowser(t, h.opens(), true)
	g.goes("/")
	g.does(chromedp.Click(`//footer//a[.="Status"]`))
	g.sees("0 of 300", "in about 15 hours")
	h.at.Move(15 * time.Hour)
	g.does(chromedp.Reload())
	words := g.reads("#status time")
	if !strings.Contains(words, "minutes") {
		t.Errorf("half an hour before it starts again, the countdown says %q", words)
	}
	g.until("the countdown runs", func() bool { return g.reads("#status time") != words })
	h.comesAs("guest")
	g.sees("1 of 300", "1 of 100") // by itself
}

// The bars are drawn from the ledger: nothing, a part, all, and no cap at all.
func TestBarsShowTheShareThatIsLent(t *testing.T) {
	h := newHouse(t)
	for range 3 {
		h.comesAs("guest")
	}
	for caps, want := range map[[2]int][2]string{
		{300, 100}: {"M0 0h10v8H0z", "M0 0h30v8H0z"}, {3, 3}: {"M0 0h1000v8H0z", "M0 0h1000v8H0z"}, {0, 2}: {"M0 0h1000v8H0z", "M0 0h1000v8H0z"},
	} {
		h.edit(admission.On, caps[0], caps[1])
		w := httptest.NewRecorder()
		h.app.Handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/status", nil))
		bars := regexp.MustCompile(`class="c" d="([^"]*)"`).FindAllStringSubmatch(w.Body.String(), -1)
		if len(bars) != 3 || bars[0][1] != want[0] || bars[1][1] != want[1] || bars[2][1] != "" {
			t.Errorf("with caps %v the bars are %v", caps, bars)
		}
	}
}
