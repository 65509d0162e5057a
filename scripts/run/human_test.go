package main_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestKeysOfOnesOwnShowTheWidgetAndAreAskedWhereTheEnvironmentSays(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 1)
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.PostFormValue("secret") + " " + r.PostFormValue("response")
		_, _ = io.WriteString(w, `{"success":true,"hostname":"shop.example","action":"enter"}`)
	}))
	t.Cleanup(other.Close)
	p := start(t, t.TempDir(), "TURNSTILE_SECRET=our-own", "TURNSTILE_SITE_KEY=0x4AAA-site", "TURNSTILE_HOSTNAME=shop.example", "SITEVERIFY_URL="+other.URL)
	front := p.want(ask{method: "GET", path: "/"}, 200)
	if !strings.Contains(string(front.body), `data-sitekey="0x4AAA-site"`) || !strings.Contains(front.header.Get("Content-Security-Policy"), "frame-src https://challenges.cloudflare.com") {
		t.Errorf("the front door shows no widget: %s", front.body)
	}
	p.want(ask{method: "POST", path: "/v1/sandboxes", key: "a-key-of-22-characters-or-more", body: `{"kind":"guest","turnstile_token":"0.token"}`}, 201)
	if got := <-asked; got != "our-own 0.token" {
		t.Errorf("siteverify was asked %q", got)
	}
}

func TestAnAddressThatIsNoneMakesAShopThatSaysSo(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir(), "SITEVERIFY_URL=nonsense")
	for _, path := range []string{"/v1/status", "/", "/v1/menu"} {
		if got := p.want(ask{method: "GET", path: path}, 503); !strings.Contains(string(got.body), "The bakery is not set up") {
			t.Errorf("%s: %s", path, got.body)
		}
	}
}
