// Package live tells browsers what happens in a hub while they look: events as
// they happen, and then the slots and orders that they changed.
//
// Who is authoritative: the feed. What is told here is a courtesy on top of it,
// sent once after the commit and not again. A connection that missed something
// asks the feed from the last id it knows.
//
// # A connection's life
//
//	ticket --connect--> open --2 hours, closed, or a post that finds it gone--> none
//
// A ticket is signed and read without the table; one conditional write spends
// it, in the transaction that makes the connection's row. The row carries its
// end like everything else. The hub's root notes until when there may be a
// connection, so that a hub without one is never asked.
//
// # Invariants
//
//	V1 One ticket is one connection.
//	V2 A hub that has no connection costs a commit nothing.
//	V3 A post that fails, or is slow, changes nothing but that: never the commit
//	   it tells of, nor the others.
//	V4 What a hub's connection is told is of that hub.
//
// # Keys
//
//	<hub>   conn#<connection>   a connection: due at its end
//	<hub>   ticket#<id>         a ticket that was spent: ttl a day past its end
package live
