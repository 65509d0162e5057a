package planner

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"sync"

	"pocbakery/pkg/calendar"
	"pocbakery/pkg/store"
)

const (
	// chunkBytes is how much of a feed one item holds, of text.
	chunkBytes = 256 << 10
	// maxFeeds bounds the feeds kept in memory.
	maxFeeds  = 16
	fieldPart = "part"
)

// feeds keeps what was read: a generation never changes once it is pointed to.
type feeds struct {
	mu   sync.Mutex
	kept map[string]calendar.Feed
}

func feedSK(id string, gen, n int) string {
	return fmt.Sprintf("%s%s#%06d#%03d", feedPrefix, id, gen, n)
}

// feed reads a calendar as it was last fetched.
func (p *Service) feed(ctx context.Context, s *state, c *Calendar) (calendar.Feed, error) {
	if c.Gen == 0 {
		return calendar.Feed{}, nil
	}
	name := fmt.Sprintf("%s/%s/%d", s.root.ID, c.ID, c.Gen)
	p.feeds.mu.Lock()
	f, ok := p.feeds.kept[name]
	p.feeds.mu.Unlock()
	if ok {
		return f, nil
	}
	keys := make([]store.Key, c.Chunks)
	for n := range keys {
		keys[n] = s.root.Key(feedSK(c.ID, c.Gen, n))
	}
	items, err := p.Engine.Store().Get(ctx, s.now.Wall, keys...)
	if err != nil {
		return f, err
	}
	var text strings.Builder
	for _, i := range items {
		if !i.Exists() { // another generation was pointed to meanwhile
			return f, store.ErrConflict
		}
		text.WriteString(i.String(fieldPart))
	}
	b, err := base64.StdEncoding.DecodeString(text.String())
	if err != nil {
		return f, err
	}
	if f, err = calendar.Decode(b); err != nil {
		return f, err
	}
	p.feeds.mu.Lock()
	defer p.feeds.mu.Unlock()
	if p.feeds.kept == nil || len(p.feeds.kept) >= maxFeeds {
		p.feeds.kept = map[string]calendar.Feed{}
	}
	p.feeds.kept[name] = f
	return f, nil
}

// storeFeed writes a feed under a generation that nothing points to yet, in so
// many items.
func (p *Service) storeFeed(ctx context.Context, s *state, id string, gen int, f calendar.Feed) (chunks int, err error) {
	b, err := f.Encode()
	if err != nil {
		return 0, err
	}
	for text := base64.StdEncoding.EncodeToString(b); text != ""; chunks++ {
		part := text[:min(len(text), chunkBytes)]
		text = text[len(part):]
		w := store.Put(s.root.Key(feedSK(id, gen, chunks)), store.If().OrAbsent(), store.Fields{fieldPart: part})
		if err := p.Engine.Commit(ctx, s.root, s.now, w); err != nil {
			return 0, err
		}
	}
	return chunks, nil
}

// forgetFeed deletes what is stored of a calendar, with the write that no
// longer points to it.
func (s *state) forgetFeed(c *Calendar) {
	for n := range c.Chunks {
		s.more = append(s.more, store.Delete(s.root.Key(feedSK(c.ID, c.Gen, n)), store.If().OrAbsent()))
	}
}

// problems is what could not be read of a calendar, in one sentence.
func problems(all []calendar.Problem) string {
	if len(all) == 0 {
		return ""
	}
	text := all[0].What
	if all[0].Line > 0 {
		text = fmt.Sprintf("Line %d: %s", all[0].Line, text)
	}
	if n := len(all) - 1; n > 0 {
		text += fmt.Sprintf(", and %d more", n)
	}
	return cut(text, maxReason)
}
