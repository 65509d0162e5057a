package main_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"pocbakery/pkg/local"
	"pocbakery/pkg/store/bolt"
)

// patience is how long anything may take here before it counts as hanging:
// longer than the longest request (10 s) on a machine that is busy elsewhere.
const patience = 30 * time.Second

// passToken is the human check's documented dummy that passes.
const passToken = "XXXX.DUMMY.TOKEN.XXXX"

var workshop string // where the program is built

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "pocbakery-run-")
	if err != nil {
		panic(err)
	}
	workshop = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// built is the program's path. It is built once, and with the race detector
// where the test has it.
var built = sync.OnceValues(func() (string, error) {
	path := filepath.Join(workshop, "pocbakery")
	args := []string{"build", "-buildvcs=false", "-o", path}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "-race" && s.Value == "true" {
				args = append(args, "-race")
			}
		}
	}
	out, err := exec.Command("go", append(args, ".")...).CombinedOutput()
	if err != nil {
		err = fmt.Errorf("the program cannot be built: %w\n%s", err, out)
	}
	return path, err
})

// program is the bakery as a process of its own.
type program struct {
	t           testing.TB
	cmd         *exec.Cmd
	out, log    *kept
	first       string // its first line of output
	shop, admin string // where it says it listens
	gone        chan struct{}
	client      *http.Client
}

// command is the program over a data folder, on ports of the system's choice
// unless env says otherwise.
func command(t testing.TB, dir string, env ...string) *exec.Cmd {
	t.Helper()
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path)
	cmd.Env = append(append(os.Environ(), "PORT=0", "ADMIN_PORT=0", "DATA_DIR="+dir), env...)
	return cmd
}

var firstLine = regexp.MustCompile(`^The bakery is open at (http://localhost:\d+) \(admin port (\d+)\)\.$`)

// start runs the program and returns once it has said where it listens.
func start(t testing.TB, dir string, env ...string) *program {
	t.Helper()
	p := &program{t: t, cmd: command(t, dir, env...), out: newKept(), log: newKept(), gone: make(chan struct{}), client: newClient()}
	p.cmd.Stdout, p.cmd.Stderr = p.out, p.log
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.gone)
		_ = p.cmd.Wait()
	}()
	t.Cleanup(func() {
		p.kill()
		p.checkLog()
	})
	select {
	case <-p.out.line:
	case <-p.gone:
		t.Fatalf("it ended at once: %s", p.log)
	case <-time.After(patience):
		t.Fatalf("it never said that it is open: %s", p.log)
	}
	p.first, _, _ = strings.Cut(p.out.String(), "\n")
	m := firstLine.FindStringSubmatch(p.first)
	if m == nil {
		t.Fatalf("the first line is %q", p.first)
	}
	p.shop, p.admin = m[1], "http://localhost:"+m[2]
	return p
}

// refused runs a program that is not to start. It returns its log.
func refused(t testing.TB, dir string, env ...string) string {
	t.Helper()
	cmd := command(t, dir, env...)
	out, log := newKept(), newKept()
	cmd.Stdout, cmd.Stderr = out, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() < 1 {
		t.Errorf("it ended with %v, log %s", err, log)
	}
	if out.String() != "" {
		t.Errorf("it says that it is open: %s", out)
	}
	return log.String()
}

// kill ends the process as a power cut would.
func (p *program) kill() {
	_ = p.cmd.Process.Kill()
	<-p.gone
	p.client.CloseIdleConnections()
}

// stop ends it as an operator would, and wants it to end well.
func (p *program) stop() {
	p.t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		p.t.Fatal(err)
	}
	p.ended()
}

// ended waits until it has ended, and wants it to have ended well.
func (p *program) ended() {
	p.t.Helper()
	select {
	case <-p.gone:
	case <-time.After(patience):
		p.t.Fatal("it does not end")
	}
	p.client.CloseIdleConnections()
	if code := p.cmd.ProcessState.ExitCode(); code != 0 {
		p.t.Errorf("it ended with %d, log %s", code, p.log)
	}
}

// checkLog wants the first line of output to be the only one, and the log to
// be JSON lines none of which is a panic.
func (p *program) checkLog() {
	p.t.Helper()
	if rest := strings.TrimPrefix(p.out.String(), p.first+"\n"); rest != "" {
		p.t.Errorf("more than the first line on standard output: %q", rest)
	}
	for line := range strings.Lines(p.log.String()) {
		var entry struct{ Time, Level, Msg, What, Stack string }
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			p.t.Errorf("the log has a line that is no JSON: %s", line)
		}
		if entry.Msg == "panic" {
			p.t.Errorf("it panicked: %s\n%s", entry.What, entry.Stack)
		}
	}
}

// kept keeps what a process prints.
type kept struct {
	mu    sync.Mutex
	bytes []byte
	line  chan struct{} // closed after the first whole line
}

func newKept() *kept { return &kept{line: make(chan struct{})} }

func (k *kept) Write(b []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !bytes.Contains(k.bytes, []byte("\n")) && bytes.Contains(b, []byte("\n")) {
		close(k.line)
	}
	k.bytes = append(k.bytes, b...)
	return len(b), nil
}

func (k *kept) String() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return string(k.bytes)
}

