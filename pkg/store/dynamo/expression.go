package dynamo

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"pocbakery/pkg/store"
)

type (
	condition = expression.ConditionBuilder
	built     = expression.Expression
)

// name is a field in an expression; the builder writes a placeholder for it.
func name(field string) expression.NameBuilder { return expression.NameNoDotSplit(field) }

func literal(v any) expression.ValueBuilder { return expression.Value(value(v)) }

// moment is the instant by which items are past their ttl or not; the zero one
// is before every ttl.
type moment time.Time

// dead holds of an item past its ttl; there is none before every ttl.
func (m moment) dead() (condition, bool) {
	if t := time.Time(m); !t.IsZero() {
		return name(store.FieldTTL).LessThanEqual(literal(t.Unix())), true
	}
	return condition{}, false
}

// vacant holds where a guard sees no item.
func (m moment) vacant() condition {
	none := name(attrPK).AttributeNotExists()
	if dead, ok := m.dead(); ok {
		return none.Or(dead)
	}
	return none
}

// living holds where a guard sees an item.
func (m moment) living() []condition {
	all := []condition{name(attrPK).AttributeExists()}
	if t := time.Time(m); !t.IsZero() {
		ttl := name(store.FieldTTL)
		all = append(all, ttl.AttributeNotExists().Or(ttl.GreaterThan(literal(t.Unix()))))
	}
	return all
}

// guard writes a guard as a condition. Where no item is there it is vacant that
// decides, which differs for an Update.
func (m moment) guard(g store.Guard, vacant condition) condition {
	if !g.Present {
		return vacant
	}
	all := m.living()
	if g.Rev > 0 {
		all = append(all, name(attrRev).Equal(literal(g.Rev)))
	}
	for _, c := range g.Conds {
		all = append(all, compare(c))
	}
	if g.Absent {
		return vacant.Or(every(all))
	}
	return every(all)
}

func every(all []condition) condition {
	if len(all) == 1 {
		return all[0]
	}
	return all[0].And(all[1], all[2:]...)
}

// compare writes a comparison. DynamoDB says of values of two types, and of one
// that is not there, that they differ. Whether two that are not there are equal,
// and booleans have an order, its documents do not tell: it is not asked.
func compare(c store.Cond) condition {
	field := name(c.Field)
	if c.Cmp == store.CmpMissing {
		return field.AttributeNotExists()
	}
	var right expression.OperandBuilder
	if c.Other != "" {
		right = name(c.Other)
	} else {
		right = literal(c.Value)
	}
	var holds condition
	switch c.Cmp {
	case store.CmpEq:
		holds = field.Equal(right)
	case store.CmpNe:
		holds = sameType(c).And(field.NotEqual(right))
	case store.CmpLt:
		holds = field.LessThan(right)
	case store.CmpLe:
		holds = field.LessThanEqual(right)
	case store.CmpGt:
		holds = field.GreaterThan(right)
	case store.CmpGe:
		holds = field.GreaterThanEqual(right)
	}
	switch {
	case c.Other == "" || c.Cmp == store.CmpNe:
	case c.Cmp == store.CmpEq:
		holds = field.AttributeExists().And(holds)
	default:
		holds = field.AttributeType(expression.Boolean).Not().And(holds)
	}
	if c.OrMissing {
		return field.AttributeNotExists().Or(holds)
	}
	return holds
}

// sameType holds where the two sides of a comparison are there, of one type.
func sameType(c store.Cond) condition {
	field := name(c.Field)
	if c.Other == "" {
		switch c.Value.(type) {
		case string:
			return field.AttributeType(expression.String)
		case int64:
			return field.AttributeType(expression.Number)
		}
		return field.AttributeType(expression.Boolean)
	}
	both := func(t expression.DynamoDBAttributeType) condition {
		return field.AttributeType(t).And(name(c.Other).AttributeType(t))
	}
	return both(expression.String).Or(both(expression.Number), both(expression.Boolean))
}

// change writes what an Update changes.
func change(w store.Write) expression.UpdateBuilder {
	// What is added to what is not there is added to 0.
	u := expression.Add(name(attrRev), literal(int64(1)))
	for field, n := range w.Add {
		u = u.Add(name(field), literal(n))
	}
	for field, v := range w.Set {
		u = u.Set(name(field), literal(v))
	}
	for field, v := range w.Init {
		u = u.Set(name(field), name(field).IfNotExists(literal(v)))
	}
	_, set := w.Set[store.FieldWake]
	_, init := w.Init[store.FieldWake]
	if set || init {
		u = u.Set(name(attrShard), literal(store.ShardOf(w.Key.PK)))
	}
	for _, field := range w.Remove {
		u = u.Remove(name(field))
		if field == store.FieldWake {
			u = u.Remove(name(attrShard))
		}
	}
	return u
}

// build builds an expression. The builder reads brackets in a name as an index
// into a list, whatever is asked of it: such a field has no condition.
func build(b expression.Builder) (built, error) {
	e, err := b.Build()
	if err != nil {
		return e, fmt.Errorf("%w: an expression that cannot be written", store.ErrInvalid)
	}
	return e, nil
}

var errBrackets = errors.New("a field with brackets in its name is only ever put")

// checkNames refuses fields that an expression cannot name.
func checkNames(w store.Write) error {
	bad := func(field string) bool { return strings.ContainsAny(field, "[]") }
	found := false
	for _, c := range w.Guard.Conds {
		found = found || bad(c.Field) || bad(c.Other)
	}
	if w.Op == store.OpUpdate {
		for _, fields := range [...]store.Fields{w.Set, w.Init} {
			for field := range fields {
				found = found || bad(field)
			}
		}
		for field := range w.Add {
			found = found || bad(field)
		}
		for _, field := range w.Remove {
			found = found || bad(field)
		}
	}
	if found {
		return fmt.Errorf("%w: %w", store.ErrInvalid, errBrackets)
	}
	return nil
}
