package lambda

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ssm"
	"github.com/go-json-experiment/json"

	"pocbakery/pkg/access"
	"pocbakery/pkg/sdk"
)

// Secrets is the parameter's JSON.
type Secrets struct {
	// Masters of the key ring, base 64: the first signs, all verify. A new one
	// is put in front, and the old one taken away a day later.
	Masters [][]byte `json:"masters"`
	// Turnstile is the widget's secret.
	Turnstile string `json:"turnstile,omitempty"`
	// OIDC is the client's secret at the provider.
	OIDC string `json:"oidc,omitempty"`
	// Origin is what a distribution in front proves itself by.
	Origin string `json:"origin,omitempty"`
}

// parseSecrets reads the parameter. Its errors say nothing of what it holds.
func parseSecrets(value string) (s Secrets, err error) {
	if json.Unmarshal([]byte(value), &s, json.RejectUnknownMembers(true)) != nil {
		return Secrets{}, errors.New("the secrets are no JSON of the form that docs/deploy.md gives")
	}
	if len(s.Masters) == 0 {
		return Secrets{}, errors.New("the secrets have no masters")
	}
	for i, m := range s.Masters {
		if len(m) < access.MinMasterBytes {
			return Secrets{}, fmt.Errorf("master %d of the secrets has fewer than %d bytes", i+1, access.MinMasterBytes)
		}
	}
	return s, nil
}

func (s Secrets) equal(o Secrets) bool { return reflect.DeepEqual(s, o) }

// secretsFrom reads the parameter of this name.
func secretsFrom(client *ssm.Client, name string) func(context.Context) (Secrets, error) {
	return func(ctx context.Context) (Secrets, error) {
		out, err := client.GetParameter(ctx, &ssm.GetParameterInput{Name: &name, WithDecryption: aws.Bool(true)})
		if err != nil {
			return Secrets{}, fmt.Errorf("ssm GetParameter: %s", sdk.Code(err))
		}
		return parseSecrets(aws.ToString(out.Parameter.Value))
	}
}
