package limit_test

import (
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
	err := l.Take(limit.Plans, "a key", now).Err()
	if !refusal.Is(err, refusal.RateLimited) || err.(*refusal.Refusal).RetryAfter != 48*time.Minute {
		t.Error(err)
	}
}
