package main_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pocbakery/pkg/store"
)

// place places an order and wants it to be taken.
func (p *program) place(g guest, slot slotJSON) *told {
	p.t.Helper()
	o := &told{guest: g, slot: slot.ID, key: newKey("place"), payKey: newKey("pay")}
	if !o.do(p.t, p, "place") || o.state != "placed" {
		p.t.Fatalf("an order that is not taken: %+v", o)
	}
	return o
}

func TestAnAlarmWhoseInstantPassedWhileTheProgramWasDownRunsAtItsStart(t *testing.T) {
	t.Parallel()
	p, dir := begin(t)
	g := p.enter()
	slot := p.slots(g)[0]
	left, paid := p.place(g, slot), p.place(g, slot)
	paid.do(t, p, "pay")
	p.kill()
	setWall(t, dir, func(now time.Time) time.Time { return now.Add(20 * time.Minute) })

	p = start(t, dir)
	left.state = "expired"
	for late := time.Now().Add(patience); left.stateNow(p) != "expired" && time.Now().Before(late); {
		time.Sleep(time.Millisecond)
	}
	left.check(p)
	paid.check(p)
	audit(p, g, []*told{left, paid}, false)
	nothingDue(p, g)
}

func TestTheClockAndTheOperatorsSettingsOutliveARestartAndFaultsDoNot(t *testing.T) {
	t.Parallel()
	p, dir := begin(t)
	g := p.enter()
	p.want(ask{method: "PUT", path: "/_local/admission", body: `{"cap":7,"guest_share":6,"demo_cap":5}`}, 200)
	p.want(ask{method: "PUT", path: "/_local/admission", body: `{"flag":"read-only"}`}, 200)
	p.want(ask{method: "PUT", path: "/_local/faults", body: `{"alarms":"drop","rules":"off","ttl":"off","wipes":"off","table":{"error_rate":1}}`}, 200)
	p.want(ask{method: "GET", path: "/v1/status"}, 503)
	p.stop()

	p = start(t, dir)
	if now := p.now(); now.Before(time.Now().Add(10 * time.Hour)) {
		t.Errorf("the clock that was moved to tomorrow reads %s", now)
	}
	var status struct {
		Flag                    string
		Sandboxes, Guests, Demo struct{ Used, Cap int }
	}
	p.want(ask{method: "GET", path: "/v1/status"}, 200).read(t, &status)
	if got := fmt.Sprint(status); got != "{read-only {1 7} {1 6} {0 5}}" {
		t.Errorf("the admission is %s", got)
	}
	faults := p.want(ask{method: "PUT", path: "/_local/faults", body: `{}`}, 200)
	var now struct {
		Alarms, Rules, TTL, Wipes string
		Table                     struct {
			ErrorRate float64 `json:"error_rate"`
		}
	}
	if faults.read(t, &now); fmt.Sprint(now) != "{on on on on {0}}" {
		t.Errorf("the faults are %s", faults.body)
	}
	unlimited := p.want(ask{method: "GET", path: "/v1/sandbox", token: g.token}, 200) // its session is good
	if got := unlimited.header.Get("RateLimit"); got != "" {
		t.Errorf("the rate limit, which was off, says %s", got)
	}
}

func TestASecondProgramOnTheSameDataIsRefusedAndTheFirstGoesOn(t *testing.T) {
	t.Parallel()
	p, dir := begin(t)
	g := p.enter()
	if log := refused(t, dir); !strings.Contains(log, "another process holds the data folder") {
		t.Errorf("it does not say why: %s", log)
	}
	p.place(g, p.slots(g)[0])
	p.stop()
	start(t, dir).want(ask{method: "GET", path: "/v1/sandbox", token: g.token}, 200)
}

