// Package sim plays histories of a bakery in which anything fails, over the
// real hub, sandbox, bakery, traffic and admission code, and asks after every commit
// and every step whether what must hold still does.
//
// # What it decides
//
// A history is a list of words. The first makes the world: the hour, the
// weather, how far clocks are off. Each other is a step: somebody asks for
// something, the operator edits, time goes by. All chance within a step comes
// from its word, so that a step can be dropped and the others stay as they
// were; the histories themselves are drawn by rapid. A rapid state machine
// would draw each number of each step, which costs more than the step, leans
// to small numbers, and shrinks them one by one: what makes a story short here
// is to drop whole steps ([Shortest]).
//
// One goroutine plays; requests meet because one runs inside another, between
// two of its calls. (The one exception is the product's: a run of the control
// hub wipes several sandboxes at once. What befalls each of them is drawn from
// its name, so that the order of goroutines decides nothing.)
//
// # Modes
//
//	Chaos    one-shots are dropped, doubled, late, early, or come after the
//	         wipe; requests die between any two calls; calls are throttled, meet
//	         conflicts, are applied though their reply is lost, or later;
//	         neither scheduler nor rule for up to 90 hours. The sweep is on.
//	Healthy  the scheduler fires within a minute, at least once; nobody dies;
//	         failures are such that the table's own retries absorb them. The
//	         sweep is off, so that it hides nothing.
//
// In both, workers' clocks are off by up to 3 s, and what is past its ttl is
// deleted at once, late or never.
//
// # Oracles
//
//	S1  a slot's counts, first_end and due are those of its holds
//	S2  no slot is above its capacity but by a place taken back, or an edit
//	S3  a hold or an order ends at its end, not before; every end is honoured
//	    within its bound; after a run nothing is due and alarm_at names the next
//	S4  alarm_at names only what was created; in a healthy world each hub has a
//	    one-shot at or before its earliest end, and alarm_at is no later than
//	    the earliest hold's
//	S5  a sweep that nothing befell leaves no hub overslept, no one-shot of none
//	S6  each effect is one event, under one id; what was shown stays. (Not asked
//	    of a hold that a write which was given up brings back after its order
//	    has come to its end: it goes without a word)
//	S7  a payment is what the order's state says; once accepted it stays, and
//	    when all is settled its order has its place
//	S8  an order that was answered stays, and one key is one order
//	S9  the ledger counts the admissions of its day and passes no cap; one key
//	    is one sandbox
//	S10 everything in a sandbox carries its backstop; when its row has ended
//	    nothing is left of it and nothing comes back
//	S11 a run of traffic takes its minutes once and returns once those it has not
//	    begun; a day's are never below 0 or above 30
//
// # A story
//
// A failure tells the shortest story found: day and time, what was asked of
// which worker, indented where it ran inside another request; lines that begin
// with "-" are what befell it, those with "->" the answer, the line VIOLATED
// what did not hold. It is told again by
//
//	go test ./pkg/sim -run TestSim/chaos -rapid.seed=N
//
// with the mode and the number that the failure names, and with -sim.trace
// every item that was written. make sim plays for a minute, make soak for
// SOAKTIME, make mutants plants the bugs of testdata/bugs one by one.
//
// # Golden stories
//
// testdata/stories are cases that were met elsewhere. A line is a clock, a
// command and, behind an arrow, its answer, which go test ./pkg/sim -run
// Stories -rewrite writes anew. What befalls a command stands before a colon:
//
//	dies after commit N      no reply to commit N     conflict in commit N
//	no one-shot              before call N COMMAND    before call N DURATION
//	the table is down
//
// The commands:
//
//	admit WHO KIND           place WHO KEY SLOT       pay WHO KEY PAYMENT
//	cancel WHO KEY           order WHO KEY            slot WHO SLOT
//	capacity WHO SLOT N      advance WHO DURATION     wipe WHO
//	alarm WHO                left WHO                 ledger
//	rule                     alarms off               open HOUR HOUR
//	slots WHO DATE HOUR      traffic WHO MINUTES      traffic WHO stop
//	traffic WHO
package sim
