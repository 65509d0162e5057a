package web

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"pocbakery/pkg/bakery"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/refusal"
	"pocbakery/pkg/traffic"
)

// Loans tells of what a hub has lent.
type Loans interface {
	Ends(ctx context.Context, who hub.Who, limit int) ([]hub.Loan, []hub.Aside, error)
	Held(ctx context.Context, who hub.Who, slots []bakery.SlotID) ([]bakery.HeldPlace, error)
}

// Traffic is the simulated one.
type Traffic interface {
	Read(ctx context.Context, who hub.Who) (traffic.Traffic, error)
	Start(ctx context.Context, who hub.Who, minutes, perMinute int) (traffic.Traffic, error)
	Stop(ctx context.Context, who hub.Who) (traffic.Traffic, error)
}

// Tokens are the API tokens.
type Tokens interface {
	Make(ctx context.Context, who hub.Who, name string) (made hub.Token, text string, err error)
	List(ctx context.Context, who hub.Who) ([]hub.Token, error)
	Revoke(ctx context.Context, who hub.Who, id string) error
}

// Console is what the baker's page stands on, beside the shop.
type Console struct {
	Loans   Loans
	Traffic Traffic
	Tokens  Tokens
	// SetCapacity edits a slot.
	SetCapacity func(ctx context.Context, who hub.Who, id bakery.SlotID, capacity int, ifRev string) (bakery.SlotView, error)
	// Events reads the feed.
	Events func(ctx context.Context, who hub.Who, q bakery.EventQuery) ([]hub.Event, string, error)
}

const (
	consolePath = "/console"
	// eventsShown, endsShown and foundShown bound what the page has of each.
	eventsShown = 25
	endsShown   = 25
	foundShown  = 20
)

// consolePage is the body of /console.
type consolePage struct {
	Card *card
	Page string // the page as it is asked for again

	Board  board
	Find   find
	Clock  *clockPanel // nil where the clock is nobody's to move
	Events []eventLine
	Unread string        // why there are no events
	Run    *trafficPanel // nil where nobody simulated comes
	Ends   []endLine
	Aside  []hub.Aside
	Tokens []tokenLine
	Secret string // of a token just made, shown this once
	Made   string // its name
	Gone   *moment
}

// clockPanel moves the shop's clock.
type clockPanel struct {
	Key   string
	Next  string // the page to come back to
	Steps []clockStep
	Did   string // what the last move did
}

type clockStep struct{ Seconds, Label string }

// consoleQuery is what of the page's address chooses what it shows.
type consoleQuery struct{ day, state, date, text, cursor, moved, released, expired string }

func readConsole(v url.Values) consoleQuery {
	return consoleQuery{day: v.Get("day"), state: v.Get("state"), date: v.Get("date"), text: v.Get("q"), cursor: v.Get("cursor"),
		moved: v.Get("moved"), released: v.Get("released"), expired: v.Get("expired")}
}

// url is the page's address, without what was done last.
func (q consoleQuery) url() string {
	v := url.Values{}
	for name, s := range map[string]string{"day": q.day, "state": q.state, "date": q.date, "q": q.text, "cursor": q.cursor} {
		if s != "" {
			v.Set(name, s)
		}
	}
	if len(v) == 0 {
		return consolePath
	}
	return consolePath + "?" + v.Encode()
}

// baker finds who asks, if they work behind the counter.
func (s *Site) baker(w http.ResponseWriter, r *http.Request, back string) (hub.Who, bool) {
	who, ok := s.asker(w, r, back)
	if ok && who.Role != hub.Baker {
		s.refuse(w, r, refusal.New(refusal.Forbidden, "This page is the bakers'. Customers order in the shop."))
		return who, false
	}
	return who, ok
}

func (s *Site) console(w http.ResponseWriter, r *http.Request) {
	q := readConsole(r.URL.Query())
	who, ok := s.baker(w, r, q.url())
	if !ok {
		return
	}
	s.showConsole(w, r, who, q, consolePage{}, nil)
}

// showConsole renders the console, with the refusal that brought it back.
func (s *Site) showConsole(w http.ResponseWriter, r *http.Request, who hub.Who, q consoleQuery, body consolePage, no error) {
	v, err := s.open(r, who)
	if err == nil {
		body.Page = q.url()
		err = s.fillConsole(r.Context(), v, q, &body)
	}
	if err != nil {
		if r.Method == http.MethodPost {
			s.failed(w, r, err, consolePath)
		} else {
			s.turnedAway(w, r, err, consolePath)
		}
		return
	}
	status := http.StatusOK
	if no != nil {
		status = s.headRefusal(w, no)
		body.Card = s.card(no, v.now)
	}
	f := s.frame(v, "The console", "console", body, q.url())
	f.Strip.Advance = nil // the console has its own
	if r.Method == http.MethodPost {
		f.Here = q.url()
	}
	s.render(w, r, status, "console", f)
}

