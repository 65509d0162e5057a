package web

import (
	"context"
	"strconv"
	"strings"
	"time"

	"pocbakery/pkg/bakery"
	"pocbakery/pkg/hub"
)

// board is a day's slots with their capacities.
type board struct {
	Days  []day
	Name  string
	Begun []boardSlot
	Slots []boardSlot
	Sum   string
	Keep  []field // what of the address stays when another day is chosen
}

type boardSlot struct {
	chip
	Numbers  string
	Capacity int
	Most     int
	Begun    bool
	Page     string // the page to come back to
}

func (s *Site) board(ctx context.Context, v visit, q consoleQuery) (board, error) {
	today, _ := bakery.ParseDate(s.words.date(v.now))
	date, ok := bakery.ParseDate(q.day)
	if !ok || date.Before(today) || today.AddDays(s.OfferedDays-1).Before(date) {
		date = today
	}
	days, err := s.Shop.Days(ctx, v.who, date, 1)
	if err != nil {
		return board{}, err
	}
	b := board{Name: dayOf(date).Name}
	for _, f := range []field{{"q", q.text}, {"state", q.state}, {"date", q.date}} {
		if f.Value != "" {
			b.Keep = append(b.Keep, f)
		}
	}
	for n := range s.OfferedDays {
		d := dayOf(today.AddDays(n))
		d.Current = d.Date == date.String()
		b.Days = append(b.Days, d)
	}
	held, confirmed, free := 0, 0, 0
	for _, slot := range days[0].Slots {
		begun := !v.now.Before(slot.StartsAt)
		held, confirmed = held+slot.Held, confirmed+slot.Confirmed
		if !begun {
			free += slot.Free()
		}
		row := boardSlot{chip: s.chip(slot), Begun: begun, Capacity: slot.Capacity, Most: bakery.MaxCapacity, Page: q.url(),
			Numbers: strconv.Itoa(slot.Held) + " held, " + strconv.Itoa(slot.Confirmed) + " confirmed, " + strconv.Itoa(slot.Free()) + " free"}
		if begun {
			b.Begun = append(b.Begun, row)
		} else {
			b.Slots = append(b.Slots, row)
		}
	}
	b.Sum = strconv.Itoa(held) + " held, " + strconv.Itoa(confirmed) + " confirmed, " + strconv.Itoa(free) + " free still to come."
	return b, nil
}

// find is the search of orders, and a page of what it found.
type find struct {
	Text, Date string
	States     []stateChoice
	Rows       []foundRow
	More       string // where the next page is; empty on the last
	First      string // where the first is; empty on it
	Empty      string
	Day        string // the board's, kept
}

type stateChoice struct {
	Value, Label string
	Chosen       bool
}

type foundRow struct{ Href, Pickup, Name, State, Total string }

func (s *Site) find(ctx context.Context, v visit, q consoleQuery) (find, error) {
	f := find{Text: q.text, Date: q.date, Day: q.day}
	for _, state := range []string{"", "placed", "paid", "collected", "expired", "cancelled"} {
		label := state
		if state == "" {
			label = "any state"
		}
		f.States = append(f.States, stateChoice{state, label, state == q.state})
	}
	date, _ := bakery.ParseDate(q.date)
	page, err := s.Shop.Orders(ctx, v.who, bakery.OrderQuery{Date: date, State: bakery.OrderState(q.state), Text: q.text, Cursor: q.cursor, Limit: foundShown})
	if err != nil {
		return f, err
	}
	for _, o := range page.Orders {
		local, start := s.words.slot(o.Slot)
		f.Rows = append(f.Rows, foundRow{Href: "/orders/" + string(o.Ref()), Pickup: start.In(s.words.zone).Format("2 Jan") + nbsp + local,
			Name: strings.TrimSpace(o.Name), State: string(o.State), Total: money(bakery.Total(o.Lines))})
	}
	if page.Next != "" {
		more := q
		more.cursor = page.Next
		f.More = more.url() + "#orders"
	}
	if q.cursor != "" {
		first := q
		first.cursor = ""
		f.First = first.url() + "#orders"
	}
	switch {
	case len(f.Rows) > 0:
	case f.More != "":
		f.Empty = "None among those looked through so far. The older ones may have some."
	case q.text != "" || q.state != "" || q.date != "":
		f.Empty = "No order is like that. Leave something out of the search."
	default:
		f.Empty = "There are no orders yet. The first comes from the shop, or with simulated traffic."
	}
	return f, nil
}

// tokenLine is an API token in the list.
type tokenLine struct{ ID, Name, Prefix, Made, Used string }

func (s *Site) tokenLine(t hub.Token, wall time.Time) tokenLine {
	l := tokenLine{ID: t.ID, Name: t.Name, Prefix: t.Prefix, Made: s.words.at(t.MadeAt, wall), Used: "not used yet"}
	if t.LastUsedOn != "" {
		l.Used = "last used on " + t.LastUsedOn
	}
	return l
}
