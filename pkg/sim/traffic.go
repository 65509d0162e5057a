package sim

import (
	"context"
	"time"

	"pocbakery/pkg/store"
	"pocbakery/pkg/traffic"
)

// traffic starts simulated people, or stops them, often twice.
func (w *World) traffic() {
	v := w.someVisitor()
	if v == nil {
		return
	}
	if w.dice.in(2) {
		w.people(v, pick(w.dice, []int{1, 2, 3, 5, 30}))
	}
	for range w.dice.IntN(3) {
		w.people(v, 0)
	}
}

// people starts so many minutes of traffic; 0 stops it.
func (w *World) people(v *visitor, minutes int) {
	k := w.worker()
	stop := minutes == 0
	if stop {
		w.tell("%s stops the traffic on worker %s", v.name, k.name)
	} else {
		w.tell("%s starts %d minutes of traffic on worker %s", v.name, minutes, k.name)
	}
	var got traffic.Traffic
	_, lived, err := w.ask(k, false, func(ctx context.Context) (err error) {
		if stop {
			got, err = k.traffic.Stop(ctx, v.who())
			return err
		}
		got, err = k.traffic.Start(ctx, v.who(), minutes, 1)
		return err
	})
	if !lived {
		return
	}
	code := w.answer(err)
	w.tell("-> %s, %d minutes used", orYes(code), got.UsedToday)
	if code != "" {
		w.reached(cmpState(trafficStates, code))
	}
}

var trafficStates = map[string]State{
	"traffic-minutes-spent": MinutesSpent, "traffic-running": TrafficRuns, "sandbox-ended": Ended, "read-only": ReadOnlyCommand,
}

// minutesRow is a sandbox's traffic, as far as its minutes go.
type minutesRow struct {
	day              string
	used, minutes    int64
	started, stopped time.Time
}

func minutesOf(i store.Item) minutesRow {
	return minutesRow{i.String("day"), i.Int("used"), i.Int("minutes"), i.Time("started"), i.Time("stopped")}
}

// begun is how many of its minutes a run that was stopped had begun.
func (m minutesRow) begun() int64 {
	return min(int64(m.stopped.Sub(m.started)/time.Minute)+1, m.minutes)
}

// judgeTraffic asks that a run takes its minutes once, from those of its day,
// and returns those it has not begun once.
func (w *World) judgeTraffic(b *box, c change) {
	was, is := minutesOf(c.before), minutesOf(c.after)
	if is.used < 0 || is.used > traffic.MinutesPerDay {
		w.violated("traffic", "%s has used %d of its minutes", w.name(b.id), is.used)
	}
	want := was.used
	switch {
	case is.day < was.day:
		w.violated("traffic", "the minutes of %s go back to %s", w.name(b.id), is.day)
	case !is.started.Equal(was.started):
		if is.day != was.day {
			want = 0
		}
		want += is.minutes
	case was.stopped.IsZero() && !is.stopped.IsZero():
		if unused := is.minutes - is.begun(); unused > 0 {
			want -= unused
			w.reached(MinutesReturned)
		}
	}
	if is.used != want {
		w.violated("traffic", "%s has used %d minutes and should have %d", w.name(b.id), is.used, want)
	}
}
