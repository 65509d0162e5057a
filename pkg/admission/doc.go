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
// # Keys
//
//	control   ledger            day, used, guests, demo, flag, cap, guest_share, demo_cap
//	control   admitted#<hash>   the record: id, end, at, kind, role, fingerprint
//
// A caller's key is stored as a keyed hash only.
package admission
