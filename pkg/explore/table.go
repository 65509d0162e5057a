package explore

import (
	"encoding/binary"
	"slices"
	"sort"
	"time"

	"pocbakery/pkg/store"
)

// table is what the table holds at one point of an exploration. It never
// changes: a commit makes another one, which shares all items but those it
// wrote. It behaves as the port's contract says, and the conformance suite of
// the port holds it to that.
type table []*store.Item // in the order of their keys

// find is the place of a key, and whether an item is there.
func (t table) find(k store.Key) (int, bool) {
	return sort.Find(len(t), func(n int) int { return compareKeys(k, t[n].Key) })
}

func compareKeys(a, b store.Key) int {
	switch {
	case a.PK < b.PK || (a.PK == b.PK && a.SK < b.SK):
		return -1
	case a == b:
		return 0
	}
	return 1
}

// at is the item as a reader sees it at now: none where it is past its ttl.
func (t table) at(now time.Time, k store.Key) store.Item {
	if n, ok := t.find(k); ok && !t[n].ExpiredAt(now) {
		return *t[n]
	}
	return store.Item{Key: k}
}

func (t table) get(now time.Time, keys []store.Key) []store.Item {
	items := make([]store.Item, len(keys))
	for n, k := range keys {
		items[n] = t.at(now, k).Clone()
	}
	return items
}

func (t table) list(now time.Time, pk string, r store.Range) store.Page {
	var in []*store.Item
	for _, i := range t {
		if i.PK != pk || i.SK < r.From || (r.To != "" && i.SK >= r.To) {
			continue
		}
		if r.After != "" && (!r.Desc && i.SK <= r.After || r.Desc && i.SK >= r.After) {
			continue
		}
		in = append(in, i)
	}
	if r.Desc {
		slices.Reverse(in)
	}
	var page store.Page
	read := 0
	for n, i := range in {
		bytes := store.ItemBytes(*i)
		if (r.Limit > 0 && len(page.Items) == r.Limit) || (n > 0 && read+bytes > store.ListPageBytes) {
			page.Next = in[n-1].SK
			break
		}
		read += bytes
		if !i.ExpiredAt(now) {
			page.Items = append(page.Items, i.Clone())
		}
	}
	return page
}

func (t table) due(pk string, c store.Clock, until time.Time, limit int) []store.Ref {
	return t.index(limit, func(i *store.Item) (time.Time, bool) {
		clock, at, ok := store.ParseDue(i.String(store.FieldDue))
		return at, ok && i.PK == pk && clock == c && !at.After(until)
	})
}

func (t table) overdue(until time.Time, limit int) []store.Ref {
	return t.index(limit, func(i *store.Item) (time.Time, bool) {
		at, ok := store.ParseInstant(i.String(store.FieldWake))
		return at, ok && !at.After(until)
	})
}

// index lists the items that match by their ends, then by their keys.
func (t table) index(limit int, end func(*store.Item) (time.Time, bool)) (refs []store.Ref) {
	for _, i := range t {
		if at, ok := end(i); ok {
			refs = append(refs, store.Ref{Key: i.Key, At: at})
		}
	}
	slices.SortStableFunc(refs, func(a, b store.Ref) int { return a.At.Compare(b.At) })
	return refs[:min(len(refs), limit)]
}

// commit is the table after the writes, or the table itself and why not.
func (t table) commit(now time.Time, writes []store.Write) (table, error) {
	if err := store.CheckCommit(writes); err != nil {
		return t, err
	}
	failed := &store.GuardFailed{Items: make([]store.Item, len(writes)), Failed: make([]bool, len(writes))}
	holds := true
	var refused error
	after := make([]store.Item, len(writes))
	for n, w := range writes {
		seen := t.at(now, w.Key)
		if !seen.Exists() {
			seen = store.Item{}
		}
		if !w.Guard.Holds(seen) {
			holds = false
			failed.Failed[n], failed.Items[n] = true, seen.Clone()
		}
		var err error
		if after[n], err = w.Outcome(seen); err != nil && refused == nil {
			refused = err
		}
	}
	switch {
	case !holds:
		return t, failed
	case refused != nil:
		return t, refused
	}
	next := slices.Clone(t)
	for n, w := range writes {
		at, there := next.find(w.Key)
		switch {
		case !after[n].Exists() && there:
			next = slices.Delete(next, at, at+1)
		case !after[n].Exists():
		case there:
			next[at] = &after[n]
		default:
			next = slices.Insert(next, at, &after[n])
		}
	}
	return next, nil
}

func (t table) erase(keys []store.Key) table {
	return slices.DeleteFunc(slices.Clone(t), func(i *store.Item) bool { return slices.Contains(keys, i.Key) })
}

// tables gives each different table of an exploration a number, and each
// different item one pointer.
type tables struct {
	items   map[string]*store.Item
	numbers map[*store.Item]uint32
	known   map[string]int32
	all     []table
}

func newTables() *tables {
	return &tables{items: map[string]*store.Item{}, numbers: map[*store.Item]uint32{}, known: map[string]int32{}}
}

// number is the table's number. Equal tables have the same.
func (ts *tables) number(t table) int32 {
	name := make([]byte, 0, 4*len(t))
	for n, i := range t {
		number, ok := ts.numbers[i]
		if !ok {
			text := string(appendItem(nil, *i))
			if ts.items[text] == nil {
				ts.items[text] = i
				ts.numbers[i] = uint32(len(ts.numbers) + 1)
			}
			t[n] = ts.items[text]
			number = ts.numbers[t[n]]
		}
		name = binary.LittleEndian.AppendUint32(name, number)
	}
	if known, ok := ts.known[string(name)]; ok {
		return known
	}
	ts.known[string(name)] = int32(len(ts.all))
	ts.all = append(ts.all, t)
	return int32(len(ts.all) - 1)
}
