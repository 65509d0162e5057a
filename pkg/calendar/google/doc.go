// Package google is the other side of calendars that Google keeps: a client of
// the calls that are needed, since Google's own module would be most of the
// program.
//
// What it stands on, read in Google's documentation of the Calendar API v3
// ("Synchronize resources efficiently", "Push notifications", "Events: list",
// "Recurring events") and of OAuth 2.0 for web servers, on 2026-12-01:
//
//   - events.list gives nextSyncToken on the last page only. Asked with it, it
//     gives what changed since, with tombstones (status cancelled); the page may
//     be short while there is a next. 410 means that the token is too old: all
//     is to be read again.
//   - With singleEvents=false a series is one event with its recurrence in
//     lines of RFC 5545. One of it that was changed or cancelled is an event
//     with recurringEventId and originalStartTime, also in a full list.
//   - A watch's expiration is in milliseconds since 1970 and may be sooner than
//     asked for. A channel's id has at most 64 characters, its token 256.
//   - A refresh token comes with access_type=offline and a consent that is
//     asked for anew; invalid_grant at the token endpoint means it is gone.
//
// # Invariants
//
//	G1 A sync is whole or nothing: the feed, and its token, are those of the
//	   last page, or as they were.
//	G2 A delta is applied to the feed it is a delta of. After a 410, on any
//	   page, a full list replaces all.
//	G3 5 seconds a call, 10 MB and 20,000 events a sync.
//	G4 No grant, token, address or answer is part of an error.
//
// Where the other side is, is configuration: Google's by default.
package google
