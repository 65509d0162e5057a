package lambda

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"pocbakery/pkg/sdk"
)

// awsConfig is how AWS is asked from inside a function: as the role whose
// credentials Lambda has put into the environment. The chain that looks for
// credentials elsewhere (files, single sign-on, the instance) would cost a
// third of a start and find nothing.
func awsConfig(s Settings, getenv func(string) string) aws.Config {
	cfg := aws.Config{
		Region: s.Region,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{
				AccessKeyID: getenv("AWS_ACCESS_KEY_ID"), SecretAccessKey: getenv("AWS_SECRET_ACCESS_KEY"),
				SessionToken: getenv("AWS_SESSION_TOKEN"), Source: "environment",
			}, nil
		}),
	}
	if s.Endpoint != "" {
		cfg.BaseEndpoint = &s.Endpoint
	}
	return sdk.Prepare(cfg)
}

// left is how long a request may still take.
func left(ctx context.Context) time.Duration {
	if end, ok := ctx.Deadline(); ok {
		return time.Until(end)
	}
	return time.Hour
}
