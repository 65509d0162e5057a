// Package localtime is how the clocks of a place run: dates without a zone, and
// what a time of day on one of them is in real time. It is the one place where
// a local time becomes an instant.
//
// # Rules
//
//	T1 A time of day is shown once, twice (the clocks go back over it) or never
//	   (they go forward over it). One that is shown twice begins the first
//	   time; one that never is begins at the instant of the jump.
//	T2 So a date runs from its first 00:00, or from the jump over it, to that
//	   of the next date; the dates of a zone tile its time. A date has 23, 24
//	   or 25 hours, or any half hour between.
//
// time.Date answers for a time that never comes with one on either side of the
// jump, which is why nothing here asks it for one.
package localtime
