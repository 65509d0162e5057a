package dynamo

import (
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"pocbakery/pkg/store"
)

// request is a write as DynamoDB is asked for it: a Put where it has an item,
// an Update where its expression changes something, else a Delete.
type request struct {
	built
	key  attributes
	item attributes
}

// plan writes down a write, given what is known of its item: nil for nothing.
func plan(w store.Write, known *store.Item, now time.Time) (request, error) {
	m := moment(now)
	r := request{key: keyOf(w.Key)}
	var guard condition
	b := expression.NewBuilder()
	switch w.Op {
	case store.OpPut:
		i := store.Item{Key: w.Key, Fields: w.Set}
		i.Rev, guard = m.revision(w.Guard, known)
		r.item = encode(i)
	case store.OpUpdate:
		if known != nil && known.ExpiredAt(now) && w.Guard.Absent {
			r.item, guard = encode(w.Apply(store.Item{})), m.vacant()
			break
		}
		guard = m.guard(w.Guard, name(attrPK).AttributeNotExists())
		b = b.WithUpdate(change(w))
	case store.OpDelete:
		guard = m.guard(w.Guard, m.vacant())
	}
	var err error
	r.built, err = build(b.WithCondition(guard))
	return r, err
}

// revision is what a Put makes of its item's revision, and the condition under
// which that is right and the guard holds.
func (m moment) revision(g store.Guard, known *store.Item) (int64, condition) {
	seen := store.Item{}
	if known != nil {
		seen = alive(*known, known.ExpiredAt(time.Time(m)))
	}
	switch {
	case !g.Present:
		return 1, m.vacant()
	case g.Rev > 0 && !g.Absent:
		return g.Rev + 1, m.guard(g, m.vacant())
	case !seen.Exists() && g.Absent:
		return 1, m.vacant()
	}
	// Of an item that is not there this never holds, and it is to be told.
	g.Absent, g.Rev = false, max(seen.Rev, 1)
	return g.Rev + 1, m.guard(g, m.vacant())
}
