package planner

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"time"

	"pocbakery/pkg/calendar"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/localtime"
	"pocbakery/pkg/refusal"
	"pocbakery/pkg/store"
)

const (
	// maxTries bounds how often a change lost to another writer is tried again.
	maxTries = 20
	// settleAtOnce is how many ends one commit settles: each makes a few events,
	// and a commit has 100 writes.
	settleAtOnce = 16
	// maxTurns bounds how many such commits a request makes before its own.
	maxTurns = 200
	// loadDays is how many days back blocks are read for a plan.
	loadDays = 3
)

// MAC is a keyed hash of texts, for a purpose.
type MAC func(purpose string, parts ...string) [32]byte

// Pickups are what a shop hands over. *bakery.Shop has them.
type Pickups interface {
	// Pickups lists the slots of a hub's shop with confirmed orders that begin
	// in [from, until), in order.
	Pickups(ctx context.Context, id hub.ID, from, until time.Time) ([]Pickup, error)
}

// Mailer sends a briefing to the address that the provider verified for an
// account's hub. It is asked at most once a briefing.
type Mailer interface {
	Send(ctx context.Context, id hub.ID, b Briefing) error
}

// Config is what a planner stands on.
type Config struct {
	Engine  *hub.Engine
	MAC     MAC
	Random  io.Reader
	Pickups Pickups
	// Sides are the other sides of calendars, by kind.
	Sides map[string]calendar.Side
	Mail  Mailer // nil for none: briefings are kept in the hub in any case
	// Google lets a person's calendars in; nil for none.
	Google calendar.Grantor
	Seals  Sealer
	// Address is where this service is reached from outside, for pushes; nil or
	// empty for nowhere.
	Address func() string
	// FreeCode is a code of a consent that nobody has to be asked for; empty for
	// none, as it is wherever there are real people.
	FreeCode string
}

// Service plans the days of hubs. It is safe for concurrent use.
type Service struct {
	Config
	feeds  feeds
	pushes pending
}

// New is a planner. It registers the handler of all its ends.
func New(c Config) *Service {
	p := &Service{Config: c}
	c.Engine.Handle("planner", p.turn)
	return p
}

// load reads the planner of a hub.
func (p *Service) load(ctx context.Context, view hub.View, from localtime.Date) (*state, error) {
	if near := localtime.DateOf(view.Now.Business).AddDays(-loadDays); from == (localtime.Date{}) || near.Before(from) {
		from = near
	}
	items, err := p.Engine.ListAll(ctx, view, store.Range{From: headSK, To: dayPrefix})
	if err != nil {
		return nil, err
	}
	rest, err := p.Engine.ListAll(ctx, view, store.Range{From: dayPrefix + from.String(), To: store.Prefix(keyPrefix).To})
	if err != nil {
		return nil, err
	}
	s := &state{root: view.Root, now: view.Now, from: from}
	if err := s.decode(append(items, rest...)); err != nil {
		return nil, err
	}
	if s.isNew() && !view.Root.EndsAt.IsZero() {
		s.seed()
	}
	if err := p.loadCalendars(ctx, s); err != nil {
		return nil, err
	}
	s.expand()
	return s, nil
}

