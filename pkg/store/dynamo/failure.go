package dynamo

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"pocbakery/pkg/sdk"
	"pocbakery/pkg/store"
)

// ErrHubFull is a store.ErrTooLarge of its own: a hub with an index may have
// 10 GB, and this one has.
var ErrHubFull = fmt.Errorf("%w: the hub has all the bytes that it may have", store.ErrTooLarge)

// failed is what an operation failed of, in the port's words: AWS's code, and
// the end of the context where that was it, but no word of AWS's message.
func failed(kind error, op string, err error) error {
	for _, end := range [...]error{context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, end) {
			return fmt.Errorf("%w: %s: %w", kind, op, end)
		}
	}
	return fmt.Errorf("%w: %s: %s", kind, op, sdk.Code(err))
}

// readError is the error of a read: whatever it was, nothing was done.
func readError(op string, err error) error {
	if invalid(err) {
		return failed(store.ErrInvalid, op, err)
	}
	return failed(store.ErrUnavailable, op, err)
}

// writeError is the error of a write whose conditions did not fail.
func writeError(op string, err error) error {
	var conflict *types.TransactionConflictException
	var cancelled *types.TransactionCanceledException
	var running *types.TransactionInProgressException
	switch {
	case sdk.Code(err) == "ItemCollectionSizeLimitExceededException": // not every operation has a type for it
		return ErrHubFull
	case errors.As(err, &conflict):
		return failed(store.ErrConflict, op, err)
	case errors.As(err, &cancelled):
		return cancelledError(op, cancelled)
	case errors.As(err, &running): // an earlier resend of it, that may yet succeed
		return failed(store.ErrUnknown, op, err)
	case invalid(err) && tooLarge(message(err)):
		return failed(store.ErrTooLarge, op, err)
	case invalid(err):
		return failed(store.ErrInvalid, op, err)
	case sdk.Undone(err):
		return failed(store.ErrUnavailable, op, err)
	}
	return failed(store.ErrUnknown, op, err)
}

// cancelledError is the error of a transaction that was cancelled for another
// reason than a condition: nothing was written. What will never succeed comes
// before what may succeed the next time.
func cancelledError(op string, c *types.TransactionCanceledException) error {
	codes := map[string]bool{}
	for _, r := range c.CancellationReasons {
		code := text(r.Code)
		if code == "ValidationError" && tooLarge(text(r.Message)) {
			code = "TooLarge"
		}
		codes[code] = true
	}
	for _, row := range [...]struct {
		code string
		err  error
	}{
		{"ItemCollectionSizeLimitExceeded", ErrHubFull},
		{"TooLarge", fmt.Errorf("%w: %s: ValidationError", store.ErrTooLarge, op)},
		{"ValidationError", fmt.Errorf("%w: %s: ValidationError", store.ErrInvalid, op)},
		{"TransactionConflict", fmt.Errorf("%w: %s: TransactionConflict", store.ErrConflict, op)},
		{"ProvisionedThroughputExceeded", fmt.Errorf("%w: %s: ProvisionedThroughputExceeded", store.ErrUnavailable, op)},
		{"ThrottlingError", fmt.Errorf("%w: %s: ThrottlingError", store.ErrUnavailable, op)},
	} {
		if codes[row.code] {
			return row.err
		}
	}
	return failed(store.ErrUnavailable, op, c)
}

// invalid says whether AWS found the request itself wrong.
func invalid(err error) bool {
	code := ""
	if said := smithy.APIError(nil); errors.As(err, &said) {
		code = said.ErrorCode()
	}
	return code == "ValidationException" || code == "SerializationException"
}

func message(err error) string {
	if said := smithy.APIError(nil); errors.As(err, &said) {
		return said.ErrorMessage()
	}
	return ""
}

// tooLarge reads the one thing that AWS tells only in words: that an item, or
// all of a transaction's, "has exceeded the maximum allowed size".
func tooLarge(message string) bool {
	m := strings.ToLower(message)
	return strings.Contains(m, "size") && strings.Contains(m, "exceed")
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
