package drive

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// server answers every path in one of the ways net/http frames a body.
func server(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch r.URL.Path {
		case "/echo":
			fmt.Fprintf(w, "%s|%s|%s|%s|%s", r.Method, r.Header.Get("Authorization"), r.Header.Get("Idempotency-Key"), r.Header.Get("Content-Type"), body)
		case "/chunked":
			for range 3 {
				fmt.Fprint(w, strings.Repeat("x", 5000))
				w.(http.Flusher).Flush()
			}
		case "/none":
			w.WriteHeader(http.StatusNoContent)
		case "/last":
			w.Header().Set("Connection", "close")
			fmt.Fprint(w, "bye")
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

func TestAConnectionReadsEveryFraming(t *testing.T) {
	c, err := Dial(server(t), NextAddress())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	// Twice: what one answer leaves behind would break the next, and a server
	// that closes is dialled again.
	for range 2 {
		for _, want := range []struct {
			method, path, token, key string
			body                     []byte
			status                   int
			text                     string
		}{
			{"GET", "/echo", "", "", nil, 200, "GET||||"},
			{"POST", "/echo", "t", "k", []byte("{}"), 200, "POST|Bearer t|k|application/json|{}"},
			{"GET", "/chunked", "", "", nil, 200, strings.Repeat("x", 15000)},
			{"DELETE", "/none", "", "", nil, 204, ""},
			{"GET", "/elsewhere", "", "", nil, 404, ""},
			{"GET", "/last", "", "", nil, 200, "bye"},
		} {
			a, err := c.Do(want.method, want.path, want.token, want.key, want.body)
			if err != nil || a.Status != want.status || string(a.Body) != want.text {
				t.Errorf("%s %s: %d %.40q, %v", want.method, want.path, a.Status, a.Body, err)
			}
		}
	}
}

func TestTextFindsTheFirstStringOfAName(t *testing.T) {
	for body, want := range map[string]string{
		`{"code":"slot-full","title":"x"}`: "slot-full",
		`{"code": "slot-full"}`:            "slot-full",
		`{"code":7}`:                       "",
		`{"code":"cut`:                     "",
		`{"decode":"no"}`:                  "",
		``:                                 "",
	} {
		if got := Text([]byte(body), "code"); got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}

func TestCostAddsUpByWhatACallDoes(t *testing.T) {
	before := Counts{Table: map[string]Operation{"get": {Requests: 1, Read: 1}}, Scheduler: map[string]int64{"create": 1}}
	after := Counts{
		Table: map[string]Operation{
			"get": {Requests: 3, Read: 2.5}, "list": {Requests: 1, Read: 4}, "update": {Requests: 2, Write: 3},
			"transact": {Requests: 1, Write: 8}, "erase": {Requests: 2, Write: 30},
		},
		Scheduler: map[string]int64{"create": 2, "list": 1, "delete": 3},
	}
	want := Cost{Reads: 3, Writes: 3, Erases: 2, RU: 5.5, WU: 41, Creates: 1, Lists: 1, Deletes: 3, Requests: 8}
	if got := after.Since(before); got != want || got.Calls() != 5 {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestEveryVisitorHasAnAddressOfItsOwn(t *testing.T) {
	seen := map[string]bool{}
	for range 70_000 {
		a := NextAddress()
		if seen[a] {
			t.Fatalf("%s was given twice", a)
		}
		seen[a] = true
	}
}
