package dynamo

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pocbakery/pkg/store"
)

// Erase is store.Store's. What is erased twice is as gone as once, so the SDK
// may make these requests again; one whose answer was lost may have erased.
func (s *Store) Erase(ctx context.Context, keys ...store.Key) error {
	if err := store.CheckKeys(keys); err != nil {
		return err
	}
	ctx, cancel, err := begin(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	asked := make(map[store.Key]bool, len(keys))
	var deletes []types.WriteRequest
	for _, k := range keys {
		if !asked[k] { // a request must not name an item twice
			asked[k] = true
			deletes = append(deletes, types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: keyOf(k)}})
		}
	}
	for batch := range slices.Chunk(deletes, store.ErasePerRequest) {
		for try := 0; len(batch) > 0; try++ {
			if try > 0 {
				if err := pause(ctx, try); err != nil {
					return err
				}
			}
			out, err := s.ask.batchWriteItem(ctx, &dynamodb.BatchWriteItemInput{
				RequestItems:           map[string][]types.WriteRequest{*s.table: batch},
				ReturnConsumedCapacity: total,
			})
			if err != nil {
				return writeError("BatchWriteItem", err)
			}
			s.meter.Write(store.CallErase, 1, sum(out.ConsumedCapacity))
			batch = out.UnprocessedItems[*s.table]
		}
	}
	return nil
}
