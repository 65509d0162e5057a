package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Schema is the version of the items this program writes and reads.
const Schema = 1

// attempts bounds how often Table asks in all.
const attempts = 3

// Table is the Store that services use: an adapter, and three rules on top.
//
// # Schema
//
// Every item put or updated carries v = [Schema]. An item with a higher v was
// written by a later version of this program: Get and List refuse to return
// it, and no guard but "absent" holds over it, both with ErrNewerSchema. Only
// Erase removes it.
//
// # Marks
//
// Every Commit draws a mark and leaves it as by in each item it puts or
// updates. The same mark is a comparison of each such write's guard, so that
// no Commit is ever applied over itself: not when it is tried again, and not
// when its first try arrives late.
//
// # Trying again
//
// A call is tried up to three times, as it is, while it fails with
// ErrUnavailable (nothing was done) or a Commit or Erase with ErrUnknown. A
// Commit that had an unknown outcome and then fails its guards has landed if
// an item that failed carries its mark, or, where it consists of deletes of
// items that were to be there, if these are gone: the answer is success, never
// a refusal. Nothing is waited for in between; adapters have their own
// back-off. ErrConflict is answered at once, for the caller to take a fresh
// now. But once an outcome was unknown nothing less is answered than success,
// a failed guard or ErrUnknown: that a later try wrote nothing says nothing
// about the first.
//
// # What stays ambiguous
//
// If the first try landed and another writer wrote over its mark before the
// second, GuardFailed is answered, with that writer's item; the caller's
// decision, made again, must find its own effect in it (its hold, its payment)
// as with any repeated command. A write that may be applied twice without
// noticing, such as a bare Add, is counted twice then. A delete is likewise
// not told apart from another's delete of the same item, nor from one that a
// new item of the same revision has followed; and an item that was past its
// ttl when it was written shows no mark.
type Table struct {
	inner Store
	rnd   func() uint64
}

var _ Store = (*Table)(nil)

// NewTable wraps an adapter. rnd draws the marks and must be safe for
// concurrent use where the Table is used so: rand.Uint64 of math/rand/v2 is.
// Two processes must not draw the same.
func NewTable(inner Store, rnd func() uint64) *Table {
	return &Table{inner: inner, rnd: rnd}
}

// Get is Store's, tried again, refusing newer items.
func (t *Table) Get(ctx context.Context, now time.Time, keys ...Key) (items []Item, err error) {
	err = again(ctx, func() error {
		items, err = t.inner.Get(ctx, now, keys...)
		return err
	})
	if err == nil {
		err = checkSchema(items)
	}
	if err != nil {
		return nil, err
	}
	return items, nil
}

// List is Store's, tried again, refusing newer items.
func (t *Table) List(ctx context.Context, now time.Time, pk string, r Range) (page Page, err error) {
	err = again(ctx, func() error {
		page, err = t.inner.List(ctx, now, pk, r)
		return err
	})
	if err == nil {
		err = checkSchema(page.Items)
	}
	if err != nil {
		return Page{}, err
	}
	return page, nil
}

// Due is Store's, tried again.
func (t *Table) Due(ctx context.Context, pk string, clock Clock, until time.Time, limit int) (refs []Ref, err error) {
	err = again(ctx, func() error {
		refs, err = t.inner.Due(ctx, pk, clock, until, limit)
		return err
	})
	return refs, err
}

// Overdue is Store's, tried again.
func (t *Table) Overdue(ctx context.Context, until time.Time, limit int) (refs []Ref, err error) {
	err = again(ctx, func() error {
		refs, err = t.inner.Overdue(ctx, until, limit)
		return err
	})
	return refs, err
}

// Erase is Store's, tried again: what is erased twice is as gone as once.
func (t *Table) Erase(ctx context.Context, keys ...Key) error {
	return again(ctx, func() error { return t.inner.Erase(ctx, keys...) })
}

// again calls up to three times while that may help and the context lasts.
func again(ctx context.Context, call func() error) error {
	for n := 1; ; n++ {
		err := call()
		if n == attempts || ctx.Err() != nil || !(errors.Is(err, ErrUnavailable) || errors.Is(err, ErrUnknown)) {
			return err
		}
	}
}

// Commit is Store's with the rules of Table.
func (t *Table) Commit(ctx context.Context, now time.Time, writes ...Write) error {
	mark := t.mark()
	stamped := make([]Write, len(writes))
	for n, w := range writes {
		stamped[n] = stamp(w, mark)
	}
	var unknown error
	for n := 1; ; n++ {
		err := t.inner.Commit(ctx, now, stamped...)
		var guard *GuardFailed
		switch {
		case err == nil:
			return nil
		case errors.As(err, &guard):
			if unknown != nil && landed(guard, writes, mark) {
				return nil
			}
			if err := checkSchema(guard.Items); err != nil {
				return err
			}
			return err
		case errors.Is(err, ErrUnknown):
			unknown = err
		case unknown == nil && !errors.Is(err, ErrUnavailable):
			return err
		}
		if n == attempts || ctx.Err() != nil {
			if unknown != nil {
				return unknown
			}
			return err
		}
	}
}

// stamp adds what Table writes, and the comparisons that keep it from writing
// over newer items and over itself. The caller's maps are left as they are.
func stamp(w Write, mark string) Write {
	if w.Guard.Present {
		w.Guard = w.Guard.And(Le(FieldV, int64(Schema)).OrMissingField())
	}
	if w.Op == OpDelete {
		return w
	}
	if w.Guard.Present {
		w.Guard = w.Guard.And(Cond{Field: FieldBy, Cmp: CmpNe, Value: mark, OrMissing: true})
	}
	set := make(Fields, len(w.Set)+2)
	for name, v := range w.Set {
		set[name] = v
	}
	set[FieldV], set[FieldBy] = int64(Schema), mark
	w.Set = set
	return w
}

// landed says whether failed guards show that this very commit was applied.
func landed(guard *GuardFailed, writes []Write, mark string) bool {
	gone := true
	for n, w := range writes {
		if guard.Items[n].String(FieldBy) == mark {
			return true
		}
		gone = gone && w.Op == OpDelete && guard.Failed[n] && !guard.Items[n].Exists()
	}
	return gone
}

func checkSchema(items []Item) error {
	for _, i := range items {
		if v := i.Int(FieldV); v > Schema {
			// The kind only: ids are no business of a log.
			kind, _, _ := strings.Cut(i.SK, "#")
			return fmt.Errorf("%w: %d, of a %q", ErrNewerSchema, v, kind)
		}
	}
	return nil
}

// markAlphabet is Crockford's base32.
const markAlphabet = "0123456789abcdefghjkmnpqrstvwxyz"

// mark is 40 random bits in 8 characters.
func (t *Table) mark() string {
	var b [8]byte
	r := t.rnd()
	for n := range b {
		b[n] = markAlphabet[r&31]
		r >>= 5
	}
	return string(b[:])
}
