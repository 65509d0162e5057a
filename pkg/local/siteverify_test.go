package local_test

import (
	"bytes"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"pocbakery/pkg/local"
)

const (
	passes    = "1x0000000000000000000000000000000AA"
	testToken = "XXXX.DUMMY.TOKEN.XXXX"
	oneUUID   = "7a1f0c1e-6c51-4c8e-9c55-3f3f5f6ef001"
)

// verify is a stand-in over HTTP, and its clock.
type verify struct {
	*testing.T
	*local.Siteverify
	now    time.Time
	server *httptest.Server
}

func siteverify(t *testing.T) *verify {
	v := &verify{T: t, now: eleven}
	v.Siteverify = local.NewSiteverify(func() time.Time { return v.now })
	v.server = httptest.NewServer(v.Siteverify)
	t.Cleanup(v.server.Close)
	return v
}

// send posts a body of this kind and returns what was answered as "pass" or
// its error codes.
func (v *verify) send(kind, body string) string {
	v.Helper()
	got, err := http.Post(v.server.URL+local.SiteverifyPath, kind, strings.NewReader(body))
	if err != nil {
		return "nothing"
	}
	defer got.Body.Close()
	b, _ := io.ReadAll(got.Body)
	var a struct {
		Success bool
		Codes   []string `json:"error-codes"`
	}
	if got.StatusCode != 200 || got.Header.Get("Content-Type") != "application/json" || json.Unmarshal(b, &a) != nil || a.Success == (len(a.Codes) > 0) {
		v.Errorf("%s: %d %s", body, got.StatusCode, b)
	}
	if a.Success {
		return "pass"
	}
	return strings.Join(a.Codes, " ")
}

func (v *verify) form(pairs ...string) string {
	v.Helper()
	f := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		f.Set(pairs[i], pairs[i+1])
	}
	return v.send("application/x-www-form-urlencoded", f.Encode())
}

func TestSiteverifyTakesEachDocumentedForm(t *testing.T) {
	v := siteverify(t)
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	_ = w.WriteField("secret", passes)
	_ = w.WriteField("response", testToken)
	_ = w.Close()
	for kind, body := range map[string]string{
		"application/json": `{"secret":"` + passes + `","response":"` + testToken + `","remoteip":"192.0.2.1","sitekey":"x"}`,
		"application/x-www-form-urlencoded; charset=utf-8": "secret=" + passes + "&response=" + testToken + "&remoteip=192.0.2.1",
		w.FormDataContentType():                            b.String(),
	} {
		same(t, v.send(kind, body), "pass", kind)
	}
	for kind, body := range map[string]string{
		"":                                  "secret=" + passes,
		"text/plain":                        "secret=" + passes,
		"application/json":                  `{"secret":`,
		"application/x-www-form-urlencoded": "%zz",
		"multipart/form-data":               "no boundary",
	} {
		same(t, v.send(kind, body), "bad-request", kind+" "+body)
	}
	for _, c := range []struct {
		method, path string
		status       int
	}{{"GET", local.SiteverifyPath, 405}, {"POST", "/", 404}, {"POST", local.SiteverifyPath + "/", 404}} {
		r := httptest.NewRecorder()
		v.ServeHTTP(r, httptest.NewRequest(c.method, c.path, nil))
		same(t, r.Code, c.status, c.method+" "+c.path)
	}
}

func TestSiteverifyNamesWhatIsMissingOrWrong(t *testing.T) {
	v := siteverify(t)
	own := v.Issue("our own", "example.org", "enter")
	for _, c := range []struct{ secret, response, key, want string }{
		{"", testToken, "", "missing-input-secret"},
		{"", "", "", "missing-input-secret"},
		{passes, "", "", "missing-input-response"},
		{passes, "x", "", "invalid-input-response"},
		{passes, own, "", "invalid-input-response"},
		{passes, testToken, "not a UUID", "bad-request"},
		{passes, testToken, oneUUID, "pass"},
		{"2x0000000000000000000000000000000AA", testToken, "", "invalid-input-response"},
		{"3x0000000000000000000000000000000AA", testToken, "", "timeout-or-duplicate"},
		{"somebody's", testToken, "", "invalid-input-secret"},
		{"our own", testToken, "", "invalid-input-response"},
		{"our own", strings.Repeat("x", 2049), "", "invalid-input-response"},
		{"our own", own, "", "pass"},
		{"our own", own, "", "timeout-or-duplicate"},
		{"our own", own, oneUUID, "timeout-or-duplicate"},
	} {
		same(t, v.form("secret", c.secret, "response", c.response, "idempotency_key", c.key), c.want, c.secret+", "+c.response[:min(len(c.response), 30)]+", "+c.key)
	}
}

func TestSiteverifyGivesAQuestionThatComesAgainUnderItsKeyTheSameAnswer(t *testing.T) {
	v := siteverify(t)
	token := v.Issue("our own", "example.org", "enter")
	ask := func() string {
		got, err := http.PostForm(v.server.URL+local.SiteverifyPath, url.Values{"secret": {"our own"}, "response": {token}, "idempotency_key": {oneUUID}})
		if err != nil {
			t.Fatal(err)
		}
		defer got.Body.Close()
		b, _ := io.ReadAll(got.Body)
		return string(b)
	}
	v.now = v.now.Add(time.Minute)
	first := ask()
	same(t, first, `{"success":true,"challenge_ts":"2026-11-30T11:00:00.000Z","hostname":"example.org","error-codes":[],"action":"enter"}`, "the first answer")
	v.now = v.now.Add(4*time.Minute - time.Millisecond)
	same(t, ask(), first, "the same question just before the token's end")
	v.now = v.now.Add(time.Millisecond)
	same(t, ask(), `{"success":false,"error-codes":["timeout-or-duplicate"]}`, "at the token's end")
}

func TestSiteverifyForgetsTokensThatAreLongOver(t *testing.T) {
	v := siteverify(t)
	old := v.Issue("our own", "example.org", "enter")
	v.now = v.now.Add(10 * time.Minute)
	same(t, v.form("secret", "our own", "response", old), "timeout-or-duplicate", "a token that is over")
	v.Issue("our own", "example.org", "enter")
	same(t, v.form("secret", "our own", "response", old), "invalid-input-response", "a token that is forgotten")
}

func TestSiteverifyThatIsDownOrHangsAnswersNothing(t *testing.T) {
	v := siteverify(t)
	v.SetMode(local.SiteverifyDown)
	same(t, v.form("secret", passes, "response", testToken), "nothing", "down")
	v.SetMode(local.SiteverifyHang)
	impatient := &http.Client{Timeout: 50 * time.Millisecond}
	got, err := impatient.PostForm(v.server.URL+local.SiteverifyPath, url.Values{"secret": {passes}, "response": {testToken}})
	if err == nil {
		_ = got.Body.Close()
		t.Errorf("hanging, it answers %d", got.StatusCode)
	}
	v.SetMode(local.SiteverifyOK)
	same(t, v.form("secret", passes, "response", testToken), "pass", "well")
}

func TestTheAdminPortSetsHowSiteverifyFares(t *testing.T) {
	h := open(t)
	for _, mode := range []string{"hang", "down", "ok"} {
		h.want("PUT", "/_local/faults", `{"siteverify":"`+mode+`"}`, 200, `{"alarms":"on","limiter":"ok","rules":"on","siteverify":"`+mode+`","table":{"error_rate":0},"ttl":"on","wipes":"on"}`)
		same(t, string(h.admin.Siteverify.Mode()), mode, "how it fares")
	}
}
