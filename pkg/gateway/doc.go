// Package gateway lets an http.Handler answer API Gateway's HTTP API events
// (payload format 2.0). It is what net/http's server is in a local run: it
// turns one event into one request, and the answer back into JSON.
//
// # Invariants
//
//	W1 whatever comes in, the answer is well formed: an event that cannot be
//	   read, a handler that panics and one that says nothing are answered with
//	   a problem, never with an error of the function, which a visitor would
//	   see as the gateway's own 500
//	W2 the handler sees what the visitor sent: a path is taken as decoded, as
//	   the gateway hands it over (but for %25), a header's value is never split, a body is
//	   decoded, several cookies are one Cookie header
//	W3 the visitor's address is the gateway's word for it, never a header's; the
//	   one exception is a distribution of ours in front, which proves itself by
//	   a secret, and then nobody else is answered at all
//	W4 nothing of a request reaches a log, but where a handler broke
//
// A stage's name is no part of a path: with any stage but $default the gateway
// puts it in front, and it is taken away.
package gateway
