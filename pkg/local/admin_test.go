package local_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"pocbakery/pkg/alarm"
	"pocbakery/pkg/store"
)

// ask asks the admin port as a program of this machine does.
func (h *house) ask(method, path, body string, change ...func(*http.Request)) *httptest.ResponseRecorder {
	h.Helper()
	r := httptest.NewRequest(method, "http://localhost:8081"+path, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, c := range change {
		c(r)
	}
	w := httptest.NewRecorder()
	h.admin.Handler().ServeHTTP(w, r)
	return w
}

// want asks and wants this answer, to the letter.
func (h *house) want(method, path, body string, status int, answer string) {
	h.Helper()
	got := h.ask(method, path, body)
	same(h, got.Code, status, method+" "+path+" "+body)
	same(h, sorted(h, got.Body.String()), sorted(h, answer), method+" "+path+" "+body)
	same(h, got.Header().Get("Content-Type"), "application/json", "its type")
}

// refuses wants a problem with this status and code.
func (h *house) refuses(w *httptest.ResponseRecorder, status int, code, what string) {
	h.Helper()
	var p struct {
		Type, Title, Code, Detail string
		Status                    int
	}
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
		h.Errorf("%s: %d %s", what, w.Code, w.Body)
		return
	}
	same(h, w.Code, status, what)
	same(h, p.Code, code, what)
	same(h, w.Header().Get("Content-Type"), "application/problem+json", what)
	if p.Status != status || p.Type != "/problems/"+code || p.Title == "" || p.Detail == "" {
		h.Errorf("%s: an odd problem %s", what, w.Body)
	}
}

func TestTheAdminPortAnswersNobodyButProgramsOfThisMachine(t *testing.T) {
	h := open(t)
	const path, body = "/_local/wall/advance", `{"seconds":60}`
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	host := func(name string) func(*http.Request) { return func(r *http.Request) { r.Host = name } }
	for _, origin := range []string{"http://localhost:8081", "http://evil.example", "null"} {
		h.refuses(h.ask("POST", path, body, header("Origin", origin)), 403, "cross-origin", "a page of "+origin)
		h.refuses(h.ask("GET", "/_local/items", "", header("Origin", origin)), 403, "cross-origin", "a page of "+origin)
	}
	for _, name := range []string{"evil.example", "evil.example:8081", "localhost.evil.example", "192.0.2.7:8081", "0.0.0.0:8081", "[2001:db8::1]:8081", ""} {
		h.refuses(h.ask("POST", path, body, host(name)), 403, "forbidden", "the host "+name)
	}
	for _, kind := range []string{"text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""} {
		h.refuses(h.ask("POST", path, body, header("Content-Type", kind)), 415, "unsupported-media-type", "the type "+kind)
	}
	same(t, h.wall.Now(), eleven, "the clock, which nobody moved")
	for _, name := range []string{"localhost", "localhost:8081", "127.0.0.1:8081", "127.9.8.7", "[::1]:8081", "[::1]"} {
		same(t, h.ask("GET", "/_local/items", "", host(name)).Code, 200, "the host "+name)
	}
	same(t, h.ask("POST", path, body, header("Content-Type", "application/json; charset=utf-8")).Code, 200, "JSON that names its letters")
	same(t, h.wall.Now(), eleven.Add(time.Minute), "the clock")
}