func TestWhatKeepsItFromStartingItSays(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	_, port, _ := net.SplitHostPort(taken.Addr().String())
	notes := filepath.Join(t.TempDir(), "notes")
	if err := os.WriteFile(notes, []byte("a file, where a folder is wanted"), 0o600); err != nil {
		t.Fatal(err)
	}
	foreign, halfKey := t.TempDir(), t.TempDir()
	for path, text := range map[string]string{
		filepath.Join(foreign, "bakery.db"): strings.Repeat("not a data file of ours. ", 1000), filepath.Join(halfKey, "secret.key"): "half",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cases := []struct{ what, dir, env, says string }{
		{"a data folder that is a file", notes, "", "the data folder cannot be made"},
		{"a data folder inside a file", filepath.Join(notes, "data"), "", "the data folder cannot be made"},
		{"a data file of another program", foreign, "", "not a data file of this program"},
		{"a secret that is cut short", halfKey, "", "secret.key is damaged"},
		{"a port that is taken", t.TempDir(), "PORT=" + port, "address already in use"},
		{"an admin port that is taken", t.TempDir(), "ADMIN_PORT=" + port, "ADMIN_PORT: listen tcp"},
		{"a port that is none", t.TempDir(), "PORT=shop", `PORT is "shop"`},
		{"an admin port that is none", t.TempDir(), "ADMIN_PORT=70000", `ADMIN_PORT is "70000"`},
	}
	if os.Getuid() != 0 { // to root every folder is writable
		locked := t.TempDir()
		if err := os.Chmod(locked, 0o500); err != nil {
			t.Fatal(err)
		}
		cases = append(cases, struct{ what, dir, env, says string }{"a data folder that cannot be written", locked, "", "permission denied"})
	}
	for _, c := range cases {
		t.Run(c.what, func(t *testing.T) {
			log := refused(t, c.dir, c.env)
			var entry struct{ Level, Error string }
			if err := json.Unmarshal([]byte(log), &entry); err != nil || entry.Level != "ERROR" || !strings.Contains(entry.Error, c.says) {
				t.Errorf("the log is %s, want one line that says %q", log, c.says)
			}
		})
	}
}

func TestNothingOfAVisitorIsLogged(t *testing.T) {
	t.Parallel()
	p, _ := begin(t)
	g := p.enter()
	slots := p.slots(g)
	canaries := []string{g.token}
	canary := func(name string) string {
		c := "canary" + name + "0123456789"
		canaries = append(canaries, c)
		return c
	}
	everywhere := func() http.Header {
		return http.Header{
			"Cookie":          {"__Host-session=" + canary("cookie")},
			"X-Forwarded-For": {canary("forwarded")}, "User-Agent": {canary("agent")}, "Referer": {"http://" + canary("referer")},
			"Idempotency-Key": {canary("key-abcdefghijkl")},
		}
	}
	var asked []ask
	order := fmt.Sprintf(`{"pickup":%q,"lines":[{"sku":"cardamom-bun","quantity":1}],"name":%q,"note":%q}`, slots[0].ID, canary("name"), canary("note"))
	for _, token := range []string{g.token, canary("bearer")} {
		asked = append(asked,
			ask{method: "POST", path: "/v1/sandboxes", body: fmt.Sprintf(`{"kind":"guest","turnstile_token":%q}`, canary("turnstile"))},
			ask{method: "POST", path: "/v1/orders", token: token, body: order},
			ask{method: "POST", path: "/v1/orders", token: token, body: order[:len(order)-1] + `,"` + canary("field") + `":1}`},
			ask{method: "POST", path: "/v1/orders", token: token, body: `{"` + canary("broken")},
			ask{method: "GET", path: "/v1/orders?q=" + canary("query"), token: token},
			ask{method: "GET", path: "/v1/orders?q=a;" + canary("semicolon"), token: token}, // net/http itself logs these
			ask{method: "GET", path: "/v1/orders/" + canary("ref"), token: token},
			ask{method: "POST", path: "/v1/orders/" + canary("paid") + "/payments", token: token, body: `{"amount":{"amount":1,"currency":"SEK"}}`},
			ask{method: "POST", path: "/v1/sandbox/clock/advance", token: token, body: `{"seconds":901}`},
			ask{method: "GET", path: "/v1/" + canary("path"), token: token},
			ask{method: "GET", path: "/shop?from=" + canary("page"), token: token},
			ask{method: "POST", path: "/shop", token: token, body: url.Values{"pickup": {slots[0].ID}, "key": {canary("form")}, "name": {canary("buyer")}}.Encode(),
				header: http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}},
		)
	}
	for _, fault := range []string{`{"table":{"error_rate":0}}`, `{"table":{"error_rate":0.5}}`, `{"table":{"error_rate":1}}`, `{"table":{"error_rate":0},"siteverify":"down"}`} {
		p.want(ask{method: "PUT", path: "/_local/faults", body: fault}, 200)
		for _, a := range asked {
			header := everywhere()
			for name, v := range a.header {
				header[name] = v
			}
			if a.token == "" || a.path == "/shop" {
				header.Set("Cookie", "__Host-session="+g.token)
			}
			a.header = header
			if _, err := p.send(a); err != nil {
				t.Error(err)
			}
		}
	}
	p.fail(0)
	p.want(ask{method: "PUT", path: "/_local/admission", body: `{"rate_limit":"on"}`}, 200)
	p.want(ask{method: "PUT", path: "/_local/faults", body: `{"limiter":"down","siteverify":"ok"}`}, 200)
	asked[0].header = everywhere()
	if _, err := p.send(asked[0]); err != nil {
		t.Error(err)
	}
	addr := strings.TrimPrefix(p.shop, "http://")
	for _, bytes := range []string{"GET /" + canary("raw") + " HTTP/9.9\r\n\r\n", "\x16\x03\x01" + canary("tls"), "GET / HTTP/1.1\r\nHost: " + canary("host") + "\r\nX: " + strings.Repeat("x", 40_000)} {
		if c, err := net.Dial("tcp", addr); err == nil {
			_, _ = c.Write([]byte(bytes))
			_ = c.(*net.TCPConn).CloseWrite()
			_, _ = c.Read(make([]byte, 4096))
			_ = c.Close()
		}
	}
	p.stop()
	log := p.log.String()
	for _, c := range append(canaries, "127.0.0.", "[::1]") {
		if at := strings.Index(log, c); at >= 0 {
			t.Errorf("%q is logged: %.200s", c, log[max(0, at-100):])
		}
	}
	for _, fault := range []string{"table-unavailable", "siteverify_unavailable", "rate_limit_unavailable"} {
		if !strings.Contains(log, fault) {
			t.Errorf("%s was not logged: the test tests nothing", fault)
		}
	}
}

