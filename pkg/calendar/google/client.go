package google

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"golang.org/x/oauth2"

	"pocbakery/pkg/calendar"
)

const (
	callFor   = 5 * time.Second
	maxAnswer = 10 << 20 // bytes
	// knownTokens bounds the access tokens that are kept in memory.
	knownTokens = 1000
)

// Config is who we are to the other side, and where it is.
type Config struct {
	ClientID string
	Secret   string
	Redirect string // where the person comes back to

	// Google's own where they are empty.
	AuthURL, TokenURL, RevokeURL, API string
}

// Client asks Google. It is safe for concurrent use.
type Client struct {
	config Config
	http   *http.Client

	mu     sync.Mutex
	tokens map[calendar.Grant]*oauth2.Token // access tokens, for as long as they are good
}

var _ calendar.Grantor = (*Client)(nil)

// New is a client that has asked nothing yet.
func New(c Config) *Client {
	for field, own := range map[*string]string{
		&c.AuthURL:   "https://accounts.google.com/o/oauth2/v2/auth",
		&c.TokenURL:  "https://oauth2.googleapis.com/token",
		&c.RevokeURL: "https://oauth2.googleapis.com/revoke",
		&c.API:       "https://www.googleapis.com/calendar/v3",
	} {
		if *field == "" {
			*field = own
		}
	}
	return &Client{config: c, tokens: map[calendar.Grant]*oauth2.Token{}, http: &http.Client{
		Transport: &http.Transport{Proxy: nil, MaxIdleConnsPerHost: 4, IdleConnTimeout: 30 * time.Second, ForceAttemptHTTP2: true},
		// A call is answered where it is asked: nothing of ours is sent on.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// scope is to read calendars and their list.
const scope = "https://www.googleapis.com/auth/calendar.readonly"

func (c *Client) oauth() *oauth2.Config {
	return &oauth2.Config{
		ClientID: c.config.ClientID, ClientSecret: c.config.Secret, RedirectURL: c.config.Redirect, Scopes: []string{scope},
		Endpoint: oauth2.Endpoint{AuthURL: c.config.AuthURL, TokenURL: c.config.TokenURL, AuthStyle: oauth2.AuthStyleInParams},
	}
}

// AuthURL is where the person is asked.
func (c *Client) AuthURL(state, challenge string) string {
	return c.oauth().AuthCodeURL(state, oauth2.AccessTypeOffline, oauth2.ApprovalForce,
		oauth2.SetAuthURLParam("code_challenge", challenge), oauth2.SetAuthURLParam("code_challenge_method", "S256"))
}

// Grant turns a code into a grant.
func (c *Client) Grant(ctx context.Context, code, verifier string) (calendar.Grant, error) {
	ctx, cancel := c.within(ctx)
	defer cancel()
	t, err := c.oauth().Exchange(ctx, code, oauth2.VerifierOption(verifier))
	if err != nil {
		return "", tokenFailed(err)
	}
	if t.RefreshToken == "" {
		return "", calendar.ErrReconnect
	}
	g := calendar.Grant(t.RefreshToken)
	c.keep(g, t)
	return g, nil
}

// within bounds a call, and makes the OAuth library use our client.
func (c *Client) within(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, callFor)
	return context.WithValue(ctx, oauth2.HTTPClient, c.http), cancel
}

func (c *Client) keep(g calendar.Grant, t *oauth2.Token) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.tokens) >= knownTokens {
		clear(c.tokens)
	}
	if t == nil {
		delete(c.tokens, g)
		return
	}
	c.tokens[g] = t
}

// access is an access token of a grant: one that is known and good still, or a
// new one.
func (c *Client) access(ctx context.Context, g calendar.Grant) (*oauth2.Token, error) {
	c.mu.Lock()
	known := c.tokens[g]
	c.mu.Unlock()
	if known.Valid() {
		return known, nil
	}
	t, err := c.oauth().TokenSource(ctx, &oauth2.Token{RefreshToken: string(g)}).Token()
	if err != nil {
		return nil, tokenFailed(err)
	}
	c.keep(g, t)
	return t, nil
}

// tokenFailed is why there is no token, without what was sent or answered.
func tokenFailed(err error) error {
	var no *oauth2.RetrieveError
	if errors.As(err, &no) {
		if no.Response != nil && (no.Response.StatusCode == http.StatusTooManyRequests || no.Response.StatusCode >= 500) {
			return unread(no.Response.StatusCode)
		}
		return calendar.ErrReconnect
	}
	return failed(err)
}

func failed(err error) error {
	var slow interface{ Timeout() bool }
	if errors.Is(err, context.DeadlineExceeded) || errors.As(err, &slow) && slow.Timeout() {
		return fmt.Errorf("%w: Google took longer than %d seconds", calendar.ErrUnread, callFor/time.Second)
	}
	return fmt.Errorf("%w: Google cannot be reached", calendar.ErrUnread)
}

func unread(status int) error {
	return fmt.Errorf("%w: Google answered %d", calendar.ErrUnread, status)
}

// statusError is an answer that is no success.
type statusError int

func (s statusError) Error() string { return fmt.Sprintf("google: %d", int(s)) }

// call asks under a grant. An access token that is no good any more is replaced
// once. in is sent as JSON unless it is nil; the answer is read into out unless
// that is.
func (c *Client) call(ctx context.Context, g calendar.Grant, method, path string, query url.Values, in, out any) error {
	for again := false; ; again = true {
		t, err := c.access(ctx, g)
		if err != nil {
			return err
		}
		err = c.send(ctx, t, method, path, query, in, out)
		var status statusError
		switch {
		case err == nil:
			return nil
		case !errors.As(err, &status):
			return err
		case status != http.StatusUnauthorized:
			return err
		}
		c.keep(g, nil)
		if again {
			return calendar.ErrReconnect
		}
	}
}

func (c *Client) send(ctx context.Context, t *oauth2.Token, method, path string, query url.Values, in, out any) error {
	var body io.Reader
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(b)
	}
	address := strings.TrimSuffix(c.config.API, "/") + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	r, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return failed(err)
	}
	t.SetAuthHeader(r)
	if in != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	a, err := c.http.Do(r)
	if err != nil {
		return failed(err)
	}
	defer func() { _ = a.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(a.Body, maxAnswer+1))
	switch {
	case err != nil:
		return failed(err)
	case a.StatusCode < 200 || a.StatusCode > 299:
		return statusError(a.StatusCode)
	case len(text) > maxAnswer:
		return fmt.Errorf("%w: it is larger than %d MB", calendar.ErrUnread, maxAnswer>>20)
	case out == nil:
		return nil
	}
	if err := json.Unmarshal(text, out); err != nil {
		return fmt.Errorf("%w: Google's answer cannot be read", calendar.ErrUnread)
	}
	return nil
}

// told turns a status into why the calendar could not be read.
func told(err error) error {
	var status statusError
	if errors.As(err, &status) {
		return unread(int(status))
	}
	return err
}
