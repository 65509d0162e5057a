package eventbridge_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/scheduler"

	"pocbakery/pkg/alarm"
	"pocbakery/pkg/alarm/eventbridge"
	"pocbakery/pkg/sdk"
	"pocbakery/scripts/ministack"
	"pocbakery/scripts/ministack/stacktest"
)

func TestMain(m *testing.M) { os.Exit(stacktest.Main(m)) }

var noon = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

// configOf is how the AWS at an address is asked.
func configOf(url string) aws.Config {
	return aws.Config{
		Region: ministack.Region, BaseEndpoint: &url,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "local", SecretAccessKey: "local"}, nil
		}),
	}
}

var config = eventbridge.Config{Group: "group", Target: "arn:hub", Role: "arn:role", DeadLetters: "arn:queue"}

// wire is a server that answers as the scheduler does.
type wire struct {
	*eventbridge.Clock
	mu     sync.Mutex
	asked  []string // method and path with query
	bodies []map[string]any
}

func newWire(t *testing.T, answer func(n int, w http.ResponseWriter, r *http.Request)) *wire {
	t.Helper()
	w := &wire{}
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		var body map[string]any
		_ = json.Unmarshal(raw, &body)
		w.mu.Lock()
		w.asked, w.bodies = append(w.asked, r.Method+" "+r.URL.RequestURI()), append(w.bodies, body)
		n := len(w.asked)
		w.mu.Unlock()
		rw.Header().Set("Content-Type", "application/json")
		answer(n, rw, r)
	}))
	t.Cleanup(server.Close)
	w.Clock = eventbridge.New(scheduler.NewFromConfig(sdk.Prepare(configOf(server.URL))), config, func() time.Time { return noon })
	return w
}

func done(_ int, w http.ResponseWriter, _ *http.Request) {
	_, _ = io.WriteString(w, `{"ScheduleArn":"arn:schedule"}`)
}

func refused(status int, code string) func(int, http.ResponseWriter, *http.Request) {
	return func(_ int, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Amzn-ErrorType", code)
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, `{"Message":"a secret of the hub"}`)
	}
}

