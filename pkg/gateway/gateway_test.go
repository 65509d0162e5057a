package gateway_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"pocbakery/pkg/gateway"
)

// event is an event of payload format 2.0 with some members changed.
func event(changes map[string]any) map[string]any {
	e := map[string]any{
		"version": "2.0", "routeKey": "$default", "rawPath": "/v1/menu", "rawQueryString": "",
		"headers": map[string]any{"host": "shop.example", "accept": "application/json"},
		"requestContext": map[string]any{
			"stage": "$default", "domainName": "abc.execute-api.eu-north-1.amazonaws.com",
			"http": map[string]any{"method": "GET", "path": "/v1/menu", "protocol": "HTTP/1.1", "sourceIp": "203.0.113.7"},
		},
		"isBase64Encoded": false,
	}
	for k, v := range changes {
		switch k {
		case "method", "sourceIp":
			e["requestContext"].(map[string]any)["http"].(map[string]any)[k] = v
		case "stage":
			e["requestContext"].(map[string]any)[k] = v
		default:
			e[k] = v
		}
	}
	return e
}

type reply struct {
	StatusCode      int
	Headers         map[string]string
	Cookies         []string
	Body            string
	IsBase64Encoded bool
}

func (r reply) body(t testing.TB) string {
	t.Helper()
	if !r.IsBase64Encoded {
		return r.Body
	}
	b, err := base64.StdEncoding.DecodeString(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// wellFormed is an answer as API Gateway takes it.
func wellFormed(t testing.TB, out []byte, err error) reply {
	t.Helper()
	var r reply
	if err != nil {
		t.Fatalf("the function failed: %v", err)
	}
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatalf("%q: %v", out, err)
	}
	if r.StatusCode < 200 || r.StatusCode > 599 || r.Headers == nil {
		t.Fatalf("no answer of HTTP: %s", out)
	}
	if r.StatusCode >= 400 {
		var p struct{ Code string }
		if json.Unmarshal([]byte(r.body(t)), &p) != nil || p.Code == "" || r.Headers["Content-Type"] != "application/problem+json" {
			t.Fatalf("no problem: %s", out)
		}
	}
	return r
}

func ask(t testing.TB, c gateway.Config, e any) reply {
	t.Helper()
	payload, ok := e.([]byte)
	if !ok {
		var err error
		if payload, err = json.Marshal(e); err != nil {
			t.Fatal(err)
		}
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	out, err := gateway.New(c).Invoke(t.Context(), payload)
	return wellFormed(t, out, err)
}

// seen answers an event and returns the request that the handler saw.
func seen(t *testing.T, c gateway.Config, e any) (r *http.Request, body string) {
	t.Helper()
	c.Handler = http.HandlerFunc(func(w http.ResponseWriter, got *http.Request) {
		b, err := io.ReadAll(got.Body)
		if err != nil {
			t.Error(err)
		}
		r, body = got, string(b)
		w.WriteHeader(http.StatusNoContent)
	})
	if a := ask(t, c, e); a.StatusCode != http.StatusNoContent {
		t.Fatalf("the handler was not asked: %+v", a)
	}
	return r, body
}

func TestAPathIsTakenAsTheVisitorMeantIt(t *testing.T) {
	for _, c := range []struct{ stage, raw, path, escaped string }{
		{"$default", "/100%", "/100%", "/100%25"},
		{"$default", "/100%25", "/100%", "/100%25"},
		{"$default", "/a?b", "/a?b", "/a%3Fb"},
		{"$default", "/a#b", "/a#b", "/a%23b"},
		{"$default", "//x", "//x", "//x"},
		{"$default", "", "/v1/menu", "/v1/menu"},
		{"$default", "v1/menu", "/v1/menu", "/v1/menu"},
		{"$default", "/å b", "/å b", "/%C3%A5%20b"},
		{"$default", "/prod/v1", "/prod/v1", "/prod/v1"},
		{"prod", "/prod/v1/menu", "/v1/menu", "/v1/menu"},
		{"prod", "/prod", "/", "/"},
		{"prod", "/products", "/products", "/products"},
		{"prod", "/v1/menu", "/v1/menu", "/v1/menu"},
	} {
		t.Run(c.stage+c.raw, func(t *testing.T) {
			r, _ := seen(t, gateway.Config{}, event(map[string]any{"stage": c.stage, "rawPath": c.raw, "rawQueryString": "q=%25&r"}))
			if r.URL.Path != c.path || r.URL.EscapedPath() != c.escaped || r.URL.RawQuery != "q=%25&r" || r.URL.Query().Get("q") != "%" {
				t.Errorf("path %q (%q), query %q", r.URL.Path, r.URL.EscapedPath(), r.URL.RawQuery)
			}
		})
	}
}

func TestAHeadersValueIsNeverSplit(t *testing.T) {
	r, _ := seen(t, gateway.Config{}, event(map[string]any{"headers": map[string]any{"idempotency-key": "one, two,three", "host": "shop.example"}}))
	if got := r.Header.Values("Idempotency-Key"); len(got) != 1 || got[0] != "one, two,three" {
		t.Errorf("%q", got)
	}
	if r.Host != "shop.example" || r.Header.Get("Host") != "" {
		t.Errorf("host %q, header %q", r.Host, r.Header.Get("Host"))
	}
}

func TestSeveralCookiesAreOneHeader(t *testing.T) {
	r, _ := seen(t, gateway.Config{}, event(map[string]any{"cookies": []string{"__Host-session=a.b", "theme=dark"}}))
	if got := r.Header.Values("Cookie"); len(got) != 1 || len(r.Cookies()) != 2 {
		t.Errorf("%q", got)
	}
	if c, err := r.Cookie("__Host-session"); err != nil || c.Value != "a.b" {
		t.Errorf("%v, %v", c, err)
	}
}

func TestABodyIsDecoded(t *testing.T) {
	r, body := seen(t, gateway.Config{}, event(map[string]any{"method": "POST", "isBase64Encoded": true, "body": base64.StdEncoding.EncodeToString([]byte("\xff{}"))}))
	if body != "\xff{}" || r.ContentLength != 3 || r.Method != http.MethodPost {
		t.Errorf("%q, %d bytes, %s", body, r.ContentLength, r.Method)
	}
	r, body = seen(t, gateway.Config{}, event(map[string]any{"method": "POST", "headers": map[string]any{"content-type": "application/json"}}))
	if body != "" || r.ContentLength != 0 || r.Body != http.NoBody {
		t.Errorf("a command without a body has %q, %d", body, r.ContentLength)
	}
}

func TestNullsAreNothing(t *testing.T) {
	r, body := seen(t, gateway.Config{}, event(map[string]any{"headers": nil, "cookies": nil, "body": nil, "queryStringParameters": nil}))
	if len(r.Header) != 0 || body != "" || r.Host != "abc.execute-api.eu-north-1.amazonaws.com" {
		t.Errorf("%v, %q, %q", r.Header, body, r.Host)
	}
	if r, _ = seen(t, gateway.Config{}, event(map[string]any{"headers": map[string]any{"accept": nil}})); r.Header.Get("Accept") != "" {
		t.Errorf("%v", r.Header)
	}
}

func TestTheAddressIsTheGatewaysWordForIt(t *testing.T) { // W3
	forged := map[string]any{
		"x-forwarded-for": "198.51.100.1", "x-real-ip": "198.51.100.1", "forwarded": "for=198.51.100.1",
		"true-client-ip": "198.51.100.1", "cloudfront-viewer-address": "198.51.100.1:1", "x-origin-secret": "guess",
	}
	for ip, want := range map[string]string{"203.0.113.7": "203.0.113.7:0", "2001:db8::7": "[2001:db8::7]:0"} {
		r, _ := seen(t, gateway.Config{}, event(map[string]any{"sourceIp": ip, "headers": forged}))
		if r.RemoteAddr != want || r.Header.Get("Cloudfront-Viewer-Address") != "" || r.Header.Get("X-Origin-Secret") != "" {
			t.Errorf("%q, %v", r.RemoteAddr, r.Header)
		}
	}
}

func TestBehindADistributionOnlyTheDistributionIsAnswered(t *testing.T) { // W3
	c := gateway.Config{Host: "shop.example", OriginSecret: func() string { return "sesame" }}
	for viewer, want := range map[string]string{"198.51.100.10:46532": "198.51.100.10:0", "2001:db8::1:46532": "[2001:db8::1]:0", "[2001:db8::1]:443": "[2001:db8::1]:0"} {
		r, _ := seen(t, c, event(map[string]any{"headers": map[string]any{"host": "abc", "x-origin-secret": "sesame", "cloudfront-viewer-address": viewer}}))
		if r.RemoteAddr != want || r.Host != "shop.example" || r.Header.Get("X-Origin-Secret") != "" {
			t.Errorf("%q: %q, %q, %v", viewer, r.RemoteAddr, r.Host, r.Header)
		}
	}
	c.Handler = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("asked") })
	for name, h := range map[string]map[string]any{
		"no secret":    {"cloudfront-viewer-address": "198.51.100.10:1"},
		"wrong secret": {"cloudfront-viewer-address": "198.51.100.10:1", "x-origin-secret": "sesam"},
		"no address":   {"x-origin-secret": "sesame"},
		"odd address":  {"x-origin-secret": "sesame", "cloudfront-viewer-address": "here:1"},
	} {
		if a := ask(t, c, event(map[string]any{"headers": h})); a.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %+v", name, a)
		}
	}
}

