// Package limit bounds what one address, session, hub or token may ask for in
// a minute, from memory alone.
//
// Who is authoritative: nobody. Each process counts for itself and forgets at
// its end, so a limit is a courtesy that keeps most of a flood away from the
// table; what must hold is a guard on an item.
//
// # What it decides
//
// A limit is the generic cell rate algorithm: the whole quota may be asked for
// at once, and comes back evenly over the window. Its state is one instant for
// each key, see [Rate].
//
// # Invariants
//
//	L1 No more than the quota passes at once, and within any window less than
//	   twice the quota; of a quota of one, exactly one.
//	L2 Whoever asks nothing for a window has the whole quota again, also where
//	   the clock went back.
//	L3 Memory is bounded whatever asks: a limit keeps at most 65,536 keys, in
//	   1.1 MB that it takes at its first use; a million addresses take no more
//	   (BenchmarkAMillionAddresses). What is forgotten first is what has the
//	   most of its quota back.
//	L4 Nobody can be told by what is kept: keys are the first 64 bits of a keyed
//	   hash, whose key is drawn at the start and replaced each UTC day by a hash
//	   of itself. So at 00:00 UTC everybody has their quotas anew.
//	L5 A limiter that cannot count lets everybody pass, and says so once
//	   (rate_limit_unavailable) until it can again.
//
// # Entering
//
// One sandbox a minute an address ([Limits.Enter]) is spent by a request that
// could be admitted: of sound syntax and with a token of the human check where
// it needs one. The same address and key within the minute is the same request
// come again: it is free, ten times.
package limit
