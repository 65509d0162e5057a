package web_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// The journeys are what a visitor comes for, in a real browser. They share no
// house, and the house's clock runs.

func TestJourneyAGuestOrdersTwoBunsWatchesTheHoldAndPays(t *testing.T) {
	h := newHouse(t)
	g := atBrowser(t, h.opens(), true)
	g.goes("/")
	g.presses("Continue as a guest")
	g.sees("Order for pickup", "The next free time is 09:45, with 6 places.")
	g.does(chromedp.Click(`//button[@aria-label="One Cardamom bun more"]`), chromedp.Click(`//button[@aria-label="One Cardamom bun more"]`))
	g.chooses("10:15")
	g.sees("2 × Cardamom bun", "Pickup 10:15, Saturday 5 December", "90,00 kr")
	g.presses("Place the order")
	g.sees("A place is held for you until")
	first := g.reads(".ring .digits")
	arc := g.attribute(".ring .left", "stroke-dasharray")
	g.until("the ring drains", func() bool {
		return g.reads(".ring .digits") != first && g.attribute(".ring .left", "stroke-dasharray") != arc
	})
	if first != "15:00" && !strings.HasPrefix(first, "14:5") {
		t.Errorf("the ring began at %s", first)
	}
	g.presses("Pay 90,00 kr")
	g.sees("Paid.", "Collect it at 10:15 on Saturday 5 December.", "A place at 10:15 is held until", "Ordered for 10:15", "Paid 90,00 kr.", "The place at 10:15 is yours.")
}

func TestJourneyAPlaceThatIsNotPaidComesFree(t *testing.T) {
	h := newHouse(t)
	g := atBrowser(t, h.opens(), true)
	g.goes("/sign-in?next=/shop?qty.rye-loaf=1%26pickup=" + ten15)
	g.presses("Continue as Maja")
	g.sees("1 × Rye loaf")
	g.presses("Place the order")
	g.sees("A place is held for you until")
	g.presses("Move the clock 15 minutes")
	g.sees("Your place came free at", "It was not paid in time.", "15 minutes ahead of real time")
	g.goes("/shop")
	g.sees("not paid in time")
	if got := g.reads("#slot-" + ten15 + " + label .room"); got != "6 free" {
		t.Errorf("10:15 has %q", got)
	}
}

func TestJourneyAHoldThatEndsUnderAnOpenPageSaysWhatBecameOfIt(t *testing.T) {
	h := newHouse(t)
	g := atBrowser(t, h.opens(), true)
	v := h.comesAs("guest")
	page := v.orders(ten15)
	g.signedInAs(v)
	g.goes(page)
	g.sees("A place is held for you until 09:52.")
	// The device's clock is a day off; the page does not ask it.
	learns(g, chromedp.Evaluate[any](`{ const real = Date.now; Date.now = () => real() + 86400000; }`))
	h.at.Move(14*time.Minute + 56*time.Second)
	g.does(chromedp.Reload())
	g.sees("Your place came free at 09:52.", "The order ended.")
	if n := learns(g, chromedp.Evaluate[int](`performance.getEntriesByType("navigation").length + document.querySelectorAll(".ring").length`)); n != 1 {
		t.Errorf("the page was loaded again, or the ring stayed: %d", n)
	}
}

func TestJourneyAFullSlotOffersTheNextFreeOne(t *testing.T) {
	h := newHouse(t)
	g := atBrowser(t, h.opens(), true)
	v := h.comesAs("guest")
	g.signedInAs(v)
	g.goes("/shop?qty.cardamom-bun=2&name=Åsa&pickup=" + ten15)
	for range 6 {
		v.orders(ten15)
	}
	g.sees("6 held") // the chip is asked for again while the page is seen
	g.presses("Place the order")
	g.sees("10:15 is full", "6 orders at 10:15 are not paid yet.", "10:30 has 6 places.")
	words := g.reads(".card time")
	g.until("the countdown runs", func() bool { return g.reads(".card time") != words })
	if got := learns(g, chromedp.Value(chromedp.CSS("#name"))); got != "Åsa" {
		t.Errorf("the name became %q", got)
	}
	g.presses("Take 10:30, 6 places")
	g.sees("10:30, Saturday 5 December", "A place is held for you until", "2 × Cardamom bun", "Åsa")
}