// fillConsole reads all the page shows.
func (s *Site) fillConsole(ctx context.Context, v visit, q consoleQuery, body *consolePage) (err error) {
	if body.Board, err = s.board(ctx, v, q); err != nil {
		return err
	}
	if body.Find, err = s.find(ctx, v, q); err != nil {
		return err
	}
	events, _, err := s.Console.Events(ctx, v.who, bakery.EventQuery{Limit: eventsShown, Newest: true})
	if err != nil { // one item that cannot be read is no reason to hide which it is
		s.Log.Error("events_left_out", "error", err)
		body.Unread = "The events cannot be read now."
	}
	body.Events = s.happened(events, v.now)
	loans, aside, err := s.Console.Loans.Ends(ctx, v.who, endsShown)
	if err != nil {
		return err
	}
	body.Aside = aside
	if body.Ends, err = s.ends(ctx, v, loans); err != nil {
		return err
	}
	tokens, err := s.Console.Tokens.List(ctx, v.who)
	if err != nil {
		return err
	}
	for _, t := range tokens {
		body.Tokens = append(body.Tokens, s.tokenLine(t, v.wall))
	}
	if v.root.EndsAt.IsZero() {
		return nil
	}
	run, err := s.Console.Traffic.Read(ctx, v.who)
	if err != nil {
		return err
	}
	body.Run = s.trafficPanel(run, v)
	body.Gone = &moment{Lead: "Deleted at " + s.words.at(v.root.EndsAt, v.wall) + " real time", Instant: instant(v.root.EndsAt.Add(v.root.Offset)),
		Words: about(v.root.EndsAt.Sub(v.wall))}
	body.Clock, err = s.clockPanel(v, q, body.Ends)
	return err
}

// clockPanel offers steps of the clock: three of a length, and to the next end
// that the shop's time brings.
func (s *Site) clockPanel(v visit, q consoleQuery, ends []endLine) (*clockPanel, error) {
	key, err := s.newKey()
	if err != nil {
		return nil, err
	}
	p := &clockPanel{Key: key, Next: q.url(), Did: movedWords(q)}
	for _, d := range []time.Duration{time.Minute, 15 * time.Minute, time.Hour} {
		p.Steps = append(p.Steps, clockStep{strconv.Itoa(int(d / time.Second)), "+" + nbsp + exactly(d)})
	}
	for _, e := range ends {
		if e.business && e.at.After(v.now) {
			seconds := (e.at.Sub(v.now) + time.Second - 1) / time.Second
			p.Steps = append(p.Steps, clockStep{strconv.Itoa(int(seconds)), "To the next end, " + s.words.clock(e.at)})
			break
		}
	}
	return p, nil
}

// movedWords says what a move of the clock did, from the numbers in the address.
func movedWords(q consoleQuery) string {
	moved, err := strconv.Atoi(q.moved)
	if err != nil || moved < 1 || moved > 7*24*3600 {
		return ""
	}
	said := "The clock was moved by " + exactly(time.Duration(moved)*time.Second) + ". "
	released, _ := strconv.Atoi(q.released)
	expired, _ := strconv.Atoi(q.expired)
	if released <= 0 {
		return said + "No hold ended on the way."
	}
	return said + count(int64(released), "hold") + " ended unpaid, and " + count(int64(max(expired, 0)), "order") + " with " + map[bool]string{true: "it.", false: "them."}[released == 1]
}

// bakersWords are what the console says of holds: its words are the trade's,
// where a customer's story is of a place that becomes theirs.
var bakersWords = map[hub.EventType]struct{ before, after string }{
	bakery.HoldMade:      {"Hold at ", " until "},
	bakery.HoldRetaken:   {"Hold at ", " retaken, until "},
	bakery.HoldConfirmed: {"The hold at ", " was confirmed."},
	bakery.HoldReleased:  {"The hold at ", " was released."},
	bakery.OrderExpired:  {"The order expired.", ""},
}

// happened tells events of the whole hub, the newest first.
func (s *Site) happened(events []hub.Event, now time.Time) []eventLine {
	lines := make([]eventLine, 0, len(events))
	today := s.words.day(now)
	for n := len(events) - 1; n >= 0; n-- {
		e := events[n]
		slot, code, _ := bakery.OrderRef(e.Ref).Split()
		if e.Slot != "" {
			slot = bakery.SlotID(e.Slot)
		}
		l := s.tell(bakery.OrderView{Order: bakery.Order{Slot: slot}, Now: now}, e)
		if said, ok := bakersWords[e.Type]; ok {
			l.Before, l.After, l.Why = said.before, said.after, ""
			if e.Type == bakery.HoldMade || e.Type == bakery.HoldRetaken {
				l.After += s.words.at(e.At.Add(bakery.HoldFor), now) + "."
			}
			if e.Revived {
				l.After = " was confirmed, revived: it had been released."
			}
			if e.Reason == bakery.ReasonCancelled {
				l.Why = "The order was cancelled."
			}
		}
		l.Instant, l.Time, l.ID = instant(e.At), s.words.clock(e.At), e.ID()
		if d := s.words.day(e.At); d != today {
			l.Day, today = d, d
		}
		if code != "" {
			l.Href = "/orders/" + e.Ref
			if l.Link == "" {
				local, _ := s.words.slot(slot)
				l.Before, l.Link = strings.TrimSpace(l.Before)+" ", local+"\u2013"+string(code[:4])
			}
		}
		lines = append(lines, l)
	}
	return lines
}
