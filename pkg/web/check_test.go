package web_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/chromedp"

	"pocbakery/pkg/admission"
	"pocbakery/pkg/app"
	"pocbakery/pkg/human"
	"pocbakery/pkg/local"
)

func TestNobodyComesInWithoutTheHumanCheck(t *testing.T) {
	h := newHouse(t)
	v := &visitor{house: h}
	key := v.get("/").says(`name="cf-turnstile-response" value="` + human.TestToken + `" checked`).key("/sign-in")
	form := comesIn("guest", key)
	form.Del("cf-turnstile-response")
	v.post("/sign-in", form).is(403).says("The human check was not done", "then choose again", "Continue as a guest", "I am a person")
	form.Set("cf-turnstile-response", "not a token")
	v.post("/sign-in", form).is(403).says("The human check did not pass", "Do the check below once more", "Continue as a guest")
	h.siteverify.SetMode(local.SiteverifyDown)
	form.Set("cf-turnstile-response", human.TestToken)
	v.post("/sign-in", form).is(503).says("The human check cannot be reached", "nothing was counted against you", "Continue as a guest")
	(&visitor{house: h}).get("/status").says("0 of 300")
	h.siteverify.SetMode(local.SiteverifyOK)
	v.post("/sign-in", form).goesTo("/shop")
}

// ownKeys is a house with keys of somebody's own.
func ownKeys(t *testing.T) *house {
	h := newHouse(t, func(c *app.Config) {
		secrets := human.Config{Secret: ownSecret, SiteKey: ownSiteKey, Action: "enter", Hostname: "localhost"}
		secrets.Address = c.Human.(*human.Checker).Address
		check, err := human.New(secrets)
		if err != nil {
			t.Fatal(err)
		}
		c.Human, c.SiteKey = check, ownSiteKey
	})
	h.siteverify.Issue(ownSecret, "localhost", "enter") // from here on it knows the secret
	return h
}

const ownSecret, ownSiteKey = "0x4AAA-secret", "0x4AAA-site"