func TestTheAdminPortTakesWhatTheContractNamesAndNothingElse(t *testing.T) {
	h := open(t)
	for _, c := range []struct {
		method, path, body string
		status             int
		code               string
	}{
		{"POST", "/_local/wall/advance", ``, 400, "malformed-body"},
		{"POST", "/_local/wall/advance", `{`, 400, "malformed-body"},
		{"POST", "/_local/wall/advance", `[]`, 400, "malformed-body"},
		{"POST", "/_local/wall/advance", `{"seconds":60}{}`, 400, "malformed-body"},
		{"POST", "/_local/wall/advance", `{"seconds":60,"seconds":61}`, 400, "malformed-body"},
		{"POST", "/_local/wall/advance", `{"seconds":60,"Seconds":61}`, 400, "malformed-body"},
		{"POST", "/_local/wall/advance", `{"seconds":60,"hours":1}`, 400, "malformed-body"},
		{"POST", "/_local/wall/advance", `{"seconds":"60"}`, 400, "malformed-body"},
		{"POST", "/_local/wall/advance", `{"seconds":60.5}`, 400, "malformed-body"},
		{"POST", "/_local/wall/advance", `{"seconds":60` + strings.Repeat(" ", 17<<10) + `}`, 400, "malformed-body"},
		{"POST", "/_local/wall/advance", `{}`, 422, "invalid"},
		{"POST", "/_local/wall/advance", `{"seconds":0}`, 422, "invalid"},
		{"POST", "/_local/wall/advance", `{"seconds":-60}`, 422, "invalid"},
		{"POST", "/_local/wall/advance", `{"seconds":315360001}`, 422, "invalid"},
		{"PUT", "/_local/faults", `{"alarm":"on"}`, 400, "malformed-body"},
		{"PUT", "/_local/faults", `{"table":{"error_rate":0.5,"latency":1}}`, 400, "malformed-body"},
		{"PUT", "/_local/faults", `{"alarms":"off"}`, 422, "invalid"},
		{"PUT", "/_local/faults", `{"ttl":"never"}`, 422, "invalid"},
		{"PUT", "/_local/faults", `{"wipes":""}`, 422, "invalid"},
		{"PUT", "/_local/faults", `{"table":{"error_rate":1.01}}`, 422, "invalid"},
		{"PUT", "/_local/faults", `{"ttl":"off","table":{"error_rate":-0.1}}`, 422, "invalid"},
		{"PUT", "/_local/faults", `{"ttl":"off","limiter":"slow"}`, 422, "invalid"},
		{"PUT", "/_local/faults", `{"ttl":"off","siteverify":"slow"}`, 422, "invalid"},
		{"PUT", "/_local/admission", `{"caps":1}`, 400, "malformed-body"},
		{"PUT", "/_local/admission", `{"cap":-1}`, 422, "invalid"},
		{"GET", "/_local/nothing", ``, 422, "not-yet"},
		{"GET", "/_local/", ``, 422, "not-yet"},
		{"GET", "/_local/wall/advance", ``, 422, "not-yet"},
		{"DELETE", "/_local/schedules", ``, 422, "not-yet"},
	} {
		h.refuses(h.ask(c.method, c.path, c.body), c.status, c.code, c.method+" "+c.path+" "+c.body[:min(len(c.body), 60)])
	}
	same(t, h.wall.Now(), eleven, "the clock, which nobody moved")
	h.want("PUT", "/_local/faults", `{}`, 200, `{"alarms":"on","limiter":"ok","rules":"on","siteverify":"ok","table":{"error_rate":0},"ttl":"on","wipes":"on"}`)
	same(t, len(h.switched), 0, "edits of admission")
}

func TestFaultsLeftOutKeepTheirValue(t *testing.T) {
	h := open(t)
	for _, c := range []struct{ body, now string }{
		{`{"alarms":"double"}`, `{"alarms":"double","limiter":"ok","rules":"on","siteverify":"ok","table":{"error_rate":0},"ttl":"on","wipes":"on"}`},
		{`{"ttl":"off","table":{"error_rate":0.25}}`, `{"alarms":"double","limiter":"ok","rules":"on","siteverify":"ok","table":{"error_rate":0.25},"ttl":"off","wipes":"on"}`},
		{`{"wipes":"off","table":{}}`, `{"alarms":"double","limiter":"ok","rules":"on","siteverify":"ok","table":{"error_rate":0.25},"ttl":"off","wipes":"off"}`},
		{`{"alarms":"drop","rules":"off","siteverify":"ok","table":{"error_rate":0}}`, `{"alarms":"drop","limiter":"ok","rules":"off","siteverify":"ok","table":{"error_rate":0},"ttl":"off","wipes":"off"}`},
		{`{"alarms":"on","rules":"on","ttl":"on","wipes":"on"}`, `{"alarms":"on","limiter":"ok","rules":"on","siteverify":"ok","table":{"error_rate":0},"ttl":"on","wipes":"on"}`},
	} {
		got := h.ask("PUT", "/_local/faults", c.body)
		same(t, sorted(t, got.Body.String()), c.now, c.body)
	}
	h.ask("PUT", "/_local/faults", `{"table":{"error_rate":1}}`)
	_, err := h.faults.Get(t.Context(), h.wall.Now(), store.Key{PK: "maja", SK: "root"})
	same(t, err != nil, true, "with every call failing a read fails")
	h.ask("PUT", "/_local/faults", `{"wipes":"off","table":{"error_rate":0}}`)
	same(t, h.faults.Erase(t.Context(), store.Key{PK: "maja", SK: "root"}) != nil, true, "with wipes off erasing fails")
}

// sorted writes a JSON object anew, its names in order.
func sorted(t testing.TB, s string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(s), &v); err != nil {
		t.Errorf("%s: %v", s, err)
	}
	b, _ := json.Marshal(v)
	return string(b)
}