func TestJourneyAnotherDayIsChosenWithoutLosingTheBasket(t *testing.T) {
	h := newHouse(t)
	g := atBrowser(t, h.opens(), true)
	g.signedInAs(h.comesAs("guest"))
	g.goes("/shop?qty.semla=1&qty.rye-loaf=3")
	g.does(chromedp.SendKeys(chromedp.CSS("#name"), "Märta"), chromedp.Click(`//button[@aria-label="Monday 7 December"]`))
	g.sees("The next free time is 07:00, with 6 places.", "3 × Rye loaf")
	g.chooses("07:30")
	g.sees("Pickup 07:30, Monday 7 December")
	g.does(chromedp.SendKeys(chromedp.CSS("#name"), "\r")) // by keyboard: not the day picker, the order
	g.sees("07:30, Monday 7 December", "Märta", "228,00 kr")
}

func TestJourneyWithoutJavaScriptFormsPlaceAndPay(t *testing.T) {
	h := newHouse(t)
	g := atBrowser(t, h.opens(), false)
	g.goes("/orders/" + ten15 + "-0123456789")
	g.sees("Come in")
	g.presses("Continue as a guest")
	g.sees("There is no such order")
	g.presses("Back to the shop")
	g.does(chromedp.SetValue(chromedp.CSS("#qty-cardamom-bun"), "2"), chromedp.Click(`//button[@aria-label="Sunday 6 December"]`))
	g.sees("The next free time is 07:00", "2 × Cardamom bun")
	g.presses("Place the order")
	g.sees("No pickup time is chosen yet.")
	g.chooses("10:15")
	g.presses("Place the order")
	g.sees("10:15, Sunday 6 December", "A place is held for you until")
	if got := g.shown(".ring"); !strings.HasPrefix(got, "until 09:5") {
		t.Errorf("without a script that counts, the ring says %q", got)
	}
	g.presses("Pay 90,00 kr")
	g.sees("Paid.", "The place at 10:15 is yours.")
	g.does(chromedp.Click(`//summary[.="Cancel the order"]`))
	g.presses("Yes, cancel it")
	g.sees("Cancelled.", "90,00 kr is to be paid back")
}

func TestJourneyADoubleClickIsOneOrder(t *testing.T) {
	h := newHouse(t)
	g := atBrowser(t, h.opens(), true)
	g.signedInAs(h.comesAs("guest"))
	g.goes("/shop?qty.cardamom-bun=2&pickup=" + ten15)
	g.does(chromedp.DoubleClick(`//div[@class="actions"]/button[@class="primary"]`))
	g.sees("A place is held for you until")
	g.goes("/shop")
	if got := g.reads("#slot-" + ten15 + " + label .held"); got != "1 held" {
		t.Errorf("10:15 has %q", got)
	}
}

func TestJourneyASandboxThatEndsUnderAnOpenPageIsGreyedAndOffersAnother(t *testing.T) {
	h := newHouse(t)
	g := atBrowser(t, h.opens(), true)
	v := h.comesAs("guest")
	g.signedInAs(v)
	g.goes("/shop")
	g.sees("Order for pickup")
	v.post("/sandbox/end", formWithKey("0123456789"))
	g.sees("Your copy of the shop is over. Start another")
	g.does(chromedp.Click(`//p[@id="quiet"]/a`))
	g.sees("Come in")
	g.presses("Continue as a guest")
	g.sees("None yet.")
}

// The cookie's prefix asks for a secure origin; a browser takes loopback for one.
func TestJourneyTheSessionHoldsOnEveryNameOfLoopback(t *testing.T) {
	h := newHouse(t)
	origin := h.opens()
	g := atBrowser(t, origin, true)
	for _, host := range []string{"localhost", "127.0.0.1"} {
		g.origin = strings.Replace(origin, "localhost", host, 1)
		g.goes("/")
		g.presses("Continue as a guest")
		g.sees("Your orders")
	}
}

// attribute is an attribute of the first element of a selector.
func (g *guest) attribute(selector, name string) string {
	g.Helper()
	return learns(g, chromedp.AttributeValue(chromedp.CSS(selector), name)).Value
}

