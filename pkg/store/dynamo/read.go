package dynamo

import (
	"context"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pocbakery/pkg/store"
)

// Get is store.Store's.
func (s *Store) Get(ctx context.Context, now time.Time, keys ...store.Key) ([]store.Item, error) {
	if err := store.CheckKeys(keys); err != nil {
		return nil, err
	}
	ctx, cancel, err := begin(ctx)
	if err != nil {
		return nil, err
	}
	defer cancel()
	found, err := s.fetch(ctx, keys)
	if err != nil || len(keys) == 0 {
		return nil, err
	}
	items := make([]store.Item, len(keys))
	for n, k := range keys {
		items[n] = found[k]
		if !items[n].Exists() || items[n].ExpiredAt(now) {
			items[n] = store.Item{Key: k}
		}
	}
	return items, nil
}

// fetch reads items whatever their ttl, each once however often it is named.
func (s *Store) fetch(ctx context.Context, keys []store.Key) (map[store.Key]store.Item, error) {
	found := make(map[store.Key]store.Item, len(keys))
	asked := make(map[store.Key]bool, len(keys))
	var wanted []attributes
	for _, k := range keys {
		if !asked[k] {
			asked[k] = true
			wanted = append(wanted, keyOf(k))
		}
	}
	for batch := range slices.Chunk(wanted, store.GetPerRequest) {
		for try := 0; len(batch) > 0; try++ {
			if try > 0 {
				if err := pause(ctx, try); err != nil {
					return nil, err
				}
			}
			out, err := s.ask.batchGetItem(ctx, &dynamodb.BatchGetItemInput{
				RequestItems: map[string]types.KeysAndAttributes{
					*s.table: {Keys: batch, ConsistentRead: aws.Bool(true)},
				},
				ReturnConsumedCapacity: total,
			})
			if err != nil {
				return nil, readError("BatchGetItem", err)
			}
			s.meter.Read(store.CallGet, 1, sum(out.ConsumedCapacity))
			for _, a := range out.Responses[*s.table] {
				i, err := decode(a)
				if err != nil {
					return nil, err
				}
				found[i.Key] = i
			}
			batch = out.UnprocessedKeys[*s.table].Keys
		}
	}
	return found, nil
}

// List is store.Store's. Items past their ttl count in a page's limit, so that
// a page may be short.
func (s *Store) List(ctx context.Context, now time.Time, pk string, r store.Range) (store.Page, error) {
	if err := store.CheckRange(pk, r); err != nil {
		return store.Page{}, err
	}
	ctx, cancel, err := begin(ctx)
	if err != nil {
		return store.Page{}, err
	}
	defer cancel()
	where, after, some := bounds(pk, r)
	if !some {
		return store.Page{}, nil
	}
	in := &dynamodb.QueryInput{
		ScanIndexForward: aws.Bool(!r.Desc), ExclusiveStartKey: after, ConsistentRead: aws.Bool(true),
	}
	if r.Limit > 0 {
		in.Limit = aws.Int32(int32(min(r.Limit, 1<<30)))
	}
	out, err := s.query(ctx, store.CallList, where, in)
	if err != nil {
		return store.Page{}, err
	}
	var page store.Page
	for _, a := range out.Items {
		i, err := decode(a)
		if err != nil {
			return store.Page{}, err
		}
		if !i.ExpiredAt(now) && (r.To == "" || i.SK < r.To) {
			page.Items = append(page.Items, i)
		}
	}
	if last, ok := out.LastEvaluatedKey[attrSK].(*types.AttributeValueMemberS); ok {
		page.Next = last.Value
	}
	return page, nil
}

// bounds writes a range as a key condition and a key to begin after. DynamoDB
// has no half-open range: the condition holds To as well. some is false for a
// range that holds nothing, which it would not take.
func bounds(pk string, r store.Range) (where expression.KeyConditionBuilder, after attributes, some bool) {
	where = expression.Key(attrPK).Equal(literal(pk))
	if r.To != "" && r.From >= r.To {
		return where, nil, false
	}
	sk := expression.Key(attrSK)
	switch {
	case r.From != "" && r.To != "":
		where = where.And(sk.Between(literal(r.From), literal(r.To)))
	case r.From != "":
		where = where.And(sk.GreaterThanEqual(literal(r.From)))
	case r.To != "":
		where = where.And(sk.LessThan(literal(r.To)))
	}
	from := r.After
	switch {
	case from == "" || r.Desc && r.To != "" && from >= r.To:
		from = ""
		if r.Desc && r.From != "" {
			from = r.To // the condition holds it, the range does not
		}
	case r.Desc && from <= r.From || !r.Desc && r.To != "" && from >= r.To:
		return where, nil, false
	case !r.Desc && from < r.From:
		from = ""
	}
	if from != "" {
		after = keyOf(store.Key{PK: pk, SK: from})
	}
	return where, after, true
}

