package api

import (
	"time"

	"pocbakery/pkg/bakery"
	"pocbakery/pkg/hub"
)

type clockJSON struct {
	WallNow       instant `json:"wall_now"`
	BusinessNow   instant `json:"business_now" doc:"The time it is in the shop"`
	OffsetSeconds int64   `json:"offset_seconds" doc:"By how much the shop is ahead"`
}

func clockOf(now hub.Now, offset time.Duration) clockJSON {
	return clockJSON{instant(now.Wall), instant(now.Business), int64(offset / time.Second)}
}

type advanceBody struct {
	Seconds int64 `json:"seconds" minimum:"1" maximum:"604800" doc:"By how much to move the clock"`
}

type advancedJSON struct {
	Clock    clockJSON     `json:"clock"`
	Released []releaseJSON `json:"released" doc:"The holds that ended on the way"`
	Expired  []string      `json:"expired" doc:"The refs of the orders that ended with them"`
}

type releaseJSON struct {
	Slot   string `json:"slot"`
	Ref    string `json:"ref"`
	Reason string `json:"reason" enum:"hold_expired"`
}

func (s *server) advance(c *call, in *advanceBody) (out advancedJSON, err error) {
	a, err := s.Sandboxes.Advance(c.ctx, c.who, time.Duration(in.Seconds)*time.Second, c.key)
	if err != nil {
		return out, err
	}
	if a.Replayed {
		c.replayed()
	}
	out.Clock = clockOf(a.Now, a.Offset)
	for _, e := range a.Events {
		switch {
		case e.Type == bakery.HoldReleased && e.Reason == bakery.ReasonHoldExpired:
			out.Released = append(out.Released, releaseJSON{e.Slot, e.Ref, e.Reason})
		case e.Type == bakery.OrderExpired:
			out.Expired = append(out.Expired, e.Ref)
		}
	}
	return out, nil
}
