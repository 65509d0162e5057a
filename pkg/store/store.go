// Package store is the port over the one table everything lives in.
//
// # Shape
//
// The table holds items. An item is named by a partition key (pk, the hub it
// belongs to) and a sort key (sk, "kind" or "kind#id"), carries a revision
// that every write raises by one, and otherwise consists of top-level fields
// that are strings, whole numbers or booleans. Structures inside a field are
// JSON text; nothing ever compares or updates inside one.
//
// Some fields are known to every adapter:
//
//	due   the item's end, for the hub's own index: a clock's letter
//	      ('b' business, 'w' wall) and an instant; see [DueAt]
//	wake  the wall instant of the item's end as known at the write, for the
//	      sweep's index over all hubs
//	ttl   unix seconds of wall time from which the item counts as gone
//	v     the schema version of the item
//	by    the mark of the write that last put it there; see [Table]
//
// # Consistency
//
// Get, List and Due read strongly: they see every commit answered before they
// began. One Get is a batch, not a snapshot: items written together by one
// Commit may be seen half. Overdue is eventually consistent and is a hint.
// Get and List never return an item past its ttl, and every guard treats such
// an item as absent, although the table may keep it for days. Due and Overdue
// read key-only indexes and may name it still.
//
// Commit applies all of its writes or none. One write is one conditional
// request, several are one transaction. Its errors are told apart:
//
//   - [*GuardFailed]: nothing was written. It carries the items whose guards
//     failed as they stood, so that the caller decides again without a read.
//   - [ErrConflict]: nothing was written; another transaction was under way on
//     one of the items. Decide again, with a fresh now.
//   - [ErrUnavailable]: nothing was written (throttled, refused, no connection).
//   - [ErrUnknown]: the reply was lost. The writes may have been applied, may
//     yet be, or never will; it is never to be read as "failed".
//   - [ErrTooLarge], [ErrInvalid]: nothing was written and it never will be.
//
// # Limits
//
// An item has at most 400 KB, a sort key 1,024 bytes, a Commit 100 writes on
// 100 different items, an Update 50 changed fields, an Erase any number of
// keys (25 a request), a Get any number (100 a request).
//
// The fields v and by are Table's and not counted among an Update's. What is
// malformed is ErrInvalid, before the table is asked: an empty key or one that
// is not UTF-8, a NUL in a pk, fields named pk, sk, rev or shard, values of other
// types, a due, wake or ttl that cannot be read, a guard that never holds, an
// Update that changes a field in two ways, a limit of nothing. See [CheckCommit].
//
// # Time
//
// now is the wall clock's reading, handed in by the caller; it only decides
// which items are past their ttl. The zero time means "before every ttl" and
// shows what the table really holds.
package store

import (
	"context"
	"errors"
	"time"
)

// Limits of the table, in bytes and counts. DynamoDB's, kept by every adapter.
const (
	MaxItemBytes     = 400 * 1024
	MaxSortKeyBytes  = 1024
	MaxCommitWrites  = 100
	MaxUpdatedFields = 50
	ErasePerRequest  = 25
	GetPerRequest    = 100
	// ListPageBytes bounds what one List reads, whatever its Limit.
	ListPageBytes = 1 << 20
)

// Store is the port: six operations on one table. The package doc is its
// contract. The fields of an item that a Store returned may be shared with
// others who read it: whoever wants to change them clones the item first.
type Store interface {
	// Get returns the items named, in the order asked; Item.Exists is false
	// for one that is not there.
	Get(ctx context.Context, now time.Time, keys ...Key) ([]Item, error)

	// List returns items of one hub in the order of their sort keys. A page
	// may be short, even empty, while Next says that there is more.
	List(ctx context.Context, now time.Time, pk string, r Range) (Page, error)

	// Due returns the items of one hub whose end on this clock is at or before
	// until, earliest first, at most limit of them.
	Due(ctx context.Context, pk string, clock Clock, until time.Time, limit int) ([]Ref, error)

	// Overdue returns items of any hub whose wake is at or before until,
	// earliest first, at most limit of them.
	Overdue(ctx context.Context, until time.Time, limit int) ([]Ref, error)

	// Commit applies all the writes, or none.
	Commit(ctx context.Context, now time.Time, writes ...Write) error

	// Erase removes items without guard or order. An error may leave some
	// erased. It is for wipes only.
	Erase(ctx context.Context, keys ...Key) error
}

// Key names an item.
type Key struct{ PK, SK string }

// Ref is what an index knows of an item: its name and its end.
type Ref struct {
	Key
	At time.Time
}

// Range bounds a List: From <= sk < To (an empty To is no bound).
type Range struct {
	From, To string
	Desc     bool
	Limit    int    // at most so many items; 0: as many as a page's bytes allow
	After    string // Page.Next of the page before
}

// Prefix is the range of all sort keys that begin with p (and do not go on
// with the last of all code points, which keeps To valid UTF-8).
func Prefix(p string) Range { return Range{From: p, To: p + "\U0010ffff"} }

// Page is one answer of List. Next is empty on the last page.
type Page struct {
	Items []Item
	Next  string
}

// What a Commit, a Get or a List can fail of; see the package doc.
var (
	ErrConflict    = errors.New("store: another transaction is under way on an item")
	ErrUnavailable = errors.New("store: the table did not take the request")
	ErrUnknown     = errors.New("store: the reply was lost, the outcome is unknown")
	ErrTooLarge    = errors.New("store: an item or a commit is too large")
	ErrInvalid     = errors.New("store: the request is malformed")
	// ErrNewerSchema is Table's: the row was written by a later version of
	// this program, which alone knows what its fields mean.
	ErrNewerSchema = errors.New("store: the item has a newer schema")
)

// GuardFailed says which guards did not hold. Nothing was written.
type GuardFailed struct {
	// Items has one entry a write of the commit, in its order: the item as it
	// stood where that write's guard failed and an item was there.
	Items []Item
	// Failed says of each write whether its guard failed.
	Failed []bool
}

func (e *GuardFailed) Error() string { return "store: a guard did not hold" }

// FailedGuard is the guard that did not hold, if that is what err is; else nil.
func FailedGuard(err error) *GuardFailed {
	var failed *GuardFailed
	errors.As(err, &failed)
	return failed
}

// IgnoreGuard takes a guard that did not hold for success: what was to be
// changed is gone, or is as it should be already.
func IgnoreGuard(err error) error {
	if FailedGuard(err) != nil {
		return nil
	}
	return err
}
