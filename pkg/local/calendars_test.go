package local

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"pocbakery/pkg/local/google"
)

func TestTheDemoCalendarsEventsAreItsOwnersToWrite(t *testing.T) {
	a := &Admin{Google: google.New(time.Now, "run")}
	mux := http.NewServeMux()
	a.calendars(mux)
	ask := func(method, path, body string) string {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequest(method, path, strings.NewReader(body)))
		return http.StatusText(w.Code) + " " + strings.TrimSpace(w.Body.String())
	}
	const events = "/_local/google/calendars/primary/events"
	for _, c := range []struct{ method, path, body, want string }{
		{"GET", events, "", `OK {"events":[]}`},
		{"PUT", events, `{"events":[{"id":"a","summary":"Call","start":"2026-12-05T09:00:00Z","end":"2026-12-05T10:00:00Z"}]}`, `OK {"events":[{"id":"a","summary":"Call","start":{"dateTime":"2026-12-05T09:00:00Z"},"end":{"dateTime":"2026-12-05T10:00:00Z"}}]}`},
		{"PUT", events, `{"events":[{"id":"a","summary":"Call","start":"soon","end":"2026-12-05T10:00:00Z"}]}`, "Unprocessable Entity "},
		{"PUT", events, `{"events":[{"summary":"Call"}]}`, "Unprocessable Entity "},
		{"PUT", events, `{"events":1}`, "Bad Request "},
		{"GET", "/_local/google/calendars/nobodys/events", "", "Not Found "},
		{"PUT", "/_local/google/faults", `{"push":"double"}`, `OK {"push":"double","list":"ok"}`},
		{"PUT", "/_local/google/faults", `{"list":"sometimes"}`, "Unprocessable Entity "},
		{"GET", "/_local/google/counts", "", `OK {"list":0,"watch":0,"stop":0,"token":0,"channels":0}`},
	} {
		if got := ask(c.method, c.path, c.body); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s %s: got %s, want %s", c.method, c.path, got, c.want)
		}
	}
}
