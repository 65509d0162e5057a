package human

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"pocbakery/pkg/refusal"
)

// Address is Cloudflare's siteverify.
const Address = "https://challenges.cloudflare.com/turnstile/v0/siteverify"

const (
	// Patience is how long a check may take in all.
	Patience = 2 * time.Second
	// maxToken is the most characters a token has.
	maxToken = 2048
	// maxAnswer bounds what is read of an answer, in bytes; a usual one has 200.
	maxAnswer = 16 << 10
	// asks is how often a question is asked: once, and once more.
	asks = 2
)

// Config is what a checker stands on.
type Config struct {
	Secret  string
	SiteKey string // of the widget that the secret belongs to
	// Address is where siteverify is; empty for Cloudflare's.
	Address string
	// Hostname and Action are what a token must have been made for; empty ones
	// are not compared.
	Hostname, Action string
	// Production is a stage that is open to all.
	Production bool
	// Report is told the first of a row of failures, for the operator; nil for
	// nobody.
	Report func(event string, err error)
}

// Checker asks siteverify. It is safe for concurrent use.
type Checker struct {
	Config
	client  *http.Client
	failing atomic.Bool
}

// New is a checker. Its error is the refusal that a stage so configured gives
// to everything.
func New(c Config) (*Checker, error) {
	if c.Address == "" {
		c.Address = Address
	}
	if wrong := c.wrong(); wrong != "" {
		return nil, misconfigured(wrong)
	}
	if c.Report == nil {
		c.Report = func(string, error) {}
	}
	// A connection of its own for each question. Questions are rare, and between
	// two of them a function may have slept through the end of a connection that
	// it takes for open: what is sent there hangs for all of Patience.
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DisableKeepAlives = true
	// A dial goes on without who asked for it, up to its own end.
	transport.DialContext = (&net.Dialer{Timeout: Patience}).DialContext
	transport.TLSHandshakeTimeout = Patience
	transport.MaxResponseHeaderBytes = maxAnswer
	return &Checker{Config: c, client: &http.Client{
		Transport: transport,
		// The secret goes to the address that was configured and to no other.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// wrong is what no stage, or no production stage, may be started with.
func (c Config) wrong() string {
	u, err := url.Parse(c.Address)
	switch {
	case err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http"):
		return "The address of the human check is not one."
	case c.Secret == "":
		return "The human check has no secret."
	case !c.Production:
		return ""
	case slices.Contains(TestSecrets, c.Secret):
		return "The human check has a test secret, which lets anybody pass."
	case !RealSiteKey(c.SiteKey):
		return "The human check has a test site key, or none."
	case c.Hostname == "" || c.Action == "":
		return "The human check has no hostname or no action to hold a token to."
	case c.Address != Address:
		return "The human check asks somebody else than Cloudflare."
	}
	return ""
}

func misconfigured(why string) error { return refusal.New(refusal.Misconfigured, why) }

// Check says whether this token is a person's: nil is a pass. retry is a UUID,
// the same for every try of one admission.
func (c *Checker) Check(ctx context.Context, token, retry string) error {
	if token == "" || len(token) > maxToken {
		return failed("The token is not one that the human check makes.")
	}
	caller := ctx
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	question := url.Values{"secret": {c.Secret}, "response": {token}, "idempotency_key": {retry}}.Encode()
	var err error
	for n := 0; n < asks && ctx.Err() == nil; n++ {
		var a answer
		if a, err = c.ask(ctx, question); err == nil {
			return c.judged(a)
		}
	}
	if caller.Err() == nil { // who has left says nothing about siteverify
		c.fails("siteverify_unavailable", why(err))
	}
	return refusal.New(refusal.TurnstileUnavailable, "The human check did not answer in time. Ask again under the same key.")
}

// errLost is an answer that was lost or cannot be read: it may be asked for again.
var errLost = errors.New("no answer that can be read")

// ask asks once. An error is an answer that was lost.
func (c *Checker) ask(ctx context.Context, question string) (answer, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.Address, strings.NewReader(question))
	if err != nil {
		return answer{}, err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Accept", "application/json")
	got, err := c.client.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer got.Body.Close()
	body, err := io.ReadAll(io.LimitReader(got.Body, maxAnswer+1))
	if err != nil {
		return answer{}, err
	}
	a, ok := read(body)
	if !ok || got.StatusCode >= http.StatusInternalServerError || a.hasCode(internalError) {
		return answer{}, fmt.Errorf("%w (status %d, %d bytes)", errLost, got.StatusCode, len(body))
	}
	a.passed = a.passed && got.StatusCode == http.StatusOK
	return a, nil
}

// judged turns an answer into a pass or a refusal.
func (c *Checker) judged(a answer) error {
	err := a.verdict()
	switch {
	case refusal.Is(err, refusal.Misconfigured):
		c.fails("siteverify_misconfigured", errors.New("siteverify does not know our secret"))
	case refusal.Is(err, refusal.TurnstileUnavailable):
		c.fails("siteverify_unavailable", errors.New("an answer of another kind than documented"))
	case err != nil:
		c.failing.Store(false)
	default:
		c.failing.Store(false)
		if c.Hostname != "" && !strings.EqualFold(a.Hostname, c.Hostname) || c.Action != "" && a.Action != c.Action {
			return failed("The token was made for another page.")
		}
	}
	return err
}

// why is a failure without the addresses that it happened between, which are no
// business of a log.
func why(err error) error {
	var dial *net.OpError
	var name *net.DNSError
	var outer *url.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return errors.New("no answer in time")
	case errors.As(err, &name):
		return errors.New("its name was not found")
	case errors.As(err, &dial):
		return fmt.Errorf("%s: %w", dial.Op, dial.Err)
	case errors.As(err, &outer):
		return outer.Err
	}
	return err
}

// fails tells the operator of the first failure since all was well: a flood of
// requests is no flood of lines.
func (c *Checker) fails(event string, err error) {
	if !c.failing.Swap(true) {
		c.Report(event, err)
	}
}
