// Package hub is the addressable object everything lives in: items that carry
// their ends, two clocks, one alarm.
//
// # The idea
//
// Every loan is an item with its end in it. A hub's ends stand in its index;
// the hub's one alarm is set to the earliest of them; when it fires, [Engine.Run]
// settles whatever is due and arms for the next. Nothing here waits, ticks or
// keeps a goroutine: alarms for the future, short requests for the present.
//
// Who is authoritative: the items. The alarm is a hint that may come late,
// twice, for nothing or not at all; the root's alarm_at says which one-shot
// was created last for the earliest end, and only a run or a placer moves it.
//
// # Keys
//
//	<hub>    root              the hub itself: its clocks, its alarm, its own end
//	<hub>    event#<id>        an event with no other item to live in
//	<hub>    once#<hash>       a command done under a key, with what it did
//	<hub>    revoked#<id>      a session that was signed out
//	<hub>    tokens            the API tokens, at most ten
//	control  job#<name>        a safety net's last turn
//
// and the kinds that other packages register. A sandbox's id is 16 characters
// of base 32; the control hub's id is "control".
//
// # Clocks
//
// Wall time is real time. Business time is wall time plus the root's offset,
// which only grows. An end counts in one of them, by what it is about, and is
// over from its very instant on. All instants are whole milliseconds, UTC.
//
// # The alarm, and why it is never moved
//
// A one-shot is named by hub and instant and created, never moved.
//
//	Arm (after the commit that made an end):
//	  A1 read the root strongly
//	  A2 alarm_at at or before the end, and not over a minute past: done
//	  A3 ask for the earliest end left and create its one-shot
//	  A4 then lower alarm_at to it, unless it is lower already, a run has come
//	     at that instant or later (ran_at), or the clock was moved since A1
//	Run (woken by a one-shot, or by anybody):
//	  R1 clear alarm_at, and note in ran_at when, or the instant of the
//	     one-shot where the clock is a little behind it
//	  R2 then ask which ends are due, and settle them, until none is
//	  R3 create the one-shot for the earliest end left
//	  R4 then lower alarm_at to it, as in A4
//
// Invariants, for whatever interleaving of placers and runs, doubled and early
// firings and crashes between any two steps:
//
//	I1 alarm_at names an instant only if its one-shot was created: A3 before
//	   A4, R3 before R4. So a placer that stops at A2 relies on a real one.
//	I2 a one-shot that fires after an end's commit finds the end: R1 before
//	   R2. A placer that saw alarm_at before R1 committed before it; one that
//	   comes after R1 sees it cleared, and arms.
//	I3 alarm_at is not lowered to an instant whose one-shot has fired already:
//	   that it fired made a run come, and ran_at says so. Without it a one-shot
//	   that fires between A3 and A4, or R3 and R4, would be believed for a
//	   minute more, and an end made in that minute be left to the sweep.
//	I4 moving one schedule instead would lose ends with no fault at all: two
//	   moves can be applied in the other order.
//
// What a crash between a commit and A3 leaves unarmed is found by the next
// placer that arms, since A3 asks for the earliest end of all, or by the
// sweep. Package explore walks these interleavings over this very code.
//
// # What goes wrong
//
// A turn that fails does not stop the others; the hub comes back for it after
// 1, 2, 4 ... 60 minutes. An item whose turn has failed seven times for reasons
// of its own is set aside: it loses its end, keeps the reason in the field
// aside, and is reported. A table that does not answer sets nothing aside.
//
// The sweep ([Engine.Dispatch]) runs hubs that have an end over a minute past,
// whatever their roots believe, and deletes one-shots whose hub is gone. It
// makes "silently stopped" into "late".
//
// # The end of a hub
//
// A root that is marked over, past its end or gone refuses every visitor
// (410). [Engine.Commit] stamps the backstop, 36 hours after the hub's first
// write, into every item of a hub that ends, so that no write path can forget
// it.
package hub