func (p *Service) loadCalendars(ctx context.Context, s *state) (err error) {
	for _, c := range s.cals {
		switch c.Kind {
		case Demo:
			c.feed = demoFeed(s.root.BornAt)
		case ShopOf:
			from := s.now.Business
			if s.pickups, err = p.Pickups.Pickups(ctx, hub.ID(c.Shop), from.Add(-behind), from.Add(ahead)); err != nil {
				return err
			}
		default:
			if c.feed, err = p.feed(ctx, s, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// read opens a planner to look at it, as it stands now; the visit is noted.
func (p *Service) read(ctx context.Context, who hub.Who, from localtime.Date) (*state, error) {
	view, err := p.Engine.Open(ctx, who)
	if err != nil {
		return nil, err
	}
	s, err := p.load(ctx, view, from)
	if err != nil {
		return nil, err
	}
	p.noteVisit(ctx, s)
	s.settle(s.now.Business, maxTurns*settleAtOnce)
	return s, nil
}

// Visit notes that somebody is here, for requests that are not the planner's.
func (p *Service) Visit(ctx context.Context, who hub.Who) error {
	view, err := p.Engine.Open(ctx, who, headSK, profileSK)
	if err != nil {
		return err
	}
	return p.seen(ctx, view)
}

// seen is the same for a request that has read the head and the profile.
func (p *Service) seen(ctx context.Context, view hub.View) error {
	s := &state{root: view.Root, now: view.Now}
	if err := s.decode(view.Items); err != nil {
		return err
	}
	p.noteVisit(ctx, s)
	return nil
}

// noteVisit writes the visit where the day's is not written yet. What was
// asked is answered all the same if that fails: the next visit tries again.
func (p *Service) noteVisit(ctx context.Context, s *state) {
	if !s.lasts() || s.head.Visited == s.today(s.now.Business).String() {
		return
	}
	if err := p.visit(ctx, hub.View{Root: s.root, Now: s.now}); err != nil {
		p.Engine.Report("visit_failed", s.root.ID, err)
	}
}

// visit writes that somebody is here, at most once a local day.
func (p *Service) visit(ctx context.Context, view hub.View) error {
	return again(ctx, func() error {
		s, err := p.load(ctx, view, localtime.Date{})
		if err != nil {
			return err
		}
		s.visit()
		return p.commit(ctx, s, true)
	})
}

// change carries out a command: what is due is settled first, then the command
// decided, and all of it written at once.
func (p *Service) change(ctx context.Context, who hub.Who, o once, act func(s *state) (ref string, err error)) (s *state, ref string, replayed bool, err error) {
	sk := p.onceSK(who, o)
	var sks []string
	if o.key != "" {
		sks = append(sks, sk)
	}
	for turns := 0; ; turns++ {
		more := false
		err = again(ctx, func() error {
			view, err := p.Engine.OpenToChange(ctx, who, sks...)
			if err != nil {
				return err
			}
			if ref, replayed, err = o.known(view.Items); err != nil {
				return err
			}
			if s, err = p.load(ctx, view, localtime.Date{}); err != nil {
				return err
			}
			s.visit()
			if more = s.settle(s.now.Business, settleAtOnce); more && turns < maxTurns {
				return p.commit(ctx, s, true)
			}
			if replayed {
				return nil
			}
			if ref, err = act(s); err != nil {
				return err
			}
			if o.key != "" {
				s.more = append(s.more, o.mark(s, sk, ref))
			}
			return p.commit(ctx, s, true)
		})
		if err != nil || !more {
			return s, ref, replayed, err
		}
	}
}

// commit writes what changed, and makes sure that the hub wakes for what is
// due now; in a run, that is the run's to do.
func (p *Service) commit(ctx context.Context, s *state, arm bool) error {
	writes := s.writes()
	if len(writes) == 0 {
		return nil
	}
	if err := p.Engine.Commit(ctx, s.root, s.now, writes...); err != nil {
		return err
	}
	p.send(ctx, s)
	p.letGo(ctx, s)
	if !arm {
		return nil // the run tells what it made happen, too
	}
	p.Engine.Tell(ctx, s.root, s.events...)
	first := map[store.Clock]time.Time{}
	for _, w := range writes {
		due, ok := w.Set[store.FieldDue].(string)
		if !ok || due == s.found[w.Key.SK].String(store.FieldDue) {
			continue
		}
		c, at, _ := store.ParseDue(due)
		if first[c].IsZero() || at.Before(first[c]) {
			first[c] = at
		}
	}
	for _, c := range []store.Clock{store.Business, store.Wall} {
		if at := first[c]; !at.IsZero() {
			p.Engine.Arm(ctx, s.root.ID, c, at)
		}
	}
	return nil
}

// again runs one attempt of a decision until it is not lost to another writer.
func again(ctx context.Context, attempt func() error) error {
	for range maxTries {
		err := attempt()
		var failed *store.GuardFailed
		if !errors.As(err, &failed) && !errors.Is(err, store.ErrConflict) {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return store.ErrConflict
}

// once is a command under an Idempotency-Key, which may be empty; says tells it
// from another under the same key.
type once struct{ route, key, says string }

const (
	fieldSays = "says"
	fieldRef  = "ref"
	// keepOnce is how long a lasting hub knows a key.
	keepOnce = 30 * 24 * time.Hour
)

func (p *Service) onceSK(who hub.Who, o once) string {
	sum := p.MAC("planner "+o.route, string(who.Hub), o.key)
	return oncePrefix + hex.EncodeToString(sum[:16])
}

// known is what the key's mark says, if it is among the items.
func (o once) known(items []store.Item) (ref string, known bool, err error) {
	switch {
	case len(items) == 0 || !items[0].Exists():
		return "", false, nil
	case items[0].String(fieldSays) != o.says:
		return "", false, refusal.New(refusal.KeyReused, "This Idempotency-Key was used for another request.")
	}
	return items[0].String(fieldRef), true, nil
}

func (o once) mark(s *state, sk, ref string) store.Write {
	f := store.Fields{fieldSays: o.says, fieldRef: ref}
	s.expire(f, keepOnce)
	return store.Put(s.root.Key(sk), store.IfAbsent(), f)
}

// idBytes are the random bits of an id: 60, in 12 characters.
const idBytes = 8

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

func (p *Service) newID() (string, error) {
	var b [idBytes]byte
	if _, err := io.ReadFull(p.Random, b[:]); err != nil {
		return "", err
	}
	var bits uint64
	for _, v := range b {
		bits = bits<<8 | uint64(v)
	}
	var out [12]byte
	for i := range out {
		out[i] = alphabet[bits>>59]
		bits <<= 5
	}
	return string(out[:]), nil
}
