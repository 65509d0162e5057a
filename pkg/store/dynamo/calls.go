package dynamo

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// call is one operation of the client.
type call[In, Out any] func(context.Context, *In, ...func(*dynamodb.Options)) (*Out, error)

// calls are the operations that a Store asks for. A Store holds them and not the
// client: it is handed around as an interface, and in a program with templates
// the linker keeps every method of whatever type hangs on one. The client's
// fifty others are a megabyte and more.
type calls struct {
	batchGetItem       call[dynamodb.BatchGetItemInput, dynamodb.BatchGetItemOutput]
	query              call[dynamodb.QueryInput, dynamodb.QueryOutput]
	putItem            call[dynamodb.PutItemInput, dynamodb.PutItemOutput]
	updateItem         call[dynamodb.UpdateItemInput, dynamodb.UpdateItemOutput]
	deleteItem         call[dynamodb.DeleteItemInput, dynamodb.DeleteItemOutput]
	transactWriteItems call[dynamodb.TransactWriteItemsInput, dynamodb.TransactWriteItemsOutput]
	batchWriteItem     call[dynamodb.BatchWriteItemInput, dynamodb.BatchWriteItemOutput]
}

func callsOf(c *dynamodb.Client) calls {
	return calls{
		batchGetItem:       c.BatchGetItem,
		query:              c.Query,
		putItem:            c.PutItem,
		updateItem:         c.UpdateItem,
		deleteItem:         c.DeleteItem,
		transactWriteItems: c.TransactWriteItems,
		batchWriteItem:     c.BatchWriteItem,
	}
}
