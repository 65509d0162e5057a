package api

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"pocbakery/pkg/hub"
	"pocbakery/pkg/refusal"
)

func TestAMethodARouteDoesNotTakeDoesNothing(t *testing.T) {
	paths := map[string][]string{}
	for _, rt := range routes() {
		paths[rt.path] = append(paths[rt.path], rt.method)
	}
	paths[documentPath] = []string{"GET"}
	for path, takes := range paths {
		target := strings.NewReplacer("{sku}", "semla", "{slot}", string(slotA), "{ref}", "x").Replace(path)
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE", "CONNECT", "PROPFIND", "get"} {
			taken := strings.Contains(strings.Join(takes, " "), method) || (method == "HEAD" && strings.Contains(strings.Join(takes, " "), "GET"))
			if taken {
				continue
			}
			h := newHouse(t)
			r := httptest.NewRequest("GET", target, nil)
			r.Method = method
			r.Header.Set("Authorization", "Bearer "+h.token(hub.Baker))
			a := h.send(r)
			if method != "HEAD" {
				a.is(405, refusal.MethodNotAllowed, "")
			}
			if a.status != 405 || h.shop.asked > 0 || len(h.desk.asked) > 0 || h.sandboxes.root.Over || h.sandboxes.root.Offset > 0 {
				t.Errorf("%s %s: %d", method, path, a.status)
			}
			for _, m := range takes {
				if !strings.Contains(a.header.Get("Allow"), m) {
					t.Errorf("%s: Allow %q is without %s", path, a.header.Get("Allow"), m)
				}
			}
		}
		a := newHouse(t).ask("OPTIONS", target, "")
		if a.status != 204 || !strings.Contains(a.header.Get("Allow"), takes[0]) || a.header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("OPTIONS %s: %d %v", path, a.status, a.header)
		}
	}
}

func TestTheHeadOfWhatCanBeReadCanBeAskedFor(t *testing.T) {
	for _, rt := range routes() {
		if rt.method != "GET" {
			continue
		}
		h := newHouse(t)
		got := askRoute(t, h, &rt)
		head := rt
		head.method = "HEAD"
		a := askRoute(t, h, &head)
		if a.status != got.status || a.header.Get("Content-Length") != fmt.Sprint(len(got.raw)) || a.header.Get("Etag") != got.header.Get("Etag") {
			t.Errorf("%s: %d %v, want %d and %d bytes", rt.id, a.status, a.header, got.status, len(got.raw))
		}
	}
	newHouse(t).ask("HEAD", "/v1/menu", "", "Authorization", "").ok(401)
}

func TestEveryAnswerOfARouteIsNotKeptAndIsWhatItSays(t *testing.T) {
	for _, rt := range routes() {
		for _, authorization := range []string{"Bearer " + newHouse(t).token(hub.Baker), ""} {
			a := askRoute(t, newHouse(t), &rt, "Authorization", authorization)
			want, kept := "application/json", "no-store"
			switch {
			case rt.path == planPath: // fetched by programs, by the hour
				want, kept = planMedia, "private, max-age=3600"
			case a.status == 204, a.status == 303:
				want = ""
			case a.status >= 400:
				want = "application/problem+json"
			}
			if a.header.Get("Cache-Control") != kept || a.header.Get("X-Content-Type-Options") != "nosniff" || a.header.Get("Content-Type") != want {
				t.Errorf("%s: %d %v", rt.id, a.status, a.header)
			}
		}
	}
}

