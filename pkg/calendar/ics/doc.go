// Package ics reads calendars that somebody publishes at an address, in the
// form of RFC 5545 (iCalendar).
//
// # Reading
//
// [Read] takes what files are like, not what they should be: an event that
// cannot be read is a problem with the number of its line, and the others are
// read. Lines may end as they like and be folded anywhere; a name of a time
// zone may be IANA's, Windows', or one of the file's own. Bounds: 10 MB after
// decompression, 20,000 events, 50 problems told.
//
// # Asking
//
// [Side] asks by HTTP, with the validators of the last answer, in 5 seconds.
// Whom it may ask is judged at every hop of a redirect, when the address is
// known and before it is dialled, so that no name that changes its mind gets
// past: ports 80 and 443 of public addresses, nobody's user or password, no
// proxy. A local run may be asked for loopback, at any port.
//
// What is told of a failure has the number of a line or of a status, never a
// line, an address or a header.
package ics
