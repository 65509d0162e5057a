package google

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"pocbakery/pkg/calendar"
)

// Calendars lists what can be connected, the primary first.
func (c *Client) Calendars(ctx context.Context, g calendar.Grant) ([]calendar.Listed, error) {
	ctx, cancel := c.within(ctx)
	defer cancel()
	query := url.Values{"minAccessRole": {"reader"}, "maxResults": {"250"}, "fields": {"nextPageToken,items(id,summary,summaryOverride,primary)"}}
	var all []calendar.Listed
	for pages := 0; pages < 10; pages++ {
		var p struct {
			Items []struct {
				ID              string `json:"id"`
				Summary         string `json:"summary"`
				SummaryOverride string `json:"summaryOverride"`
				Primary         bool   `json:"primary"`
			} `json:"items"`
			NextPageToken string `json:"nextPageToken"`
		}
		if err := c.call(ctx, g, http.MethodGet, "/users/me/calendarList", query, nil, &p); err != nil {
			return nil, told(err)
		}
		for _, i := range p.Items {
			name := i.SummaryOverride
			if name == "" {
				name = i.Summary
			}
			all = append(all, calendar.Listed{ID: i.ID, Name: short(name), Primary: i.Primary})
		}
		if p.NextPageToken == "" {
			break
		}
		query.Set("pageToken", p.NextPageToken)
	}
	slices.SortStableFunc(all, func(a, b calendar.Listed) int {
		switch {
		case a.Primary == b.Primary:
			return 0
		case a.Primary:
			return -1
		}
		return 1
	})
	return all, nil
}

// Watch opens a channel.
func (c *Client) Watch(ctx context.Context, g calendar.Grant, id string, ch calendar.Channel) (calendar.Channel, error) {
	ctx, cancel := c.within(ctx)
	defer cancel()
	in := map[string]any{"id": ch.ID, "type": "web_hook", "address": ch.Address, "token": ch.Token}
	if !ch.Until.IsZero() {
		in["expiration"] = fmt.Sprint(ch.Until.UnixMilli())
	}
	var out struct {
		ResourceID string `json:"resourceId"`
		// Expiration is in milliseconds, as a text or a number.
		Expiration jsontext.Value `json:"expiration"`
	}
	if err := c.call(ctx, g, http.MethodPost, "/calendars/"+url.PathEscape(id)+"/events/watch", nil, in, &out); err != nil {
		return calendar.Channel{}, told(err)
	}
	var ms int64
	if _, err := fmt.Sscan(strings.Trim(string(out.Expiration), `"`), &ms); err != nil || ms <= 0 || out.ResourceID == "" {
		return calendar.Channel{}, fmt.Errorf("%w: Google did not say when the channel ends", calendar.ErrUnread)
	}
	ch.Resource, ch.Until = out.ResourceID, time.UnixMilli(ms).UTC()
	return ch, nil
}

// Stop ends a channel.
func (c *Client) Stop(ctx context.Context, g calendar.Grant, ch calendar.Channel) error {
	ctx, cancel := c.within(ctx)
	defer cancel()
	err := c.call(ctx, g, http.MethodPost, "/channels/stop", nil, map[string]string{"id": ch.ID, "resourceId": ch.Resource}, nil)
	var status statusError
	if errors.As(err, &status) && (status == http.StatusNotFound || status == http.StatusGone) {
		return nil
	}
	return told(err)
}

// Revoke takes a grant back, with the access tokens that came of it.
func (c *Client) Revoke(ctx context.Context, g calendar.Grant) error {
	c.keep(g, nil)
	ctx, cancel := c.within(ctx)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.config.RevokeURL, strings.NewReader(url.Values{"token": {string(g)}}.Encode()))
	if err != nil {
		return failed(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	a, err := c.http.Do(r)
	if err != nil {
		return failed(err)
	}
	defer func() { _ = a.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(a.Body, 1<<16))
	if a.StatusCode == http.StatusOK || a.StatusCode == http.StatusBadRequest { // 400: it is gone
		return nil
	}
	return unread(a.StatusCode)
}
