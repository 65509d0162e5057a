package dynamo_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"pocbakery/pkg/sdk"
	"pocbakery/pkg/store"
	"pocbakery/pkg/store/dynamo"
)

// wire is a server that speaks as DynamoDB does, and as its network may.
type wire struct {
	*testing.T
	URL string

	mu     sync.Mutex
	calls  []call
	answer func(n int, c call) reply // to the n-th request, from 1 on
}

// call is a request that came in.
type call struct {
	op   string
	body map[string]any
}

// reply is what is answered. The zero reply is success without a word.
type reply struct {
	status int
	body   any
	fate   fate
}

type fate int

const (
	arrives fate = iota
	dropped      // the connection is cut instead
	silent       // nothing comes until the other side gives up
	stalled      // the head comes, and then nothing until the other side gives up
	garbled      // it is cut short
)

// refusal is an error as DynamoDB answers it. The message must reach nobody.
func refusal(code string) reply { return worded(code, "the secret item of a hub") }

func worded(code, message string) reply {
	return reply{status: 400, body: map[string]any{"__type": "com.amazonaws.dynamodb.v20120810#" + code, "message": message}}
}

// stood is a failed condition with the item that stands there; nil for none.
func stood(item map[string]any) reply {
	r := refusal("ConditionalCheckFailedException")
	if item != nil {
		r.body.(map[string]any)["Item"] = item
	}
	return r
}

// cancelled is a transaction cancelled for these reasons, one a write.
func cancelled(reasons ...map[string]any) reply {
	r := refusal("TransactionCanceledException")
	r.body.(map[string]any)["CancellationReasons"] = reasons
	return r
}

func reason(code string) map[string]any {
	return map[string]any{"Code": code, "Message": "the secret item of a hub"}
}

func newWire(t *testing.T, answer func(n int, c call) reply) *wire {
	w := &wire{T: t, answer: answer}
	server := httptest.NewServer(w)
	t.Cleanup(server.Close)
	w.URL = server.URL
	return w
}

// always gives the same answer.
func always(r reply) func(int, call) reply { return func(int, call) reply { return r } }

// then gives one answer after the other, and the last for ever.
func then(all ...reply) func(int, call) reply {
	return func(n int, _ call) reply { return all[min(n, len(all))-1] }
}

func (w *wire) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	_, op, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	c := call{op: op}
	b, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(b, &c.body)
	}
	if err != nil {
		w.Errorf("a request of %s: %v", op, err)
	}
	w.mu.Lock()
	w.calls = append(w.calls, c)
	answer := w.answer(len(w.calls), c)
	w.mu.Unlock()

	if answer.status == 0 {
		answer.status = 200
	}
	if answer.body == nil {
		answer.body = map[string]any{}
	}
	out, err := json.Marshal(answer.body)
	if err != nil {
		w.Error(err)
	}
	rw.Header().Set("Content-Type", "application/x-amz-json-1.0")
	switch answer.fate {
	case dropped:
		panic(http.ErrAbortHandler)
	case silent:
		<-r.Context().Done()
	case stalled:
		rw.WriteHeader(answer.status)
		_ = http.NewResponseController(rw).Flush()
		<-r.Context().Done()
	case garbled:
		rw.WriteHeader(answer.status)
		_, _ = rw.Write(out[:len(out)-1])
	case arrives:
		rw.WriteHeader(answer.status)
		_, _ = rw.Write(out)
	}
}

// ops are the operations asked for so far, in their order.
func (w *wire) ops() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []string
	for _, c := range w.calls {
		all = append(all, c.op)
	}
	return all
}

func (w *wire) asked(op string, times int) {
	w.Helper()
	ops := w.ops()
	for _, o := range ops {
		if o != op {
			w.Fatalf("asked were %v, not %d times %s", ops, times, op)
		}
	}
	if len(ops) != times {
		w.Fatalf("asked were %v, not %d times %s", ops, times, op)
	}
}

// impatient is a table at the end of the wire whose attempts give up soon.
func (w *wire) impatient(meter *store.Meter) *dynamo.Store {
	soon := func(o *dynamodb.Options) { o.HTTPClient = sdk.HTTP(100 * time.Millisecond) }
	return dynamo.New(dynamodb.New(client(w.URL).Options(), soon), "table", meter)
}

// table is a table at the end of the wire.
func (w *wire) table() *dynamo.Store { return dynamo.New(client(w.URL), "table", nil) }

// row is an item as DynamoDB writes it.
func row(sk, rev string, fields map[string]any) map[string]any {
	out := map[string]any{
		"pk": map[string]any{"S": "hub"}, "sk": map[string]any{"S": sk}, "rev": map[string]any{"N": rev},
	}
	for name, v := range fields {
		out[name] = v
	}
	return out
}

func text(s string) map[string]any   { return map[string]any{"S": s} }
func number(s string) map[string]any { return map[string]any{"N": s} }

func keyed(sk string) store.Key { return store.Key{PK: "hub", SK: sk} }
