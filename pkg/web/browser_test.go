package web_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// requireBrowser is the environment's word for failing, instead of skipping,
// where there is no browser.
const requireBrowser = "POCB_REQUIRE_BROWSER"

// chromium is the browser of this machine, or the end of the test.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv(requireBrowser) != "" {
		t.Fatal("no Chromium is installed, and " + requireBrowser + " asks for one")
	}
	t.Skip("skipped: no Chromium is installed, and the journeys need one")
	return ""
}

// opens serves the house on a port of its own; its clock runs from here on,
// and it rings its own bells.
func (h *house) opens() (origin string) {
	h.t.Helper()
	return h.opensBehind(func(door http.Handler) http.Handler { return door })
}

// opensBehind is opens, with something of the test's in front of the door.
func (h *house) opensBehind(front func(http.Handler) http.Handler) (origin string) {
	h.t.Helper()
	h.at.Run()
	l, err := (&net.ListenConfig{}).Listen(h.t.Context(), "tcp", "localhost:0")
	if err != nil {
		h.t.Fatal(err)
	}
	server := &http.Server{Handler: front(h.app.Handler), ReadHeaderTimeout: 5 * time.Second}
	ctx, stop := context.WithCancel(context.Background())
	var all sync.WaitGroup
	all.Go(func() { _ = server.Serve(l) })
	all.Go(func() { h.rings(ctx) })
	h.t.Cleanup(func() {
		stop()
		_ = server.Close()
		all.Wait()
	})
	return fmt.Sprintf("http://localhost:%d", l.Addr().(*net.TCPAddr).Port)
}

// rings wakes hubs at the instants they asked for.
func (h *house) rings(ctx context.Context) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for _, s := range h.due(h.at.Now()) {
			_ = h.Delete(ctx, s)
			_ = h.app.Wake(ctx, s)
		}
	}
}

// guest is somebody at a browser.
type guest struct {
	*testing.T
	ctx    context.Context
	origin string

	mu         sync.Mutex
	complaints []string // of the browser: errors and violations of the policy
	patient    bool     // from here on the pages are not ours, and it may complain
}

// atBrowser opens a browser at a site. Whatever it complains of by the end of
// the test fails it.
func atBrowser(t *testing.T, origin string, scripts bool) *guest {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium(t)), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.NoFirstRun, chromedp.Flag("disable-background-networking", true), chromedp.WindowSize(1280, 900), chromedp.WSURLReadTimeout(90*time.Second))
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx)
	t.Cleanup(stop)
	ctx, stop = context.WithTimeout(ctx, 3*time.Minute)
	t.Cleanup(stop)
	g := &guest{T: t, ctx: ctx, origin: origin}
	if err := chromedp.Listen(ctx, g.hears); err != nil {
		t.Fatal(err)
	}
	calls(g, log.Enable, cdp.Empty{})
	calls(g, network.Enable, network.EnableParams{})
	calls(g, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !scripts})
	t.Cleanup(func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		for _, c := range g.complaints {
			t.Error("the browser complains: " + c)
		}
	})
	return g
}

// calls gives the browser a command of its protocol.
func calls[P, R any](g *guest, c cdp.Command[P, R], params P) R {
	g.Helper()
	r, err := chromedp.Call(g.ctx, c, params)
	if err != nil {
		g.Fatalf("%s: %v", c.Method, err)
	}
	return r
}

// learns asks the page something.
func learns[T any](g *guest, a chromedp.Action[T]) T {
	g.Helper()
	v, err := chromedp.Run(g.ctx, a)
	if err != nil {
		g.Fatalf("%v; the page says: %s", err, g.page())
	}
	return v
}

// hears notes what the browser complains of. That a page was answered with a
// refusal's status is no complaint.
func (g *guest) hears(ev any) {
	complaint := ""
	switch e := ev.(type) {
	case *log.EventEntryAdded:
		refused := e.Entry.Source == log.EntrySourceNetwork && strings.Contains(e.Entry.Text, "responded with a status") && !strings.Contains(e.Entry.URL, "/assets/")
		if e.Entry.Level == log.EntryLevelError && !refused {
			complaint = fmt.Sprintf("%s: %s (%s)", e.Entry.Source, e.Entry.Text, e.Entry.URL)
		}
	case *runtime.EventExceptionThrown:
		complaint = fmt.Sprintf("%s %+v", e.ExceptionDetails.Text, e.ExceptionDetails.Exception)
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
			complaint = "console:"
			for _, a := range e.Args {
				complaint += fmt.Sprintf(" %s%s", a.Value, a.Description)
			}
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if complaint != "" && !g.patient {
		g.complaints = append(g.complaints, complaint)
	}
}

// mayComplain lets the browser complain from here on.
func (g *guest) mayComplain() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.patient = true
}

func (g *guest) does(steps ...chromedp.Action[chromedp.Void]) {
	g.Helper()
	if err := chromedp.Do(g.ctx, steps...); err != nil {
		g.Fatalf("%v; the page says: %s", err, g.page())
	}
}

// page is the text of the page, for a failure's message.
func (g *guest) page() string {
	ctx, stop := context.WithTimeout(g.ctx, 5*time.Second)
	defer stop()
	text, _ := chromedp.Run(ctx, chromedp.Text(chromedp.CSS("main")))
	return text
}

func (g *guest) goes(path string) { g.Helper(); g.does(chromedp.Navigate(g.origin + path)) }

// presses presses the button or link of that name.
func (g *guest) presses(name string) {
	g.Helper()
	g.does(chromedp.Click(fmt.Sprintf(`//main//*[self::button or self::a][not(contains(@class,"unseen"))][not(ancestor::*[@class="bar"])][%s=%q]`, plain, name), chromedp.NodeVisible))
}

// plain is an element's text, with plain spaces.
const plain = `normalize-space(translate(., "` + "\u00a0" + `", " "))`

// sees waits until the page says something.
func (g *guest) sees(texts ...string) {
	g.Helper()
	for _, text := range texts {
		ctx, stop := context.WithTimeout(g.ctx, time.Minute)
		_, err := chromedp.Run(ctx, chromedp.WaitReady(fmt.Sprintf(`//body[contains(%s, %q)]`, plain, text)))
		stop()
		if err != nil {
			g.Fatalf("never sees %q (%v); the page says: %s", text, err, g.page())
		}
	}
}

// chooses chooses a pickup time by its label.
func (g *guest) chooses(local string) {
	g.Helper()
	g.does(chromedp.Click(fmt.Sprintf(`//label[time=%q]`, local), chromedp.NodeReady))
}

// reads is the text of the first element of a selector.
func (g *guest) reads(selector string) string {
	g.Helper()
	return strings.TrimSpace(learns(g, chromedp.TextContent(chromedp.CSS(selector))))
}
