package web_test

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"pocbakery/pkg/admission"
)

// screensDir is the environment's word for where pictures of the pages go.
const screensDir = "POCB_SCREENS"

// Pictures of every page in every state, for looking at: at 360 and 1280
// pixels, light and dark.
func TestScreens(t *testing.T) {
	dir := os.Getenv(screensDir)
	if dir == "" {
		t.Skip("skipped: " + screensDir + " names no folder for pictures of the pages")
	}
	h := newHouse(t)
	origin := h.opens()
	v := h.comesAs("guest")
	paid := v.orders(ten15, "name", strings.Repeat("Åsa-Märta Öhrström ", 4), "note", strings.Repeat("Utan nötter, tack så mycket. ", 12)+"\n"+strings.Repeat("x", 90), "qty.princess-cake", "12")
	v.post(paid+"/pay", url.Values{"key": {"0123456789"}, "amount": {"543000"}, "currency": {"SEK"}}).is(303)
	cancelled := v.orders(ten15)
	v.post(cancelled+"/pay", url.Values{"key": {"0123456789"}, "amount": {"9000"}, "currency": {"SEK"}}).is(303)
	v.post(cancelled+"/cancel", url.Values{"key": {"0123456789"}}).is(303)
	expired := v.orders(ten30)
	v.post("/clock/advance", url.Values{"key": {"0123456789"}, "seconds": {"900"}}).is(303)
	v.post(expired+"/pay", url.Values{"key": {"0123456789"}, "amount": {"9000"}, "currency": {"SEK"}}).is(303)
	for range 4 {
		v.orders(ten15)
	}
	placed := v.orders(ten15)
	v.capacity("20261205T0945Z", "0")
	v.capacity("20261205T1000Z", "200")
	v.orders("20261205T1000Z")
	v.orders("20261205T1045Z")
	for _, id := range []string{"0600", "0615", "0630"} {
		v.capacity("20261206T"+id+"Z", "12")
	}
	for hour := 6; hour < 17; hour++ { // Monday is full
		for _, m := range []string{"00", "15", "30", "45"} {
			v.capacity("20261207T"+two(hour)+m+"Z", "0")
		}
	}
	full := "(() => { const f = document.getElementById('order'); f.querySelector('[value=\"" + ten15 + "\"]').checked = true; f.querySelector('#qty-rye-loaf').value = 2; f.querySelector('#name').value = 'Åsa'; f.requestSubmit(f.querySelector('.primary')); })()"

	busy, fresh := h.comesAs("guest"), h.comesAs("guest")
	busy.post("/console/traffic", url.Values{"minutes": {"20"}, "orders_per_minute": {"30"}}).is(303)
	busy.orders("20261205T1430Z", "name", strings.Repeat("Åsa-Märta Öhrström ", 4))
	busy.capacity("20261205T1500Z", "200")
	busy.capacity("20261205T1515Z", "0")
	busy.post("/console/tokens", url.Values{"name": {strings.Repeat("the till in the cellar ", 3)}}).is(200)
	h.at.Move(5 * time.Minute)
	makesToken := "(() => { document.querySelector('#token-name').value = 'till'; document.querySelector('#token-name').form.requestSubmit(); })()"

	empty := h.comesAs("olle")
	over := h.comesAs("guest")
	over.post("/sandbox/end", url.Values{"key": {"0123456789"}}).is(303)
	none := &visitor{house: h}

	h.edit(admission.On, 12, 4, 1) // the demo accounts have theirs

	g := atBrowser(t, origin, true)
	for _, p := range []struct {
		name, path string
		as         *visitor
		then       string
	}{
		{"front", "/", none, ""}, {"front-signed", "/", v, ""}, {"signin", "/sign-in", none, ""}, {"over", "/shop", over, ""},
		{"shop", "/shop?date=2026-12-05", v, ""}, {"shop-empty", "/shop", empty, ""}, {"shop-basket", "/shop?qty.cardamom-bun=2&qty.princess-cake=50&pickup=20261205T1000Z", v, ""},
		{"shop-full-day", "/shop?date=2026-12-07", v, ""}, {"shop-refused", "/shop", v, full},
		{"order-placed", placed, v, ""}, {"order-paid", paid, v, ""}, {"order-expired", expired, v, ""}, {"order-cancelled", cancelled, v, ""},
		{"order-missing", "/orders/x", v, ""}, {"problems", "/problems", none, ""}, {"problem", "/problems/slot-full", none, ""}, {"missing", "/nothing", none, ""}, {"look", "/look", none, ""}, {"look-ends", "/look/ends-board", none, ""}, {"look-chart", "/look/traffic-chart", none, ""},
		{"status", "/status", none, ""}, {"planner", "/planner?date=2026-12-07", v, ""}, {"planner-today", "/planner", v, ""},
		{"signin-unchecked", "/sign-in", none, `document.querySelector(".check input").checked = false; document.querySelector("[value=guest]").click()`},
		{"signin-full", "/sign-in", none, `document.querySelector("[value=maja]").click()`},
		{"console", "/console", busy, ""}, {"console-fresh", "/console?q=zzz", fresh, ""}, {"console-token", "/console", busy, makesToken}, {"console-forbidden", "/console", empty, ""},
	} {
		name, value, _ := strings.Cut(p.as.cookie, "=")
		for _, width := range []int64{360, 800, 1280} {
			for _, scheme := range []string{"light", "dark"} {
				if only := os.Getenv("POCB_SCREENS_ONLY"); only != "" && !strings.Contains(p.name+"-"+scheme, only) {
					continue
				}
				calls(g, network.ClearBrowserCookies, cdp.Empty{})
				if value != "" {
					yes := true
					calls(g, network.SetCookie, network.SetCookieParams{Name: name, Value: value, URL: origin, Path: "/", Secure: &yes, HTTPOnly: &yes})
				}
				calls(g, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: 800, DeviceScaleFactor: 1, Mobile: width < 500})
				calls(g, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
				g.does(chromedp.Navigate(origin+p.path), chromedp.WaitReady(chromedp.CSS("main")))
				if p.then != "" {
					learns(g, chromedp.Evaluate[any](p.then))
					g.does(chromedp.WaitReady(chromedp.CSS(".card")))
				}
				wide := learns(g, chromedp.Evaluate[int64](`document.documentElement.scrollWidth`)) > width
				picture := learns(g, chromedp.FullScreenshot(100))
				if wide {
					t.Errorf("%s is wider than %d pixels", p.name, width)
				}
				file := filepath.Join(dir, p.name+"-"+scheme+"-"+four(int(width))+".png")
				if err := os.WriteFile(file, picture, 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}