func TestWhatCannotBeReadIsRefused(t *testing.T) { // W1
	c := gateway.Config{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("asked") })}
	for name, e := range map[string]any{
		"bad base64":        event(map[string]any{"method": "POST", "isBase64Encoded": true, "body": "%%%"}),
		"no JSON":           []byte("hello"),
		"nothing":           []byte(nil),
		"a schedule's":      []byte(`{"hub":"abc","at":1}`),
		"headers as a list": event(map[string]any{"headers": []string{"a"}}),
	} {
		if a := ask(t, c, e); a.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %+v", name, a)
		}
	}
}

func TestABrokenHandlerIsAnOrdinaryProblem(t *testing.T) { // W1
	for name, c := range map[string]struct {
		h      http.HandlerFunc
		logged string
	}{
		"writes nothing":      {func(http.ResponseWriter, *http.Request) {}, "silent"},
		"only a header":       {func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X", "y") }, "silent"},
		"only announces":      {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusEarlyHints) }, "silent"},
		"panics":              {func(http.ResponseWriter, *http.Request) { panic("203.0.113.7 said so") }, "panic"},
		"panics half way":     {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "half"); panic(1) }, "panic"},
		"a fault of the code": {func(_ http.ResponseWriter, r *http.Request) { _ = []string{}[len(r.Header)] }, "out of range"},
		"aborts": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "half")
			panic(http.ErrAbortHandler)
		}, ""},
		"a status that is not": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(7) }, "panic"},
		"more than can be sent": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(bytes.Repeat([]byte("a"), 6<<20))
		}, "unsendable"},
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			a := ask(t, gateway.Config{Handler: c.h, Log: slog.New(slog.NewJSONHandler(&log, nil))}, event(nil))
			if a.StatusCode != http.StatusInternalServerError || strings.Contains(a.body(t), "half") || a.Headers["X"] != "" {
				t.Errorf("%+v", a)
			}
			if !strings.Contains(log.String(), c.logged) || (c.logged == "" && log.Len() > 0) || strings.Contains(log.String(), "203.0.113.7") { // W4
				t.Errorf("log: %s", log.String())
			}
		})
	}
}

