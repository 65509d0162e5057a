// Package traffic sends simulated people into a sandbox's shop: some pay, some
// go away without, some ask for what cannot be had.
//
// # A run is a loan of minutes
//
// A sandbox has 30 minutes of traffic a UTC day. A run takes its minutes
// before it starts; stopped early, it returns the whole ones it has not begun.
//
//	idle --start: minutes taken--> running --its end--> idle
//	                                  |
//	                                  +--stop: unused minutes returned--> idle
//
// The run is an item with an end like every loan of the hub. Its end is that of
// wall time, at which its next minute is due, and in the last place its own:
// each turn of the hub plays one minute, marks it and moves the end to the next.
//
// # Keys
//
//	<hub>   traffic   the day's minutes, and the run: the one under way, or the last
//
// # Invariants
//
//	T1 Minutes are taken in the write that starts a run and returned in the one
//	   that stops it, by the item's revision: each once, never below 0 or above 30.
//	T2 They belong to the day on which the run started, whatever day it is stopped.
//	   A begun minute is used, and minute n begins at start + n minutes.
//	T3 Who comes in a minute, and what they want, follows from the run's seed, the
//	   minute's number and theirs, and from a business instant that is written
//	   down before the first of them orders (basis). Their Idempotency-Keys follow
//	   from the same, so that whoever plays a minute twice, or on from where
//	   another stopped, places nothing twice.
//	T4 What became of a minute is counted in the write that marks it played,
//	   guarded by the run and the mark before: a doubled alarm counts nothing twice.
//	T5 A run is over at its end, by wall time, whether or not its minutes were
//	   played: what then is left unplayed stays so, once another run starts.
//	T6 A turn with little time left marks the people who have been, and is due
//	   again a second later for the others.
//
// Who is authoritative: the item for minutes and counts, the shop for whether
// somebody gets a place. Orders are ordinary ones, with holds and ends of their
// own. A table that fails leaves a minute unmarked, which the hub comes back for.
package traffic