// until waits for something to become so.
func (g *guest) until(what string, so func() bool) {
	g.Helper()
	for range 100 {
		if so() {
			return
		}
		g.does(chromedp.Sleep(100 * time.Millisecond))
	}
	g.Fatalf("never: %s; the page says: %s", what, g.page())
}

// signedInAs gives the browser a visitor's session.
func (g *guest) signedInAs(v *visitor) {
	g.Helper()
	name, value, _ := strings.Cut(v.cookie, "=")
	yes := true
	calls(g, network.ClearBrowserCookies, cdp.Empty{})
	calls(g, network.SetCookie, network.SetCookieParams{Name: name, Value: value, URL: g.origin, Path: "/", Secure: &yes, HTTPOnly: &yes})
}

// shown is what can be seen of the first element of a selector.
func (g *guest) shown(selector string) string {
	g.Helper()
	return strings.TrimSpace(learns(g, chromedp.Text(chromedp.CSS(selector))))
}

// asks evaluates an expression to be true.
func (g *guest) asks(expression string) bool {
	g.Helper()
	return learns(g, chromedp.Evaluate[bool](expression))
}

func TestJourneyGoingBackFromARefusalIsSafeAndTheCardGoesWhenItIsCorrected(t *testing.T) {
	h := newHouse(t)
	g := atBrowser(t, h.opens(), true)
	v := h.comesAs("guest")
	page := v.orders(ten30)
	g.signedInAs(v)
	g.goes("/shop?qty.cardamom-bun=2&name=Åsa")
	g.presses("Place the order")
	g.sees("No pickup time is chosen yet.")
	if !g.asks(`document.activeElement.matches(".card")`) {
		t.Error("the focus is not on the card")
	}
	g.does(chromedp.Click(`//a[@href="` + page + `"]`))
	g.sees("A place is held for you until")
	g.does(chromedp.NavigateBack())
	g.sees("Order for pickup", "2 × Cardamom bun")
	if got := learns(g, chromedp.Value(chromedp.CSS("#name"))); got != "Åsa" {
		t.Errorf("the name became %q", got)
	}
	g.presses("Place the order")
	g.sees("No pickup time is chosen yet.")
	g.chooses("10:15")
	g.until("the card goes", func() bool { return g.asks(`!document.querySelector(".card, [aria-describedby=refused-text]")`) })
}

func TestJourneyTheClockIsMovedAndTheBasketStays(t *testing.T) {
	for name, scripts := range map[string]bool{"with scripts": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			g := atBrowser(t, h.opens(), scripts)
			g.signedInAs(h.comesAs("guest"))
			g.goes("/shop")
			g.does(chromedp.SetValue(chromedp.CSS("#qty-cardamom-bun"), "2"), chromedp.SendKeys(chromedp.CSS("#name"), "Åsa"))
			g.chooses("10:15")
			g.presses("Move the clock 15 minutes")
			g.sees("15 minutes ahead of real time", "2 × Cardamom bun", "Pickup 10:15")
			g.does(chromedp.SendKeys(chromedp.CSS("#name"), "\r")) // by keyboard: not the clock, the order
			g.sees("A place is held for you until", "Åsa")
		})
	}
}

func TestJourneyAPageLeftOpenLearnsWhatHappenedElsewhere(t *testing.T) {
	h := newHouse(t)
	g := atBrowser(t, h.opens(), true)
	v := h.comesAs("guest")
	page := v.orders(ten15)
	g.signedInAs(v)
	g.goes(page)
	g.sees("A place is held for you until 09:52.")
	again := `dispatchEvent(new Event("focus"))`
	learns(g, chromedp.Evaluate[any](`document.querySelector(".sheet").id = "as-it-was"; `+again))
	g.does(chromedp.Sleep(500 * time.Millisecond))
	if !g.asks(`!!document.getElementById("as-it-was")`) {
		t.Error("a page on which nothing changed was renewed")
	}
	v.post(page+"/pay", url.Values{"key": {"0123456789"}, "amount": {"9000"}, "currency": {"SEK"}}).is(303)
	learns(g, chromedp.Evaluate[any](again))
	g.sees("Paid.")

	g.goes("/shop?qty.cardamom-bun=2&pickup=" + ten30)
	g.sees("2 × Cardamom bun")
	v.post("/clock/advance", url.Values{"key": {"0123456789"}, "seconds": {"900"}}).is(303)
	learns(g, chromedp.Evaluate[any](again))
	g.sees("15 minutes ahead of real time", "2 × Cardamom bun", "Pickup 10:30")
	g.does(chromedp.Click(`//button[@aria-label="Monday 7 December"]`))
	g.chooses("07:30")
	g.sees("Pickup 07:30, Monday 7 December")
	v.post("/clock/advance", url.Values{"key": {"0123456780"}, "seconds": {"86400"}}).is(303)
	learns(g, chromedp.Evaluate[any](again))
	g.sees("1 day 15 minutes ahead of real time", "on Sunday 6 December (Europe/Stockholm)", "2 × Cardamom bun", "Pickup 07:30, Monday 7 December")

	g.goes(page)
	g.sees("Paid.")
	v.post("/sandbox/end", formWithKey("0123456789"))
	learns(g, chromedp.Evaluate[any](again))
	g.sees("Your copy of the shop is over. Start another", "Paid.")
}