// Due is store.Store's.
func (s *Store) Due(ctx context.Context, pk string, clock store.Clock, until time.Time, limit int) ([]store.Ref, error) {
	if err := store.CheckDue(pk, clock, limit); err != nil {
		return nil, err
	}
	ctx, cancel, err := begin(ctx)
	if err != nil {
		return nil, err
	}
	defer cancel()
	where := expression.Key(attrPK).Equal(literal(pk)).
		And(expression.Key(store.FieldDue).Between(literal(string(clock)), literal(store.DueAt(clock, until))))
	return s.ends(ctx, store.CallDue, where, limit, &dynamodb.QueryInput{
		IndexName: aws.String(IndexDue), ConsistentRead: aws.Bool(true),
	})
}

// Overdue is store.Store's: the earliest of what each shard says.
func (s *Store) Overdue(ctx context.Context, until time.Time, limit int) ([]store.Ref, error) {
	if err := store.CheckLimit(limit); err != nil {
		return nil, err
	}
	ctx, cancel, err := begin(ctx)
	if err != nil {
		return nil, err
	}
	defer cancel()
	var all []store.Ref
	for n := range store.Shards {
		where := expression.Key(attrShard).Equal(literal(string(rune('0' + n)))).
			And(expression.Key(store.FieldWake).LessThanEqual(literal(store.FormatInstant(until))))
		refs, err := s.ends(ctx, store.CallOverdue, where, limit, &dynamodb.QueryInput{IndexName: aws.String(IndexWake)})
		if err != nil {
			return nil, err
		}
		all = append(all, refs...)
	}
	slices.SortStableFunc(all, func(a, b store.Ref) int { return a.At.Compare(b.At) })
	return all[:min(len(all), limit)], nil
}

// ends asks an index for at most limit ends, in as many pages as that takes.
func (s *Store) ends(ctx context.Context, call store.Call, where expression.KeyConditionBuilder, limit int, in *dynamodb.QueryInput) ([]store.Ref, error) {
	var refs []store.Ref
	for {
		in.Limit = aws.Int32(int32(min(limit-len(refs), 1<<30)))
		out, err := s.query(ctx, call, where, in)
		if err != nil {
			return nil, err
		}
		for _, a := range out.Items {
			if r, ok := ref(a); ok {
				refs = append(refs, r)
			}
		}
		if in.ExclusiveStartKey = out.LastEvaluatedKey; len(in.ExclusiveStartKey) == 0 || len(refs) >= limit {
			return refs, nil
		}
	}
}

// ref reads an index's entry; ok is false for one that this version did not write.
func ref(a attributes) (r store.Ref, ok bool) {
	text := func(name string) string {
		s, _ := a[name].(*types.AttributeValueMemberS)
		if s == nil {
			return ""
		}
		return s.Value
	}
	r.Key = store.Key{PK: text(attrPK), SK: text(attrSK)}
	if _, r.At, ok = store.ParseDue(text(store.FieldDue)); !ok {
		r.At, ok = store.ParseInstant(text(store.FieldWake))
	}
	return r, ok
}

func (s *Store) query(ctx context.Context, call store.Call, where expression.KeyConditionBuilder, in *dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
	e, err := build(expression.NewBuilder().WithKeyCondition(where))
	if err != nil {
		return nil, err
	}
	in.TableName, in.ReturnConsumedCapacity = s.table, total
	in.KeyConditionExpression, in.ExpressionAttributeNames, in.ExpressionAttributeValues = e.KeyCondition(), e.Names(), e.Values()
	out, err := s.ask.query(ctx, in)
	if err != nil {
		return nil, readError("Query", err)
	}
	s.meter.Read(call, 1, units(out.ConsumedCapacity))
	return out, nil
}
