// Package sdk says how AWS is asked: how long a request waits, how often it is
// made again, and which failures it is made again for.
//
// An attempt takes at most [AttemptTimeout] with its answer's whole body, there
// are at most [Attempts] of them, and the pause before the next is at most
// [MaxBackoff]. What a request as a whole may take, with all the calls it makes,
// is [Patience]: its door puts that on its context.
//
// # Which failures
//
// A call that may be made twice ([Prepare]'s default) is made again after
// whatever may pass: throttling, 5xx, a connection that broke, a timeout. A
// call that may not ([OnlyUndone]) is made again only where AWS or the network
// says that nothing was done: throttled, or never sent. Its caller is told of
// the rest, and knows better.
package sdk

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"
)

// The bounds; the package doc says of what.
const (
	AttemptTimeout = time.Second
	Attempts       = 3
	MaxBackoff     = 200 * time.Millisecond
	Patience       = 7 * time.Second
)

// Prepare gives a configuration these bounds, for every client made of it.
func Prepare(cfg aws.Config) aws.Config {
	cfg.HTTPClient = HTTP(AttemptTimeout)
	cfg.RetryMaxAttempts = 0 // the retryer says
	cfg.Retryer = func() aws.Retryer { return retryer(retry.DefaultRetryables...) }
	return cfg
}

// HTTP is a client whose attempts take at most so long, with the whole answer.
func HTTP(timeout time.Duration) aws.HTTPClient {
	return client{awshttp.NewBuildableClient().WithTimeout(timeout)}
}

// client takes a shortcut away from the bodies that the SDK sends. Theirs is
// closed as soon as an answer is there, and then copies itself with an io.EOF,
// which net/http takes for a failed write: it cuts the connection while the
// answer is being read. An answer that comes quickly enough was lost so.
type client struct{ *awshttp.BuildableClient }

// Do implements the SDK's HTTP client.
func (c client) Do(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		r.Body = struct {
			io.Reader
			io.Closer
		}{r.Body, r.Body}
	}
	return c.BuildableClient.Do(r)
}

// OnlyUndone is a retryer for calls that must not be made twice.
func OnlyUndone() aws.Retryer {
	return retryer(retry.IsErrorRetryableFunc(func(err error) aws.Ternary {
		return aws.BoolTernary(Undone(err) && (IsThrottle(err) || neverSent(err)))
	}))
}

func retryer(which ...retry.IsErrorRetryable) aws.Retryer {
	return retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts, o.MaxBackoff = Attempts, MaxBackoff
		o.Retryables = which
	})
}

// IsThrottle says whether AWS refused the call because there were too many.
func IsThrottle(err error) bool {
	return retry.IsErrorThrottles(retry.DefaultThrottles).IsErrorThrottle(err) == aws.TrueTernary
}

// Undone says of a failed call whether it is certain that AWS did nothing: it
// was never sent, or AWS itself refused it. A lost answer, a broken one and a
// 5xx leave that open.
func Undone(err error) bool {
	if neverSent(err) {
		return true
	}
	var answer *awshttp.ResponseError
	var said smithy.APIError
	return errors.As(err, &said) && errors.As(err, &answer) && answer.HTTPStatusCode() < 500
}

// neverSent says whether no connection came about.
func neverSent(err error) bool {
	var dial *net.OpError
	return errors.As(err, &dial) && dial.Op == "dial"
}

// Code is what may be told of a failed call: AWS's code for it, or what kind of
// failure it was. The message may carry keys and whole items, and must not
// reach a log.
func Code(err error) string {
	var said smithy.APIError
	var slow interface{ Timeout() bool }
	switch {
	case errors.As(err, &said):
		return said.ErrorCode()
	case errors.Is(err, context.Canceled):
		return "the request was given up"
	case errors.As(err, &slow) && slow.Timeout():
		return "no answer in time"
	case neverSent(err):
		return "no connection"
	}
	return "no answer that could be read"
}
