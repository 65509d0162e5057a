// Command bare is a function that does nothing: it makes the clients that ours
// make and reads the secrets as they do. What a start of ours takes is measured
// against it.
package main

import (
	"context"
	"os"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/scheduler"
	"github.com/aws/aws-sdk-go-v2/service/ssm"

	"pocbakery/pkg/sdk"
)

type bare struct {
	table  *dynamodb.Client
	alarms *scheduler.Client
}

// Invoke answers with nothing.
func (bare) Invoke(context.Context, []byte) ([]byte, error) { return []byte("null"), nil }

func main() {
	cfg := sdk.Prepare(aws.Config{
		Region: os.Getenv("AWS_REGION"), BaseEndpoint: aws.String(os.Getenv("AWS_ENDPOINT_URL")),
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: os.Getenv("AWS_ACCESS_KEY_ID"), SecretAccessKey: os.Getenv("AWS_SECRET_ACCESS_KEY")}, nil
		}),
	})
	b := bare{dynamodb.NewFromConfig(cfg), scheduler.NewFromConfig(cfg)}
	if _, err := ssm.NewFromConfig(cfg).GetParameter(context.Background(), &ssm.GetParameterInput{
		Name: aws.String(os.Getenv("SECRETS_PARAMETER")), WithDecryption: aws.Bool(true),
	}); err != nil {
		panic("the secrets cannot be read")
	}
	lambda.Start(b)
}