func TestAOneShotIsCreatedAsItHasToBe(t *testing.T) {
	w := newWire(t, done)
	s := alarm.Schedule{Hub: "abc", At: noon.Add(15 * time.Minute), Try: 2}
	if err := w.Create(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	b := w.bodies[0]
	target := b["Target"].(map[string]any)
	if w.asked[0] != "POST /schedules/abc.1796127300.2" || b["GroupName"] != "group" || b["ScheduleExpression"] != "at(2026-12-01T12:15:00)" ||
		b["ActionAfterCompletion"] != "DELETE" || b["FlexibleTimeWindow"].(map[string]any)["Mode"] != "OFF" {
		t.Errorf("%s %v", w.asked[0], b)
	}
	if target["Arn"] != "arn:hub" || target["RoleArn"] != "arn:role" || target["DeadLetterConfig"].(map[string]any)["Arn"] != "arn:queue" ||
		target["RetryPolicy"].(map[string]any)["MaximumEventAgeInSeconds"] != 3600.0 {
		t.Errorf("%v", target)
	}
	if got, err := eventbridge.Parse([]byte(target["Input"].(string))); err != nil || got != s {
		t.Errorf("handed %s: %v, %v", target["Input"], got, err)
	}
}

func TestAnInstantThatHasComeFiresAsSoonAsASchedulingCan(t *testing.T) { // E1
	for _, at := range []time.Time{noon.Add(-time.Hour), noon, noon.Add(2 * time.Second)} {
		w := newWire(t, done)
		if err := w.Create(t.Context(), alarm.Schedule{Hub: "abc", At: at}); err != nil || w.bodies[0]["ScheduleExpression"] != "at(2026-12-01T12:00:02)" {
			t.Errorf("%v: %v, %v", at, w.bodies[0]["ScheduleExpression"], err)
		}
	}
}

func TestOneThatIsThereCountsAsArmedOnlyWhileItSurelyStands(t *testing.T) { // E2
	for ahead, tries := range map[time.Duration]int{time.Minute: 1, 6 * time.Second: 1, 5 * time.Second: 2, 0: 2} {
		w := newWire(t, func(n int, rw http.ResponseWriter, r *http.Request) {
			if n == 1 {
				refused(http.StatusConflict, "ConflictException")(n, rw, r)
				return
			}
			done(n, rw, r)
		})
		if err := w.Create(t.Context(), alarm.Schedule{Hub: "abc", At: noon.Add(ahead)}); err != nil || len(w.asked) != tries {
			t.Errorf("%v ahead: %v, %v", ahead, w.asked, err)
		}
		if tries == 2 && !strings.HasSuffix(w.asked[1], ".1") {
			t.Errorf("%v", w.asked)
		}
	}
	w := newWire(t, refused(http.StatusConflict, "ConflictException"))
	if err := w.Create(t.Context(), alarm.Schedule{Hub: "abc", At: noon}); err == nil {
		t.Error("nothing is armed, and nobody is told")
	}
}

func TestACallThatMayPassIsMadeAgainUnderItsToken(t *testing.T) { // E3
	w := newWire(t, func(n int, rw http.ResponseWriter, r *http.Request) {
		if n < 3 {
			refused(http.StatusTooManyRequests, "ThrottlingException")(n, rw, r)
			return
		}
		done(n, rw, r)
	})
	if err := w.Create(t.Context(), alarm.Schedule{Hub: "abc", At: noon.Add(time.Hour)}); err != nil || len(w.asked) != 3 {
		t.Fatalf("%v, %v", w.asked, err)
	}
	if token := w.bodies[0]["ClientToken"]; token == nil || token == "" || token != w.bodies[2]["ClientToken"] {
		t.Errorf("tokens %v and %v", token, w.bodies[2]["ClientToken"])
	}
}

func TestAFailureIsToldByOperationAndCodeAlone(t *testing.T) { // E4
	at := alarm.Schedule{Hub: "abc", At: noon.Add(time.Hour)}
	for code, status := range map[string]int{"ThrottlingException": 429, "ServiceQuotaExceededException": 402, "AccessDeniedException": 403, "ValidationException": 400} {
		w := newWire(t, refused(status, code))
		_, err := w.List(t.Context(), "abc")
		for _, err := range []error{w.Create(t.Context(), at), w.Delete(t.Context(), at), err} {
			if err == nil || !strings.Contains(err.Error(), code) || strings.Contains(err.Error(), "secret") {
				t.Errorf("%v", err)
			}
		}
	}
}

func TestDeletingWhatIsGoneIsNoError(t *testing.T) {
	w := newWire(t, refused(http.StatusNotFound, "ResourceNotFoundException"))
	if err := w.Delete(t.Context(), alarm.Schedule{Hub: "abc", At: noon}); err != nil || !strings.HasPrefix(w.asked[0], "DELETE /schedules/abc.") {
		t.Errorf("%v, %v", w.asked, err)
	}
}

func TestAListReadsEveryPageAndLeavesOutWhatIsNotOurs(t *testing.T) {
	w := newWire(t, func(n int, rw http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("NamePrefix") != "abc." || r.URL.Query().Get("ScheduleGroup") != "group" || r.URL.Query().Get("MaxResults") != "100" {
			t.Errorf("asked for %s", r.URL.RawQuery)
		}
		if r.URL.Query().Get("NextToken") == "" {
			_, _ = io.WriteString(rw, `{"NextToken":"more","Schedules":[{"Name":"abc.1796127300.0"},{"Name":"somebody-else"}]}`)
			return
		}
		_, _ = io.WriteString(rw, `{"Schedules":[{"Name":"abc.1796126400.1"}]}`)
	})
	all, err := w.List(t.Context(), "abc")
	want := []alarm.Schedule{{Hub: "abc", At: noon, Try: 1}, {Hub: "abc", At: noon.Add(15 * time.Minute)}}
	if err != nil || !slices.Equal(all, want) {
		t.Errorf("%v, %v", all, err)
	}
}

// FuzzParse: whatever a function is handed, it is a schedule or it is not.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"schedule":"abc.1796126400.1"}`))
	f.Add([]byte(`{"rule":"sweep"}`))
	f.Fuzz(func(t *testing.T, payload []byte) {
		s, err := eventbridge.Parse(payload)
		if (err == nil) == (s.Hub == "") {
			t.Errorf("%q: %v, %v", payload, s, err)
		}
	})
}

func TestTheLocalSchedulerKeepsListsAndForgets(t *testing.T) {
	client := scheduler.NewFromConfig(configOf(stacktest.URL(t))) // without our patience: a busy machine may need more
	if _, err := client.CreateScheduleGroup(t.Context(), &scheduler.CreateScheduleGroupInput{Name: aws.String("group")}); err != nil {
		t.Fatal(err)
	}
	arn := func(service, rest string) string {
		return "arn:aws:" + service + ":" + ministack.Region + ":" + ministack.Account + ":" + rest
	}
	clock := eventbridge.New(client, eventbridge.Config{
		Group: "group", Target: arn("lambda", "function:hub"), Role: "arn:aws:iam::" + ministack.Account + ":role/scheduler", DeadLetters: arn("sqs", "failures"),
	}, time.Now)
	later := alarm.Ceil(time.Now().Add(time.Hour))
	first, second, other := alarm.Schedule{Hub: "ab", At: later}, alarm.Schedule{Hub: "ab", At: later.Add(time.Minute)}, alarm.Schedule{Hub: "abc", At: later}
	for _, s := range []alarm.Schedule{second, first, other, first} { // twice is once
		if err := clock.Create(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	if all, err := clock.List(t.Context(), "ab"); err != nil || !slices.Equal(all, []alarm.Schedule{first, second}) {
		t.Errorf("%v, %v", all, err)
	}
	if all, err := clock.List(t.Context(), ""); err != nil || len(all) != 3 {
		t.Errorf("%v, %v", all, err)
	}
	for range 2 {
		if err := clock.Delete(t.Context(), first); err != nil {
			t.Fatal(err)
		}
	}
	if all, err := clock.List(t.Context(), "ab"); err != nil || !slices.Equal(all, []alarm.Schedule{second}) {
		t.Errorf("%v, %v", all, err)
	}
}
