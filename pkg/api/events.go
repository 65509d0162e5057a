package api

import (
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"pocbakery/pkg/bakery"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/planner"
	"pocbakery/pkg/traffic"
)

type eventJSON struct {
	ID      string        `json:"id" doc:"Sorts by when it was decided"`
	At      instant       `json:"at" doc:"The time in the shop that it is about"`
	Type    hub.EventType `json:"type"`
	Slot    string        `json:"slot,omitempty"`
	Ref     string        `json:"ref,omitempty"`
	Payment string        `json:"payment,omitempty"`
	Refund  string        `json:"refund,omitempty"`
	SKU     string        `json:"sku,omitempty"`
	Reason  string        `json:"reason,omitempty"`
	Revived *bool         `json:"revived,omitempty" doc:"Of HoldConfirmed"`
	From    *int64        `json:"from,omitempty" doc:"Of CapacityChanged"`
	To      *int64        `json:"to,omitempty" doc:"Of CapacityChanged"`
	Seconds *int64        `json:"seconds,omitempty" doc:"Of ClockAdvanced; of TrafficStarted, for how long"`

	Task     string `json:"task,omitempty"`
	Block    string `json:"block,omitempty"`
	Calendar string `json:"calendar,omitempty"`
	Date     string `json:"date,omitempty" doc:"Of BriefingSent: its local date"`
	Moves    *int64 `json:"moves,omitempty" doc:"Of PlanChanged: how many blocks stand elsewhere now"`
}

// eventTypes are the types there are, for the reader of the document.
var eventTypes = []hub.EventType{
	hub.SandboxBorn, hub.ClockAdvanced, bakery.CapacityChanged, bakery.HoldMade, bakery.HoldReleased, bakery.HoldRetaken,
	bakery.HoldConfirmed, bakery.OrderPlaced, bakery.OrderPaid, bakery.OrderExpired, bakery.OrderPaymentLate,
	bakery.OrderCancelled, bakery.OrderCollected, bakery.RefundRequested, traffic.Started, traffic.Stopped,
	planner.TaskAdded, planner.TaskDone, planner.BlockOverrun, planner.PlanChanged, planner.CalendarSynced, planner.CalendarFailed,
	planner.WatchRenewed, planner.BriefingSent, planner.HubAsleep, planner.HubAwake,
}

// TransformSchema names the types and the reasons. Neither is an enum: a client
// that stops at one it does not know would stop at the next version.
func (eventJSON) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	names := make([]string, len(eventTypes))
	for i, t := range eventTypes {
		names[i] = string(t)
	}
	s.Properties["type"].Description = "One of " + strings.Join(names, ", ") + "; more will come, and clients pass over those they do not know"
	s.Properties["reason"].Description = "Of HoldReleased: " + bakery.ReasonHoldExpired + " or " + bakery.ReasonCancelled +
		"; of CalendarFailed: error or reconnect"
	return s
}

func eventOf(e hub.Event) eventJSON {
	out := eventJSON{ID: e.ID(), At: instant(e.At), Type: e.Type, Slot: e.Slot, Ref: e.Ref, Payment: e.Payment, Refund: e.Refund, SKU: e.SKU, Reason: e.Reason,
		Task: e.Task, Block: e.Block, Calendar: e.Calendar, Date: e.Date}
	switch e.Type {
	case bakery.HoldConfirmed:
		revived := e.Revived // a copy: the event itself is too large to outlive this
		out.Revived = &revived
	case bakery.CapacityChanged:
		from, to := e.From, e.To
		out.From, out.To = &from, &to
	case planner.PlanChanged:
		moves := e.Moves
		out.Moves = &moves
	case hub.ClockAdvanced, traffic.Started:
		seconds := e.Seconds
		out.Seconds = &seconds
	}
	return out
}

func eventsOf(events []hub.Event) []eventJSON {
	out := make([]eventJSON, len(events))
	for i, e := range events {
		out[i] = eventOf(e)
	}
	return out
}

type eventsQuery struct {
	Date  text `json:"date,omitempty" format:"date" doc:"Tells only of the pickups of this date of the shop"`
	After text `json:"after,omitempty" maxLength:"128" doc:"An event's id, or an instant"`
	Limit int  `json:"limit" minimum:"1" maximum:"100" default:"50"`
}

type eventsJSON struct {
	Events    []eventJSON `json:"events"`
	NextAfter string      `json:"next_after" doc:"The last id given, or what was asked for"`
}

func (s *server) events(c *call, in *eventsQuery) (eventsJSON, error) {
	on, err := date("date", string(in.Date))
	if err != nil {
		return eventsJSON{}, err
	}
	events, next, err := s.Shop.Events(c.ctx, c.who, bakery.EventQuery{Date: on, After: string(in.After), Limit: in.Limit})
	return eventsJSON{eventsOf(events), next}, err
}
