package web

import (
	"context"
	"strconv"
	"strings"
	"time"

	"pocbakery/pkg/bakery"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/store"
	"pocbakery/pkg/traffic"
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

// endLine is a loan of the hub, by its end.
type endLine struct {
	At    *moment
	What  string
	Href  string
	Clock string // whose time it is
	Late  bool   // its end has come and was not honoured yet

	at       time.Time // on the shop's clock
	business bool
}

// ends is the ends board. A slot stands in the index with the first of its
// holds; each of them is a line here.
func (s *Site) ends(ctx context.Context, v visit, loans []hub.Loan) (lines []endLine, err error) {
	var slots []bakery.SlotID
	for _, l := range loans {
		if id, ok := bakery.SlotOf(l.SK); ok {
			slots = append(slots, id)
		}
	}
	held, err := s.Console.Loans.Held(ctx, v.who, slots)
	if err != nil {
		return nil, err
	}
	line := func(at time.Time, what string, business bool) endLine {
		e := endLine{What: what, at: at, business: business, Late: !v.now.Before(at), Clock: "real time"}
		if business {
			e.Clock = "the shop's time"
		}
		shown, now := at, v.now
		if !business {
			shown, now = at.Add(-v.root.Offset), v.wall
		}
		e.At = &moment{Lead: s.words.at(shown, now), Instant: instant(at), Trail: " "}
		return e
	}
	for _, h := range held {
		id, _, _ := h.Ref.Split()
		local, start := s.words.slot(id)
		e := line(h.End, "The hold on a place at "+local+", "+s.words.day(start), true)
		e.Href = "/orders/" + string(h.Ref)
		lines = append(lines, e)
	}
	for _, l := range loans {
		if _, ok := bakery.SlotOf(l.SK); ok {
			continue
		}
		lines = append(lines, line(l.Wall.Add(v.root.Offset), loanName(l.SK), l.Clock == store.Business))
	}
	sortEnds(lines)
	return lines[:min(endsShown, len(lines))], nil
}

// loanName says what is lent under a sort key.
func loanName(sk string) string {
	kind, _, _ := strings.Cut(sk, "#")
	switch kind {
	case hub.RootSK:
		return "This copy of the shop, and all in it"
	case "traffic":
		return "The minute of simulated traffic"
	}
	return "A " + kind
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

// trafficPanel is the run under way, or the last, as a chart.
type trafficPanel struct {
	Running bool
	Ends    *moment
	Left    string
	Most    int // minutes that a run can have now
	PerMin  int
	Total   traffic.Counts
	Bars    []chartBar
	Box     string
	Scale   string
	Key     string
}

// chartBar is one minute's people, as rectangles from the foot up.
type chartBar struct {
	Paid, Abandoned, Refused string // paths
	Minute                   int
	traffic.Counts
}

const (
	chartHeight = 80
	barStep     = 20
	barWidth    = 14
)

func (s *Site) trafficPanel(t traffic.Traffic, v visit) *trafficPanel {
	p := &trafficPanel{Running: t.Running, Total: t.Total(), Most: traffic.MinutesPerDay - t.UsedToday, PerMin: traffic.MaxPerMinute}
	p.Left = strconv.Itoa(p.Most) + " of the day's " + strconv.Itoa(traffic.MinutesPerDay) + " minutes are left."
	if t.Running {
		p.Ends = &moment{Lead: "It runs until " + s.words.at(t.EndsAt, v.wall) + " real time", Instant: instant(t.EndsAt.Add(v.root.Offset))}
	}
	most := 1
	for _, c := range t.Series {
		most = max(most, c.Placed+c.Refused)
	}
	p.Scale = "up to " + count(int64(most), "person") + " a minute"
	if most != 1 {
		p.Scale = "up to " + strconv.Itoa(most) + " people a minute"
	}
	for n, c := range t.Series {
		b := chartBar{Counts: c, Minute: n + 1}
		foot, x := 0, n*barStep
		stack := func(people int) string {
			if people == 0 {
				return ""
			}
			from, to := foot*chartHeight/most, (foot+people)*chartHeight/most
			foot += people
			return "M" + strconv.Itoa(x) + " " + strconv.Itoa(chartHeight-to) + "h" + strconv.Itoa(barWidth) + "v" + strconv.Itoa(to-from) + "h-" + strconv.Itoa(barWidth) + "z"
		}
		b.Paid, b.Abandoned, b.Refused = stack(c.Paid), stack(c.Abandoned), stack(c.Refused)
		p.Bars = append(p.Bars, b)
	}
	p.Box = "0 0 " + strconv.Itoa(max(t.Minutes, 10)*barStep) + " " + strconv.Itoa(chartHeight)
	return p
}
