package planner

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"pocbakery/pkg/calendar"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/refusal"
)

// grantor is Google: it keeps channels as Google does, and events as side does.
type grantor struct {
	side
	verifier string
	channels map[string]calendar.Channel
	most     int // channels at a time, so far
	watched  int
	lasts    time.Duration
	revoked  int
	now      func() time.Time
	during   func() // in the middle of a fetch
}

func (g *grantor) AuthURL(state, challenge string) string {
	return "https://google.example/?state=" + state + "&challenge=" + challenge
}

func (g *grantor) Grant(_ context.Context, code, verifier string) (calendar.Grant, error) {
	if code != "good" {
		return "", calendar.ErrReconnect
	}
	g.verifier = verifier
	return "refresh-token", nil
}

func (g *grantor) Calendars(context.Context, calendar.Grant) ([]calendar.Listed, error) {
	return []calendar.Listed{{ID: "me", Name: "Me", Primary: true}, {ID: "shop", Name: "Shop"}}, nil
}

func (g *grantor) Fetch(ctx context.Context, grant calendar.Grant, id string, last calendar.State, now time.Time) (calendar.Fetched, error) {
	if grant != "refresh-token" || id == "" {
		return calendar.Fetched{}, calendar.ErrReconnect
	}
	f, err := g.side.Fetch(ctx, id, last, now)
	if g.during != nil {
		g.during()
		g.during = nil
	}
	return f, err
}

func (g *grantor) Watch(_ context.Context, _ calendar.Grant, _ string, c calendar.Channel) (calendar.Channel, error) {
	if len(c.ID) != 26 || len(c.Token) > 256 {
		return c, calendar.ErrUnread
	}
	g.watched++
	c.Resource, c.Until = "r", g.now().Add(g.lasts)
	g.channels[c.ID] = c
	g.most = max(g.most, len(g.channels))
	return c, nil
}

func (g *grantor) Stop(_ context.Context, _ calendar.Grant, c calendar.Channel) error {
	delete(g.channels, c.ID)
	return nil
}

func (g *grantor) Revoke(context.Context, calendar.Grant) error { g.revoked++; return nil }

// seals is no secret, but is bound as one.
type seals struct{}

func (seals) Seal(purpose, plain string, bound ...string) (string, error) {
	return fmt.Sprintf("%s|%q|%s", purpose, bound, plain), nil
}

func (seals) Unseal(purpose, sealed string, bound ...string) (string, bool) {
	return strings.CutPrefix(sealed, fmt.Sprintf("%s|%q|", purpose, bound))
}

// googled is a planner with a calendar of Google's.
func googled(t testing.TB) (*desk, *grantor, Calendar) {
	t.Helper()
	d := lasting(t, "2026-11-30 08:00:00").fresh()
	g := &grantor{channels: map[string]calendar.Channel{}, lasts: 7 * 24 * time.Hour, now: d.Now}
	d.p.Google, d.p.Seals, d.p.Address = g, seals{}, func() string { return "https://shop.example" }
	c, _, err := d.p.Connect(d.ctx(), d.who, "", d.consent())
	d.must(err)
	return d, g, c
}

// consent is the way to Google and back.
func (d *desk) consent() NewCalendar {
	d.t.Helper()
	login, err := d.p.GoogleLogin(d.ctx(), d.who)
	d.must(err)
	_, state, _ := strings.Cut(login.URL, "state=")
	state, _, _ = strings.Cut(state, "&")
	return NewCalendar{Kind: Google, Code: "good", State: state, Cookie: login.Cookie}
}

