package bakery

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"pocbakery/pkg/hub"
	"pocbakery/pkg/store"
)

// HoldState is where a hold is in its life; see the package doc.
type HoldState string

// The states of a hold. A released one is kept until its order was asked.
const (
	Held      HoldState = "h"
	Released  HoldState = "r"
	Confirmed HoldState = "c"
)

// Hold is a place of a slot, lent until End.
type Hold struct {
	Code        Code
	State       HoldState
	Made        time.Time // business time
	MadeWall    time.Time
	End         time.Time // business time
	Fingerprint string    // of the body it was made for
	Retaken     bool      // made again after it had ended

	ReleasedWall  time.Time // where a placement released it before its order was asked
	ConfirmedAt   time.Time // business time
	ConfirmedWall time.Time
	Revived       bool // confirmed after it had been released

	unknown jsontext.Value // what a later version knows
}

// EndedAt reports whether the hold's time is over: it is at its end, and from
// then on.
func (h Hold) EndedAt(now time.Time) bool { return !now.Before(h.End) }

// OpenAt reports whether the hold keeps a place that is not paid for.
func (h Hold) OpenAt(now time.Time) bool { return h.State == Held && !h.EndedAt(now) }

// Slot is a pickup slot: its capacity and the places lent of it.
type Slot struct {
	ID       SlotID
	Rev      int64 // 0 for a slot never touched
	Capacity int
	Holds    map[Code]Hold

	unknown store.Fields // what a later version knows
}

// TakenAt counts the places that are not free at this instant.
func (s Slot) TakenAt(now time.Time) (held, confirmed int) {
	for _, h := range s.Holds {
		switch {
		case h.State == Confirmed:
			confirmed++
		case h.OpenAt(now):
			held++
		}
	}
	return held, confirmed
}

// RoomAt reports whether a place is free at this instant.
func (s Slot) RoomAt(now time.Time) bool {
	held, confirmed := s.TakenAt(now)
	return held+confirmed < s.Capacity
}

// ReleaseEnded releases every hold whose time is over, at the wall instant of
// the decision. They stay in the slot until their orders were asked.
func (s Slot) ReleaseEnded(now hub.Now) {
	for c, h := range s.Holds {
		if h.State == Held && h.EndedAt(now.Business) {
			h.State, h.ReleasedWall = Released, now.Wall
			s.Holds[c] = h
		}
	}
}

// Hold lends a place, or lends it again: a void keeps what befell it before.
// There must be room.
func (s Slot) Hold(code Code, fingerprint string, now hub.Now, retake bool) Hold {
	h := Hold{
		Code: code, State: Held, Made: now.Business, MadeWall: now.Wall, End: now.Business.Add(HoldFor),
		Fingerprint: fingerprint, Retaken: retake,
	}
	s.Holds[code] = h
	return h
}

// Confirm makes the place its order's for good. A place that was released, or
// dropped, is taken back, past the capacity if it must be.
func (s Slot) Confirm(code Code, now hub.Now) {
	h, ok := s.Holds[code]
	if h.State == Confirmed {
		return
	}
	if !ok {
		h = Hold{Code: code, Made: now.Business, MadeWall: now.Wall, End: now.Business}
	}
	h.Revived = h.State != Held
	h.State, h.ConfirmedAt, h.ConfirmedWall = Confirmed, now.Business, now.Wall
	s.Holds[code] = h
}

// Ended lists the holds that wait for their orders to be asked, earliest end
// first.
func (s Slot) Ended(now time.Time) []Hold {
	var ended []Hold
	for _, h := range s.Holds {
		if h.State != Confirmed && h.EndedAt(now) {
			ended = append(ended, h)
		}
	}
	slices.SortFunc(ended, func(a, b Hold) int {
		if d := a.End.Compare(b.End); d != 0 {
			return d
		}
		return strings.Compare(string(a.Code), string(b.Code))
	})
	return ended
}

