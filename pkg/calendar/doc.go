// Package calendar is what the planner knows of other people's calendars: the
// events of one calendar as its other side holds them, and when they take
// place. It decides nothing and asks nobody; it only computes. What fetches is
// in the packages under it, each named after its other side.
//
// Who is authoritative: the other side. A [Feed] is a copy of it, as a fetch
// found it. Series are kept as series and expanded here, at each use, around
// the business now: one changed series is one changed event.
//
// # Invariants
//
//	C1 An expansion is bounded by its range, never by a rule: no rule, however
//	   written, makes it take more than maxSteps steps in all.
//	C2 What cannot be read is a [Problem]; the rest is read all the same.
//	C3 A reading on a clock becomes an instant in one place, [Instant]:
//	   one in a gap counts with the offset before it, one that comes twice is
//	   the first (RFC 5545, section 3.3.5).
//	C4 An all-day event takes the days of the person's zone, from one local
//	   midnight to another, whatever zone its calendar has.
//	C5 Intervals are half-open. An event without a length takes no time.
//
// # Units
//
// Instants are UTC. A [Stamp] is a reading on a clock, carried as a time.Time
// in UTC whose fields are what the clock shows.
package calendar
