package lambda

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"pocbakery/pkg/app"
)

// reading is a program whose secrets a test holds.
type reading struct {
	*program
	now    time.Time
	reads  int
	wired  int
	secret string
	err    error
	logged bytes.Buffer
}

func newReading() *reading {
	r := &reading{now: time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC), secret: "one"}
	r.program = &program{
		clock: func() time.Time { return r.now },
		log:   slog.New(slog.NewTextHandler(&r.logged, nil)),
		read: func(context.Context) (Secrets, error) {
			r.reads++
			return Secrets{Origin: r.secret}, r.err
		},
		wire: func(Secrets) *app.App { r.wired++; return &app.App{} },
	}
	return r
}

func TestSecretsAreReadOnceAndAgainAfterTenMinutes(t *testing.T) {
	r := newReading()
	first := r.current(t.Context())
	r.now = r.now.Add(10*time.Minute - 1)
	if r.current(t.Context()) != first || first == nil || r.reads != 1 {
		t.Fatalf("%d readings", r.reads)
	}
	r.now = r.now.Add(1)
	if r.current(t.Context()) != first || r.reads != 2 || r.wired != 1 {
		t.Errorf("the same secrets are another program: %d readings, wired %d times", r.reads, r.wired)
	}
	r.now, r.secret = r.now.Add(10*time.Minute), "two"
	if r.current(t.Context()) == first || r.wired != 2 || r.origin() != "two" {
		t.Errorf("other secrets are not used: wired %d times", r.wired)
	}
}

func TestSecretsThatCannotBeReadAgainStayAsTheyWere(t *testing.T) {
	r := newReading()
	first := r.current(t.Context())
	r.now, r.err = r.now.Add(10*time.Minute), errors.New("ssm GetParameter: ThrottlingException")
	if r.current(t.Context()) != first || r.origin() != "one" || !strings.Contains(r.logged.String(), "ThrottlingException") {
		t.Errorf("%s", &r.logged)
	}
}

func TestAStartWithoutSecretsTriesAgainAndIsMisconfiguredUntilThen(t *testing.T) { // F1
	r := newReading()
	r.err = errors.New("ssm GetParameter: ParameterNotFound")
	for range 2 {
		if r.current(t.Context()) != nil || r.reads != 1 {
			t.Fatalf("%d readings at once", r.reads)
		}
	}
	r.now, r.err = r.now.Add(5*time.Second), nil
	if r.current(t.Context()) == nil || r.reads != 2 {
		t.Errorf("%d readings after the pause", r.reads)
	}
}
