package web

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"pocbakery/pkg/bakery"
	"pocbakery/pkg/refusal"
)

// orderPage is the body of /orders/{ref}.
type orderPage struct {
	Card   *card
	Ref    string
	Pickup string // local time
	Day    string
	State  string // the state's name, for its colour
	What   string
	Text   string
	Ring   *ring
	Pay    *command
	Late   *command // a payment after the end, to try
	Cancel *command
	Undo   *command // cancelling what is paid, which is asked once more
	Again  *command
	Shop   string // where to order otherwise
	Lines  []row
	Total  string
	Name   string
	Note   string
	Refund []string
	Events []eventLine
	Was    string // the order as it is shown, for who asks whether it still is
}

// ring is what is left of a held place.
type ring struct {
	End     string // the instant
	Until   string // on the shop's clock
	Seconds int64  // the whole of it
	Percent string // of the circle
	Ended   bool
	Page    string // where what became of it is asked at its end; empty for nowhere
}

func (s *Site) ring(from, end, now time.Time) *ring {
	left := max(0, int64((end.Sub(now)+time.Second-1)/time.Second))
	whole := max(1, int64(end.Sub(from)/time.Second))
	return &ring{
		End: instant(end), Until: s.words.at(end, now), Seconds: whole,
		Percent: strconv.FormatFloat(min(100, 100*float64(left)/float64(whole)), 'f', 2, 64), Ended: left == 0,
	}
}

func (s *Site) order(w http.ResponseWriter, r *http.Request) {
	ref := bakery.OrderRef(r.PathValue("ref"))
	v, ok := s.visit(w, r, orderURL(ref))
	if !ok {
		return
	}
	o, err := s.Shop.Order(r.Context(), v.who, ref)
	if err != nil {
		s.turnedAway(w, r, err, orderURL(ref))
		return
	}
	s.showOrder(w, r, v, o, nil)
}

func orderURL(ref bakery.OrderRef) string { return "/orders/" + url.PathEscape(string(ref)) }

// pay pays what the page said the order costs.
func (s *Site) pay(w http.ResponseWriter, r *http.Request) {
	s.command(w, r, func(v visit, ref bakery.OrderRef) error {
		key, err := postedKey(r)
		if err != nil {
			return err
		}
		amount, err := strconv.ParseInt(r.PostForm.Get("amount"), 10, 64)
		if err != nil {
			return refusal.At(refusal.Invalid, "amount", "The amount is a whole number of the currency's smallest unit.")
		}
		_, _, _, err = s.Shop.Pay(r.Context(), v.who, ref, key, bakery.Money{Amount: amount, Currency: r.PostForm.Get("currency")})
		return err
	})
}

func (s *Site) cancel(w http.ResponseWriter, r *http.Request) {
	s.command(w, r, func(v visit, ref bakery.OrderRef) error {
		_, err := s.Shop.Cancel(r.Context(), v.who, ref)
		return err
	})
}

// command does something to an order and goes to its page, or shows the page
// with what was refused.
func (s *Site) command(w http.ResponseWriter, r *http.Request, do func(visit, bakery.OrderRef) error) {
	ref := bakery.OrderRef(r.PathValue("ref"))
	who, ok := s.asker(w, r, orderURL(ref))
	if !ok {
		return
	}
	v := visit{who: who}
	err := do(v, ref)
	if err == nil {
		personal(w)
		http.Redirect(w, r, orderURL(ref), http.StatusSeeOther)
		return
	}
	var no *refusal.Refusal
	if errors.As(err, &no) && no.Code != refusal.NoSuchOrder && no.RetryAfter == 0 {
		if v, openErr := s.open(r, who); openErr == nil {
			if o, readErr := s.Shop.Order(r.Context(), who, ref); readErr == nil {
				s.showOrder(w, r, v, o, err)
				return
			}
		}
	}
	s.failed(w, r, err, orderURL(ref))
}