func newClient() *http.Client {
	return &http.Client{
		Timeout:       patience,
		Transport:     &http.Transport{MaxIdleConnsPerHost: 64},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// ask is a request.
type ask struct {
	method, path     string
	token, key, body string
	header           http.Header
}

// answer is a whole answer.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// read reads the answer's JSON.
func (a answer) read(t testing.TB, into any) {
	t.Helper()
	if err := json.Unmarshal(a.body, into); err != nil {
		t.Errorf("%d %.300s: %v", a.status, a.body, err)
	}
}

// code is the code of a problem, empty for what is none.
func (a answer) code() string {
	var p struct{ Code string }
	_ = json.Unmarshal(a.body, &p)
	return p.Code
}

// send asks and returns the whole answer; an error is no answer, or half of one.
func (p *program) send(a ask) (answer, error) {
	base := p.shop
	if strings.HasPrefix(a.path, "/_local/") {
		base = p.admin
	}
	r, err := http.NewRequest(a.method, base+a.path, strings.NewReader(a.body))
	if err != nil {
		return answer{}, err
	}
	for name, values := range a.header {
		r.Header[name] = values
	}
	if a.body != "" && r.Header.Get("Content-Type") == "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if a.key != "" {
		r.Header.Set("Idempotency-Key", a.key)
	}
	if a.token != "" {
		r.Header.Set("Authorization", "Bearer "+a.token)
	}
	got, err := p.client.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer got.Body.Close()
	body, err := io.ReadAll(got.Body)
	return answer{got.StatusCode, got.Header, body}, err
}

// want asks and wants one of these statuses.
func (p *program) want(a ask, statuses ...int) answer {
	p.t.Helper()
	got, err := p.send(a)
	if err != nil {
		p.t.Fatal(err)
	}
	for _, s := range statuses {
		if got.status == s {
			return got
		}
	}
	p.t.Fatalf("%s %s: %d %.500s, want %d", a.method, a.path, got.status, got.body, statuses)
	return got
}

// malformed says what is wrong with the form of an answer of the API, or
// nothing.
func malformed(a answer) string {
	var problem struct {
		Type, Title, Detail, Code string
		Status                    int
	}
	kind := a.header.Get("Content-Type")
	switch {
	case a.status == http.StatusNoContent:
		if len(a.body) > 0 {
			return "a body where none can be"
		}
	case a.status < 300:
		if kind != "application/json" || !json.Valid(a.body) {
			return "no JSON"
		}
	case a.status == http.StatusInternalServerError:
		return "something broke"
	case kind != "application/problem+json" || json.Unmarshal(a.body, &problem) != nil:
		return "no problem document"
	case problem.Status != a.status, problem.Title == "", problem.Detail == "", problem.Type != "/problems/"+problem.Code:
		return "an odd problem document"
	case a.status == http.StatusServiceUnavailable && a.header.Get("Retry-After") != "1":
		return "no Retry-After: 1"
	}
	return ""
}

// now is the program's wall clock.
func (p *program) now() time.Time {
	p.t.Helper()
	var status struct{ Now time.Time }
	p.want(ask{method: "GET", path: "/v1/status"}, 200).read(p.t, &status)
	return status.Now
}

// moveWall moves everything's wall clock forward, by whole seconds and no less.
func (p *program) moveWall(by time.Duration) {
	p.t.Helper()
	p.want(ask{method: "POST", path: "/_local/wall/advance", body: fmt.Sprintf(`{"seconds":%d}`, (by+time.Second-1)/time.Second)}, 200)
}

// begin starts the program over a new data folder, at 11:00 UTC of tomorrow.
// Sandboxes end at 10:00 and the count of the day at 00:00: what begins at 11
// is not overtaken by either, whenever the test is run.
func begin(t testing.TB) (p *program, dir string) {
	t.Helper()
	dir = t.TempDir()
	y, m, d := time.Now().UTC().Date()
	setWall(t, dir, func(time.Time) time.Time { return time.Date(y, m, d+1, 11, 0, 0, 0, time.UTC) })
	p = start(t, dir)
	// Many visitors come from one address here.
	p.want(ask{method: "PUT", path: "/_local/admission", body: `{"rate_limit":"off"}`}, 200)
	return p, dir
}

// setWall moves the wall clock of a program that is not running: nothing of
// what that makes due is run before its start.
func setWall(t testing.TB, dir string, to func(time.Time) time.Time) {
	t.Helper()
	file, err := bolt.Open(filepath.Join(dir, "bakery.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	wall, err := local.OpenWall(file, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if err := wall.MoveTo(context.Background(), to(wall.Now())); err != nil {
		t.Fatal(err)
	}
}

// pastTheEnd moves the wall clock past the end of every sandbox that lives.
func (p *program) pastTheEnd() {
	p.t.Helper()
	now := p.now()
	y, m, d := now.Date()
	p.moveWall(time.Date(y, m, d+1, 10, 15, 0, 0, time.UTC).Sub(now))
}

// open makes room for any number of guests.
func (p *program) open() {
	p.t.Helper()
	p.want(ask{method: "PUT", path: "/_local/admission", body: `{"cap":10000,"guest_share":10000}`}, 200)
}

// fail sets the share of table calls that fail.
func (p *program) fail(rate float64) {
	p.t.Helper()
	p.want(ask{method: "PUT", path: "/_local/faults", body: fmt.Sprintf(`{"table":{"error_rate":%v}}`, rate)}, 200)
}

// schedule is a one-shot of the alarm clock.
type schedule struct {
	Name, Hub string
	At        time.Time
}

func (p *program) schedules() []schedule {
	p.t.Helper()
	var got struct{ Schedules []schedule }
	p.want(ask{method: "GET", path: "/_local/schedules"}, 200).read(p.t, &got)
	return got.Schedules
}
