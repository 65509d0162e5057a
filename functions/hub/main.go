// Command hub is the function that runs what is due. One-shots of the scheduler
// wake it, and the one rule.
package main

import (
	aws "github.com/aws/aws-lambda-go/lambda"

	"pocbakery/pkg/lambda"
)

func main() { aws.Start(lambda.Hub(lambda.FromEnvironment())) }