// showOrder renders an order, with the refusal of a command to it.
func (s *Site) showOrder(w http.ResponseWriter, r *http.Request, v visit, o bakery.OrderView, no error) {
	personal(w)
	status := http.StatusOK
	local, start := s.words.slot(o.Slot)
	p := orderPage{Ref: string(o.Ref()), Pickup: local, Day: s.words.day(start), State: string(o.State),
		Total: money(bakery.Total(o.Lines)), Name: o.Name, Note: o.Note,
		Was: fmt.Sprintf("%s %d %d %d", o.State, len(o.Payments), len(o.Refunds), len(o.History))}
	if no != nil {
		status = s.headRefusal(w, no)
		p.Card = s.card(no, v.now)
	}
	names := s.names(r, v)
	for _, l := range o.Lines {
		p.Lines = append(p.Lines, row{What: strconv.Itoa(l.Quantity) + " × " + cmp.Or(names[l.SKU], l.SKU), Price: money(l.UnitPrice.Times(l.Quantity))})
	}
	for _, f := range o.Refunds {
		p.Refund = append(p.Refund, money(f.Amount)+" "+refundText(f.Reason))
	}
	s.state(&p, v, o, start)
	p.Events = s.story(o)
	if err := s.commands(&p, v, o, start); err != nil {
		s.refuse(w, r, err)
		return
	}
	f := s.frame(v, "Order for "+local+", "+p.Day, "", p, orderURL(o.Ref()))
	if no != nil {
		f.Here = orderURL(o.Ref())
	}
	s.render(w, r, status, "order", f)
}

// names are what the things on the menu are called; none where it cannot be
// read, since an order has its prices itself.
func (s *Site) names(r *http.Request, v visit) map[string]string {
	menu, err := s.Shop.Menu(r.Context(), v.who)
	if err != nil {
		s.Log.Warn("names_left_out", "error", err)
	}
	return namesIn(menu)
}

func namesIn(menu bakery.Menu) map[string]string {
	names := make(map[string]string, len(menu))
	for _, p := range menu {
		names[p.SKU] = p.Name
	}
	return names
}

// state says where the order stands and what that means for who placed it.
func (s *Site) state(p *orderPage, v visit, o bakery.OrderView, start time.Time) {
	switch o.State {
	case bakery.Placed:
		p.Ring = s.ring(o.PlacedAt, o.HoldEnd, v.now)
		p.Ring.Page = orderURL(o.Ref())
		if p.Ring.Ended {
			p.What, p.Text = "The time of this place is over.", "It is about to come free. A payment that arrives before that still counts."
			return
		}
		p.What = "A place is held for you until " + s.words.at(o.HoldEnd, v.now) + "."
		p.Text = "Paying makes it yours. Unpaid, it comes free for others by itself."
	case bakery.Paid:
		p.What, p.Text = "Paid.", "Collect it at "+p.Pickup+" on "+p.Day+"."
		if o.Revived {
			p.Text = "The place had come free already and was taken back for you. " + p.Text
		}
	case bakery.Collected:
		p.What = "Collected."
	case bakery.Expired:
		p.What = "Your place came free at " + s.words.at(o.HoldEnd, v.now) + "."
		p.Text = "The order was not paid by then."
	case bakery.Cancelled:
		p.What, p.Text = "Cancelled.", "The place is free for others."
	case bakery.Void:
		p.What = "This order was never completed."
	}
}

// commands are what can be done with the order now.
func (s *Site) commands(p *orderPage, v visit, o bakery.OrderView, start time.Time) error {
	key, err := s.newKey()
	if err != nil {
		return err
	}
	total := bakery.Total(o.Lines)
	here := "/orders/" + p.Ref
	pay := &command{Action: here + "/pay", Key: key, Label: "Pay " + money(total),
		Fields: []field{{"amount", strconv.FormatInt(total.Amount, 10)}, {"currency", total.Currency}}}
	cancel := &command{Action: here + "/cancel", Key: key, Label: "Cancel the order"}
	switch o.State {
	case bakery.Placed:
		pay.Primary = true
		p.Pay, p.Cancel = pay, cancel
	case bakery.Paid:
		cancel.Label = "Yes, cancel it"
		p.Undo = cancel
	case bakery.Expired, bakery.Cancelled:
		if len(o.Payments) == 0 {
			pay.Label = "Pay " + money(total) + " too late"
			p.Late = pay
		}
		p.again(o, key, v.now.Before(start))
	case bakery.Collected, bakery.Void:
	}
	return nil
}

// again offers the same order once more: for the same time while that has not
// begun, or for another.
func (p *orderPage) again(o bakery.OrderView, key string, open bool) {
	b := basket{qty: map[string]string{}, name: o.Name, note: o.Note}
	for _, l := range o.Lines {
		b.qty[l.SKU] = strconv.Itoa(l.Quantity)
	}
	p.Shop = shopURL(b.values())
	if !open {
		return
	}
	b.pickup = o.Slot
	p.Again = &command{Action: "/shop", Key: key, Label: "Order it again for " + p.Pickup, Primary: true}
	for name, values := range b.values() {
		p.Again.Fields = append(p.Again.Fields, field{name, values[0]})
	}
}
