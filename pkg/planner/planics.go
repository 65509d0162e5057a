package planner

import (
	"context"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"pocbakery/pkg/hub"
	"pocbakery/pkg/localtime"
	"pocbakery/pkg/refusal"
)

// feedPurpose is what the key of a plan's address is signed for.
const feedPurpose = "planner feed"

// feedKey is the secret in the address of a plan: it carries its hub and how
// often it was changed, signed.
func (p *Service) feedKey(id hub.ID, n int) string {
	return fmt.Sprintf("%s.%d.%s", id, n, p.feedSum(id, n))
}

func (p *Service) feedSum(id hub.ID, n int) string {
	sum := p.MAC(feedPurpose, string(id), strconv.Itoa(n))
	return hex.EncodeToString(sum[:16])
}

// feedOf reads a key; ok is false for a forged one, which costs no read.
func (p *Service) feedOf(key string) (id hub.ID, n int, ok bool) {
	parts := strings.Split(key, ".")
	if len(parts) != 3 {
		return "", 0, false
	}
	n, err := strconv.Atoi(parts[1])
	if err != nil || n < 0 || strconv.Itoa(n) != parts[1] {
		return "", 0, false
	}
	id = hub.ID(parts[0])
	return id, n, subtle.ConstantTimeCompare([]byte(p.feedSum(id, n)), []byte(parts[2])) == 1
}

// Feed is the plan of today and the days after as an iCalendar file, for
// whoever has its key. To fetch it is no visit.
func (p *Service) Feed(ctx context.Context, key string) (string, error) {
	id, n, ok := p.feedOf(key)
	if !ok {
		return "", noSuchFeed()
	}
	view, err := p.Engine.Open(ctx, hub.Who{Hub: id})
	if err != nil {
		return "", err
	}
	s, err := p.load(ctx, view, localtime.Date{})
	if err != nil {
		return "", err
	}
	if s.head.FeedKey != n {
		return "", noSuchFeed()
	}
	s.settle(s.now.Business, maxTurns*settleAtOnce)
	return s.ics(), nil
}

func noSuchFeed() error {
	return refusal.New(refusal.Unauthenticated, "This address of a plan is not, or no longer, good.")
}

// ics writes the blocks, as of now, as RFC 5545 wants them.
func (s *state) ics() string {
	const stamp = "20060102T150405Z"
	var b strings.Builder
	line := func(text string) { b.WriteString(fold(text)) }
	line("BEGIN:VCALENDAR")
	line("VERSION:2.0")
	line("PRODID:-//Proof of Concept Bakery//Planner//EN")
	line("X-WR-CALNAME:Plan")
	for _, o := range s.blocks {
		if o.State == Missed || !o.Start.Time().Before(o.End.Time()) {
			continue
		}
		line("BEGIN:VEVENT")
		line("UID:" + o.ID + "@" + string(s.root.ID))
		line("DTSTAMP:" + o.Start.Time().Format(stamp))
		line("DTSTART:" + o.Start.Time().Format(stamp))
		line("DTEND:" + o.End.Time().Format(stamp))
		line("SUMMARY:" + escape(o.Title))
		if o.Because != "" {
			line("DESCRIPTION:" + escape(o.Because))
		}
		line("END:VEVENT")
	}
	line("END:VCALENDAR")
	return b.String()
}

var icsEscapes = strings.NewReplacer(`\`, `\\`, ";", `\;`, ",", `\,`, "\n", `\n`)

func escape(text string) string { return icsEscapes.Replace(text) }

// foldAt is the longest line of a file, in bytes.
const foldAt = 75

// fold breaks a line where it gets too long, between characters.
func fold(text string) string {
	var b strings.Builder
	width := 0
	for _, r := range text {
		n := len(string(r))
		if width+n > foldAt {
			b.WriteString("\r\n ")
			width = 1
		}
		b.WriteRune(r)
		width += n
	}
	b.WriteString("\r\n")
	return b.String()
}
