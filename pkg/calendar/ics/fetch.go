package ics

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"

	"pocbakery/pkg/calendar"
)

const (
	fetchFor     = 5 * time.Second
	maxRedirects = 5
)

// Side asks for the files. Its zero value may ask for public addresses only.
type Side struct {
	// Own are names of this very service, in lower case, that it does not ask.
	Own []string
	// Loopback lets it ask this machine, at any port. For a local run.
	Loopback bool
}

var _ calendar.Side = (*Side)(nil)

// Fetch asks for the file at an address, if it is another than last time.
func (s *Side) Fetch(ctx context.Context, address string, last calendar.State, _ time.Time) (calendar.Fetched, error) {
	u, ok := s.parse(address)
	if !ok {
		return calendar.Fetched{}, calendar.ErrNotAllowed
	}
	ctx, cancel := context.WithTimeout(ctx, fetchFor)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return calendar.Fetched{}, calendar.ErrNotAllowed
	}
	r.Header.Set("Accept", "text/calendar, */*;q=0.1")
	r.Header.Set("User-Agent", "pocbakery-planner/1")
	if last.ETag != "" {
		r.Header.Set("If-None-Match", last.ETag)
	}
	if last.Modified != "" {
		r.Header.Set("If-Modified-Since", last.Modified)
	}
	client := s.client()
	defer client.CloseIdleConnections()
	a, err := client.Do(r)
	if err != nil {
		return calendar.Fetched{}, failed(err)
	}
	defer func() { _ = a.Body.Close() }()
	switch a.StatusCode {
	case http.StatusOK:
		return take(a, last)
	case http.StatusNotModified:
		return calendar.Fetched{State: last}, nil
	}
	return calendar.Fetched{}, fmt.Errorf("%w: its server answered %d", calendar.ErrUnread, a.StatusCode)
}

// take reads the file of an answer.
func take(a *http.Response, last calendar.State) (calendar.Fetched, error) {
	file, err := io.ReadAll(io.LimitReader(a.Body, MaxFile+1))
	switch {
	case err != nil:
		return calendar.Fetched{}, failed(err)
	case len(file) > MaxFile:
		return calendar.Fetched{}, fmt.Errorf("%w: it is larger than %d MB", calendar.ErrUnread, MaxFile>>20)
	}
	feed, problems, err := Read(file)
	if err != nil {
		return calendar.Fetched{}, fmt.Errorf("%w: %w", calendar.ErrUnread, err)
	}
	f := calendar.Fetched{State: calendar.State{Feed: feed, ETag: validator(a, "ETag"), Modified: validator(a, "Last-Modified")}, Problems: problems}
	was, err := last.Feed.Encode()
	if err != nil {
		return calendar.Fetched{}, err
	}
	is, err := feed.Encode()
	if err != nil {
		return calendar.Fetched{}, err
	}
	f.Changed = !bytes.Equal(was, is)
	return f, nil
}

// validator is a header to be sent back, unless it is longer than any is.
func validator(a *http.Response, name string) string {
	if v := a.Header.Get(name); len(v) <= 512 {
		return v
	}
	return ""
}

// failed is why an answer did not come, without what was asked for.
func failed(err error) error {
	var slow net.Error
	switch {
	case errors.Is(err, calendar.ErrNotAllowed):
		return calendar.ErrNotAllowed
	case errors.Is(err, errRedirects):
		return fmt.Errorf("%w: %w", calendar.ErrUnread, errRedirects)
	case errors.As(err, &slow) && slow.Timeout(), errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%w: its server took longer than %d seconds", calendar.ErrUnread, fetchFor/time.Second)
	}
	return fmt.Errorf("%w: its server cannot be reached", calendar.ErrUnread)
}

var errRedirects = errors.New("it leads from one address to the next, too often")

// client is a client for one fetch: it keeps no connection.
func (s *Side) client() *http.Client {
	dialer := &net.Dialer{Control: func(_, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil || !s.mayDial(to) {
			return calendar.ErrNotAllowed
		}
		return nil
	}}
	return &http.Client{
		Transport: &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true, MaxResponseHeaderBytes: 64 << 10, ForceAttemptHTTP2: true},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if len(via) > maxRedirects {
				return errRedirects
			}
			if !s.mayAsk(r.URL) {
				return calendar.ErrNotAllowed
			}
			return nil
		},
	}
}
