package bakery

import (
	"iter"
	"sync"
	"time"

	"pocbakery/pkg/localtime"
)

// Interval is a part of a day on the shop's wall, half-open, in time of day
// from 00:00 to at most 24:00. A night is two intervals, one a date.
type Interval struct{ From, To time.Duration }

// Hours says when a shop hands orders out.
//
// A slot is a real stretch of SlotLength inside an interval, counted from the
// instant the interval begins. So in the autumn night a shop that is open has
// every slot of the hour that comes twice, each with its own id, and in spring
// none inside the hour that never comes. An interval begins (and ends) the
// first time the wall shows its time or, where it never does, when the clocks
// jump over it.
type Hours struct {
	Zone       *time.Location
	Open       map[time.Weekday][]Interval // of a day in their order, none overlapping
	SlotLength time.Duration               // whole minutes
	Capacity   int                         // places a slot, where nobody changed it
	Days       int                         // how many local dates are offered, today the first
}

var stockholm = sync.OnceValue(func() *time.Location {
	z, err := time.LoadLocation("Europe/Stockholm")
	if err != nil { // it is embedded
		panic(err)
	}
	return z
})

// DefaultHours is the shop as it comes: Stockholm, 07:00 to 18:00 every day,
// slots of 15 minutes with 6 places, two weeks ahead.
func DefaultHours() Hours {
	open := make(map[time.Weekday][]Interval, 7)
	for d := time.Sunday; d <= time.Saturday; d++ {
		open[d] = []Interval{{7 * time.Hour, 18 * time.Hour}}
	}
	return Hours{Zone: stockholm(), Open: open, SlotLength: 15 * time.Minute, Capacity: 6, Days: 14}
}

// Today is the shop's local date at an instant.
func (h Hours) Today(now time.Time) Date { return localtime.DateOf(now.In(h.Zone)) }

// Offered is the first and the last date whose slots can be ordered.
func (h Hours) Offered(now time.Time) (from, to Date) {
	from = h.Today(now)
	return from, from.AddDays(h.Days - 1)
}

// DateOf is the local date a slot begins on, the zero Date for what is no slot
// id.
func (h Hours) DateOf(s SlotID) Date {
	t, ok := s.unix()
	if !ok {
		return Date{}
	}
	return localtime.DateOf(time.Unix(t, 0).In(h.Zone))
}

// Local is when the slot begins, as the shop's wall shows it: "10:15". It is
// empty for what is no slot id.
func (h Hours) Local(s SlotID) string {
	t, ok := s.unix()
	if !ok {
		return ""
	}
	hour, minute, _ := time.Unix(t, 0).In(h.Zone).Clock()
	return string([]byte{digit(hour / 10), digit(hour), ':', digit(minute / 10), digit(minute)})
}

// Moment is when a slot starts as one says it beside another: "10:30", or with
// its date where that is not the other's.
func (h Hours) Moment(s, beside SlotID) string {
	if d := h.DateOf(s); d != h.DateOf(beside) {
		return d.String() + " " + h.Local(s)
	}
	return h.Local(s)
}

// SlotsOf is every slot of a local date, in order.
func (h Hours) SlotsOf(d Date) []SlotID {
	_, starts := h.starts(d)
	slots := make([]SlotID, len(starts))
	for i, t := range starts {
		slots[i] = slotAt(t)
	}
	return slots
}

// starts is when the slots of a date begin, in Unix seconds, and the wall of
// that date.
func (h Hours) starts(d Date) (w localtime.Wall, starts []int64) {
	w = localtime.WallOf(h.Zone, d)
	step := int64(h.SlotLength / time.Second)
	if step <= 0 {
		return w, nil
	}
	for _, i := range h.Open[d.Weekday()] {
		open, end := w.First(i.From), w.First(i.To)
		if starts == nil {
			starts = make([]int64, 0, max(0, (end-open)/step))
		}
		for t := open; t+step <= end; t += step {
			starts = append(starts, t)
		}
	}
	return w, starts
}

// DayRange is the half-open range of ids, in text order, that has exactly the
// slots of a local date. The ranges of all dates tile.
func (h Hours) DayRange(d Date) (from, to SlotID) {
	w := localtime.WallOf(h.Zone, d)
	return slotAt(w.First(0)), slotAt(w.First(24 * time.Hour))
}

// SlotStatus is what a slot id is worth at an instant.
type SlotStatus int

// A slot is none that is not on the shop's grid, or not of a date that is
// offered; it is past from the instant it begins.
const (
	SlotNone SlotStatus = iota
	SlotPast
	SlotOpen
)

// Check says whether a slot can be ordered.
func (h Hours) Check(slot SlotID, now time.Time) SlotStatus {
	t, ok := slot.unix()
	if !ok {
		return SlotNone
	}
	d := localtime.DateOf(time.Unix(t, 0).In(h.Zone))
	from, to := h.Offered(now)
	switch {
	case d.Before(from) || to.Before(d) || !h.onGrid(d, t):
		return SlotNone
	case t <= now.Unix():
		return SlotPast
	default:
		return SlotOpen
	}
}

// onGrid reports whether a slot of the date begins at t.
func (h Hours) onGrid(d Date, t int64) bool {
	w := localtime.WallOf(h.Zone, d)
	step := int64(h.SlotLength / time.Second)
	for _, i := range h.Open[d.Weekday()] {
		open, end := w.First(i.From), w.First(i.To)
		if step > 0 && open <= t && t+step <= end && (t-open)%step == 0 {
			return true
		}
	}
	return false
}

// Next is the slots after this one that have not begun, through the last date
// offered. There is none after what is no slot id.
func (h Hours) Next(slot SlotID, now time.Time) iter.Seq[SlotID] {
	return func(yield func(SlotID) bool) {
		if _, ok := slot.unix(); !ok {
			return
		}
		d := h.DateOf(slot)
		from, to := h.Offered(now)
		if d.Before(from) {
			d = from
		}
		after := max(slot, slotAt(now.Unix()))
		for ; !to.Before(d); d = d.AddDays(1) {
			for _, s := range h.SlotsOf(d) {
				if s > after && !yield(s) {
					return
				}
			}
		}
	}
}
