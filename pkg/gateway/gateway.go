package gateway

import (
	"context"
	"crypto/subtle"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"pocbakery/pkg/api"
	"pocbakery/pkg/refusal"
)

const (
	// reserve is what is kept of a function's time for the answer's way out: a
	// handler that is cut short can still say so.
	reserve = 500 * time.Millisecond
	// maxReply is the largest answer a function can give.
	maxReply = 6 << 20
)

// The headers of a distribution in front.
const (
	originHeader = "X-Origin-Secret"
	viewerHeader = "Cloudfront-Viewer-Address"
)

// Config is what a gateway's answers are made of.
type Config struct {
	Handler http.Handler
	Log     *slog.Logger
	// Host is the name that visitors know, where it is not the one by which
	// the gateway was asked; empty for that one.
	Host string
	// OriginSecret is what a distribution of ours in front proves itself by;
	// nil or empty where there is none. It is asked at each request, since a
	// secret may change.
	OriginSecret func() string
}

// Gateway answers events. It is safe for concurrent use.
type Gateway struct{ Config }

// New is a gateway in front of a handler.
func New(c Config) *Gateway { return &Gateway{c} }

// Invoke answers one event. Its error is always nil: see W1.
func (g *Gateway) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	if end, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, end.Add(-reserve))
		defer cancel()
	}
	e, err := decode(payload)
	if err != nil {
		return g.refuse("", refusal.New(refusal.MalformedBody, "The request could not be read.")), nil
	}
	method := e.Context.HTTP.Method
	r, err := e.request(ctx)
	if err != nil {
		return g.refuse(method, refusal.New(refusal.MalformedBody, "The request's body could not be read.")), nil
	}
	if err := g.front(r); err != nil {
		return g.refuse(method, err), nil
	}
	a := newAnswer(method)
	if !g.serve(a, r) {
		return g.refuse(method, errBroken), nil
	}
	if a.status == 0 {
		g.Log.Error("silent", "route", r.Pattern)
		return g.refuse(method, errBroken), nil
	}
	out, err := a.encode()
	if err != nil || len(out) > maxReply {
		g.Log.Error("unsendable", "route", r.Pattern, "bytes", a.body.Len())
		return g.refuse(method, errBroken), nil
	}
	return out, nil
}

var errBroken = refusal.New(refusal.Internal, "Something broke on our side. It has been logged.")

// refuse is an answer that no handler gave.
func (g *Gateway) refuse(method string, err error) []byte {
	a := newAnswer(method)
	api.WriteProblem(a, &http.Request{Method: method}, err)
	out, err := a.encode()
	if err != nil {
		panic(err) // our own words always encode
	}
	return out
}

// serve runs the handler, and reports whether it came to an end.
func (g *Gateway) serve(a *answer, r *http.Request) (ended bool) {
	defer func() {
		v := recover()
		if v == nil || v == http.ErrAbortHandler { //nolint:errorlint // net/http compares it like this too
			return // the one who aborted has logged why
		}
		what := fmt.Sprintf("%T", v) // not its words, which may be a visitor's
		if broke, ok := v.(runtime.Error); ok {
			what = broke.Error()
		}
		g.Log.Error("panic", "route", r.Pattern, "what", what, "stack", string(debug.Stack()))
	}()
	g.Handler.ServeHTTP(a, r)
	return true
}

// front settles who the visitor is and by what name they asked, where
// something stands in front of the gateway.
func (g *Gateway) front(r *http.Request) error {
	if g.Host != "" {
		r.Host = g.Host
	}
	var secret string
	if g.OriginSecret != nil {
		secret = g.OriginSecret()
	}
	if secret != "" {
		addr, ok := viewer(r.Header.Get(viewerHeader))
		if !ok || subtle.ConstantTimeCompare([]byte(r.Header.Get(originHeader)), []byte(secret)) != 1 {
			return refusal.New(refusal.Forbidden, "This address is not asked directly.")
		}
		r.RemoteAddr = net.JoinHostPort(addr.String(), "0")
	}
	r.Header.Del(originHeader)
	r.Header.Del(viewerHeader)
	return nil
}

// viewer reads "address:port". The address of an IPv6 viewer comes without
// brackets.
func viewer(value string) (netip.Addr, bool) {
	i := strings.LastIndexByte(value, ':')
	if i < 0 {
		return netip.Addr{}, false
	}
	addr, err := netip.ParseAddr(strings.Trim(value[:i], "[]"))
	return addr, err == nil
}
