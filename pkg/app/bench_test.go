package app_test

import (
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	mathrand "math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"pocbakery/pkg/admission"
	alarmlocal "pocbakery/pkg/alarm/local"
	"pocbakery/pkg/app"
	"pocbakery/pkg/store"
	"pocbakery/pkg/store/bolt"
)

// The whole of a request but the network: routing, checks, decisions, table.

type till struct {
	b       *testing.B
	handler http.Handler
	token   string
}

func openTill(b *testing.B) *till {
	b.Helper()
	file, err := bolt.Open(filepath.Join(b.TempDir(), "bakery.db"), &store.Meter{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = file.Close() })
	alarms, err := alarmlocal.New(file, func(string) {})
	if err != nil {
		b.Fatal(err)
	}
	a := app.New(app.Config{
		Table: file, Alarms: alarms, Clock: time.Now, Secrets: [][]byte{[]byte("a master secret of 32 characters")},
		Random: rand.Reader, Marks: mathrand.Uint64, Human: everybody{}, WipeGrace: 45 * time.Second,
		Settings: admission.Settings{Flag: admission.On, Cap: 300, GuestShare: 100, RateLimit: admission.Off}, Log: slog.New(slog.DiscardHandler), Metrics: io.Discard,
	})
	t := &till{b: b, handler: a.Handler}
	var in struct {
		Session struct {
			Token string `json:"token"`
		} `json:"session"`
	}
	if err := json.Unmarshal(t.do(201, "POST", "/v1/sandboxes", "abcdefghijklmnopqrstuvwxyz", `{"kind":"guest","turnstile_token":"a token"}`), &in); err != nil {
		b.Fatal(err)
	}
	t.token = in.Session.Token
	return t
}

func (t *till) do(want int, method, path, key, body string) []byte {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	if t.token != "" {
		r.Header.Set("Authorization", "Bearer "+t.token)
	}
	w := httptest.NewRecorder()
	t.handler.ServeHTTP(w, r)
	if w.Code != want {
		t.b.Fatalf("%s %s: %d %s", method, path, w.Code, w.Body)
	}
	return w.Body.Bytes()
}

// slots are the ids of the slots of a day from today on.
func (t *till) slots(day int) (ids []string) {
	var in struct {
		Slots []struct {
			ID string `json:"id"`
		} `json:"slots"`
	}
	date := time.Now().UTC().AddDate(0, 0, day).Format(time.DateOnly)
	if err := json.Unmarshal(t.do(200, "GET", "/v1/slots?date="+date, "", ""), &in); err != nil {
		t.b.Fatal(err)
	}
	for _, s := range in.Slots {
		ids = append(ids, s.ID)
	}
	return ids
}

func order(slot string) string {
	return fmt.Sprintf(`{"pickup":%q,"lines":[{"sku":"cardamom-bun","quantity":2}]}`, slot)
}

func BenchmarkRefuseAFullSlot(b *testing.B) {
	t := openTill(b)
	slots := t.slots(2)[:40]
	for i, s := range slots {
		for n := range 6 {
			t.do(201, "POST", "/v1/orders", fmt.Sprintf("filling-%d-%d", i, n), order(s))
		}
	}
	var n atomic.Int64
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			i := n.Add(1)
			t.do(409, "POST", "/v1/orders", fmt.Sprintf("refused-%d", i), order(slots[i%40]))
		}
	})
}

func BenchmarkPlace(b *testing.B) {
	t := openTill(b)
	var all []string
	for day := 1; day < 14; day++ {
		all = append(all, t.slots(day)...)
	}
	for _, s := range all {
		t.do(200, "PATCH", "/v1/slots/"+s, "", `{"capacity":200}`)
	}
	var n atomic.Int64
	b.SetParallelism(16)
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			i := n.Add(1)
			t.do(201, "POST", "/v1/orders", fmt.Sprintf("placing-%d", i), order(all[i%int64(len(all))]))
		}
	})
}

func BenchmarkSlotsOfADay(b *testing.B) {
	t := openTill(b)
	slots := t.slots(2)
	for i, s := range slots {
		t.do(201, "POST", "/v1/orders", fmt.Sprintf("filling-%d", i), order(s))
	}
	b.ReportAllocs()
	for b.Loop() {
		t.slots(2)
	}
}
