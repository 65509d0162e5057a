package traffic

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"pocbakery/pkg/bakery"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/refusal"
	"pocbakery/pkg/store"
)

// maxTries bounds how often a decision lost to another writer is taken anew.
const maxTries = 20

// Shop is where the people go. *bakery.Shop is one.
type Shop interface {
	Upcoming(now time.Time, n int) []bakery.SlotID
	Place(ctx context.Context, who hub.Who, key string, p bakery.Placement) (order bakery.OrderView, replayed bool, err error)
	Pay(ctx context.Context, who hub.Who, ref bakery.OrderRef, key string, amount bakery.Money) (bakery.Payment, bakery.OrderView, bool, error)
}

// Service runs the traffic of sandboxes.
type Service struct {
	engine *hub.Engine
	shop   Shop
	menu   bakery.Menu
	random io.Reader
}

// New is a service that sends people for what is on the menu. random is drawn
// from for the seeds of runs. It registers the kind that plays them.
func New(e *hub.Engine, s Shop, m bakery.Menu, random io.Reader) *Service {
	t := &Service{engine: e, shop: s, menu: m, random: random}
	e.Handle(trafficSK, t.turn)
	return t
}

// Traffic is a hub's traffic at one wall instant.
type Traffic struct {
	Running           bool
	StartedAt, EndsAt time.Time // of the run under way; else zero
	UsedToday         int       // minutes
	Minutes           int       // of the run under way, or the last
	Series            []Counts  // of that run's minutes, as far as they were played
}

// Total is what became of all people of the run.
func (t Traffic) Total() (sum Counts) {
	for _, c := range t.Series {
		sum = sum.plus(c)
	}
	return sum
}

func (s state) viewAt(wall time.Time) Traffic {
	t := Traffic{Running: s.runsAt(wall), UsedToday: s.usedOn(s.dayOf(wall)), Minutes: s.minutes, Series: s.series}
	if t.Running {
		t.StartedAt, t.EndsAt = s.started, s.end()
	}
	return t
}

// Read reads the traffic of a hub.
func (t *Service) Read(ctx context.Context, who hub.Who) (Traffic, error) {
	view, err := t.engine.Open(ctx, who, trafficSK)
	if err != nil {
		return Traffic{}, err
	}
	s, err := decode(view.Items[0])
	return s.viewAt(view.Now.Wall), err
}

// Start takes the minutes and starts a run of so many, with so many people in
// each.
func (t *Service) Start(ctx context.Context, who hub.Who, minutes, perMinute int) (Traffic, error) {
	switch {
	case minutes < 1 || minutes > MinutesPerDay:
		return Traffic{}, refusal.At(refusal.Invalid, "minutes", fmt.Sprintf("A run lasts 1 to %d minutes.", MinutesPerDay))
	case perMinute < 1 || perMinute > MaxPerMinute:
		return Traffic{}, refusal.At(refusal.Invalid, "orders_per_minute", fmt.Sprintf("In a minute come 1 to %d people.", MaxPerMinute))
	}
	var b [8]byte
	if _, err := io.ReadFull(t.random, b[:]); err != nil {
		return Traffic{}, err
	}
	want := state{seed: int64(binary.BigEndian.Uint64(b[:])), minutes: minutes, rate: perMinute}
	started, err := t.change(ctx, who, t.engine.OpenToChange, func(s state, view hub.View) ([]store.Write, error) {
		return s.start(want, view)
	})
	if err != nil {
		return Traffic{}, err
	}
	t.engine.Arm(ctx, who.Hub, store.Wall, started.state.started)
	return started.viewAt(started.now.Wall), nil
}