func TestARepeatSaysThatItIsOne(t *testing.T) {
	h := newHouse(t)
	first := h.ask("POST", "/v1/orders", anOrder).ok(201)
	again := h.ask("POST", "/v1/orders", anOrder, keyHeader, `"`+aKey+`"`).ok(200)
	if first.raw != again.raw || first.header.Get("Idempotent-Replayed") != "" || again.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("%s %v\n%s %v", first.raw, first.header, again.raw, again.header)
	}
	if got := first.header.Get("Location"); got != "/v1/orders/20261205T0915Z-0000000000" {
		t.Errorf("Location %q", got)
	}
	h.ask("POST", "/v1/orders", strings.Replace(anOrder, ":2", ":3", 1)).is(422, refusal.KeyReused, "")
	pay := sound["POST /v1/orders/{ref}/payments"]
	for n, replayed := range []string{"", "true"} {
		a := h.ask("POST", "/v1/orders/20261205T0915Z-0000000000/payments", pay).ok(200)
		if a.header.Get("Idempotent-Replayed") != replayed {
			t.Errorf("payment %d: %v", n, a.header)
		}
	}
	for n, replayed := range []string{"", "true"} {
		a := h.ask("POST", "/v1/sandbox/clock/advance", `{"seconds":900}`).ok(200)
		if a.header.Get("Idempotent-Replayed") != replayed {
			t.Errorf("advance %d: %v", n, a.header)
		}
	}
}

func TestWhatIsNeitherAPINorDocumentIsThePages(t *testing.T) {
	h := newHouse(t)
	for _, path := range []string{"/", "/shop", "/v1x", "/v2/menu", "/orders/x"} {
		if a := h.ask("GET", path, ""); a.status != 200 || a.raw != "<html>"+path {
			t.Errorf("%s: %d %s", path, a.status, a.raw)
		}
	}
	for _, path := range []string{"/v1", "/v1/", "/v1/nothing", "/v1/menu/", "/v1/menu/semla/x", "/v1/orders/x/refund", "/openapi.json/", "/V1/../v1/menu"} {
		h.ask("GET", path, "").is(404, refusal.NoSuchRoute, "")
	}
	bare := New(Config{Sessions: h.sessions, Clock: func() time.Time { return noon }})
	w := httptest.NewRecorder()
	bare.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	read(t, w.Result(), "GET").is(404, refusal.NoSuchRoute, "")
}

// These go over a socket as they are: no client of ours would send them.
func TestAnOddAddressIsAnOrdinaryProblem(t *testing.T) {
	h := newHouse(t)
	srv := httptest.NewServer(h.handler)
	defer srv.Close()
	for target, want := range map[string]string{
		"/v1//menu": "404 no-such-route", "//v1/menu": "404 no-such-route", "/v1/./menu": "404 no-such-route", "/v1/x/../menu": "404 no-such-route",
		"/x/../v1/menu": "404 no-such-route", "/v1/menu/.": "404 no-such-route", "/v1/..": "404 no-such-route",
		"/v1/%2e%2e/v1/menu": "404 no-such-route", "/v1%2Fmenu": "404 no-such-route", "/%761/menu": "200",
		"/v1/orders/a%2Fb": "404 no-such-order", "/v1/orders/%2e%2e": "404 no-such-order", "/v1/orders/%00": "404 no-such-order",
		"/v1/orders/%ff%fe": "404 no-such-order", "/v1/orders/%0d%0aX:y": "404 no-such-order", "/v1/orders/" + strings.Repeat("x", 4000): "404 no-such-order",
		"/v1/slots/%F0%9F%98%80": "404 no-such-slot", "/v1/slots/ä": "404 no-such-slot", "/v1/slots/20261205T0915Z%20": "404 no-such-slot",
		"/v1/menu?a=%zz": "200", "/v1/menu?": "200", "/v1/menu?a;b": "200", "/v1/orders/a?b": "404 no-such-order", "/v1/orders/a%3Fb": "404 no-such-order", "/v1/orders/a%23b": "404 no-such-order",
		"/v1/slots?date=2026-12-05%00":     "422 invalid",
		"http://elsewhere.example/v1/menu": "200", "/v1/menu#x": "404 no-such-route",
		// These net/http itself refuses before any handler: well-formed HTTP, and not ours.
		"/v1/orders/100%": "400", "/v1/orders/%zz": "400", "/v1/orders/a b": "400", "v1/menu": "400",
	} {
		conn, err := net.Dial("tcp", srv.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
		fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\nAuthorization: Bearer %s\r\n\r\n", target, h.token(hub.Baker))
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Errorf("%.60s: %v", target, err)
			continue
		}
		got := fmt.Sprint(resp.StatusCode)
		if want != "400" {
			if a := read(t, resp, "GET"); a.code() != "" {
				got += " " + a.code()
			}
		}
		if got != want {
			t.Errorf("%.60s: %s, want %s", target, got, want)
		}
		conn.Close()
	}
	for _, ref := range h.shop.refs {
		if !visible(ref) || len(ref) > maxPathValue {
			t.Errorf("the shop was asked for %.60q", ref)
		}
	}
	// What a gateway makes of a path it could not read.
	for _, path := range []string{"", "*", "/v1/orders/100%", "/v1/orders/a?b", "/v1/orders/a#b", "v1/menu", "/v1/\x00", "/v1/orders/\xff"} {
		r := httptest.NewRequest("GET", "/", nil)
		r.URL.Path, r.RequestURI = path, path
		r.Header.Set("Authorization", "Bearer "+h.token(hub.Baker))
		if a := h.send(r); a.status >= 500 {
			t.Errorf("%q: %d %s", path, a.status, a.raw)
		}
	}
}

