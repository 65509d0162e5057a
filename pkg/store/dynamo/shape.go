package dynamo

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pocbakery/pkg/store"
)

// Shape is the table as it must be made, but for its time to live, which is by
// the attribute ttl. The product never makes one: the deployment does, and its
// tests hold it against this.
func Shape(table string) *dynamodb.CreateTableInput {
	key := func(name string, kind types.KeyType) types.KeySchemaElement {
		return types.KeySchemaElement{AttributeName: aws.String(name), KeyType: kind}
	}
	keys := func(hash, sort string) []types.KeySchemaElement {
		return []types.KeySchemaElement{key(hash, types.KeyTypeHash), key(sort, types.KeyTypeRange)}
	}
	keysOnly := &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly}
	in := &dynamodb.CreateTableInput{
		TableName:   aws.String(table),
		BillingMode: types.BillingModePayPerRequest,
		KeySchema:   keys(attrPK, attrSK),
		LocalSecondaryIndexes: []types.LocalSecondaryIndex{
			{IndexName: aws.String(IndexDue), KeySchema: keys(attrPK, store.FieldDue), Projection: keysOnly},
		},
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{
			{IndexName: aws.String(IndexWake), KeySchema: keys(attrShard, store.FieldWake), Projection: keysOnly},
		},
	}
	for _, name := range [...]string{attrPK, attrSK, attrShard, store.FieldDue, store.FieldWake} {
		in.AttributeDefinitions = append(in.AttributeDefinitions,
			types.AttributeDefinition{AttributeName: aws.String(name), AttributeType: types.ScalarAttributeTypeS})
	}
	return in
}
