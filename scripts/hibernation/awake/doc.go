// Package awake finds what would keep a hub awake: code that waits, ticks,
// leaves a goroutine behind or holds a connection, in the hub's own packages
// and in everything they can pull in.
//
// A hub that sleeps costs nothing, and nothing tells when it stopped sleeping:
// the product goes on working. So the rule is a check that fails the build.
//
// # What is reached
//
// Packages of the main module are checked whole, by import: whatever stands in
// a package that the hub code imports is somebody's convenient helper
// tomorrow. Adapters are the boundary; the walk does not enter them. (That the
// hub's code imports none is a rule of pkg/architecture_test.go.)
//
// Packages of others, the standard library among them, are checked by
// reference: a declaration is reached when a reached declaration mentions it.
// By import alone every program would fail, since package time has Sleep in it
// and package os starts processes.
//
//   - A mention counts as a call. So function values, method values, closures,
//     aliases and tables of functions need no analysis, and nothing is missed
//     for want of one; what is mentioned and never called is a false finding,
//     to be excused with that as its reason.
//   - A call of an interface's method reaches that method of every type that
//     has been mentioned and implements the interface.
//   - For interfaces declared in the main module, the ports, it also reaches
//     the types of every package of the main module that the wiring imports:
//     a decorator around the table that backs off by sleeping is found,
//     although no hub code ever names it.
//   - Package variables' initializers and init functions of every package
//     imported are reached: they run, whoever calls what.
//   - Where reflection by method is reached, so is every exported method of
//     every type mentioned. A linkname is followed like a mention.
//
// This is a graph of mentions over syntax with type information, by choice: a
// call graph over ssa finds fewer edges, needs a whole program with a main, and
// costs more than loading does; a graph of mentions contains it.
//
// # What is found
//
//	A1  a mention of what waits, ticks, dials, listens, keeps a finalizer or
//	    starts a goroutine or process by a function call; see denied.go
//	A2  a go statement, every one, and every start by a WaitGroup or an
//	    errgroup. A start that its own block waits for is named "joined", so
//	    that an exception for it stops holding when the wait is taken away.
//	A3  a loop that waits for others: a select in a loop, a range over a
//	    channel, a loop without a bound that receives; and an empty select
//	A4  in the main module: a mention of a type that holds a timer, a
//	    connection or a client, under whatever alias
//	A5  in the main module: files that this build leaves out or that are not
//	    Go, and linknames, since what they do is not seen
//
// iter.Pull is none of these. Its coroutine runs on the time of whoever calls
// next, is switched to by the runtime and never scheduled, and stands still
// between two calls: it can neither wake anything nor go on by itself. An
// unstopped one is lost memory, not a heartbeat.
//
// # What is not seen
//
// Function values that the wiring hands in (a clock, a report), calls by
// reflect of a function value nobody mentions, assembly of others, a loop made
// of goto, and a call that merely takes long: a wait for a lock or one receive.
//
// # Exceptions
//
// An [Exception] excuses one kind of thing in one declaration, as often as it
// says, with a reason. "inside" closes a function of others as a whole, such as
// an SDK's own loop: the walk does not enter it. An exception that excuses
// nothing, or less than it says, is an error: the list never outlives what it
// is about.
package awake