func TestAPanicIsAnAnswerAndALineInTheLog(t *testing.T) {
	for _, v := range []any{"the oven is off", fmt.Errorf("secret %s", aKey), http.ErrBodyNotAllowed, 7} {
		h := newHouse(t)
		h.shop.hook = func() { panic(v) }
		h.ask("POST", "/v1/orders", anOrder).is(500, refusal.Internal, "")
		if log := h.log.String(); !strings.Contains(log, `"msg":"panic","route":"/v1/orders"`) || !strings.Contains(log, "placeOrder") || strings.Contains(log, aKey) {
			t.Errorf("%v: logged %s", v, log)
		}
	}
	h := newHouse(t)
	h.ask("GET", "/panic", "").is(500, refusal.Internal, "")
	page := New(Config{Sessions: h.sessions, Clock: func() time.Time { return noon }, Log: newHouse(t).logger(), Pages: h.pages,
		PageProblem: func(w http.ResponseWriter, _ *http.Request, p Problem) {
			w.WriteHeader(p.Status)
			fmt.Fprintf(w, "<html>%s", p.Title)
		}})
	w := httptest.NewRecorder()
	page.ServeHTTP(w, httptest.NewRequest("GET", "/panic", nil))
	if w.Code != 500 || w.Body.String() != "<html>"+refusal.Meanings[refusal.Internal].Title {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestAnAnswerThatBrokeInTheMiddleIsNotTakenForAWhole(t *testing.T) {
	h := newHouse(t)
	handler := New(Config{Sessions: h.sessions, Clock: func() time.Time { return noon }, Log: h.logger(), Pages: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("half"))
		panic("a page broke")
	})})
	srv := httptest.NewServer(handler)
	defer srv.Close()
	if resp, err := http.Get(srv.URL); err == nil {
		defer resp.Body.Close()
		if _, err = bufio.NewReader(resp.Body).ReadString(0); err == nil || err.Error() == "EOF" {
			t.Error("the answer looked whole")
		}
	}
}

func TestARequestHasADeadline(t *testing.T) {
	h := newHouse(t)
	before := time.Now()
	h.ask("GET", "/v1/menu", "").ok(200)
	if end, ok := h.shop.lastCtx.Deadline(); !ok || end.Before(before) || end.After(time.Now().Add(maxRequest)) {
		t.Errorf("%v, %v", end, ok)
	}
}

