// Command api is the function for everything over HTTP but admission, the pages
// too.
package main

import (
	aws "github.com/aws/aws-lambda-go/lambda"

	"pocbakery/pkg/lambda"
)

func main() { aws.Start(lambda.API(lambda.FromEnvironment())) }
