// Package account is the life of a person's own hub: it is made at first use,
// lasts while they come, and ends 400 days after their last visit or when they
// say so.
//
// # Keys
//
//	<account>   root            the hub; kind account-hub, not_before
//	control     account#<id>    the row: due, ending, not_before
//
// The id is a hash of issuer and subject ([access.Identity.Hub]), so the hub is
// found without a read of anything else. The hub's end stands on the row alone,
// so that a hub whose person is away has none and nothing wakes it.
//
// # Life of a row
//
//	(none) --first use--> living --due, or ended by its person--> ending
//	          ^              | a visit moves due                    | a pass that
//	          |              v                                      v erased nothing
//	          +------------ gone <----------------------------------+
//
// # Invariants
//
//	P1 A hub is born by one transaction of root and row, under the row's
//	   revision; it is not born while what was there is being erased, so a pass
//	   over the old never erases the new.
//	P2 A visit moves the end only of a row that is living, and by the end it
//	   read; the pass that ends a hub has claimed the row in the same way. So
//	   whoever comes in time keeps everything, and who does not finds nothing.
//	P3 Nobody who signed in or was let in at not_before or earlier is believed.
//	   It stands on the root when somebody signs out everywhere, and on the row
//	   when the hub was ended, for as long as such an identity lasts.
//
// An end is 400 days by wall time; a visit is written when it moves the end by
// a day at least.
package account
