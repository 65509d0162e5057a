package sdk_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"pocbakery/pkg/sdk"
)

func TestABackOffIsShortWhateverTheFailure(t *testing.T) {
	for _, r := range []aws.Retryer{sdk.Prepare(aws.Config{}).Retryer(), sdk.OnlyUndone()} {
		if r.MaxAttempts() != sdk.Attempts {
			t.Errorf("%d attempts", r.MaxAttempts())
		}
		for range 100 {
			for attempt := 1; attempt <= sdk.Attempts; attempt++ {
				d, err := r.RetryDelay(attempt, &smithy.GenericAPIError{Code: "ThrottlingException"})
				if err != nil || d > sdk.MaxBackoff {
					t.Fatalf("the pause after attempt %d is %v, %v", attempt, d, err)
				}
			}
		}
	}
	// All attempts and pauses of one call, twice over, fit into a request's patience.
	if one := sdk.Attempts*sdk.AttemptTimeout + (sdk.Attempts-1)*sdk.MaxBackoff; 2*one > sdk.Patience {
		t.Errorf("a call may take %v", one)
	}
}

func answered(status int, code string) error {
	return &awshttp.ResponseError{ResponseError: &smithyhttp.ResponseError{
		Response: &smithyhttp.Response{Response: &http.Response{StatusCode: status}},
		Err:      &smithy.GenericAPIError{Code: code, Message: "secret"},
	}}
}

type timeout struct{}

func (timeout) Error() string { return "secret" }
func (timeout) Timeout() bool { return true }

func TestOnlyWhatIsCertainlyUndoneIsMadeAgainBlindly(t *testing.T) {
	refused := &net.OpError{Op: "dial", Err: errors.New("secret")}
	cut := &smithyhttp.RequestSendError{Err: &net.OpError{Op: "read", Err: errors.New("secret")}}
	for name, c := range map[string]struct {
		err                error
		undone, made, both bool // made again if it must not be done twice, if it may
		code               string
	}{
		"throttled":         {answered(400, "ThrottlingException"), true, true, true, "ThrottlingException"},
		"never sent":        {&smithyhttp.RequestSendError{Err: refused}, true, true, true, "no connection"},
		"refused":           {answered(400, "ValidationException"), true, false, false, "ValidationException"},
		"an error of AWS":   {answered(500, "InternalServerError"), false, false, true, "InternalServerError"},
		"AWS away":          {answered(503, "ServiceUnavailable"), false, false, true, "ServiceUnavailable"},
		"a lost connection": {cut, false, false, true, "no answer that could be read"},
		"no answer":         {&smithyhttp.RequestSendError{Err: timeout{}}, false, false, true, "no answer in time"},
		"given up":          {&smithy.CanceledError{Err: context.Canceled}, false, false, false, "the request was given up"},
	} {
		err := fmt.Errorf("operation error: %w", c.err)
		if got := sdk.Undone(err); got != c.undone {
			t.Errorf("%s: undone is %v", name, got)
		}
		if got := sdk.OnlyUndone().IsErrorRetryable(err); got != c.made {
			t.Errorf("%s: made again is %v", name, got)
		}
		if got := sdk.Prepare(aws.Config{}).Retryer().IsErrorRetryable(err); got != c.both {
			t.Errorf("%s: made again where it may be is %v", name, got)
		}
		if got := sdk.Code(err); got != c.code || strings.Contains(got, "secret") {
			t.Errorf("%s: it is told as %q", name, got)
		}
	}
}

// hasty copies itself, as the SDK's bodies do, in a way that fails where the
// answer was quicker.
type hasty struct{ io.Reader }

func (hasty) WriteTo(io.Writer) (int64, error) { return 0, io.EOF }
func (hasty) Close() error                     { return nil }

func TestABodyIsOnlyRead(t *testing.T) {
	got := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		got <- string(b)
	}))
	defer server.Close()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, hasty{strings.NewReader("all of it")})
	if err != nil {
		t.Fatal(err)
	}
	a, err := sdk.HTTP(time.Minute).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = a.Body.Close()
	if b := <-got; b != "all of it" {
		t.Errorf("sent was %q", b)
	}
}
