// Command admit is the function that lends sandboxes and says how many are
// left: POST /v1/sandboxes and GET /v1/status.
package main

import (
	aws "github.com/aws/aws-lambda-go/lambda"

	"pocbakery/pkg/lambda"
)

func main() { aws.Start(lambda.Admit(lambda.FromEnvironment())) }
