package dynamo

import (
	"fmt"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pocbakery/pkg/store"
)

// attributes is an item or a key, as DynamoDB has it.
type attributes = map[string]types.AttributeValue

// value is a field's value, which store.CheckCommit has let pass.
func value(v any) types.AttributeValue {
	switch v := v.(type) {
	case string:
		return &types.AttributeValueMemberS{Value: v}
	case int64:
		return &types.AttributeValueMemberN{Value: strconv.FormatInt(v, 10)}
	case bool:
		return &types.AttributeValueMemberBOOL{Value: v}
	}
	panic(fmt.Sprintf("dynamo: a value of type %T", v))
}

func keyOf(k store.Key) attributes {
	return attributes{attrPK: value(k.PK), attrSK: value(k.SK)}
}

func encode(i store.Item) attributes {
	a := make(attributes, len(i.Fields)+4)
	for name, v := range i.Fields {
		a[name] = value(v)
	}
	a[attrPK], a[attrSK], a[attrRev] = value(i.PK), value(i.SK), value(i.Rev)
	if i.Has(store.FieldWake) {
		a[attrShard] = value(store.ShardOf(i.PK))
	}
	return a
}

// decode reads an item; no attributes are no item. What no version up to this
// one writes was written by a later one: the item is refused, so that nobody
// puts it back without what could not be read.
func decode(a attributes) (store.Item, error) {
	if len(a) == 0 {
		return store.Item{}, nil
	}
	i := store.Item{Fields: make(store.Fields, len(a))}
	for name, v := range a {
		switch v := v.(type) {
		case *types.AttributeValueMemberS:
			i.Fields[name] = v.Value
		case *types.AttributeValueMemberN:
			n, err := strconv.ParseInt(v.Value, 10, 64)
			if err != nil {
				return store.Item{}, fmt.Errorf("%w: %q is no whole number", store.ErrNewerSchema, name)
			}
			i.Fields[name] = n
		case *types.AttributeValueMemberBOOL:
			i.Fields[name] = v.Value
		default:
			return store.Item{}, fmt.Errorf("%w: %q is of a type unknown here", store.ErrNewerSchema, name)
		}
	}
	i.PK, i.SK, i.Rev = i.String(attrPK), i.String(attrSK), i.Int(attrRev)
	if i.PK == "" || i.SK == "" || i.Rev < 1 {
		return store.Item{}, fmt.Errorf("%w: a row that is no item", store.ErrNewerSchema)
	}
	for _, name := range [...]string{attrPK, attrSK, attrRev, attrShard} {
		delete(i.Fields, name)
	}
	return i, nil
}

// alive is the item to a guard: none where it is past its ttl.
func alive(i store.Item, dead bool) store.Item {
	if dead {
		return store.Item{}
	}
	return i
}