// start decides whether a run can start, and what that writes.
func (s state) start(want state, view hub.View) ([]store.Write, error) {
	now := view.Now
	switch {
	case view.Root.EndsAt.IsZero():
		return nil, refusal.New(refusal.Forbidden, "This shop is a real one: nobody simulated comes into it.")
	case s.seed == want.seed && s.runsAt(now.Wall): // by a try of ours whose reply was lost
		return nil, nil
	case s.runsAt(now.Wall):
		return nil, refusal.New(refusal.TrafficRunning, "Traffic is running already: stop it first, or let it end.")
	}
	day := s.dayOf(now.Wall)
	used := s.usedOn(day)
	if used+want.minutes > MinutesPerDay {
		return nil, refusal.New(refusal.TrafficSpent, fmt.Sprintf("%d of today's %d minutes of traffic are left.", MinutesPerDay-used, MinutesPerDay)).
			After(untilMidnight(day, now.Wall))
	}
	s.started = now.Wall
	begun := s.event(Started, now, now.Wall)
	begun.Seconds = int64(want.minutes) * 60
	writes := []store.Write{
		s.write(view.Root, due(store.Fields{
			fieldDay: day, fieldUsed: int64(used + want.minutes), fieldSeed: want.seed, fieldStarted: store.FormatInstant(now.Wall),
			fieldMinutes: int64(want.minutes), fieldRate: int64(want.rate), fieldMinute: int64(0), fieldDone: int64(0), fieldSeries: "[]",
		}, now.Wall), fieldStopped, fieldBasis),
		view.Root.LogWrite(begun),
	}
	if before, err := decode(s.item); err == nil && before.open() { // it is over, and nothing has said so yet
		writes = append(writes, view.Root.LogWrite(before.event(Stopped, now, before.end())))
	}
	return writes, nil
}

// untilMidnight is how long the UTC day still lasts.
func untilMidnight(day string, wall time.Time) time.Duration {
	start, _ := time.Parse(time.DateOnly, day) // we wrote it
	return max(start.AddDate(0, 0, 1).Sub(wall), time.Second)
}

// Stop stops the run, if one is under way, and returns the minutes it has not
// begun. Asked again it changes nothing.
func (t *Service) Stop(ctx context.Context, who hub.Who) (Traffic, error) {
	stopped, err := t.change(ctx, who, t.engine.Open, func(s state, view hub.View) ([]store.Write, error) {
		if !s.runsAt(view.Now.Wall) {
			return nil, nil
		}
		unused := s.minutes - s.begunAt(view.Now.Wall)
		return []store.Write{
			s.write(view.Root, store.Fields{
				fieldUsed: int64(max(s.used-unused, 0)), fieldStopped: store.FormatInstant(view.Now.Wall),
			}, store.FieldDue, store.FieldWake),
			view.Root.LogWrite(s.event(Stopped, view.Now, view.Now.Wall)),
		}, nil
	})
	return stopped.viewAt(stopped.now.Wall), err
}

// changed is a hub's traffic after a change.
type changed struct {
	state
	now hub.Now
}

// opening is how a hub is opened: to look, or to change something.
type opening func(ctx context.Context, who hub.Who, sks ...string) (hub.View, error)

// change takes one decision, anew for as long as others write first.
func (t *Service) change(ctx context.Context, who hub.Who, open opening, decide func(state, hub.View) ([]store.Write, error)) (changed, error) {
	for range maxTries {
		view, err := open(ctx, who, trafficSK)
		if err != nil {
			return changed{}, err
		}
		s, err := decode(view.Items[0])
		if err != nil {
			return changed{}, err
		}
		writes, err := decide(s, view)
		if err != nil || len(writes) == 0 {
			return changed{s, view.Now}, err
		}
		err = t.engine.Commit(ctx, view.Root, view.Now, writes...)
		if err == nil {
			s, err = decode(writes[0].Apply(s.item))
			return changed{s, view.Now}, err
		}
		if !overtaken(err) {
			return changed{}, err
		}
	}
	return changed{}, store.ErrConflict
}

// overtaken reports whether another writer was faster.
func overtaken(err error) bool {
	return store.FailedGuard(err) != nil || errors.Is(err, store.ErrConflict)
}