func TestAnAnswerGoesBackAsItWasWritten(t *testing.T) {
	h := func(w http.ResponseWriter, _ *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "1", Path: "/"})
		http.SetCookie(w, &http.Cookie{Name: "b", Value: "2", Path: "/"})
		w.Header().Add("Vary", "Accept")
		w.Header().Add("Vary", "Cookie")
		w.Header().Set("X-Lines", "one\r\nX-Injected: two")
		w.Header().Set("Content-Length", "4")
		w.WriteHeader(http.StatusCreated)
		w.WriteHeader(http.StatusTeapot)
		w.Header().Set("X-Late", "yes")
		_, _ = io.WriteString(w, "bröd")
	}
	a := ask(t, gateway.Config{Handler: http.HandlerFunc(h)}, event(nil))
	if a.StatusCode != http.StatusCreated || a.Body != "bröd" || a.IsBase64Encoded || !slices.Equal(a.Cookies, []string{"a=1; Path=/", "b=2; Path=/"}) {
		t.Errorf("%+v", a)
	}
	if a.Headers["Vary"] != "Accept, Cookie" || a.Headers["X-Lines"] != "one  X-Injected: two" || a.Headers["X-Late"] != "" || a.Headers["Set-Cookie"] != "" || a.Headers["Content-Length"] != "" {
		t.Errorf("%v", a.Headers)
	}
}

