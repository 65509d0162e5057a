// Package sandbox is a sandbox's life: its birth, its clock, its wipe.
//
// # Invariants
//
//	S1 A sandbox ends at the first 10:00 UTC after its birth, by wall time; its
//	   business offset never moves that.
//	S2 Two items carry its end, written by the write that admits it: its root,
//	   for its own timer, and its row in the control hub, due 5 minutes later.
//	S3 A wipe stamps the row for another pass, marks the root over, then
//	   erases: whatever breaks off is finished by that pass. The row ends only with a pass that found nothing: so what a
//	   write in flight brought back during one pass is taken by the next.
//	S4 Whatever fails, every item carries the backstop (hub.Root.Stamp), and
//	   the row one 48 hours later.
//
// # Life
//
//	born --(10:00 UTC, or wipe now)--> over --(erased)--> gone
//
// A pass over a sandbox, by its own timer, by its row's or by its visitor, is
// the same code; any of them may fail, crash or run twice.
//
// # Keys
//
//	control   sandbox#<id>   the row: due, ttl
//	control   wiperun        the control hub's last run over rows, for the status page
package sandbox
