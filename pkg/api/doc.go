// Package api is the bakery over HTTP: a table of routes, and the one way every
// request goes through it. It decides nothing about shops; it reads what is
// asked, asks a service, and writes what was answered.
//
// # The way of a request
//
// The checks have one order, so that the same wrong request always gets the
// same answer, and nothing is told to those who may not ask:
//
//	route            404 no-such-route
//	method           405 method-not-allowed, with Allow
//	media and size   415, 413 (and 400 for a body that breaks off)
//	credential       401 without reading anything; 410 for a session past its end
//	cross-origin     403: a page of another site acting with our cookie
//	role             403 forbidden, by the one table in routes.go
//	key, then body   400, 422
//	service          whatever it refuses, or answers
//
// # Invariants
//
//	H1 every answer but an empty one is JSON: what was asked for, or an RFC
//	   9457 problem; a plan's file is iCalendar. Only the way to somebody
//	   else's consent is a redirect
//	H2 a request that is refused before the service has changed nothing
//	H3 the bounds that a body is held to are read from the very schema that
//	   /openapi.json publishes: they are declared once, in the request's type
//	H4 every code of package refusal has one status, here
//	H5 a failure's text is in the log and never in an answer; a credential, a
//	   key, a query and an address are in neither
//	H6 one instant a request: the Date of its answer is the instant at which
//	   its session was judged
//
// # Choices
//
// Whole numbers are written in digits: 9.5, 9.0 and 1e2 are 422. A key that
// differs from a known one only in case is an unknown one. null is no value.
// OPTIONS answers 204 with Allow, and grants no other origin anything. A body
// where none is needed may only be an empty object. Parameters of a query that
// no route knows are ignored, and an empty one counts as left out.
//
// huma makes the schemas and the OpenAPI document, at the first GET of it. The
// requests do not pass through huma: its checks need each body a second time,
// as maps, and know neither keys in another case nor depth nor presence.
package api
