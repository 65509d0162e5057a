package google

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"pocbakery/pkg/calendar"
)

const (
	maxEvents = 20_000
	pageSize  = "2500"
	// wanted are the fields of an answer that are read.
	wanted = "summary,nextPageToken,nextSyncToken,items(id,status,summary,transparency,start,end,recurrence,recurringEventId,originalStartTime,attendees(self,responseStatus))"
)

// page is an answer of events.list.
type page struct {
	Summary       string  `json:"summary"`
	Items         []event `json:"items"`
	NextPageToken string  `json:"nextPageToken"`
	NextSyncToken string  `json:"nextSyncToken"`
}

// Fetch asks for what changed since the last time, or for everything.
func (c *Client) Fetch(ctx context.Context, g calendar.Grant, id string, last calendar.State, _ time.Time) (calendar.Fetched, error) {
	ctx, cancel := c.within(ctx)
	defer cancel()
	if last.Token != "" {
		f, err := c.sync(ctx, g, id, last)
		var status statusError
		if !errors.As(err, &status) || status != http.StatusGone {
			return f, told(err)
		}
	}
	f, err := c.sync(ctx, g, id, calendar.State{})
	if err != nil {
		return calendar.Fetched{}, told(err)
	}
	f.Changed = last.Token == "" || !same(f.State.Feed, last.Feed)
	return f, nil
}

// sync reads all pages of a delta, or of a full list where there is no token.
func (c *Client) sync(ctx context.Context, g calendar.Grant, id string, last calendar.State) (calendar.Fetched, error) {
	found := merge{events: map[string]calendar.Event{}}
	for _, e := range last.Feed.Events {
		found.events[e.ID] = e
	}
	query := url.Values{"maxResults": {pageSize}, "singleEvents": {"false"}, "fields": {wanted}, "maxAttendees": {"1"}}
	if last.Token != "" {
		query.Set("syncToken", last.Token)
	}
	name := last.Feed.Name
	for read := 0; ; {
		var p page
		if err := c.call(ctx, g, http.MethodGet, "/calendars/"+url.PathEscape(id)+"/events", query, nil, &p); err != nil {
			return calendar.Fetched{}, err
		}
		if p.Summary != "" {
			name = short(p.Summary)
		}
		for _, e := range p.Items {
			found.take(e)
		}
		if read += len(p.Items); read > maxEvents {
			return calendar.Fetched{}, fmt.Errorf("%w: it has more than %d events", calendar.ErrUnread, maxEvents)
		}
		if p.NextPageToken == "" {
			if p.NextSyncToken == "" {
				return calendar.Fetched{}, fmt.Errorf("%w: Google's answer has no end", calendar.ErrUnread)
			}
			f := calendar.Fetched{State: calendar.State{Feed: calendar.Feed{Name: name, Events: found.all()}, Token: p.NextSyncToken}, Problems: found.problems}
			f.Changed = !same(f.State.Feed, last.Feed)
			return f, nil
		}
		query.Set("pageToken", p.NextPageToken)
	}
}

// merge is a feed into which answers are merged.
type merge struct {
	events   map[string]calendar.Event
	problems []calendar.Problem
}

const maxProblems = 50

func (m *merge) bad(what string) {
	if len(m.problems) < maxProblems {
		m.problems = append(m.problems, calendar.Problem{What: what})
	}
}

// take merges one event. A cancelled one of a living series stays, to say so; a
// series that goes takes all of its own with it.
func (m *merge) take(e event) {
	if e.ID == "" {
		m.bad("an event has no name")
		return
	}
	if e.Status == "cancelled" && e.RecurringEventID == "" {
		delete(m.events, e.ID)
		for id, o := range m.events {
			if o.UID == e.ID {
				delete(m.events, id)
			}
		}
		return
	}
	read, err := e.read(m.bad)
	if err != nil {
		delete(m.events, e.ID)
		m.bad(err.Error())
		return
	}
	m.events[e.ID] = read
}

// all are the events in the order of their ids. A cancelled one says something
// only as long as its series lives.
func (m *merge) all() []calendar.Event {
	all := make([]calendar.Event, 0, len(m.events))
	for _, e := range m.events {
		if _, living := m.events[e.UID]; e.Cancelled && !living {
			continue
		}
		all = append(all, e)
	}
	slices.SortFunc(all, func(a, b calendar.Event) int { return strings.Compare(a.ID, b.ID) })
	return all
}

// same reports whether two feeds are the same calendar.
func same(a, b calendar.Feed) bool {
	x, err := a.Encode()
	if err != nil {
		return false
	}
	y, err := b.Encode()
	return err == nil && bytes.Equal(x, y)
}
