package web_test

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
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
	g.presses("Pay 90,00 kr")
	g.sees("Paid.", "The place at 10:15 is yours.")
	g.presses("Cancel the order")
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
	g.sees("This sandbox is over. Start another")
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