func TestJourneyWithoutAConnectionNothingIsSentAndThePageStays(t *testing.T) {
	h := newHouse(t)
	g := atBrowser(t, h.opens(), true)
	v := h.comesAs("guest")
	page := v.orders(ten15)
	g.signedInAs(v)
	g.goes(page)
	g.sees("A place is held for you until")
	g.offline(true)
	g.sees("There is no connection.")
	g.presses("Pay 90,00 kr")
	g.sees("Nothing was sent", "A place is held for you until")
	g.offline(false)
	g.until("the line goes", func() bool { return g.reads("#quiet") == "" })
	g.presses("Pay 90,00 kr")
	g.sees("Paid.")
}

// offline takes the browser's connection away, or gives it back.
func (g *guest) offline(yes bool) {
	g.Helper()
	calls(g, network.OverrideNetworkState, network.OverrideNetworkStateParams{Offline: yes, DownloadThroughput: -1, UploadThroughput: -1})
}

func TestJourneyOnAPhoneTheOrderIsAlwaysInSight(t *testing.T) {
	h := newHouse(t)
	g := atBrowser(t, h.opens(), true)
	g.signedInAs(h.comesAs("guest"))
	calls(g, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: 360, Height: 740, DeviceScaleFactor: 1, Mobile: true})
	g.goes("/shop")
	g.sees("Nothing chosen yet")
	g.does(chromedp.SetValue(chromedp.CSS("#qty-princess-cake"), "50"), chromedp.Click(`//button[@aria-label="One Cardamom bun more"]`))
	g.chooses("10:15")
	g.until("the bar says what is chosen", func() bool { return g.reads(".bar [data-sum]") == "51 pieces, 22\u00a0295,00\u00a0kr" })
	if got := g.reads(".bar [data-pickup]"); got != "10:15, Saturday 5 December" {
		t.Errorf("the bar's time is %q", got)
	}
	for _, top := range []string{"0", "1500", "document.getElementById('who-h').offsetTop"} {
		learns(g, chromedp.Evaluate[any](`scrollTo(0, `+top+`)`))
		if !g.asks(`(() => { const b = document.querySelector(".bar button").getBoundingClientRect(); return b.top > 0 && b.bottom <= visualViewport.height && document.documentElement.scrollWidth <= 360; })()`) {
			t.Errorf("at %s the order cannot be placed", top)
		}
	}
	g.does(chromedp.Click(`//div[@class="bar"]/button`))
	g.sees("A place is held for you until")
}

func TestJourneySixtyOfOneThingAreRefusedInOurWords(t *testing.T) {
	h := newHouse(t)
	g := atBrowser(t, h.opens(), true)
	g.signedInAs(h.comesAs("guest"))
	g.goes("/shop?pickup=" + ten15)
	g.does(chromedp.SendKeys(chromedp.CSS("#qty-rye-loaf"), "60"))
	g.sees("50 × Rye loaf")
	if got := learns(g, chromedp.Evaluate[string](`document.querySelector("#qty-rye-loaf").validationMessage`)); got != "An order takes at most 50 of one thing." {
		t.Errorf("the browser says %q", got)
	}
	if g.asks(`document.body.textContent.includes("60 ×")`) {
		t.Error("the basket shows more than an order takes")
	}
}
