package lambda

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pocbakery/pkg/admission"
	alarmlocal "pocbakery/pkg/alarm/local"
	"pocbakery/pkg/app"
	"pocbakery/pkg/gateway"
	"pocbakery/pkg/store/bolt"
)

// everybody is a human check that all pass.
type everybody struct{}

func (everybody) Check(context.Context, string, string) error { return nil }

// Each sample of a request gets the answer that events/README.md promises.
func TestEachSampleOfARequestIsAnswered(t *testing.T) {
	file, err := bolt.Open(t.TempDir()+"/bakery.db", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	alarms, err := alarmlocal.New(file, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	settings := admission.DefaultSettings()
	settings.RateLimit = admission.Off // two of them are lent a sandbox in one minute
	marks := uint64(0)
	a := app.New(app.Config{
		Human: everybody{}, Table: file, Alarms: alarms, Clock: func() time.Time { return time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC) },
		Secrets: [][]byte{bytes.Repeat([]byte("a"), 32)}, Random: rand.Reader, Marks: func() uint64 { marks++; return marks },
		Settings: settings, Log: slog.New(slog.DiscardHandler), Left: left,
	})
	door := gateway.New(gateway.Config{Handler: a.Handler, Log: slog.New(slog.DiscardHandler)})
	want := map[string]struct {
		status int
		holds  string
	}{
		"http-status.json":   {200, `"flag":"on"`},
		"http-admit.json":    {201, `"kind":"guest"`},
		"http-menu.json":     {401, `"unauthenticated"`},
		"http-order.json":    {401, `"unauthenticated"`},
		"http-slots.json":    {401, `"unauthenticated"`},
		"http-page.json":     {200, "<html"},
		"http-form.json":     {303, ""},
		"http-odd-path.json": {404, ""},
	}
	files, err := filepath.Glob("../../events/http-*.json")
	if err != nil || len(files) != len(want) {
		t.Fatalf("%d samples, %v", len(files), err)
	}
	for _, f := range files {
		name := filepath.Base(f)
		answer, err := door.Invoke(t.Context(), event(t, name))
		var got struct {
			StatusCode int
			Body       string
			Cookies    []string
		}
		if err != nil || json.Unmarshal(answer, &got) != nil {
			t.Fatalf("%s: %s, %v", name, answer, err)
		}
		if got.StatusCode != want[name].status || !strings.Contains(got.Body, want[name].holds) {
			t.Errorf("%s: %d %.300s", name, got.StatusCode, got.Body)
		}
		if lends := name == "http-admit.json" || name == "http-form.json"; lends != (len(got.Cookies) == 1) {
			t.Errorf("%s: %d cookies", name, len(got.Cookies))
		}
	}
}
