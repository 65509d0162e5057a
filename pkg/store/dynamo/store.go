// Package dynamo keeps the table in Amazon DynamoDB.
//
// # The table
//
// One table, named by the caller, never made here. Its attributes are pk, sk
// and rev of the port's items, each field under its own name (text is S, a whole
// number N, a boolean BOOL), and, on an item that has a wake, shard: which part
// of the sweep's index it is in, see [store.ShardOf].
//
//	table      pk, sk           read strongly
//	index due  pk, due   (LSI)  KEYS_ONLY, read strongly: a hub's ends
//	index wake shard, wake (GSI) KEYS_ONLY, eventually consistent: all hubs' ends
//
// Time to live is the attribute ttl. [Shape] is the whole of it, for tests.
//
// # A commit
//
// One write is one conditional request, several are one TransactWriteItems, and
// every request asks for the item as it stands where its condition fails. The
// conditions are the port's guards, [store.Guard.Holds], written as expressions.
// Two writes need more than their request says:
//
//   - A Put must name its own revision. Under IfAbsent or a revision it is known;
//     otherwise the item's is read first, or guessed to be the first where the
//     guard lets it be, and becomes part of the condition.
//   - An Update over an item past its ttl has to start from nothing, which no
//     UpdateItem does. So it fails on such an item, and is made again as the Put
//     of what it makes out of nothing, under the condition that nothing living
//     is there.
//
// A condition that failed for either reason, not because the guard does not
// hold, is made again with the item that came back, at most eight times in all;
// then it is store.ErrConflict.
//
// # Failures
//
// See the port for their meaning. A single write is made again by the SDK only
// where nothing was done: whatever leaves that open is store.ErrUnknown at once,
// and store.Table, which knows the write's mark, makes it again. (Made again by
// the SDK, a write that had landed would come back as a failed guard.) A
// transaction is made again by the SDK under its own random token, which makes
// such resends one; a new call has a new token. What AWS says is reduced to its
// code: messages and reasons carry items.
//
// # What is counted
//
// The meter gets what DynamoDB says each answered request consumed. Of a failed
// condition it says nothing: those units are computed by [store.WriteUnits] from
// the item that came back. A refused transaction tells only of the items whose
// conditions failed; the others count as if nothing had been there.
package dynamo

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pocbakery/pkg/sdk"
	"pocbakery/pkg/store"
)

// Names of the attributes that are not fields, and of the two indexes.
const (
	attrPK    = "pk"
	attrSK    = "sk"
	attrRev   = "rev"
	attrShard = "shard"

	IndexDue  = "due"
	IndexWake = "wake"
)

// Store is a table in DynamoDB. Any number of goroutines may use it.
type Store struct {
	ask   calls
	table *string
	meter *store.Meter
	once  func(*dynamodb.Options) // for writes that must not be made twice
}

var _ store.Store = (*Store)(nil)

// New is the table of this name. The client should be of a configuration that
// sdk.Prepare was given. The meter may be nil.
func New(client *dynamodb.Client, table string, meter *store.Meter) *Store {
	undone := sdk.OnlyUndone()
	return &Store{
		ask: callsOf(client), table: aws.String(table), meter: meter,
		once: func(o *dynamodb.Options) { o.Retryer = undone },
	}
}

// begin bounds what a call may take. The caller's context may have ended
// already: then nothing is asked.
func begin(ctx context.Context) (context.Context, context.CancelFunc, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	ctx, cancel := context.WithTimeout(ctx, sdk.Patience)
	return ctx, cancel, nil
}

// pause waits before what AWS left undone is asked again.
func pause(ctx context.Context, try int) error {
	timer := time.NewTimer(min(sdk.MaxBackoff, 10*time.Millisecond<<min(try, 10)))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", store.ErrUnavailable, ctx.Err())
	case <-timer.C:
		return nil
	}
}

// total asks for the units of the table and its indexes together.
const total = types.ReturnConsumedCapacityTotal

func units(c *types.ConsumedCapacity) float64 {
	if c == nil {
		return 0
	}
	return aws.ToFloat64(c.CapacityUnits)
}

func sum(all []types.ConsumedCapacity) (n float64) {
	for i := range all {
		n += units(&all[i])
	}
	return n
}
