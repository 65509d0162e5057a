// Command coldstart measures what a start of each function takes, against a bare
// one that makes the same clients and the same reading of the secrets, in the
// same run: the time from the first event to its answer, which begins with the
// start of the process. It runs as `make coldstart`.
//
// The functions run under AWS's runtime interface emulator (RIE is its binary),
// one after the other in turns, so that a busy moment is shared. What each is
// asked needs no table. STARTS (10) is how many starts of each are measured.
package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"pocbakery/scripts/internal/rie"
)

// Bounds of a start, against the bare one's, and of a binary.
const (
	mostRatio = 1.3
	mostOwn   = 20 * time.Millisecond
	mostBytes = 15 << 20
)

// subject is a function that is started.
type subject struct {
	name, pkg string
	event     []byte
	want      string // part of the answer
	bootstrap string
	size      int64
	took      []time.Duration
}

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "coldstart:", err)
		os.Exit(1)
	}
}

// question is an event of the gateway that is answered without a table.
func question(method, path string) []byte {
	return fmt.Appendf(nil, `{"version":"2.0","rawPath":%q,"headers":{"host":"localhost","accept":"application/json"},"requestContext":{"stage":"$default","http":{"method":%q,"path":%[1]q,"sourceIp":"127.0.0.1"}}}`, path, method)
}

func run(ctx context.Context) error {
	subjects := []*subject{
		{name: "bare", pkg: "./scripts/coldstart/bare", event: []byte("{}"), want: "null"},
		{name: "admit", pkg: "./functions/admit", event: question("POST", "/v1/sandboxes"), want: "idempotency-key-missing"},
		{name: "api", pkg: "./functions/api", event: question("GET", "/v1/menu"), want: "unauthenticated"},
		{name: "hub", pkg: "./functions/hub", event: []byte(`{"alarmData":{"state":{"value":"OK"}}}`), want: "null"},
	}
	starts, err := strconv.Atoi(cmp.Or(os.Getenv("STARTS"), "10"))
	if err != nil || starts < 1 {
		return fmt.Errorf("STARTS is %q", os.Getenv("STARTS"))
	}
	dir, err := os.MkdirTemp("", "coldstart-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	for _, s := range subjects {
		if s.bootstrap, err = rie.Build(ctx, dir, s.pkg); err != nil {
			return err
		}
		info, err := os.Stat(s.bootstrap)
		if err != nil {
			return err
		}
		s.size = info.Size()
	}
	aws := httptest.NewServer(http.HandlerFunc(parameter))
	defer aws.Close()
	env := []string{
		"AWS_ENDPOINT_URL=" + aws.URL, "AWS_REGION=us-east-1", "AWS_ACCESS_KEY_ID=local", "AWS_SECRET_ACCESS_KEY=local",
		"AWS_LAMBDA_FUNCTION_TIMEOUT=30", "AWS_LAMBDA_FUNCTION_MEMORY_SIZE=512",
		"STAGE=dev", "TABLE=table", "SECRETS_PARAMETER=/secrets", "SCHEDULE_GROUP=group", "HUB_ARN=hub", "SCHEDULER_ROLE_ARN=role", "SCHEDULE_FAILURES_ARN=queue",
	}
	for range starts {
		for _, s := range subjects {
			if err := s.start(ctx, env); err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
		}
	}
	return report(subjects)
}

// parameter answers as the parameter store does, at once.
func parameter(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/x-amz-json-1.1")
	_, _ = w.Write([]byte(`{"Parameter":{"Name":"/secrets","Value":"{\"masters\":[\"MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=\"]}"}}`))
}

// start measures one start.
func (s *subject) start(ctx context.Context, env []string) error {
	f, err := rie.Start(ctx, os.Getenv("RIE"), s.bootstrap, env)
	if err != nil {
		return err
	}
	began := time.Now()
	answer, err := f.Invoke(ctx, s.event)
	took := time.Since(began)
	_ = f.Stop()
	if err != nil || !bytes.Contains(answer, []byte(s.want)) {
		return fmt.Errorf("it answered %s (%w)\n%s", answer, err, f.Log())
	}
	s.took = append(s.took, took)
	return nil
}

func (s *subject) median() time.Duration {
	slices.Sort(s.took)
	return s.took[len(s.took)/2]
}

func report(subjects []*subject) error {
	bare := subjects[0].median()
	var over []string
	fmt.Printf("%-8s %10s %10s %8s %10s %9s\n", "function", "median", "fastest", "ratio", "our own", "binary")
	for _, s := range subjects {
		m := s.median()
		ratio, own := float64(m)/float64(bare), m-bare
		fmt.Printf("%-8s %8.1fms %8.1fms %7.2fx %8.1fms %6.1f MB\n", s.name, ms(m), ms(s.took[0]), ratio, ms(own), float64(s.size)/(1<<20))
		if s != subjects[0] && (ratio > mostRatio || own > mostOwn || s.size > mostBytes) {
			over = append(over, s.name)
		}
	}
	if len(over) > 0 {
		return fmt.Errorf("over %.1f times the bare one, %v of our own or %d MB: %s", mostRatio, mostOwn, mostBytes>>20, strings.Join(over, ", "))
	}
	return nil
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
