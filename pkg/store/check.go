package store

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// DynamoDB's limits on names, which no caller comes near.
const (
	maxPartitionKeyBytes = 2048
	maxFieldNameBytes    = 255
)

// CheckKey says what is wrong with a key: ErrInvalid or ErrTooLarge.
func CheckKey(k Key) error {
	switch {
	case k.PK == "" || k.SK == "":
		return fmt.Errorf("%w: a key has an empty part", ErrInvalid)
	case len(k.PK) > maxPartitionKeyBytes || len(k.SK) > MaxSortKeyBytes:
		return fmt.Errorf("%w: a key is too long", ErrTooLarge)
	case strings.IndexByte(k.PK, 0) >= 0:
		return fmt.Errorf("%w: a partition key holds a NUL", ErrInvalid)
	case !utf8.ValidString(k.PK) || !utf8.ValidString(k.SK):
		return fmt.Errorf("%w: a key is not UTF-8", ErrInvalid)
	}
	return nil
}

// CheckKeys checks each key.
func CheckKeys(keys []Key) error {
	for _, k := range keys {
		if err := CheckKey(k); err != nil {
			return err
		}
	}
	return nil
}

// CheckRange says what is wrong with the arguments of a List.
func CheckRange(pk string, r Range) error {
	if r.Limit < 0 {
		return fmt.Errorf("%w: a list of fewer than no items", ErrInvalid)
	}
	return checkHub(pk)
}

// CheckDue says what is wrong with the arguments of a Due.
func CheckDue(pk string, clock Clock, limit int) error {
	if clock != Business && clock != Wall {
		return fmt.Errorf("%w: no such clock", ErrInvalid)
	}
	if err := CheckLimit(limit); err != nil {
		return err
	}
	return checkHub(pk)
}

// CheckLimit says what is wrong with the limit of a Due or an Overdue.
func CheckLimit(limit int) error {
	if limit < 1 {
		return fmt.Errorf("%w: a limit of no items", ErrInvalid)
	}
	return nil
}

func checkHub(pk string) error { return CheckKey(Key{PK: pk, SK: "-"}) }

// CheckCommit says what is wrong with a commit as such, whatever the table
// holds: ErrInvalid or ErrTooLarge. All adapters refuse by it.
func CheckCommit(writes []Write) error {
	if len(writes) == 0 {
		return fmt.Errorf("%w: a commit of nothing", ErrInvalid)
	}
	if len(writes) > MaxCommitWrites {
		return fmt.Errorf("%w: a commit of %d writes", ErrTooLarge, len(writes))
	}
	for i := range writes {
		if err := writes[i].check(); err != nil {
			return err
		}
		for j := range i {
			if writes[j].Key == writes[i].Key {
				return fmt.Errorf("%w: a commit writes an item twice", ErrInvalid)
			}
		}
	}
	return nil
}

func (w *Write) check() error {
	if err := CheckKey(w.Key); err != nil {
		return err
	}
	if err := w.Guard.check(); err != nil {
		return err
	}
	if w.Op != OpUpdate && len(w.Init)+len(w.Add)+len(w.Remove) > 0 {
		return fmt.Errorf("%w: only an update has more than Set", ErrInvalid)
	}
	switch w.Op {
	case OpPut:
		if err := checkFields(w.Set); err != nil {
			return err
		}
		return CheckItem(Item{Key: w.Key, Rev: 1, Fields: w.Set})
	case OpUpdate:
		return w.checkUpdate()
	case OpDelete:
		if len(w.Set) > 0 {
			return fmt.Errorf("%w: a delete that sets fields", ErrInvalid)
		}
		return nil
	}
	return fmt.Errorf("%w: no such kind of write", ErrInvalid)
}

func (w *Write) checkUpdate() error {
	changed := len(w.Set) + len(w.Init) + len(w.Add) + len(w.Remove)
	for _, own := range [...]string{FieldV, FieldBy} {
		if _, ok := w.Set[own]; ok {
			changed--
		}
	}
	if changed > MaxUpdatedFields {
		return fmt.Errorf("%w: an update of %d fields", ErrTooLarge, changed)
	}
	if err := checkFields(w.Set); err != nil {
		return err
	}
	if err := checkFields(w.Init); err != nil {
		return err
	}
	for name := range w.Add {
		if err := checkName(name); err != nil {
			return err
		}
		switch name {
		case FieldDue, FieldWake, FieldTTL:
			return fmt.Errorf("%w: %s is set, not added to", ErrInvalid, name)
		}
	}
	for _, name := range w.Remove {
		if err := checkName(name); err != nil {
			return err
		}
	}
	return w.checkOverlap()
}