func TestBytesThatAreNoTextGoAsBase64(t *testing.T) {
	picture := "\x1f\x8b\x08\x00\xff"
	h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("X-Odd", "\xff")
		_, _ = io.WriteString(w, picture)
	})
	if a := ask(t, gateway.Config{Handler: h}, event(nil)); !a.IsBase64Encoded || a.body(t) != picture || a.StatusCode != http.StatusOK {
		t.Errorf("%+v", a)
	}
	if a := ask(t, gateway.Config{Handler: h}, event(map[string]any{"method": "HEAD"})); a.Body != "" || a.IsBase64Encoded || a.StatusCode != http.StatusOK {
		t.Errorf("the head has a body: %+v", a)
	}
}

func TestAHandlerIsToldToStopBeforeTheFunctionIs(t *testing.T) {
	end := time.Now().Add(time.Hour)
	ctx, cancel := context.WithDeadline(t.Context(), end)
	defer cancel()
	var got time.Time
	g := gateway.New(gateway.Config{Log: slog.New(slog.DiscardHandler), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got, _ = r.Context().Deadline()
		w.WriteHeader(http.StatusNoContent)
	})})
	payload, _ := json.Marshal(event(nil))
	out, err := g.Invoke(ctx, payload)
	wellFormed(t, out, err)
	if !got.Equal(end.Add(-500 * time.Millisecond)) {
		t.Errorf("the handler may take until %v, the function until %v", got, end)
	}
}

// FuzzEvent: whatever bytes come as an event, the answer is one of HTTP, and
// what the handler saw is a request that net/http would have made.
func FuzzEvent(f *testing.F) {
	for _, e := range []any{
		event(nil), event(map[string]any{"rawPath": "/100%", "method": "POST", "body": "%", "isBase64Encoded": true}),
		event(map[string]any{"headers": nil, "cookies": []string{"a=b", ""}, "rawPath": "/a?b#c"}), event(map[string]any{"stage": "a", "rawPath": "/a"}),
		map[string]any{}, []any{}, nil,
	} {
		b, _ := json.Marshal(e)
		f.Add(b)
	}
	f.Add([]byte("{\"requestContext\":{\"http\":{\"method\":\"\xff\"}},\"rawPath\":\"\xff\",\"headers\":{\"\xff\":\"\xff\"}}"))
	g := gateway.New(gateway.Config{Log: slog.New(slog.DiscardHandler), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/") || r.URL.Host != "" || r.Header == nil || r.Body == nil || r.Method == "" {
			panic("no request")
		}
		for name, values := range r.Header {
			for _, v := range values {
				w.Header().Add(name, v)
			}
		}
		w.WriteHeader(http.StatusOK)
		n, err := io.Copy(w, r.Body)
		if err != nil || n != r.ContentLength {
			panic("a body of another length")
		}
	})})
	f.Fuzz(func(t *testing.T, payload []byte) {
		out, err := g.Invoke(t.Context(), payload)
		if r := wellFormed(t, out, err); r.StatusCode >= http.StatusInternalServerError {
			t.Fatalf("%q: %s", payload, out)
		}
	})
}
