// Package local runs the bakery on one machine: a wall clock that can be moved
// forward, the loop that fires alarms and lets TTL take expired items, faults
// to try, and the admin port that an operator's hand reaches it by.
//
// It only moves the clock and sets faults. What then runs does so through the
// alarm clock and the reaper, by the same entry points as on Lambda; the
// package knows the engine and no service.
package local
