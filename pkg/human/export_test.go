package human

import (
	"context"
	"net"
	"net/http"
)

// DialWith makes a checker connect by this function.
func (c *Checker) DialWith(dial func(ctx context.Context, network, address string) (net.Conn, error)) {
	c.client.Transport.(*http.Transport).DialContext = dial
}

// Passes reports whether bytes are an answer, and one that says success.
func Passes(body []byte) bool {
	a, ok := read(body)
	return ok && a.passed
}
