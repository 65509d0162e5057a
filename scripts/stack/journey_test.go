package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/scheduler"

	"pocbakery/scripts/internal/stack"
	"pocbakery/scripts/ministack"
	"pocbakery/scripts/ministack/stacktest"
)

// deploy deploys the bakery for a test, or skips it where there is nothing to
// deploy to.
func deploy(t *testing.T) *stack.Stack {
	t.Helper()
	s, err := stack.Up(t.Context(), 0)
	switch {
	case errors.Is(err, ministack.ErrNoVenv) && os.Getenv(stacktest.Require) == "":
		t.Skip("not run: ", err)
	case err != nil:
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(s.Log())
		}
		if err := s.Down(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// visitor talks to the deployed bakery, and knows nothing of its code.
type visitor struct {
	t       *testing.T
	stack   *stack.Stack
	client  *http.Client
	token   string
	sandbox string
}

func newVisitor(t *testing.T, s *stack.Stack) *visitor {
	at, err := url.Parse(s.AWS())
	if err != nil {
		t.Fatal(err)
	}
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) { // the API's name is in no DNS
		return (&net.Dialer{}).DialContext(ctx, network, at.Host)
	}
	return &visitor{t: t, stack: s, client: &http.Client{Transport: &http.Transport{DialContext: dial}, Timeout: 30 * time.Second}}
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   map[string]any
}

func (a answer) text(names ...string) string { return fmt.Sprint(a.get(names...)) }

func (a answer) get(names ...string) any {
	var v any = a.body
	for _, n := range names {
		m, _ := v.(map[string]any)
		v = m[n]
	}
	return v
}

func (v *visitor) ask(method, path string, body any) answer {
	v.t.Helper()
	var in io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			v.t.Fatal(err)
		}
		in = bytes.NewReader(b)
	}
	r, err := http.NewRequestWithContext(v.t.Context(), method, v.stack.URL+path, in)
	if err != nil {
		v.t.Fatal(err)
	}
	r.Header.Set("Accept", "application/json")
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if method == http.MethodPost {
		r.Header.Set("Idempotency-Key", rand.Text())
	}
	if v.token != "" {
		r.Header.Set("Authorization", "Bearer "+v.token)
	}
	resp, err := v.client.Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	a := answer{status: resp.StatusCode, header: resp.Header}
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	if len(raw) > 0 && strings.Contains(resp.Header.Get("Content-Type"), "json") {
		if err := json.Unmarshal(raw, &a.body); err != nil {
			v.t.Fatalf("%s %s: %q", method, path, raw)
		}
	}
	return a
}

// must asks, and wants this status.
func (v *visitor) must(status int, method, path string, body any) answer {
	v.t.Helper()
	a := v.ask(method, path, body)
	if a.status != status {
		v.t.Fatalf("%s %s: %d %v, want %d", method, path, a.status, a.body, status)
	}
	return a
}

func (v *visitor) enter() {
	v.t.Helper()
	a := v.must(http.StatusCreated, "POST", "/v1/sandboxes", map[string]any{"kind": "guest", "turnstile_token": "XXXX.DUMMY.TOKEN.XXXX"})
	v.token, v.sandbox = a.text("session", "token"), a.text("sandbox", "id")
}

func (v *visitor) businessNow() time.Time {
	v.t.Helper()
	return v.instant(v.must(http.StatusOK, "GET", "/v1/sandbox", nil).text("clock", "business_now"))
}

func (v *visitor) instant(s string) time.Time {
	v.t.Helper()
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		v.t.Fatal(err)
	}
	return at
}

// events are the events of a type that tell of an order.
func (v *visitor) events(kind, ref string) (n int) {
	v.t.Helper()
	events, _ := v.must(http.StatusOK, "GET", "/v1/events?limit=100", nil).body["events"].([]any)
	for _, e := range events {
		m, _ := e.(map[string]any)
		if m["type"] == kind && m["ref"] == ref {
			n++
		}
	}
	return n
}

// schedules are the names of the sandbox's one-shots.
func (v *visitor) schedules(client *scheduler.Client) (names []string) {
	v.t.Helper()
	out, err := client.ListSchedules(v.t.Context(), &scheduler.ListSchedulesInput{
		GroupName: aws.String(v.stack.Outputs["ScheduleGroupName"]), NamePrefix: aws.String(v.sandbox + "."),
	})
	if err != nil {
		v.t.Fatal(err)
	}
	for _, s := range out.Schedules {
		names = append(names, aws.ToString(s.Name))
	}
	return names
}

// items are the sort keys of what the table holds of the sandbox.
func (v *visitor) items() (sks []string) {
	v.t.Helper()
	out, err := dynamodb.NewFromConfig(v.stack.Config()).Query(v.t.Context(), &dynamodb.QueryInput{
		TableName: aws.String(v.stack.Outputs["TableName"]), ConsistentRead: aws.Bool(true), KeyConditionExpression: aws.String("pk = :hub"),
		ExpressionAttributeValues: map[string]ddb.AttributeValue{":hub": &ddb.AttributeValueMemberS{Value: v.sandbox}},
	})
	if err != nil {
		v.t.Fatal(err)
	}
	for _, i := range out.Items {
		if sk, ok := i["sk"].(*ddb.AttributeValueMemberS); ok {
			sks = append(sks, sk.Value)
		}
	}
	return sks
}

