// Package planner plans the days of the people behind the counter: tasks,
// calendars, a plan that repacks itself and says why, a briefing in the
// morning, in a hub that sleeps once its person is gone.
//
// # Shape
//
// A request reads the whole planner of its hub, decides as a pure function of
// what it read and of now, and writes the rows that became others, all at once.
// What is due is settled first, each end at its own instant, so that a late
// alarm and a moved clock do the same. Package pack places the work.
//
// # Keys
//
//	<hub>  planner                      the head: visits, sleep, reasons, the address of the plan
//	<hub>  planner#cal#<id>             a calendar; due (wall): when it is asked next
//	<hub>  planner#day#<date>           the blocks of a local day; due (business): the first end among them
//	<hub>  planner#profile              zone, hours, briefing; due (business): the next briefing
//	<hub>  planner#task#<id>            a task
//	<hub>  feed#<calendar>#<gen>#<n>    what a fetch stored of a calendar, in chunks
//	<hub>  briefing#<date>              a briefing that was made
//	<hub>  plog#<event id>              what happened
//	<hub>  once#<hash>                  a command done under a key, with what it made
//
// The head of a hub that lasts is due (wall) when its person will have been
// gone for too long.
//
// # Invariants
//
//	N1 Every change writes the head by the revision that was read first, before
//	   all other rows: so nothing is decided on rows of two different times.
//	N2 Blocks are half-open and overlap neither each other nor, unless pinned or
//	   under way, what is busy; see package pack.
//	N3 A block's end, a briefing, a sync is an end of a row, written by the write
//	   that made it. A hub that is asleep has none.
//	N4 A fetch is stored under a generation that nothing points to; the write
//	   that plans with it points there: a half sync is never seen.
//	N5 A briefing is recorded at most once a local day, by the write that says
//	   that it was made; mail goes out after that, so at most once.
//
// # A block
//
//	planned --start--> running --done--> done
//	   |                  |
//	   +----- its end ----+--> overrun --done--> done
//	                              |
//	           an hour, or work ends: left as overrun (it was started) or missed,
//	           and what remains of it is placed again
//
// # Clocks and units
//
// Briefings and blocks count in business time, syncs and sleep in wall time.
// Local days are those of the profile's zone. Lengths are whole minutes.
//
// # A new sandbox
//
// It has a seeded day: rows that are derived from its birth at every look and
// written when something in its planner first changes.
package planner
