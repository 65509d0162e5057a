package web

import (
	"cmp"
	"errors"
	"net/http"
	"strings"
	"time"

	"pocbakery/pkg/bakery"
	"pocbakery/pkg/refusal"
)

// card is a refusal in words: what was refused, when to come back, what to do
// instead.
type card struct {
	Title   string
	Text    []string
	When    *moment
	Instead string // what there is instead
	Do      []action
	Why     string // what such a refusal means, for who wants to know
	Field   string // the part of the form at fault
	Fix     string // the id of that part on the page
}

// moment is when to come back: "Room first appears at 09:52, in 12 minutes."
type moment struct {
	Lead, Trail string
	Zone        string // named where the page does not name it otherwise
	Instant     string // on the page's clock
	Words       string // about how long until then; empty where only a script can say it
}

// action is a button of the form the card stands in, or a link.
type action struct {
	Label       string
	Name, Value string
	Href        string
	Primary     bool
}

// refusal is what err refuses. What refuses nothing is a failure, whose text
// is for the log: of the table, where its status says that asking again may
// help, or of ours.
func (s *Site) refusal(err error) *refusal.Refusal {
	var no *refusal.Refusal
	switch {
	case errors.As(err, &no):
		return no
	case s.Status(err) == http.StatusServiceUnavailable:
		return refusal.New(refusal.TableUnavailable, "").After(time.Second)
	}
	return refusal.New(refusal.Internal, "")
}

// card words a refusal for a page whose clock stands at now.
func (s *Site) card(err error, now time.Time) *card {
	no := s.refusal(err)
	m, plain := refusal.Meanings[no.Code], plainly[no.Code]
	c := &card{Title: cmp.Or(plain.Title, m.Title), Why: explained[no.Code], Field: no.Field}
	c.Text = []string{cmp.Or(plain.Text, no.Detail, m.Text)}
	if no.RetryAfter > time.Second { // below, it is over before it is read
		c.When = s.moment("Ask again", now.Add(no.RetryAfter), now)
	}
	return c
}

// loneCard is a card on a page that has no shop's clock on it.
func (s *Site) loneCard(err error) *card {
	c := s.card(err, s.Now())
	if c.When != nil {
		c.When.Zone = s.words.zone.String()
	}
	return c
}

// moment says an instant that is ahead, counted down.
func (s *Site) moment(lead string, t, now time.Time) *moment {
	return &moment{Lead: lead + " at " + s.words.at(t, now), Instant: instant(t), Words: about(t.Sub(now))}
}

// placeCard words the refusal of a placement. held is how many places of the
// slot wait to be paid.
func (s *Site) placeCard(err error, pickup bakery.SlotID, held int, now time.Time) *card {
	c := s.card(err, now)
	no := s.refusal(err)
	full, _ := no.More.(bakery.Full)
	local, start := s.words.slot(pickup)
	c.Fix = partOf(no.Field)
	switch no.Code {
	case refusal.SlotFull, refusal.HoldLost, refusal.SlotPast, refusal.NoSuchSlot:
		c.Field = "pickup"
	}
	switch no.Code {
	case refusal.SlotFull:
		c.Title = local + " is full"
		c.When, c.Text = nil, nil
		if !full.EarliestHoldEnd.IsZero() {
			if held == 1 {
				c.Text = append(c.Text, "One order at "+local+" is not paid yet.")
			} else if held > 1 {
				c.Text = append(c.Text, count(int64(held), "order")+" at "+local+" are not paid yet.")
			}
			c.When = s.moment("Room first appears", full.EarliestHoldEnd, now)
			c.When.Trail = ", unless they are paid."
			if held <= 1 {
				c.When.Trail = ", unless it is paid."
			}
		}
		s.offer(c, full.NextFree, start, now)
	case refusal.HoldLost:
		c.Title = "Your place at " + local + " was given away"
		c.When, c.Text = nil, []string{"The order was not complete when the time of its place ended, and somebody else has the place now."}
		s.offer(c, full.NextFree, start, now)
	case refusal.Invalid:
		c.Title = "One thing to correct"
	case refusal.SlotPast:
		c.Title = local + " has begun"
		c.Text = []string{"A pickup time can be ordered for until it begins. Choose a later one."}
	case refusal.KeyReused:
		c.Title = "This form was sent before, with something else in it"
		c.Text = []string{"What it ordered then stands, and is listed under your orders. Place the order once more if you want what is in the form now as well."}
	}
	return c
}

// offer puts the next slot with room on the card.
func (s *Site) offer(c *card, free *bakery.SlotView, start, now time.Time) {
	if free == nil {
		c.Instead = "No later time has room."
		return
	}
	when := s.words.clock(free.StartsAt)
	if s.words.date(free.StartsAt) != s.words.date(start) {
		when = s.words.day(free.StartsAt) + ", " + when
	}
	c.Instead = when + " has " + places(free.Free()) + "."
	c.Do = append(c.Do, action{Label: "Take " + when + ", " + places(free.Free()), Name: "take", Value: string(free.ID), Primary: true})
}

// partOf is the id of the part of the storefront's form that a field's name
// stands for; empty where the form has none.
func partOf(field string) string {
	sku, isQuantity := strings.CutPrefix(field, qtyPrefix)
	switch {
	case isQuantity:
		return "qty-" + sku
	case field == "lines":
		return "menu"
	case field == "pickup":
		return "when"
	case field == "name", field == "note":
		return field
	}
	return ""
}
