// Package admission decides who gets a sandbox today.
//
// Who is authoritative: one item, the ledger, counts the UTC day and carries
// the operator's switch and caps. One transaction admits: it raises the
// ledger's counts under a guard on everything the decision relied on, writes
// the record under the key, and the sandbox's root and row.
//
// # Invariants
//
//	A1 No count ever passes its cap, whatever is asked at once.
//	A2 One key is one sandbox: the record is put where there is none, in the
//	   transaction that counts; a repeat finds it and takes no second place,
//	   also when the day has filled, turned or ended in between.
//	A3 A no writes nothing.
//	A4 The ledger is one item for all days. Its counts are of the day it names;
//	   the first admission of a later day starts them anew, by its revision,
//	   and leaves the switch and the caps, which an operator may be editing.
//	A5 A clock that is behind counts on the day the ledger names already.
//
//	A6 An account starts 3 sandboxes a UTC day, by its subject, and an address
//	   10. A count of an account is an item of its own, the fifth of its
//	   transaction, since accounts are without number; addresses are fields of
//	   the ledger, 300 a day at most, which cost no further item. Their names are
//	   24 bits of a hash keyed by the day: from about 120 addresses on the ledger
//	   has more than 1 KB, and an admission costs 2 write units more, from about
//	   270 on 4 more.
//	A7 A ledger that was read may refuse for a second without another read, and
//	   only whom it would refuse for everybody's sake (switch, day, share). It
//	   never answers a key that this process admitted.
//
// # The order of the checks
//
// Syntax; the limit of the address (pkg/limit); what was read within the second
// says closed; no token where one is needed; one read, in which a known key
// replays, then switch, day, share, account, address; the human check; the
// transaction, whose guards decide all of it again.
//
// # Keys
//
//	control   ledger            day, used, guests, demo, flag, cap, guest_share, demo_cap,
//	                            rate_limit, and @<hash> for each address
//	control   account#<hash>    day, count
//	control   admitted#<hash>   the record: id, end, at, kind, role, fingerprint
//
// A caller's key is stored as a keyed hash only.
package admission
