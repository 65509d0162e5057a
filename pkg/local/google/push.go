package google

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
)

const (
	channelLasts = 7 * 24 * time.Hour
	pushFor      = 5 * time.Second
	lateBy       = 3 * time.Second // of real time
)

// channel is a watch on a calendar.
type channel struct {
	ID         string `json:"id"`
	Token      string `json:"token"`
	Address    string `json:"address"`
	Type       string `json:"type"`
	Expiration string `json:"expiration"` // milliseconds
	until      time.Time
}

// resource names what a calendar's channels watch.
func (b *book) resource() string { return "resource-" + b.id }

// live drops the channels that have ended.
func (b *book) live(now time.Time) {
	for id, ch := range b.channels {
		if !now.Before(ch.until) {
			delete(b.channels, id)
		}
	}
}

func (c *Calendars) watch(w http.ResponseWriter, r *http.Request) {
	var ch channel
	if err := json.UnmarshalRead(http.MaxBytesReader(w, r.Body, 1<<16), &ch); err != nil || ch.ID == "" || len(ch.ID) > 64 || len(ch.Token) > 256 || ch.Type != "web_hook" || ch.Address == "" {
		fail(w, http.StatusBadRequest, "invalid")
		return
	}
	c.mu.Lock()
	c.counts.Watch++
	b := c.book(r.PathValue("id"))
	if b == nil {
		c.mu.Unlock()
		fail(w, http.StatusNotFound, "notFound")
		return
	}
	if _, taken := b.channels[ch.ID]; taken {
		c.mu.Unlock()
		fail(w, http.StatusBadRequest, "channelIdNotUnique")
		return
	}
	ch.until = c.wall().Add(channelLasts)
	if ms, err := strconv.ParseInt(ch.Expiration, 10, 64); err == nil && time.UnixMilli(ms).Before(ch.until) {
		ch.until = time.UnixMilli(ms)
	}
	b.channels[ch.ID] = ch
	c.mu.Unlock()
	// The first message may be there before the answer is.
	c.send(b, ch, "sync")
	write(w, http.StatusOK, map[string]any{
		"kind": "api#channel", "id": ch.ID, "resourceId": b.resource(), "expiration": fmt.Sprint(ch.until.UnixMilli()),
	})
}

func (c *Calendars) stop(w http.ResponseWriter, r *http.Request) {
	var in struct {
		ID         string `json:"id"`
		ResourceID string `json:"resourceId"`
	}
	if err := json.UnmarshalRead(http.MaxBytesReader(w, r.Body, 1<<16), &in); err != nil {
		fail(w, http.StatusBadRequest, "invalid")
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts.Stop++
	for _, b := range c.books {
		b.live(c.wall())
		if _, ok := b.channels[in.ID]; ok && b.resource() == in.ResourceID {
			delete(b.channels, in.ID)
			w.WriteHeader(http.StatusNoContent)
			return
		}
	}
	fail(w, http.StatusNotFound, "notFound")
}

// push tells the channels of a calendar of a change: all at once, and returns
// when they have been told, but for those that are to be late.
func (c *Calendars) push(b *book, state string) {
	c.mu.Lock()
	b.live(c.wall())
	var all []channel
	for _, ch := range b.channels {
		all = append(all, ch)
	}
	mode := c.faults.Push
	c.mu.Unlock()
	times := map[string]int{"on": 1, "double": 2, "late": 1}[mode]
	var told sync.WaitGroup
	for _, ch := range all {
		for range times {
			if mode == "late" {
				c.late.Go(func() {
					time.Sleep(lateBy)
					c.send(b, ch, state)
				})
				continue
			}
			told.Go(func() { c.send(b, ch, state) })
		}
	}
	told.Wait()
}

// Wait waits for the pushes that are on their way.
func (c *Calendars) Wait() { c.late.Wait() }

// send is one push. What becomes of it is the receiver's.
func (c *Calendars) send(b *book, ch channel, state string) {
	c.mu.Lock()
	b.message++
	number := b.message
	c.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), pushFor)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, ch.Address, nil)
	if err != nil {
		return
	}
	for name, v := range map[string]string{
		"X-Goog-Channel-ID": ch.ID, "X-Goog-Channel-Token": ch.Token, "X-Goog-Resource-ID": b.resource(),
		"X-Goog-Resource-State": state, "X-Goog-Message-Number": fmt.Sprint(number),
		"X-Goog-Channel-Expiration": ch.until.UTC().Format(http.TimeFormat),
	} {
		r.Header.Set(name, v)
	}
	a, err := http.DefaultClient.Do(r)
	if err == nil {
		_ = a.Body.Close()
	}
}
