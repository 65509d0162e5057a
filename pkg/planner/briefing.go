package planner

import (
	"context"
	"fmt"
	"html"
	"strings"
	"time"

	"pocbakery/pkg/hub"
	"pocbakery/pkg/localtime"
	"pocbakery/pkg/store"
)

// Briefing is what a person is told in the morning.
type Briefing struct {
	Date    localtime.Date
	SentAt  time.Time
	Subject string
	Text    string
	HTML    string
	// Unsubscribe is, of one that is mailed, the secret by which its reader ends
	// the mails: for List-Unsubscribe, with one click.
	Unsubscribe string
}

// keepBriefings is how long a lasting hub keeps them.
const keepBriefings = 90 * 24 * time.Hour

const (
	fieldSent    = "sent_at"
	fieldSubject = "subject"
	fieldText    = "text"
	fieldHTML    = "html"
)

// brief makes the briefing that is due at an instant and moves on to the next.
// In a hub whose clock nobody moves, one whose local day is over is never made.
func (s *state) brief(at time.Time) {
	s.profile.Next = instant(s.profile.briefingAfter(at))
	day := s.today(at)
	if s.lasts() && s.today(s.now.Business) != day {
		return
	}
	b := s.briefingOf(day, at)
	s.briefings = append(s.briefings, b)
	s.tell(hub.Event{Type: BriefingSent, Date: day.String()}, at)
}

// briefingWrite makes the record, which there is once a day.
func (s *state) briefingWrite(b Briefing) store.Write {
	f := store.Fields{fieldSent: store.FormatInstant(b.SentAt), fieldSubject: b.Subject, fieldText: b.Text, fieldHTML: b.HTML}
	s.expire(f, keepBriefings)
	return store.Put(s.root.Key(briefPrefix+b.Date.String()), store.If().OrAbsent(), f)
}

// send mails what was just recorded: never twice, since the record is the mark.
func (p *Service) send(ctx context.Context, s *state) {
	if p.Mail == nil || !s.lasts() || s.head.NoMail {
		return
	}
	for _, b := range s.briefings {
		b.Unsubscribe = p.unsubscribeKey(s.root.ID)
		if err := p.Mail.Send(ctx, s.root.ID, b); err != nil {
			p.Engine.Report("briefing_not_sent", s.root.ID, err)
		}
	}
}

// section is a part of a briefing.
type section struct {
	title string
	lines []string
}

// briefingOf writes a day's briefing.
func (s *state) briefingOf(day localtime.Date, at time.Time) Briefing {
	zone := s.zone()
	clock := func(t time.Time) string { return t.In(zone).Format("15:04") }
	var sections []section
	add := func(title string, lines []string) {
		if len(lines) > 0 {
			sections = append(sections, section{title, lines})
		}
	}
	var blocks, late, unplaced, pickups []string
	for _, b := range s.plan(day, at).Blocks {
		line := clock(b.StartsAt) + " to " + clock(b.EndsAt) + "  " + b.Title
		if b.Moved != nil {
			line += " (" + b.Moved.Because + ")"
		}
		blocks = append(blocks, line)
	}
	for _, t := range s.tasks {
		if c, ok := s.head.Late[t.ID]; ok && !t.Done {
			late = append(late, t.Title+": "+c.Because)
		}
	}
	for _, u := range s.head.Unplaced {
		if t := s.task(u.Task); t != nil {
			unplaced = append(unplaced, t.Title+": "+u.Because)
		}
	}
	for _, p := range s.pickups {
		if s.today(p.At) == day {
			pickups = append(pickups, clock(p.At)+"  "+pickupTitle(p.Orders))
		}
	}
	if len(blocks) == 0 {
		blocks = []string{"Nothing is planned."}
	}
	add("The day", blocks)
	add("Pickups", pickups)
	add("Late", late)
	add("Without a place", unplaced)

	subject := day.UTC().Format("Monday 2 January")
	return Briefing{Date: day, SentAt: at, Subject: subject, Text: plainText(subject, sections, zone), HTML: htmlText(subject, sections, zone)}
}

func pickupTitle(orders int) string {
	if orders == 1 {
		return "Pickup of 1 order"
	}
	return fmt.Sprintf("Pickup of %d orders", orders)
}

func plainText(subject string, sections []section, zone *time.Location) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", subject)
	for _, s := range sections {
		fmt.Fprintf(&b, "\n%s\n", s.title)
		for _, l := range s.lines {
			fmt.Fprintf(&b, "  %s\n", l)
		}
	}
	fmt.Fprintf(&b, "\nTimes are those of %s.\n", zone)
	return b.String()
}

func htmlText(subject string, sections []section, zone *time.Location) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<h1>%s</h1>", html.EscapeString(subject))
	for _, s := range sections {
		fmt.Fprintf(&b, "<h2>%s</h2><ul>", html.EscapeString(s.title))
		for _, l := range s.lines {
			fmt.Fprintf(&b, "<li>%s</li>", html.EscapeString(l))
		}
		b.WriteString("</ul>")
	}
	fmt.Fprintf(&b, "<p>Times are those of %s.</p>", html.EscapeString(zone.String()))
	return b.String()
}
