// Package pack places the work of a person into the time they have: what goes
// where, what is late, what finds no room, and why. It is a function of what it
// is handed: no clock, no chance, a bounded number of steps.
//
// # What a plan keeps
//
//	P1 A piece lies within one working interval, on a start of whole five
//	   minutes, not before its task may begin, and overlaps neither another
//	   piece nor a wall; before an event it leaves the buffer free.
//	P2 A task is one piece, unless it has a least length of a piece; then no
//	   piece but its last is shorter.
//
// # What a plan is better by, in this order
//
//	P3 the least lateness: for each task that has a due instant, its weight (8,
//	   4, 2, 1 by priority) times the minutes from there to its end, and to the
//	   horizon's end where it is not placed in full
//	P4 the most minutes placed, by priority
//	P5 the fewest moves against the plan last published, then the smallest
//	P6 the fewest pieces
//	P7 the earliest, by priority, then by age
//
// A task without a due instant is never late and displaces nothing: it takes
// what is free. A piece that can stay stays, unless somebody would be later for
// it; so packing again what nothing happened to changes nothing.
//
// # How
//
// To find the least lateness is NP-hard once there are walls. The search places
// tasks one after the other, each at its first place, and looks for the best
// order: from a few rules of thumb, by moving late tasks forward, a bounded
// number of times. If leaving everything in place is no worse, that is the
// plan. Else as much as possible is put back to where it stood.
//
// # Why
//
// Everything that was moved, is late or found no room carries its [Cause]: the
// one constraint without which the same search would have done better by that
// very task. It is found by leaving constraints out, the likeliest first, and
// packing again.
package pack