func TestRule16AConsentIsKnownByItsStateAndCookie(t *testing.T) {
	d, g, c := googled(t)
	if c.Name != "Me" || c.State != CalendarOK || len(g.verifier) < 43 {
		t.Errorf("%+v, verifier of %d", c, len(g.verifier))
	}
	for name, change := range map[string]func(n *NewCalendar){
		"another state":  func(n *NewCalendar) { n.State = strings.Repeat("0", 32) },
		"no state":       func(n *NewCalendar) { n.State = "" },
		"no cookie":      func(n *NewCalendar) { n.Cookie = "" },
		"a bad code":     func(n *NewCalendar) { n.Code = "bad" },
		"too late":       func(*NewCalendar) { d.Advance(LoginFor) },
		"not a calendar": func(n *NewCalendar) { n.Foreign = "nobody's" },
	} {
		n := d.consent()
		change(&n)
		if _, _, err := d.p.Connect(d.ctx(), d.who, "", n); !refusal.Is(err, refusal.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	other, _, err := d.p.Connect(d.ctx(), d.who, "", NewCalendar{Kind: Google, Foreign: "shop"})
	d.must(err)
	if other.Name != "Shop" {
		t.Errorf("%+v", other)
	}
	d.must(d.p.Disconnect(d.ctx(), d.who, c.ID))
	if g.revoked != 0 {
		t.Error("another calendar needs the grant still")
	}
	d.must(d.p.Disconnect(d.ctx(), d.who, other.ID))
	if g.revoked != 1 || len(g.channels) != 0 {
		t.Error("grant and channels are not let go", g.revoked, g.channels)
	}
}

func (d *desk) push(g *grantor) {
	d.t.Helper()
	for id, ch := range g.channels {
		d.must(d.p.Push(d.ctx(), id, ch.Token))
	}
}

func TestABurstOfPushesIsAtMostTwoListsAndTheLastChangeIsSeen(t *testing.T) {
	d, g, _ := googled(t)
	d.Advance(time.Minute)
	before := g.asked
	for n := range 100 {
		g.events = []calendar.Event{meeting("e", fmt.Sprint("Version ", n), "2026-11-30", "10:00", "11:00")}
		d.push(g)
		d.Advance(500 * time.Millisecond)
	}
	d.Advance(debounce + time.Minute)
	if n := g.asked - before; n > 2 {
		t.Error(n, "lists")
	}
	d.sees("2026-11-30", "10:00 to 11:00 Version 99 (event)")
}

func TestAPushDuringTheFetchIsNotLost(t *testing.T) {
	d, g, _ := googled(t)
	d.Advance(time.Minute)
	d.push(g)
	g.during = func() { // the list is answered already, then somebody edits
		g.events = []calendar.Event{meeting("e", "Late", "2026-11-30", "10:00", "11:00")}
		d.push(g)
	}
	d.Advance(5 * time.Minute)
	d.sees("2026-11-30", "10:00 to 11:00 Late (event)")
}

func TestRule16AForgedOrUnknownPushDoesNothing(t *testing.T) {
	d, g, c := googled(t)
	var id, token string
	for _, ch := range g.channels {
		id, token = ch.ID, ch.Token
	}
	for _, forged := range []string{"", "x", token + "0", strings.Replace(token, c.ID, "another", 1), strings.Replace(token, ".1.", ".2.", 1)} {
		before := d.Meter.Total()
		d.must(d.p.Push(d.ctx(), id, forged))
		if d.Meter.Total() != before {
			t.Errorf("%q costs a read", forged)
		}
	}
	next := d.one().NextSync
	d.must(d.p.Push(d.ctx(), "anotherchannelofnobodyknows", token))
	if d.one().NextSync != next {
		t.Error("an unknown channel is heard")
	}
	d.must(d.p.Push(d.ctx(), id, token))
	if got := d.one().NextSync.Time().Sub(d.Now()); got != debounce {
		t.Error("due in", got)
	}
}

// A channel may be pushed to after it was let go of, by a provider that did not
// stop it: 10 reads a minute at most.
func TestAChannelThatNobodyHearsCostsFewReads(t *testing.T) {
	d, g, c := googled(t)
	var id, token string
	for _, ch := range g.channels {
		id, token = ch.ID, ch.Token
	}
	d.must(d.p.Disconnect(d.ctx(), d.who, c.ID))
	reads := 0
	for range 60 {
		before := d.Meter.Total()
		d.must(d.p.Push(d.ctx(), id, token))
		if d.Meter.Total() != before {
			reads++
		}
		d.Advance(time.Second)
	}
	if reads == 0 || reads > 10 {
		t.Error(reads, "of 60 pushes are read for")
	}
}

// C6: channels are renewed before they end, new before old, two at most.
func TestChannelsAreRenewedADayBeforeTheyEnd(t *testing.T) {
	d, g, _ := googled(t)
	for range 20 {
		d.Advance(24 * time.Hour)
		d.plan("2026-11-30") // the person is about
		live := 0
		for _, ch := range g.channels {
			if d.Now().Before(ch.Until) {
				live++
			}
		}
		if live != 1 || g.most > 2 {
			t.Fatalf("at %s %d channels, %d at most", d.Now(), live, g.most)
		}
	}
	if g.watched < 3 || g.watched > 5 {
		t.Error(g.watched, "channels in 20 days")
	}
	g.lasts = 10 * time.Minute // a provider may give less than was asked for
	d.Advance(8 * 24 * time.Hour)
	if g.most > 2 || len(g.channels) == 0 {
		t.Error(g.most, g.channels)
	}
}

func TestRule18ASleepingHubLetsGoOfItsChannelsAndTakesThemUpAgain(t *testing.T) {
	d, g, _ := googled(t)
	d.Advance(40 * 24 * time.Hour)
	left, err := d.Alarms.List(d.ctx(), "")
	d.must(err)
	if len(left) != 0 || len(g.channels) != 0 {
		t.Errorf("%v, %v", left, g.channels)
	}
	d.plan("2026-11-30")
	d.Advance(time.Minute)
	if len(g.channels) != 1 {
		t.Error(g.channels)
	}
}

func TestWhatAnEndedAccountGrantedIsTakenBack(t *testing.T) {
	d, g, _ := googled(t)
	d.must(d.p.LetGo(d.ctx(), d.who.Hub))
	if g.revoked != 1 || len(g.channels) != 0 {
		t.Error(g.revoked, g.channels)
	}
	d.must(d.p.LetGo(d.ctx(), hub.ID("nobody")))
}
