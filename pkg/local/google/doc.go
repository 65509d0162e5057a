// Package google stands in for Google's side of calendars in a local run: the
// consent, the token endpoint, and the calls of the Calendar API v3 that the
// product makes, as they are documented; see pocbakery/pkg/calendar/google for
// what was read.
//
// It keeps one person's calendars in memory. Each has a log of changes with
// tombstones, from which deltas are told: a sync token names a place in it, a
// page token a place in one listing, and a change in mid-listing is in the next
// delta. A sync token that it did not give is too old (410), as are all of them
// after a restart. Whoever edits the events of a calendar is its owner; every
// open channel is told, before the edit is answered, so that what follows an
// edit in a script follows the push too.
//
// Faults: pushes dropped, doubled or late; listings that fail with 410 (also in
// mid-paging), 401, 429 or 500.
package google
