package lambda

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"pocbakery/pkg/admission"
	alarmlocal "pocbakery/pkg/alarm/local"
	"pocbakery/pkg/app"
	"pocbakery/pkg/store/bolt"
)

// event is a sample of a trigger.
func event(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("../../events/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// functionsIn are an environment of a test, and what was written in it.
func functionsIn(env map[string]string) (Environment, *bytes.Buffer) {
	out := &bytes.Buffer{}
	return Environment{Getenv: func(n string) string { return env[n] }, Out: out, Clock: time.Now}, out
}

func TestABadConfigurationAnswers503AndSaysWhyInTheLogAlone(t *testing.T) { // F1, F4
	env := deployed()
	delete(env, "TABLE")
	for name, start := range map[string]func(Environment) *Door{"admit": Admit, "api": API} {
		in, out := functionsIn(env)
		answer, err := start(in).Invoke(t.Context(), event(t, "http-menu.json"))
		var a struct {
			StatusCode int
			Body       string
		}
		if err != nil || json.Unmarshal(answer, &a) != nil || a.StatusCode != http.StatusServiceUnavailable || !strings.Contains(a.Body, `"misconfigured"`) {
			t.Errorf("%s: %s, %v", name, answer, err)
		}
		if strings.Contains(a.Body, "TABLE") || !strings.Contains(out.String(), "TABLE is not set") || !strings.Contains(out.String(), `"timestamp":`) {
			t.Errorf("%s logged %s", name, out)
		}
	}
	in, _ := functionsIn(env)
	if _, err := Hub(in).Invoke(t.Context(), event(t, "rule.json")); err == nil { // F3
		t.Error("a hub that cannot run says that it did")
	}
}

func TestNoWordOfAWSReachesTheLogButOperationAndCode(t *testing.T) { // F4
	aws := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Amzn-ErrorType", "ParameterNotFound")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"__type":"ParameterNotFound","message":"hush hush"}`))
	}))
	defer aws.Close()
	env := deployed()
	env["AWS_ENDPOINT_URL"], env["AWS_ACCESS_KEY_ID"], env["AWS_SECRET_ACCESS_KEY"] = aws.URL, "hush-id", "hush-key"
	in, out := functionsIn(env)
	API(in)
	if !strings.Contains(out.String(), "ssm GetParameter: ParameterNotFound") || strings.Contains(out.String(), "hush") {
		t.Errorf("%s", out)
	}
}

// woken is a hub function over a file.
func woken(t *testing.T) (*Woken, *app.App, *bytes.Buffer) {
	t.Helper()
	file, err := bolt.Open(t.TempDir()+"/bakery.db", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	alarms, err := alarmlocal.New(file, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	out := &bytes.Buffer{}
	log := slog.New(slog.NewJSONHandler(out, nil))
	a := app.NewHub(app.Config{
		Table: file, Alarms: alarms, Clock: time.Now, Secrets: [][]byte{bytes.Repeat([]byte("a"), 32)}, Marks: func() uint64 { return 1 },
		Settings: admission.DefaultSettings(), Log: log, Metrics: out, Left: left,
	})
	return &Woken{&program{clock: time.Now, log: log, read: func(context.Context) (Secrets, error) { return Secrets{}, nil }, wire: func(Secrets) *app.App { return a }}}, a, out
}

func TestTheHubRunsWhatItIsWokenFor(t *testing.T) {
	w, a, out := woken(t)
	invoke := func(name string) error {
		_, err := w.Invoke(t.Context(), event(t, name))
		return err
	}
	if err := invoke("rule.json"); err != nil || !strings.Contains(out.String(), `"event":"liveness"`) {
		t.Errorf("the rule sweeps: %v, %s", err, out)
	}
	if err := invoke("schedule.json"); err != nil {
		t.Errorf("a one-shot of a hub that is gone has nothing to run: %v", err)
	}
	flag := func() admission.Flag {
		s, err := a.Desk.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return s.Flag
	}
	if err := invoke("alarm-over.json"); err != nil || flag() != admission.On {
		t.Errorf("%v, admission is %s", err, flag())
	}
	if err := invoke("alarm.json"); err != nil || flag() != admission.Off {
		t.Errorf("a flood closes admission: %v, it is %s", err, flag())
	}
	if err := invoke("alarm-over.json"); err != nil || flag() != admission.Off {
		t.Errorf("only an operator opens it again: %v, it is %s", err, flag())
	}
	for _, e := range []string{"", "{}", "[]", `{"rule":"other"}`, `{"hub":1}`} {
		if _, err := w.Invoke(t.Context(), []byte(e)); err == nil { // F3
			t.Errorf("%q: nothing ran, and nobody is told", e)
		}
	}
}

func TestARequestKnowsHowMuchTimeIsLeft(t *testing.T) {
	ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(time.Minute))
	defer cancel()
	if d := left(ctx); d > time.Minute || d < 50*time.Second {
		t.Errorf("%v", d)
	}
	if left(t.Context()) != time.Hour {
		t.Error("without a deadline there is time")
	}
}
