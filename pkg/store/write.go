package store

import "fmt"

// Op is what a Write does.
type Op byte

// The three kinds of write.
const (
	OpPut    Op = iota + 1 // replaces the item whole, or makes it
	OpUpdate               // changes fields; makes the item where the guard lets it
	OpDelete               // removes it
)

// Write is one guarded change of one item.
type Write struct {
	Op    Op
	Key   Key
	Guard Guard

	Set    Fields           // Put: the whole item. Update: fields to set.
	Init   Fields           // Update: fields to set where the item has none yet.
	Add    map[string]int64 // Update: numbers to add; a field not there counts as 0.
	Remove []string         // Update: fields to remove.
}

// Put replaces the item whole, or makes it.
func Put(k Key, g Guard, fields Fields) Write {
	return Write{Op: OpPut, Key: k, Guard: g, Set: fields}
}

// Delete removes the item. Under IfAbsent it clears away one that is past its
// ttl and does nothing to one that is not there.
func Delete(k Key, g Guard) Write { return Write{Op: OpDelete, Key: k, Guard: g} }

// Guard is the condition of a write. An item past its ttl counts as none, and
// a Put or Update over it starts from nothing.
type Guard struct {
	Absent  bool   // holds where there is no item
	Present bool   // holds where there is an item, of this Rev, for which all Conds hold
	Rev     int64  // 0: any
	Conds   []Cond // a conjunction
}

// IfAbsent holds where there is no item.
func IfAbsent() Guard { return Guard{Absent: true} }

// IfRev holds where the item is at this revision.
func IfRev(rev int64) Guard { return Guard{Present: true, Rev: rev} }

// IfStill holds while the item is as it was read: at its revision, or not there.
func IfStill(i Item) Guard {
	if i.Exists() {
		return IfRev(i.Rev)
	}
	return IfAbsent()
}

// If holds where there is an item for which every comparison holds.
func If(conds ...Cond) Guard { return Guard{Present: true, Conds: conds} }

// OrAbsent holds also where there is no item.
func (g Guard) OrAbsent() Guard { g.Absent = true; return g }

// And holds where the guard does and the comparisons too.
func (g Guard) And(conds ...Cond) Guard {
	g.Conds = append(g.Conds[:len(g.Conds):len(g.Conds)], conds...)
	return g
}

// Cmp is how a Cond compares.
type Cmp byte

// The comparisons: what DynamoDB calls =, <>, <, <=, >, >= and attribute_not_exists.
const (
	CmpEq Cmp = iota + 1
	CmpNe
	CmpLt
	CmpLe
	CmpGt
	CmpGe
	CmpMissing
)

// Cond compares a top-level field with a value or with another field. A field
// that is not there, or is of another type, fails every comparison but
// Missing, unless OrMissing is set and the field is not there.
type Cond struct {
	Field     string
	Cmp       Cmp
	Value     any    // string, int64 or bool
	Other     string // compare with this field instead of Value
	OrMissing bool
}

// Eq compares a field with a value.
func Eq(field string, v any) Cond { return Cond{Field: field, Cmp: CmpEq, Value: v} }

// Lt compares a field with a value.
func Lt(field string, v any) Cond { return Cond{Field: field, Cmp: CmpLt, Value: v} }

// Le compares a field with a value.
func Le(field string, v any) Cond { return Cond{Field: field, Cmp: CmpLe, Value: v} }

// Gt compares a field with a value.
func Gt(field string, v any) Cond { return Cond{Field: field, Cmp: CmpGt, Value: v} }

// LtField compares two fields of the item.
func LtField(field, other string) Cond { return Cond{Field: field, Cmp: CmpLt, Other: other} }

// Missing holds where the item has no such field.
func Missing(field string) Cond { return Cond{Field: field, Cmp: CmpMissing} }

// OrMissingField is the comparison, or the field not being there.
func (c Cond) OrMissingField() Cond { c.OrMissing = true; return c }

// Holds evaluates the guard against the item as it stands (the zero Item, or
// one past its ttl handed in as such, for none). Embedded adapters use it; the
// DynamoDB one writes the same rule as an expression.
func (g Guard) Holds(i Item) bool {
	if !i.Exists() {
		return g.Absent
	}
	if !g.Present || (g.Rev != 0 && g.Rev != i.Rev) {
		return false
	}
	for _, c := range g.Conds {
		if !c.holds(i) {
			return false
		}
	}
	return true
}

func (c Cond) holds(i Item) bool {
	have, ok := i.Fields[c.Field]
	if c.Cmp == CmpMissing {
		return !ok
	}
	if !ok {
		return c.OrMissing
	}
	want := c.Value
	if c.Other != "" {
		if want, ok = i.Fields[c.Other]; !ok {
			return false
		}
	}
	switch h := have.(type) {
	case string:
		w, ok := want.(string)
		return ok && ordered(c.Cmp, h, w)
	case int64:
		w, ok := want.(int64)
		return ok && ordered(c.Cmp, h, w)
	case bool:
		w, ok := want.(bool)
		return ok && ((c.Cmp == CmpEq && h == w) || (c.Cmp == CmpNe && h != w))
	}
	return false
}

func ordered[T string | int64](c Cmp, a, b T) bool {
	switch c {
	case CmpEq:
		return a == b
	case CmpNe:
		return a != b
	case CmpLt:
		return a < b
	case CmpLe:
		return a <= b
	case CmpGt:
		return a > b
	case CmpGe:
		return a >= b
	}
	return false
}

// Apply is the item as it stands after the write, given the item as it stood
// (the zero Item for none, or for one past its ttl). Embedded adapters use it.
// A deleted item is the zero Item.
func (w Write) Apply(i Item) Item {
	if w.Op == OpDelete {
		return Item{}
	}
	next := Item{Key: w.Key, Rev: i.Rev + 1, Fields: make(Fields, len(i.Fields)+len(w.Set)+len(w.Init)+len(w.Add))}
	if w.Op == OpUpdate {
		for k, v := range i.Fields {
			next.Fields[k] = v
		}
		for k, v := range w.Init {
			if _, ok := next.Fields[k]; !ok {
				next.Fields[k] = v
			}
		}
		for k, n := range w.Add {
			have, _ := next.Fields[k].(int64)
			next.Fields[k] = have + n
		}
		for _, k := range w.Remove {
			delete(next.Fields, k)
		}
	}
	for k, v := range w.Set {
		next.Fields[k] = v
	}
	return next
}

// Outcome is Apply with the refusals that need the item: a number added to
// what is not one (ErrInvalid), an item grown too large (ErrTooLarge).
func (w Write) Outcome(i Item) (Item, error) {
	for name := range w.Add {
		if have, ok := i.Fields[name]; ok {
			if _, ok := have.(int64); !ok {
				return Item{}, fmt.Errorf("%w: adding to %q, which is no number", ErrInvalid, name)
			}
		}
	}
	next := w.Apply(i)
	if !next.Exists() {
		return next, nil
	}
	return next, CheckItem(next)
}