func TestTheLogNamesNobodyAndNothingSecret(t *testing.T) {
	h := newHouse(t)
	token := h.token(hub.Baker)
	canaries := []string{token, token[10:30], aKey, "canary-query", "canary-name", "canary-ref", "192.0.2.1", "canary-cookie", "canary-agent"}
	for _, fail := range []error{nil, fmt.Errorf("shelf 7"), refusal.New(refusal.ReadOnly, "No."), fmt.Errorf("%w", errBroken{})} {
		h.shop.fail, h.sandboxes.fail, h.desk.fail = fail, fail, fail
		for _, rt := range routes() {
			path := strings.NewReplacer("{sku}", "canary-ref", "{slot}", "canary-ref", "{ref}", "canary-ref").Replace(rt.path)
			r := httptest.NewRequest(rt.method, path+"?date=2026-12-05&q=canary-query", strings.NewReader(strings.Replace(sound[rt.method+" "+rt.path], `"lines"`, `"name":"canary-name","lines"`, 1)))
			for k, v := range map[string]string{"Authorization": "Bearer " + token, keyHeader: aKey, "Content-Type": "application/json", "Cookie": SessionCookie + "=canary-cookie", "User-Agent": "canary-agent", "X-Forwarded-For": "192.0.2.1"} {
				r.Header.Set(k, v)
			}
			h.send(r)
		}
	}
	h.shop.hook = func() { panic(errBroken{}) }
	h.ask("POST", "/v1/orders", strings.Replace(anOrder, `"lines"`, `"name":"canary-name","lines"`, 1))
	log := h.log.String()
	for _, canary := range canaries {
		if strings.Contains(log, canary) {
			t.Errorf("the log has %q", canary)
		}
	}
	if !strings.Contains(log, "shelf 7") || !strings.Contains(log, `"panic"`) {
		t.Error("and it lacks what it is for")
	}
	if strings.Contains(log, string(refusal.ReadOnly)) {
		t.Error("a refusal is no failure")
	}
}

type errBroken struct{}

func (errBroken) Error() string { return "it broke" }

func BenchmarkRefuseFullSlot(b *testing.B)  { benchmark(b, "/v1/orders", anOrder, 409) }
func BenchmarkRefuseNobody(b *testing.B)    { benchmark(b, "/v1/orders", "", 401) }
func BenchmarkRefuseMalformed(b *testing.B) { benchmark(b, "/v1/orders", `{"pickup":7}`, 422) }

func BenchmarkPlaceOrder(b *testing.B) {
	h := newHouse(b)
	h.shop.slots[slotA].Capacity = 1 << 30
	run(b, h, "/v1/orders", anOrder, 201)
}

func benchmark(b *testing.B, target, body string, want int) {
	h := newHouse(b)
	h.shop.fail = fullSlot(h)
	run(b, h, target, body, want)
}

func fullSlot(h *house) error {
	for i := range 2 {
		h.ask("POST", "/v1/orders", anOrder, keyHeader, fmt.Sprintf("fill-the-slot-%d", i)).ok(201)
	}
	_, _, err := h.shop.Place(h.t.Context(), hub.Who{}, "another", bakeryPlacement)
	return err
}

// run measures this layer: the request is made anew, the writer only counts.
func run(b *testing.B, h *house, target, body string, want int) {
	token := "Bearer " + h.token(hub.Baker)
	proto := httptest.NewRequest("POST", target, nil)
	rd := &rewinding{}
	w := &discarding{header: http.Header{}}
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		r := *proto
		rd.Reset(body)
		r.Body = rd
		r.ContentLength = int64(len(body))
		r.Header = http.Header{"Content-Type": {"application/json"}, keyHeader: {fmt.Sprintf("a-key-number-%08d", n)}}
		if want != 401 {
			r.Header["Authorization"] = []string{token}
		}
		clear(w.header)
		h.handler.ServeHTTP(w, &r)
		if w.status != want {
			b.Fatalf("%d, want %d", w.status, want)
		}
		n++
	}
}

type rewinding struct{ strings.Reader }

func (*rewinding) Close() error { return nil }

type discarding struct {
	header http.Header
	status int
}

func (d *discarding) Header() http.Header         { return d.header }
func (d *discarding) WriteHeader(status int)      { d.status = status }
func (d *discarding) Write(b []byte) (int, error) { return len(b), nil }