// checkOverlap refuses an update that changes a field in two ways; which of
// them came last would be the adapter's secret.
func (w *Write) checkOverlap() error {
	for i, name := range w.Remove {
		_, set := w.Set[name]
		_, init := w.Init[name]
		_, add := w.Add[name]
		if set || init || add {
			return overlap(name)
		}
		for _, other := range w.Remove[:i] {
			if other == name {
				return overlap(name)
			}
		}
	}
	for name := range w.Init {
		if _, ok := w.Set[name]; ok {
			return overlap(name)
		}
	}
	for name := range w.Add {
		_, set := w.Set[name]
		_, init := w.Init[name]
		if set || init {
			return overlap(name)
		}
	}
	return nil
}

func overlap(name string) error {
	return fmt.Errorf("%w: an update changes %q in two ways", ErrInvalid, name)
}

func checkFields(fields Fields) error {
	for name, v := range fields {
		if err := checkName(name); err != nil {
			return err
		}
		if err := checkValue(v); err != nil {
			return fmt.Errorf("%w, in %q", err, name)
		}
		if !wellFormed(name, v) {
			return fmt.Errorf("%w: %q is malformed", ErrInvalid, name)
		}
	}
	return nil
}

func checkName(name string) error {
	switch {
	case name == "", len(name) > maxFieldNameBytes, !utf8.ValidString(name):
		return fmt.Errorf("%w: no name for a field", ErrInvalid)
	case name == "pk", name == "sk", name == "rev", name == attrShard:
		return fmt.Errorf("%w: %s is not a field", ErrInvalid, name)
	}
	return nil
}

func checkValue(v any) error {
	switch v := v.(type) {
	case string:
		if !utf8.ValidString(v) {
			return fmt.Errorf("%w: text that is not UTF-8", ErrInvalid)
		}
	case int64, bool:
	default:
		return fmt.Errorf("%w: a value of type %T", ErrInvalid, v)
	}
	return nil
}

// wellFormed says of the fields every adapter knows whether they can be read.
func wellFormed(name string, v any) bool {
	switch name {
	case FieldDue:
		s, _ := v.(string)
		_, _, ok := ParseDue(s)
		return ok
	case FieldWake:
		s, _ := v.(string)
		_, ok := ParseInstant(s)
		return ok
	case FieldTTL:
		n, ok := v.(int64)
		return ok && n > 0
	}
	return true
}

func (g *Guard) check() error {
	if !g.Absent && !g.Present {
		return fmt.Errorf("%w: a guard that never holds", ErrInvalid)
	}
	if !g.Present && (g.Rev != 0 || len(g.Conds) > 0) || g.Rev < 0 {
		return fmt.Errorf("%w: a guard that contradicts itself", ErrInvalid)
	}
	for i := range g.Conds {
		if err := g.Conds[i].check(); err != nil {
			return err
		}
	}
	return nil
}

func (c *Cond) check() error {
	if err := checkName(c.Field); err != nil {
		return err
	}
	switch {
	case c.Cmp < CmpEq || c.Cmp > CmpMissing:
		return fmt.Errorf("%w: no such comparison", ErrInvalid)
	case c.Cmp == CmpMissing:
		return nil
	case c.Other != "":
		return checkName(c.Other)
	}
	if _, ok := c.Value.(bool); ok && c.Cmp != CmpEq && c.Cmp != CmpNe {
		return fmt.Errorf("%w: booleans have no order", ErrInvalid)
	}
	return checkValue(c.Value)
}

// CheckItem says whether an item is too large to be stored.
func CheckItem(i Item) error {
	if n := ItemBytes(i); n > MaxItemBytes {
		return fmt.Errorf("%w: an item of %d bytes", ErrTooLarge, n)
	}
	return nil
}
