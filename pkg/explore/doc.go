// Package explore walks every interleaving of a few calls of real code, with
// crashes and lost replies wherever they can happen, and judges every state.
//
// # What it decides
//
// A cast is a handful of processes, each one call of product code, over one
// table, one scheduler and one wall clock. Every request to these is a step.
// Explore visits each state that any order of the steps can come to, with the
// clock moving on at any time and the faults that the cast allows, and asks the
// cast's oracles of it. It stops at the first violation and tells the way there.
//
// # How
//
// A process is determined by the answers it was given: the code under
// exploration reads no clock, draws no chance, shares no memory with another
// process and asks from one goroutine only. So where a process is, is the list
// of the answers it heard, and what it asks next is found by calling it again
// from its start with these answers, up to the first request that has none;
// there the call is abandoned by a panic that the explorer itself catches. No
// goroutine waits anywhere and nothing leaks. A state is the table, the scheduler, the clock, the place of
// every process and the faults left, all by number, and is gone on from once,
// whichever way it was come to.
//
// # Invariants
//
//	E1 Whatever the code does is done by the code itself: the explorer knows
//	   requests and answers, not holds or alarms.
//	E2 A process that asks something else on the same answers fails the
//	   exploration: it is not one that can be explored.
//	E3 The table behaves as the port's contract says: the port's conformance
//	   suite passes on it. A one-shot's name stays taken after it has fired.
//	E4 Nothing is left out that could end otherwise, but for what a cast says.
//	   Looks at the clock commute with all but the clock, so they are taken
//	   first, each now or after the clock's next move. A crash is tried right
//	   after each request that changed something: one elsewhere leaves what an
//	   earlier one leaves, or what a process that never began does. Twins, the
//	   same program twice, are interchangeable. Where no outcome can be
//	   unknown, the table's write marks say nothing and are left off.
//	E5 What is left out is said: [Cast.Prompt], and a search whose budget did
//	   not suffice, which is begun again with at most [Preemptions] and whose
//	   result says "bounded" instead of "exhausted".
//	E6 The same cast has the same states, in the same order, on every machine.
//
// The casts, with the oracles and the planted bugs that each of them kills,
// are this package's tests.
package explore