// RoomFrom is the instant at which room first appears in a full slot; ok is
// false where paid orders fill it.
func (s Slot) RoomFrom(now time.Time) (t time.Time, ok bool) {
	var ends []time.Time
	confirmed := 0
	for _, h := range s.Holds {
		switch {
		case h.State == Confirmed:
			confirmed++
		case h.OpenAt(now):
			ends = append(ends, h.End)
		}
	}
	if confirmed >= s.Capacity {
		return time.Time{}, false
	}
	slices.SortFunc(ends, time.Time.Compare)
	return ends[max(0, len(ends)+confirmed-s.Capacity)], true
}

// Events is what happened to the hold, as far as the slot itself knows. That it
// was released is told by whoever settles its order, by the order's version and
// so once: a placement that only takes ended holds out of the count decides
// nothing about them.
func (h Hold) Events(slot SlotID) []Event {
	var events []Event
	of := func(t hub.EventType, wall, at time.Time) Event {
		return Event{Type: t, Wall: wall, At: at, Slot: string(slot), Ref: string(slot.Ref(h.Code))}
	}
	made := HoldMade
	if h.Retaken {
		made = HoldRetaken
	}
	events = append(events, of(made, h.MadeWall, h.Made))
	if h.State == Confirmed {
		if !h.ReleasedWall.IsZero() { // and taken back
			events = append(events, h.released(slot, h.ReleasedWall, h.End, ReasonHoldExpired))
		}
		e := of(HoldConfirmed, h.ConfirmedWall, h.ConfirmedAt)
		e.Revived = h.Revived
		events = append(events, e)
	}
	return events
}

// released is the event of the hold's release.
func (h Hold) released(slot SlotID, wall, at time.Time, reason string) Event {
	return Event{Type: HoldReleased, Wall: wall, At: at, Slot: string(slot), Ref: string(slot.Ref(h.Code)), Reason: reason}
}

// holdRow is a hold as its field of the slot stores it: short names, milliseconds.
type holdRow struct {
	State         HoldState      `json:"s"`
	Made          int64          `json:"m"`
	MadeWall      int64          `json:"w,omitzero"` // left out where it is Made
	End           int64          `json:"e"`
	Fingerprint   string         `json:"f"`
	Retaken       bool           `json:"t,omitzero"`
	ReleasedWall  int64          `json:"x,omitzero"`
	ConfirmedAt   int64          `json:"c,omitzero"`
	ConfirmedWall int64          `json:"d,omitzero"`
	Revived       bool           `json:"v,omitzero"`
	Unknown       jsontext.Value `json:",embed"`
}

func (h Hold) encode() string {
	row := holdRow{
		State: h.State, Made: h.Made.UnixMilli(), MadeWall: h.MadeWall.UnixMilli(), End: h.End.UnixMilli(),
		Fingerprint: h.Fingerprint, Retaken: h.Retaken, Revived: h.Revived, Unknown: h.unknown,
	}
	if row.MadeWall == row.Made {
		row.MadeWall = 0
	}
	if !h.ReleasedWall.IsZero() {
		row.ReleasedWall = h.ReleasedWall.UnixMilli()
	}
	if h.State == Confirmed {
		row.ConfirmedAt, row.ConfirmedWall = h.ConfirmedAt.UnixMilli(), h.ConfirmedWall.UnixMilli()
	}
	b, err := json.Marshal(row)
	if err != nil { // numbers and our own short strings always encode
		panic(err)
	}
	return string(b)
}

func decodeHold(code Code, s string) (Hold, error) {
	var row holdRow
	if err := json.Unmarshal([]byte(s), &row); err != nil {
		return Hold{}, fmt.Errorf("bakery: a hold cannot be read: %w", err)
	}
	if row.MadeWall == 0 {
		row.MadeWall = row.Made
	}
	h := Hold{
		Code: code, State: row.State, Made: hub.Millis(row.Made), MadeWall: hub.Millis(row.MadeWall),
		End: hub.Millis(row.End), Fingerprint: row.Fingerprint, Retaken: row.Retaken, Revived: row.Revived, unknown: row.Unknown,
	}
	if row.ReleasedWall != 0 {
		h.ReleasedWall = hub.Millis(row.ReleasedWall)
	}
	if row.State == Confirmed {
		h.ConfirmedAt, h.ConfirmedWall = hub.Millis(row.ConfirmedAt), hub.Millis(row.ConfirmedWall)
	}
	return h, nil
}