const (
	closed = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
	opened = "default-src 'none'; script-src 'self' https://challenges.cloudflare.com; frame-src https://challenges.cloudflare.com; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)

func TestWithASiteKeyOfItsOwnOnlyThePagesThatLendLoadCloudflaresWidget(t *testing.T) {
	h := ownKeys(t)
	v := &visitor{house: h}
	check := func(name string, a answer, lends bool) {
		t.Helper()
		want := closed
		if lends {
			want = opened
		}
		if got := a.Header.Get("Content-Security-Policy"); got != want {
			t.Errorf("%s: policy %q", name, got)
		}
		for _, part := range []string{`<script src="https://challenges.cloudflare.com/turnstile/v0/api.js" async defer></script>`, `class="cf-turnstile" data-sitekey="0x4AAA-site" data-action="enter"`, "<noscript>"} {
			if strings.Contains(a.body, part) != lends {
				t.Errorf("%s: %s is there: %v", name, part, !lends)
			}
		}
		if strings.Contains(a.body, human.TestToken) {
			t.Errorf("%s has the test token", name)
		}
	}
	for _, path := range []string{"/", "/sign-in"} {
		check(path, v.get(path), true)
	}
	check("a refusal", v.post("/sign-in", comesIn("guest", "0123456789abcdefghijklmnop")).is(403), true)
	form := comesIn("guest", v.get("/").key("/sign-in"))
	form.Set("cf-turnstile-response", h.siteverify.Issue(ownSecret, "localhost", "enter"))
	v.post("/sign-in", form).goesTo("/shop")
	for _, path := range []string{"/shop", "/status", "/problems", "/look", "/nothing"} {
		check(path, v.get(path), false)
	}
	v.post("/sandbox/end", url.Values{"key": {"0123456789"}}).is(303)
	check("over", v.get("/shop").is(410), true)
}

// The widget's own script is Cloudflare's and out of reach of a test: one of
// ours comes in its place, which does what its documentation says that it does.
const widget = `for (const at of document.querySelectorAll(".cf-turnstile")) {
  const frame = document.createElement("iframe");
  frame.src = "https://challenges.cloudflare.com/frame?" + at.dataset.sitekey + at.dataset.action;
  const token = document.createElement("input");
  token.type = "hidden"; token.name = "cf-turnstile-response"; token.value = "TOKEN";
  at.append(frame, token);
}`

// widgets answers in Cloudflare's place, with a token of the stand-in's.
func (g *guest) widgets(h *house) {
	g.Helper()
	if err := chromedp.Listen(g.ctx, func(ev any) {
		e, ok := ev.(*fetch.EventRequestPaused)
		if !ok {
			return
		}
		kind, body := "text/html", "<p>You are a person.</p>"
		if strings.HasSuffix(e.Request.URL, "/turnstile/v0/api.js") {
			kind, body = "text/javascript", strings.Replace(widget, "TOKEN", h.siteverify.Issue(ownSecret, "localhost", "enter"), 1)
		}
		go func() { // a listener must not wait for the browser
			_, err := chromedp.Call(g.ctx, fetch.FulfillRequest, fetch.FulfillRequestParams{RequestID: e.RequestID, ResponseCode: 200,
				ResponseHeaders: []*fetch.HeaderEntry{{Name: "Content-Type", Value: kind}}, Body: []byte(body)})
			if err != nil && g.ctx.Err() == nil {
				g.Error(err)
			}
		}()
	}); err != nil {
		g.Fatal(err)
	}
	calls(g, fetch.Enable, fetch.EnableParams{Patterns: []*fetch.RequestPattern{{URLPattern: "https://challenges.cloudflare.com/*"}}})
}

func TestJourneyAGuestPassesCloudflaresWidget(t *testing.T) {
	h := ownKeys(t)
	g := atBrowser(t, h.opens(), true)
	g.widgets(h)
	g.goes("/")
	g.until("the widget is there", func() bool { return g.asks(`!!document.querySelector(".cf-turnstile iframe + input[type=hidden]")`) })
	g.presses("Continue as a guest")
	g.sees("Order for pickup")

	// The page again, with a token that is spent by another copy of it.
	g.goes("/sign-in")
	g.until("the widget is there", func() bool { return g.asks(`!!document.querySelector(".cf-turnstile input")`) })
	learns(g, chromedp.Evaluate[any](`document.querySelector(".cf-turnstile input").value = "0.spent"`))
	g.presses("Continue as Olle")
	g.sees("The human check did not pass")
	g.until("there is a new widget", func() bool { return g.asks(`!!document.querySelector(".cf-turnstile input")`) })
	g.presses("Continue as Olle")
	g.sees("Order for pickup")
}

func TestJourneyWithoutJavaScriptCloudflaresWidgetSaysWhatItNeeds(t *testing.T) {
	g := atBrowser(t, ownKeys(t).opens(), false)
	g.goes("/")
	g.sees("it needs JavaScript")
	g.presses("Continue as a guest")
	g.sees("The human check was not done")
}

func TestJourneyWithoutJavaScriptTheBoxLetsAGuestIn(t *testing.T) {
	g := atBrowser(t, newHouse(t).opens(), false)
	g.goes("/")
	g.does(chromedp.Click(`//label[contains(., "I am a person")]`))
	g.presses("Continue as a guest")
	g.sees("The human check was not done")
	g.presses("Continue as a guest") // the box of the new page is ticked
	g.sees("Order for pickup")
}

func TestJourneyAFullDaySaysWhenToComeBackAndLetsInThen(t *testing.T) {
	h := newHouse(t)
	h.at.Set(time.Date(2026, 12, 5, 23, 10, 0, 0, time.UTC))
	h.edit(admission.On, 1, 1)
	h.comesAs("guest")
	g := atBrowser(t, h.opens(), true)
	g.goes("/")
	g.presses("Continue as a guest")
	g.sees("No more copies of the shop today", "Ask again at 01:00 (Europe/Stockholm), in 4") // about 49 minutes
	words := g.reads(".card time")
	g.until("the countdown runs", func() bool { return g.reads(".card time") != words })
	h.at.Move(50 * time.Minute)
	g.presses("Continue as a guest") // the same form, under its key
	g.sees("Order for pickup")
}
