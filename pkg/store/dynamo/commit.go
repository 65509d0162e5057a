package dynamo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pocbakery/pkg/store"
)

// rounds bounds how often a commit is made again because an item was not what
// it was taken for.
const rounds = 8

// Commit is store.Store's; the package doc says how.
func (s *Store) Commit(ctx context.Context, now time.Time, writes ...store.Write) error {
	if err := store.CheckCommit(writes); err != nil {
		return err
	}
	for _, w := range writes {
		if err := checkNames(w); err != nil {
			return err
		}
	}
	ctx, cancel, err := begin(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	known, err := s.revisions(ctx, writes)
	if err != nil {
		return err
	}
	for range rounds {
		requests := make([]request, len(writes))
		for n, w := range writes {
			if requests[n], err = plan(w, known[w.Key], now); err != nil {
				return err
			}
		}
		stood, err := s.send(ctx, writes, requests)
		if err != nil || stood == nil {
			return err
		}
		s.countFailed(now, writes, stood)
		if guard := judge(now, writes, stood); guard != nil {
			return guard
		}
		for n := range writes {
			if stood[n] != nil {
				known[writes[n].Key] = stood[n]
			}
		}
	}
	return fmt.Errorf("%w: an item that never stands still", store.ErrConflict)
}

// revisions reads the items whose revision a Put has to know and cannot guess.
func (s *Store) revisions(ctx context.Context, writes []store.Write) (map[store.Key]*store.Item, error) {
	known := map[store.Key]*store.Item{}
	var keys []store.Key
	for _, w := range writes {
		if w.Op == store.OpPut && w.Guard.Rev == 0 && !w.Guard.Absent {
			keys = append(keys, w.Key)
		}
	}
	if len(keys) == 0 {
		return known, nil
	}
	found, err := s.fetch(ctx, keys)
	if err != nil {
		return nil, err
	}
	for _, k := range keys {
		i := found[k]
		known[k] = &i
	}
	return known, nil
}

// judge says which guards did not hold over the items that came back, each of
// which is nil where a write's condition did not fail. Nil is the answer where
// all hold, and the conditions failed only for what was believed of the items.
func judge(now time.Time, writes []store.Write, stood []*store.Item) *store.GuardFailed {
	var guard *store.GuardFailed
	for n, i := range stood {
		if i == nil {
			continue
		}
		seen := alive(*i, i.ExpiredAt(now))
		if writes[n].Guard.Holds(seen) {
			continue
		}
		if guard == nil {
			guard = &store.GuardFailed{Items: make([]store.Item, len(writes)), Failed: make([]bool, len(writes))}
		}
		guard.Items[n], guard.Failed[n] = seen, true
	}
	return guard
}

// countFailed counts a commit whose conditions failed, of which AWS says
// nothing: what it would have written counts.
func (s *Store) countFailed(now time.Time, writes []store.Write, stood []*store.Item) {
	sum := 0.0
	for n, w := range writes {
		var before store.Item
		if stood[n] != nil {
			before = *stood[n]
		}
		after := w.Apply(alive(before, before.ExpiredAt(now)))
		sum += store.WriteUnits(before, after, len(writes) > 1, false)
	}
	s.meter.Write(store.CallOf(writes), 1, sum)
}

// send makes the request of a commit. It returns nothing and no error where it
// was applied, and the items as they stood where conditions failed.
func (s *Store) send(ctx context.Context, writes []store.Write, requests []request) (stood []*store.Item, err error) {
	var used float64
	op := "TransactWriteItems"
	if len(writes) == 1 {
		op, used, err = s.single(ctx, requests[0])
	} else {
		used, err = s.transact(ctx, requests)
	}
	if err == nil {
		s.meter.Write(store.CallOf(writes), 1, used)
		return nil, nil
	}
	stood = make([]*store.Item, len(writes))
	var one *types.ConditionalCheckFailedException
	var all *types.TransactionCanceledException
	failedAny := false
	switch {
	case errors.As(err, &one):
		failedAny = true
		if stood[0], err = standing(writes[0].Key, one.Item); err != nil {
			return nil, err
		}
	case errors.As(err, &all) && len(all.CancellationReasons) == len(writes):
		for n, r := range all.CancellationReasons {
			if text(r.Code) != "ConditionalCheckFailed" {
				continue
			}
			failedAny = true
			i, bad := standing(writes[n].Key, r.Item)
			if bad != nil {
				return nil, bad
			}
			stood[n] = i
		}
	}
	if failedAny {
		return stood, nil
	}
	s.meter.Write(store.CallOf(writes), 1, 0)
	return nil, writeError(op, err)
}

// standing is the item that came back with a failed condition, or that none did.
func standing(k store.Key, a attributes) (*store.Item, error) {
	i, err := decode(a)
	if err != nil {
		return nil, err
	}
	i.Key = k
	return &i, nil
}

func (s *Store) single(ctx context.Context, r request) (op string, used float64, err error) {
	const old = types.ReturnValuesOnConditionCheckFailureAllOld
	var c *types.ConsumedCapacity
	switch {
	case r.item != nil:
		op = "PutItem"
		var out *dynamodb.PutItemOutput
		out, err = s.ask.putItem(ctx, &dynamodb.PutItemInput{
			TableName: s.table, Item: r.item, ConditionExpression: r.Condition(),
			ExpressionAttributeNames: r.Names(), ExpressionAttributeValues: r.Values(),
			ReturnConsumedCapacity: total, ReturnValuesOnConditionCheckFailure: old,
		}, s.once)
		if err == nil {
			c = out.ConsumedCapacity
		}
	case r.Update() != nil:
		op = "UpdateItem"
		var out *dynamodb.UpdateItemOutput
		out, err = s.ask.updateItem(ctx, &dynamodb.UpdateItemInput{
			TableName: s.table, Key: r.key, ConditionExpression: r.Condition(), UpdateExpression: r.Update(),
			ExpressionAttributeNames: r.Names(), ExpressionAttributeValues: r.Values(),
			ReturnConsumedCapacity: total, ReturnValuesOnConditionCheckFailure: old,
		}, s.once)
		if err == nil {
			c = out.ConsumedCapacity
		}
	default:
		op = "DeleteItem"
		var out *dynamodb.DeleteItemOutput
		out, err = s.ask.deleteItem(ctx, &dynamodb.DeleteItemInput{
			TableName: s.table, Key: r.key, ConditionExpression: r.Condition(),
			ExpressionAttributeNames: r.Names(), ExpressionAttributeValues: r.Values(),
			ReturnConsumedCapacity: total, ReturnValuesOnConditionCheckFailure: old,
		}, s.once)
		if err == nil {
			c = out.ConsumedCapacity
		}
	}
	return op, units(c), err
}

// transact leaves the token to the SDK, which draws one a call and keeps it for
// the call's own resends.
func (s *Store) transact(ctx context.Context, requests []request) (used float64, err error) {
	const old = types.ReturnValuesOnConditionCheckFailureAllOld
	items := make([]types.TransactWriteItem, len(requests))
	for n, r := range requests {
		switch {
		case r.item != nil:
			items[n].Put = &types.Put{
				TableName: s.table, Item: r.item, ConditionExpression: r.Condition(),
				ExpressionAttributeNames: r.Names(), ExpressionAttributeValues: r.Values(),
				ReturnValuesOnConditionCheckFailure: old,
			}
		case r.Update() != nil:
			items[n].Update = &types.Update{
				TableName: s.table, Key: r.key, ConditionExpression: r.Condition(), UpdateExpression: r.Update(),
				ExpressionAttributeNames: r.Names(), ExpressionAttributeValues: r.Values(),
				ReturnValuesOnConditionCheckFailure: old,
			}
		default:
			items[n].Delete = &types.Delete{
				TableName: s.table, Key: r.key, ConditionExpression: r.Condition(),
				ExpressionAttributeNames: r.Names(), ExpressionAttributeValues: r.Values(),
				ReturnValuesOnConditionCheckFailure: old,
			}
		}
	}
	out, err := s.ask.transactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{
		TransactItems: items, ReturnConsumedCapacity: total,
	})
	if err != nil {
		return 0, err
	}
	return sum(out.ConsumedCapacity), nil
}
