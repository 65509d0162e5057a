package limit_test

import (
	"errors"
	"testing"
	"time"

	"pocbakery/pkg/limit"
	"pocbakery/pkg/refusal"
)

func TestThePlansFileIsFetchedThirtyTimesADay(t *testing.T) {
	now := time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)
	l := fresh()
	if got := passed(l, limit.Plans, "a key", 100, now); got != 30 {
		t.Error(got, "passed")
	}
	var no *refusal.Refusal
	err := l.Take(limit.Plans, "a key", now).Err()
	if !errors.As(err, &no) || no.Code != refusal.RateLimited || no.RetryAfter != 48*time.Minute {
		t.Error(err)
	}
}