func TestAskedNothingItDoesNothing(t *testing.T) {
	t.Parallel()
	p, _ := begin(t)
	shops := gather(p, 2, 2)
	slots := p.slots(shops.guests[0])[:10]
	var works []func() bool
	for _, c := range shops.customers {
		works = append(works, func() bool { return c.order(t, p, slots) && len(c.orders) < 20 })
	}
	together(works...).Wait()
	p.moveWall(10 * time.Minute) // to a moment after the rule's turn, and long before its next
	before := p.schedules()
	p.want(ask{method: "POST", path: "/_local/counts"}, 200)
	<-time.After(time.Second) // of real time, in which nothing is due
	var got struct {
		Table     map[string]store.Count
		Scheduler map[string]int64
	}
	p.want(ask{method: "GET", path: "/_local/counts"}, 200).read(t, &got)
	if len(got.Table) > 0 || got.Scheduler["create"]+got.Scheduler["list"]+got.Scheduler["delete"] > 0 {
		t.Errorf("within a second of nothing it asked for %+v", got)
	}
	if after := p.schedules(); len(before) < 3 || fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("alarms before %v, after %v", before, after)
	}
}

func TestEachLoopbackAddressReachesIt(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	for _, from := range []string{"127.0.0.1", "127.0.0.77", "127.200.3.4"} {
		dial := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
		client := &http.Client{Timeout: patience, Transport: &http.Transport{DialContext: dial.DialContext, DisableKeepAlives: true}}
		got, err := client.Get(p.shop + "/v1/status")
		if err != nil {
			t.Errorf("from %s: %v", from, err)
			continue
		}
		var body bytes.Buffer
		_, _ = body.ReadFrom(got.Body)
		_ = got.Body.Close()
		if got.StatusCode != 200 {
			t.Errorf("from %s: %d %s", from, got.StatusCode, &body)
		}
	}
}
