// Package web is the bakery's pages: HTML rendered on the server, which works
// as plain pages and forms, and ES modules that enhance it.
//
// The console is the bakers' page. It follows the feed of events; what is new in
// it makes the parts of the page be rendered again, so that the server stays the
// only one who words things.
//
// It decides nothing about places, money or loans. It reads through the ports
// [Shop], [Sandboxes] and [Desk], words what they answer, and sends what a
// visitor asks for on to them.
//
// # Forms
//
// Every form posts to a route of this package and carries an idempotency key
// that was rendered into it, so that a double submit is one order, one payment
// and one sandbox. What was done answers 303 to the page that shows it. What
// was refused answers with the refusal's status and the same form again: a
// card in words, and everything the visitor typed. A script then puts the
// address of a plain page in the place of that answer's, so that going back to
// it sends nothing again; what a refusal means is told in its card, where no
// link is needed.
//
// The storefront's clock button sends the storefront's form, so that moving the
// clock keeps the basket.
//
// # Time
//
// now is handed in. A page carries the instant it was made at (business time
// where there is a sandbox, wall time elsewhere), and its modules count on from
// there by the browser's monotonic clock; the time of day of the visitor's
// device is never asked. Times are shown in the shop's zone. What counts down
// is counted by a script only: a page without one says when, not how long. A
// page left open asks every few seconds whether the clock was moved, or its
// order changed, elsewhere.
//
// # Invariants
//
//	W1 no page has an inline script or style, or loads anything from elsewhere;
//	   but a page with a form that lends a sandbox loads the human check's
//	   widget, where a site key of somebody's own is configured
//	W2 an address under /assets/ has one content for ever; it changes with it
//	W3 a command from another site is refused before its body is read
//	W4 next leads to a path of this site
//	W5 every refusal code has a page
//	W6 the words for a refusal end in what can be done
package web