func TestTheAdminPortShowsWhatTheTableReallyHolds(t *testing.T) {
	h := open(t)
	h.want("GET", "/_local/items", "", 200, `{"hubs":[]}`)
	h.want("GET", "/_local/schedules", "", 200, `{"schedules":[]}`)
	h.ask("PUT", "/_local/faults", `{"ttl":"off"}`)
	h.put("maja", "thing", "")
	h.put("maja", "until", "11:10")
	h.put("control", "root", "")
	due := store.Put(store.Key{PK: "maja", SK: "slot#1"}, store.IfAbsent(), store.Fields{
		store.FieldDue: store.DueAt(store.Business, clock(t, "11:15:00.250")), "secret": "s3cret",
	})
	if err := h.file.Commit(t.Context(), h.wall.Now(), due); err != nil {
		t.Fatal(err)
	}
	h.arm("olle", "11:40")
	h.arm("maja", "11:30")
	h.move(20 * time.Minute)
	h.want("GET", "/_local/items", "", 200, `{"hubs":[{"hub":"control","count":1},{"hub":"maja","count":3}]}`)
	h.want("GET", "/_local/items?hub=maja", "", 200, `{"count":3,"hub":"maja","items":[`+
		`{"sk":"slot#1","rev":1,"due":"2026-11-30T11:15:00.250Z"},{"sk":"thing","rev":1},{"sk":"until","rev":1,"ttl":1796037000}]}`)
	h.want("GET", "/_local/items?hub=nobody", "", 200, `{"count":0,"hub":"nobody","items":[]}`)
	h.want("GET", "/_local/schedules", "", 200, `{"schedules":[{"name":"maja.1796038200.0","hub":"maja","at":"2026-11-30T11:30:00.000Z"},`+
		`{"name":"olle.1796038800.0","hub":"olle","at":"2026-11-30T11:40:00.000Z"}]}`)
	same(t, h.ask("HEAD", "/_local/items", "").Code, 200, "a head")
}

func TestCountsAreByOperationAndStartAgainWhenPosted(t *testing.T) {
	h := open(t)
	h.ask("POST", "/_local/counts", "")
	same(t, sorted(t, h.ask("GET", "/_local/counts", "").Body.String()), `{"scheduler":{"create":0,"delete":0,"list":0},"table":{}}`, "counts of nothing")
	h.put("maja", "thing", "")
	if _, err := h.file.Get(t.Context(), h.wall.Now(), store.Key{PK: "maja", SK: "thing"}); err != nil {
		t.Fatal(err)
	}
	h.arm("maja", "11:30")
	h.arm("maja", "11:30")
	if _, err := h.alarms.List(t.Context(), "maja"); err != nil {
		t.Fatal(err)
	}
	if err := h.alarms.Delete(t.Context(), alarm.Schedule{Hub: "maja", At: clock(t, "11:30")}); err != nil {
		t.Fatal(err)
	}
	same(t, sorted(t, h.ask("GET", "/_local/counts", "").Body.String()), `{"scheduler":{"create":2,"delete":1,"list":1},"table":{`+
		`"get":{"read_units":1,"requests":1,"write_units":0},"put":{"read_units":0,"requests":1,"write_units":1}}}`, "counts")
	h.ask("GET", "/_local/items?hub=maja", "")
	h.ask("GET", "/_local/schedules", "")
	counts := h.ask("GET", "/_local/counts", "").Body.String()
	same(t, strings.Contains(counts, `"create":2`), true, "looking at the counts resets nothing")
	same(t, strings.Contains(h.ask("POST", "/_local/counts", "").Body.String(), `"create":0`), true, "posting does")
}

func TestTheOperatorsSwitchIsHandedOn(t *testing.T) {
	h := open(t)
	same(t, h.ask("PUT", "/_local/admission", `{"cap":7,"flag":"off"}`).Code, 200, "an edit")
	same(t, len(h.switched), 1, "edits")
	s := h.switched[0]
	same(t, *s.Cap == 7 && *s.Flag == "off" && s.GuestShare == nil && s.DemoCap == nil, true, "what it says")
}

func TestAMoveOnceBegunReachesItsTargetWhoeverHangsUp(t *testing.T) {
	h := open(t)
	ctx, hangUp := context.WithCancel(t.Context())
	h.onFire = func(s alarm.Schedule) error {
		hangUp()
		return nil
	}
	h.arm("maja", "11:10")
	h.arm("maja", "11:20")
	h.ask("POST", "/_local/wall/advance", `{"seconds":1800}`, func(r *http.Request) { *r = *r.WithContext(ctx) })
	same(t, strings.Join(h.log(), ", "), "maja 11:10 > 11:10, maja 11:20 > 11:20", "runs")
	same(t, h.wall.Now(), clock(t, "11:30"), "the clock")
	h.restart()
	same(t, slices.Contains(h.alarmsLeft(), "maja 11:10"), false, "an alarm that has fired is back after a restart")
}

func TestTheAdminPortBreaksTheLimiterAndRepairsIt(t *testing.T) {
	h := open(t)
	for _, how := range []string{"down", "ok"} {
		h.ask("PUT", "/_local/faults", `{"limiter":"`+how+`"}`)
		same(t, h.admin.Limits.Broken(), how == "down", "it is broken")
	}
}
