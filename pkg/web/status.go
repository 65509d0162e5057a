package web

import (
	"fmt"
	"net/http"
	"time"

	"pocbakery/pkg/admission"
	"pocbakery/pkg/sandbox"
)

// statusPage is the day's ledger and how ends are honoured.
type statusPage struct {
	Day    string // in UTC, as the ledger counts
	Flag   string // what the switch says, in a sentence
	Counts []counted
	Resets *moment

	Overdue string
	Swept   string
	Wiped   string
	Did     string // what the last wipe run did
}

// counted is a count against its cap, as a bar and as a number.
type counted struct {
	Name, Number string
	Taken, Free  string // the bar's paths, in a box of 1000 by 8
}

// flags is the switch in words. One that is not known admits nobody.
var flags = map[admission.Flag]string{
	admission.On:       "Copies of the shop are lent.",
	admission.ReadOnly: "The bakery is read-only: no copies are lent, and in those that there are nothing can be changed. There is no known time at which this ends.",
	admission.Off:      "No copies of the shop are lent. There is no known time at which this ends.",
}

func (s *Site) status(w http.ResponseWriter, r *http.Request) {
	day, err := s.Desk.Status(r.Context())
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	health, err := s.Sandboxes.Health(r.Context())
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	p := s.statusPage(day, health)
	s.render(w, r, http.StatusOK, "status", frame{Title: "Status", At: "status", Now: instant(day.Now), Body: p})
}

func (s *Site) statusPage(day admission.Status, h sandbox.Health) statusPage {
	p := statusPage{
		Day: day.Date, Flag: flags[day.Flag],
		Counts: []counted{tally("Lent today", day.Sandboxes), tally("To guests", day.Guests), tally("To demo accounts", day.Demo)},
		Resets: s.moment("The count starts again", day.ResetsAt, day.Now),
		Swept:  "not yet", Wiped: "not yet", Overdue: "none",
	}
	p.Resets.Zone = s.words.zone.String()
	if p.Flag == "" {
		p.Flag = flags[admission.Off]
	}
	if t, err := time.Parse(time.DateOnly, day.Date); err == nil {
		p.Day = t.Format("Monday 2 January")
	}
	if !h.Overdue.IsZero() {
		p.Overdue = fmt.Sprintf("one of %s, %s ago", s.words.at(h.Overdue, day.Now), inWords(day.Now.Sub(h.Overdue)))
	}
	if !h.Swept.IsZero() {
		p.Swept = s.words.at(h.Swept, day.Now)
	}
	if !h.Wiped.At.IsZero() {
		p.Wiped = s.words.at(h.Wiped.At, day.Now)
		p.Did = did(h.Wiped)
	}
	return p
}

// did is what a wipe run did. Copies wipe themselves at their end, so that
// mostly it finds nothing.
func did(r sandbox.WipeRun) string {
	did := "It found nothing left to wipe."
	if r.Wiped > 0 {
		did = fmt.Sprintf("It wiped %d.", r.Wiped)
	}
	if r.Failed > 0 {
		did += fmt.Sprintf(" %d could not be wiped and will be tried again within 15 minutes.", r.Failed)
	}
	if r.Remaining > 0 {
		did += fmt.Sprintf(" %d were left for the next run.", r.Remaining)
	}
	return did
}

// ledgerBar is how long a bar is, whatever its cap.
const ledgerBar = 1000

func tally(name string, c admission.Count) counted {
	taken := ledgerBar
	if c.Used < c.Cap {
		taken = ledgerBar * c.Used / c.Cap
	}
	out := counted{Name: name, Number: fmt.Sprintf("%d of %d", c.Used, c.Cap)}
	if taken > 0 {
		out.Taken = fmt.Sprintf("M0 0h%dv8H0z", taken)
	}
	if taken < ledgerBar {
		out.Free = fmt.Sprintf("M%d 7h%dv1H%dz", taken, ledgerBar-taken, taken)
	}
	return out
}