// deliver invokes the hub as the scheduler does.
func (v *visitor) deliver(input string) {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), "POST", v.stack.AWS()+"/2015-03-31/functions/"+v.stack.Outputs["HubName"]+"/invocations", strings.NewReader(input))
	if err != nil {
		v.t.Fatal(err)
	}
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=local/20260101/"+ministack.Region+"/lambda/aws4_request, SignedHeaders=host, Signature=0")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	said, _ := io.ReadAll(resp.Body)
	if resp.StatusCode != http.StatusOK || resp.Header.Get("X-Amz-Function-Error") != "" {
		v.t.Fatalf("the hub failed: %d %s", resp.StatusCode, said)
	}
}

// firedWithin is how long the scheduler may take: a minute on AWS, ten seconds
// and a tick here, more on a busy machine.
const firedWithin = 2 * time.Minute

func TestADeployedBakeryLendsAPlaceAndTheSchedulerTakesItBack(t *testing.T) {
	s := deploy(t)
	v := newVisitor(t, s)
	if flag := v.must(http.StatusOK, "GET", "/v1/status", nil).text("flag"); flag != "on" {
		t.Fatalf("the flag is %s", flag)
	}
	v.enter()

	// Six places are all; one is paid for.
	tomorrow := v.businessNow().AddDate(0, 0, 1).Format(time.DateOnly)
	slots, _ := v.must(http.StatusOK, "GET", "/v1/slots?date="+tomorrow, nil).body["slots"].([]any)
	if len(slots) < 20 {
		t.Fatalf("%d slots", len(slots))
	}
	slot := answer{body: slots[13].(map[string]any)}.text("id")
	order := map[string]any{"pickup": slot, "lines": []any{map[string]any{"sku": "cardamom-bun", "quantity": 2}}}
	var orders []answer
	for range 6 {
		orders = append(orders, v.must(http.StatusCreated, "POST", "/v1/orders", order))
	}
	if full := v.must(http.StatusConflict, "POST", "/v1/orders", order); full.text("code") != "slot-full" || full.text("next_free", "id") == "<nil>" {
		t.Errorf("%v", full.body)
	}
	paid, unpaid := orders[0], orders[1]
	if got := v.must(http.StatusOK, "POST", "/v1/orders/"+paid.text("ref")+"/payments", map[string]any{"amount": paid.get("total")}); got.text("order", "state") != "paid" {
		t.Errorf("%v", got.body)
	}

	// A few seconds before the end nothing is released, and the hub is armed.
	end := v.instant(unpaid.text("held_until"))
	left := end.Sub(v.businessNow())
	moved := v.must(http.StatusOK, "POST", "/v1/sandbox/clock/advance", map[string]any{"seconds": int((left - 5*time.Second) / time.Second)})
	if released, _ := moved.body["released"].([]any); len(released) != 0 {
		t.Errorf("released early: %v", moved.body)
	}
	clients := scheduler.NewFromConfig(s.Config())
	var input string
	for _, name := range v.schedules(clients) {
		out, err := clients.GetSchedule(t.Context(), &scheduler.GetScheduleInput{Name: &name, GroupName: aws.String(s.Outputs["ScheduleGroupName"])})
		if err != nil {
			continue // fired meanwhile
		}
		input = aws.ToString(out.Target.Input)
		if strings.Contains(input, v.token) || strings.Contains(input, slot) {
			t.Errorf("a schedule tells more than hub and instant: %s", input)
		}
	}
	if input == "" {
		t.Fatal("nothing is armed")
	}

	// The scheduler ends the hold: reading an order does not.
	for began := time.Now(); v.must(http.StatusOK, "GET", "/v1/orders/"+unpaid.text("ref"), nil).text("state") != "expired"; {
		if time.Since(began) > firedWithin {
			t.Fatalf("not ended after %v", firedWithin)
		}
		<-time.After(500 * time.Millisecond)
	}
	if now := v.businessNow(); now.Before(end) {
		t.Errorf("ended at %v, before its end %v", now, end)
	}
	if got := v.must(http.StatusOK, "GET", "/v1/slots/"+slot, nil); got.text("confirmed") != "1" {
		t.Errorf("%v", got.body)
	}

	// Delivered again, and again, it does nothing more.
	for range 2 {
		v.deliver(input)
	}
	for _, kind := range []string{"HoldReleased", "OrderExpired"} {
		if n := v.events(kind, unpaid.text("ref")); n != 1 {
			t.Errorf("%d times %s", n, kind)
		}
	}
	if state := v.must(http.StatusOK, "GET", "/v1/orders/"+paid.text("ref"), nil).text("state"); state != "paid" {
		t.Errorf("the paid order is %s", state)
	}

	// Wiped, nothing is left but the answer that it is over.
	v.must(http.StatusNoContent, "DELETE", "/v1/sandbox", nil)
	if gone := v.must(http.StatusGone, "GET", "/v1/sandbox", nil); gone.text("code") != "sandbox-ended" {
		t.Errorf("%v", gone.body)
	}
	if left := v.items(); len(left) > 0 {
		t.Errorf("left in the table: %v", left)
	}
	if left := v.schedules(clients); len(left) > 0 {
		t.Errorf("left with the scheduler: %v", left)
	}

	// The rule sweeps, and its data point is in the log; no secret is.
	v.deliver(`{"rule":"sweep"}`)
	for _, secret := range []string{v.token, "XXXX.DUMMY.TOKEN.XXXX"} {
		if strings.Contains(s.Log(), secret) {
			t.Error("a secret is in the log")
		}
	}
	pages := v.ask("GET", "/", nil)
	if pages.status != http.StatusOK || !slices.Contains(pages.header.Values("X-Content-Type-Options"), "nosniff") {
		t.Errorf("the front page: %d", pages.status)
	}
}
