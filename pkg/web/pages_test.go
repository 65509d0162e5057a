package web_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"pocbakery/pkg/app"
	"pocbakery/pkg/refusal"
)

const (
	ten15 = "20261205T0915Z" // 10:15 in Stockholm
	ten30 = "20261205T0930Z"
)

func TestAVisitorOrdersPaysAndReadsTheStoryWithFormsOnly(t *testing.T) {
	v := newHouse(t).comesAs("guest")
	v.get("/shop").is(200).says("Cardamom bun", "45,00\u00a0kr", "10:15", "At the shop it is", "09:37", "(Europe/Stockholm)",
		"The next free time is 09:45, with 6 places.", "Your copy of the shop ends at 11:00, in about 1 hour.")
	page := v.orders(ten15, "name", "Åsa Öberg", "note", "utan nötter\r\ntack")
	o := v.get(page).is(200).says("A place is held for you until 09:52.", "2 × Cardamom bun", "90,00\u00a0kr", "Åsa Öberg", "utan nötter\ntack",
		"Ordered for", `data-end="2026-12-05T08:52:00.000Z"`, `data-now="2026-12-05T08:37:00.000Z"`).saysNot("15:00", "15 minutes left")
	pay := url.Values{"key": {o.key(page + "/pay")}, "amount": {"9000"}, "currency": {"SEK"}}
	v.post(page+"/pay", pay).goesTo(page)
	v.post(page+"/pay", pay).goesTo(page) // a double submit is one payment
	v.get(page).is(200).says("Paid.", "Collect it at 10:15 on Saturday 5 December.", "Paid 90,00\u00a0kr.", " is yours.").saysNot("90,00\u00a0kr is to be paid back", "data-piece=\"ring\"")
	v.get("/shop").says("1 paid", "Åsa Öberg: paid, 90,00\u00a0kr")
}

func TestADoubleSubmitIsOneOrder(t *testing.T) {
	v := newHouse(t).comesAs("guest")
	form := url.Values{"key": {v.get("/shop").key("/shop")}, "pickup": {ten15}, "qty.cardamom-bun": {"2"}}
	first := v.post("/shop", form).Header.Get("Location")
	v.post("/shop", form).goesTo(first)
	v.get("/shop").says(">5 free<", ">1 held<")
	form.Set("qty.cardamom-bun", "3")
	again := v.post("/shop", form).is(422).says("This form was sent before", `value="3"`)
	if again.key("/shop") == form.Get("key") {
		t.Error("the form came back under the key that cannot be used again")
	}
}

func TestAnUnpaidPlaceComesFreeWhenTheClockIsMoved(t *testing.T) {
	v := newHouse(t).comesAs("guest")
	page := v.orders(ten15)
	move := url.Values{"key": {v.get(page).key("/clock/advance")}, "seconds": {"900"}, "next": {page}}
	v.post("/clock/advance", move).goesTo(page)
	v.post("/clock/advance", move).goesTo(page) // once
	o := v.get(page).is(200).says("Your place came free at 09:52.", "15 minutes ahead of real time", "09:52",
		"Order it again for 10:15", "Try a payment that comes too late", "The order ended.")
	v.post(page+"/pay", url.Values{"key": {o.key(page + "/pay")}, "amount": {"9000"}, "currency": {"SEK"}}).goesTo(page)
	v.get(page).says("came too late", "90,00\u00a0kr is to be paid back").saysNot("Try a payment")
}

func TestAFullSlotIsRefusedInWordsAndNothingTypedIsLost(t *testing.T) {
	v := newHouse(t).comesAs("guest")
	for range 6 {
		v.orders(ten15)
	}
	shop := v.get("/shop").says(">full<", ">6 held<")
	form := url.Values{"key": {shop.key("/shop")}, "pickup": {ten15}, "qty.cardamom-bun": {"2"}, "qty.rye-loaf": {"1"}, "name": {`<b>"Åsa"`}, "note": {"a & b"}}
	a := v.post("/shop", form).is(409).says("10:15 is full", "6 orders at 10:15 are not paid yet.", "Room first appears at 09:52<", ", unless they are paid.",
		"What this refusal means", "keeps it when it is paid", "10:30 has 6 places.", "Take 10:30, 6 places", `value="&lt;b&gt;&#34;Åsa&#34;"`, "a &amp; b</textarea>",
		`name="qty.cardamom-bun" value="2"`, "2 × Cardamom bun", "166,00\u00a0kr").saysNot("<b>")
	if a.Header.Get("Retry-After") != "900" {
		t.Errorf("Retry-After %q", a.Header.Get("Retry-After"))
	}
	form.Set("take", ten30)
	page := v.post("/shop", form).is(303).Header.Get("Location")
	v.get(page).says("10:30, Saturday 5 December", "&lt;b&gt;&#34;Åsa&#34;")
}

func TestAFormThatIsNotCompleteComesBackWithWhatIsMissing(t *testing.T) {
	v := newHouse(t).comesAs("guest")
	key := v.get("/shop").key("/shop")
	for _, c := range []struct {
		form url.Values
		want string
	}{
		{url.Values{"pickup": {ten15}}, "Nothing is in the order yet"},
		{url.Values{"qty.rye-loaf": {"1"}}, "No pickup time is chosen yet"},
		{url.Values{"qty.rye-loaf": {"many"}, "pickup": {ten15}}, "A quantity is a whole number from 0 to 50."},
		{url.Values{"qty.rye-loaf": {"60"}, "pickup": {ten15}}, "An order takes at most 50 of one thing, and this asks for 60."},
		{url.Values{"qty.rye-loaf": {"99999999999999999999"}, "pickup": {ten15}}, "A quantity is a whole number from 0 to 50."},
		{url.Values{"qty.rye-loaf": {"1"}, "pickup": {ten15}, "name": {strings.Repeat("å", 81)}}, "at most 80 characters"},
		{url.Values{"qty.rye-loaf": {"1"}, "pickup": {ten15}, "note": {"a\xffb"}}, "at most 500 characters"},
		{url.Values{"qty.semla": {"1"}, "pickup": {ten15}}, "is sold out"},
		{url.Values{"qty.gold": {"1"}, "pickup": {ten15}}, "gold"},
	} {
		c.form.Set("key", key)
		a := v.post("/shop", c.form).is(422).says(c.want)
		if a.key("/shop") != key {
			t.Errorf("%v: the form came back under another key", c.form)
		}
	}
	v.post("/shop", url.Values{"key": {key}, "qty.rye-loaf": {"1"}, "pickup": {"20261205T0830Z"}}).is(409).says("09:30 has begun")
	v.post("/shop", url.Values{"key": {key}, "qty.rye-loaf": {"1"}, "pickup": {"tomorrow"}}).is(404).says("There is no such")
	v.post("/shop", url.Values{"qty.rye-loaf": {"1"}, "pickup": {ten15}}).is(400).says("without its key")
}

func TestTheDayPickerKeepsTheBasket(t *testing.T) {
	v := newHouse(t).comesAs("guest")
	v.get("/shop?date=2026-12-07&key=whatever&qty.rye-loaf=2&qty.semla=0&name=Nils").goesTo("/shop?date=2026-12-07&name=Nils&qty.rye-loaf=2")
	v.get("/shop?date=2026-12-07&name=Nils&qty.rye-loaf=2").is(200).says("Monday 7 December", `value="2"`, `value="Nils"`, `aria-current="date"`, "The next free time is 07:00")
	v.get("/shop?date=2027-01-01").is(200).says("<h3>Saturday 5 December</h3>")
	v.get("/shop?date=nonsense").is(200)
}

func TestLateInTheEveningTheNextDayIsShown(t *testing.T) {
	h := newHouse(t)
	h.at.Set(time.Date(2026, 12, 5, 17, 30, 0, 0, time.UTC))
	v := h.comesAs("guest")
	v.get("/shop").is(200).says("<h3>Sunday 6 December</h3>", "The next free time is 07:00")
	v.get("/shop?date=2026-12-05").is(200).says("All pickup times of this day have begun.", "Go to Sunday 6 December, 07:00")
}

func TestWhoHasNoSessionIsSentToTheSignIn(t *testing.T) {
	v := &visitor{house: newHouse(t)}
	v.get("/shop").goesTo("/sign-in?next=%2Fshop")
	v.get("/orders/" + ten15 + "-0123456789").goesTo("/sign-in?next=%2Forders%2F" + ten15 + "-0123456789")
	v.post("/shop", url.Values{"qty.rye-loaf": {"1"}, "pickup": {ten15}}).goesTo("/sign-in?next=" + url.QueryEscape("/shop?pickup="+ten15+"&qty.rye-loaf=1"))
	a := v.get("/sign-in?next=/orders/x").is(200).says(`name="next" value="/orders/x"`)
	form := comesIn("olle", a.key("/sign-in"))
	form.Set("next", "/orders/x")
	v.post("/sign-in", form).goesTo("/orders/x")
	v.get("/orders/x").is(404).says("There is no such order")
	v.get("/shop").is(200).saysNot("/clock/advance")
	v.post("/clock/advance", url.Values{"key": {"0123456789"}, "seconds": {"900"}}).is(403)
}

func TestTheSameFormSignsInOnceAndAnotherChoiceIsAnotherSandbox(t *testing.T) {
	v := &visitor{house: newHouse(t)}
	key := v.get("/").key("/sign-in")
	guest := comesIn("guest", key)
	v.post("/sign-in", guest).goesTo("/shop")
	page := v.orders(ten15)
	v.post("/sign-in", guest).goesTo("/shop")
	v.get(page).is(200)
	v.post("/sign-in", comesIn("maja", key)).goesTo("/shop")
	v.get(page).is(404)
	v.at.Set(morning.Add(31 * time.Minute))
	v.post("/sign-in", guest).is(422).says("used a while ago")
	v.post("/sign-in", comesIn("king", key)).is(422)
	v.post("/sign-in", url.Values{"as": {"guest"}}).is(400)
	v.get("/").says("Go to your shop")
}

func TestASandboxThatIsOverSaysSoAndOffersAnother(t *testing.T) {
	h := newHouse(t)
	v := h.comesAs("guest")
	w := h.comesAs("guest")
	page := v.orders(ten15)
	w.post("/sandbox/end", url.Values{"key": {"0123456789"}}).goesTo("/shop")
	w.get("/shop").is(410).says("Your copy of the shop is over", "Continue as a guest")
	h.at.Set(time.Date(2026, 12, 5, 10, 0, 0, 0, time.UTC))
	for _, path := range []string{"/shop", page} {
		a := v.get(path).is(410).says("Your copy of the shop is over", "Continue as a guest")
		a.key("/sign-in")
	}
	v.post("/shop", url.Values{"key": {"0123456789"}, "qty.rye-loaf": {"1"}, "pickup": {ten15}}).is(410)
	v.post(page+"/cancel", url.Values{"key": {"0123456789"}}).is(410)
	v.get("/").is(200).saysNot("Go to your shop")
}

func TestACancelledOrderSaysSo(t *testing.T) {
	v := newHouse(t).comesAs("guest")
	page := v.orders(ten15)
	o := v.get(page)
	v.post(page+"/pay", url.Values{"key": {o.key(page + "/pay")}, "amount": {"1"}, "currency": {"SEK"}}).is(422).says("total", "A place is held for you")
	v.post(page+"/pay", url.Values{"key": {o.key(page + "/pay")}, "amount": {"all"}, "currency": {"SEK"}}).is(422)
	v.post(page+"/pay", url.Values{"key": {o.key(page + "/pay")}, "amount": {"9000"}, "currency": {"SEK"}}).goesTo(page)
	v.post(page+"/cancel", url.Values{"key": {o.key(page + "/cancel")}}).goesTo(page)
	v.get(page).saysNot("Pay 90").is(200).says("Cancelled.", "90,00\u00a0kr is to be paid back", "The order was cancelled after it had been paid.")
	v.get("/shop").says("cancelled", ">6 free<")
}

func TestAFormOfAnotherSiteIsRefused(t *testing.T) {
	v := newHouse(t).comesAs("guest")
	for _, path := range []string{"/sign-in", "/shop", "/orders/x/pay", "/orders/x/cancel", "/clock/advance", "/sandbox/end"} {
		v.post(path, url.Values{}, func(r *http.Request) { r.Header.Set("Origin", "https://elsewhere.example") }).is(403).says("another site")
	}
}

func TestAFormIsBoundedAndAForm(t *testing.T) {
	v := newHouse(t).comesAs("guest")
	v.post("/shop", url.Values{"note": {strings.Repeat("x", 17<<10)}}).is(413)
	v.post("/shop", url.Values{}, func(r *http.Request) { r.Header.Set("Content-Type", "application/json") }).is(415)
	v.do("POST", "/shop", nil).is(415)
	v.post("/shop", url.Values{}, func(r *http.Request) { r.URL.RawQuery = "a=%zz" }).is(400)
}

func TestEveryRefusalHasAPage(t *testing.T) {
	v := &visitor{house: newHouse(t)}
	list := v.get("/problems").is(200)
	for code, m := range refusal.Meanings {
		a := v.get("/problems/" + string(code)).is(200).says(string(code))
		title := strings.ReplaceAll(m.Title, "'", "&#39;")
		a.says(title)
		list.says(`href="/problems/`+string(code)+`"`, title)
	}
	v.get("/problems/no-such-thing").is(404)
}

func TestWhatIsNotThereSaysSo(t *testing.T) {
	v := &visitor{house: newHouse(t)}
	for _, path := range []string{"/nothing", "/look/nothing", "/assets/nothing.js", "/assets/", "/shop/", "/100%25", "/planner/nothing"} {
		v.get(path).is(404).says("There is nothing here")
	}
	v.get("/sign-in", func(r *http.Request) { r.Method = "DELETE" }).is(405)
	a := v.get("/shop", func(r *http.Request) { r.Method = "PUT" }).is(405)
	if a.Header.Get("Allow") != "GET, HEAD, POST" {
		t.Errorf("Allow: %q", a.Header.Get("Allow"))
	}
}

// pagesOf is one of each page, in each state.
func pagesOf(t *testing.T) map[string]answer {
	t.Helper()
	h := newHouse(t)
	none := &visitor{house: h}
	v := h.comesAs("guest")
	page := v.orders(ten15, "name", hostile, "note", hostile)
	all := map[string]answer{
		"front": none.get("/"), "sign-in": none.get("/sign-in?next=/shop"), "shop": v.get("/shop"), "order": v.get(page), "console": v.get("/console"),
		"refused": v.post("/shop", url.Values{"key": {"0123456789"}, "name": {hostile}, "note": {hostile}, "qty." + hostile: {hostile}}),
		"problem": none.get("/problems/slot-full"), "problems": none.get("/problems"), "missing": none.get("/" + url.PathEscape(hostile)),
		"status": none.get("/status"), "look": none.get("/look"), "look/ring": none.get("/look/ring"), "look/ends-board": none.get("/look/ends-board"), "look/traffic-chart": none.get("/look/traffic-chart"), "query": v.get("/shop?name=" + url.QueryEscape(hostile)),
		"next": none.get("/sign-in?next=/" + url.QueryEscape(hostile)),
	}
	v.post("/sandbox/end", url.Values{"key": {"0123456789"}})
	all["over"] = v.get("/shop")
	return all
}

const hostile = `"><script>x()</script><img src=x onerror=x()>` + "`${x}` {{.}}</textarea>Å"

func TestNoPageHasAnythingInlineOrFromElsewhere(t *testing.T) {
	tag := regexp.MustCompile(`<[a-zA-Z][^>]*>`)
	attribute := regexp.MustCompile(`\s([a-zA-Z-]+)(?:="([^"]*)")?`)
	for name, a := range pagesOf(t) {
		csp := a.Header.Get("Content-Security-Policy")
		if csp != "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'" {
			t.Errorf("%s: policy %q", name, csp)
		}
		for header, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin", "Date": "Sat, 05 Dec 2026 08:37:00 GMT"} {
			if got := a.Header.Get(header); got != want {
				t.Errorf("%s: %s is %q, want %q", name, header, got, want)
			}
		}
		for _, el := range tag.FindAllString(a.body, -1) {
			if strings.HasPrefix(el, "<style") {
				t.Errorf("%s has %s", name, el)
			}
			for _, m := range attribute.FindAllStringSubmatch(el, -1) {
				switch {
				case m[1] == "style", strings.HasPrefix(m[1], "on"):
					t.Errorf("%s has something inline: %s", name, el)
				case m[1] != "src" && m[1] != "href" && m[1] != "action" && m[1] != "formaction":
				case strings.HasPrefix(m[2], "//"), !strings.HasPrefix(m[2], "/") && !strings.HasPrefix(m[2], "#"):
					t.Errorf("%s leads elsewhere: %s", name, el)
				}
			}
		}
		if strings.Count(a.body, "<script") != 1 {
			t.Errorf("%s has %d scripts", name, strings.Count(a.body, "<script"))
		}
	}
}

func TestOnlyWhatIsTheSameForEverybodyIsKept(t *testing.T) {
	for name, a := range pagesOf(t) {
		want := "no-store"
		if strings.HasPrefix(name, "problem") {
			want = "no-cache"
		}
		if got := a.Header.Get("Cache-Control"); got != want {
			t.Errorf("%s: Cache-Control %q, want %q", name, got, want)
		}
	}
}

func TestNoPageLinksToWhatIsNotThere(t *testing.T) {
	h := newHouse(t)
	v := h.comesAs("guest")
	seen := map[string]bool{}
	for name, a := range pagesOf(t) {
		for _, m := range regexp.MustCompile(`href="(/[^"]*)"`).FindAllStringSubmatch(a.body, -1) {
			path, _, _ := strings.Cut(strings.ReplaceAll(m[1], "&amp;", "&"), "#")
			if seen[path] || strings.HasPrefix(path, "/orders/") {
				continue
			}
			seen[path] = true
			if got := v.get(path).StatusCode; got != 200 {
				t.Errorf("%s links to %s: %d", name, path, got)
			}
		}
	}
}

func TestAFaultIsTiedToItsField(t *testing.T) {
	v := newHouse(t).comesAs("guest")
	key := v.get("/shop").key("/shop")
	const tied = `aria-describedby="refused-text"`
	for _, c := range []struct {
		form        url.Values
		field, goes string
	}{
		{url.Values{"pickup": {ten15}}, `<section class="menu" aria-labelledby="menu" ` + tied, "#menu"},
		{url.Values{"qty.rye-loaf": {"1"}}, `data-date="2026-12-05" ` + tied, "#when"},
		{url.Values{"qty.rye-loaf": {"60"}, "pickup": {ten15}}, `data-name="Rye loaf" aria-invalid="true" ` + tied, "#qty-rye-loaf"},
		{url.Values{"qty.rye-loaf": {"1"}, "pickup": {ten15}, "name": {strings.Repeat("x", 81)}}, `autocomplete="name" aria-invalid="true" ` + tied, "#name"},
		{url.Values{"qty.rye-loaf": {"1"}, "pickup": {ten15}, "note": {strings.Repeat("x", 501)}}, `rows="3" aria-invalid="true" ` + tied, "#note"},
	} {
		c.form.Set("key", key)
		a := v.post("/shop", c.form).is(422).says("One thing to correct", `tabindex="-1" autofocus`, c.field, `<a href="`+c.goes+`">Go there</a>`).saysNot("What this refusal means")
		if n := strings.Count(a.body, tied); n != 1 {
			t.Errorf("%v: %d parts are tied to the card", c.form, n)
		}
	}
	v.get("/shop?qty.rye-loaf=60&qty.cardamom-bun=2").says("2 × Cardamom bun").saysNot("60 ×", "50 ×")
}

func TestMovingTheClockInTheShopKeepsWhatIsInTheForm(t *testing.T) {
	v := newHouse(t).comesAs("guest")
	shop := v.get("/shop")
	clock := regexp.MustCompile(`form="order" formaction="/clock/advance" formnovalidate name="clock" value="([^"]+)"`).FindStringSubmatch(shop.body)
	if clock == nil {
		t.Fatal("the clock's button is not the form's")
	}
	// The button before it is the one that the Enter key presses.
	if i := strings.Index(shop.body, `form="order"`); !strings.Contains(shop.body[i:i+120], "Place the order") {
		t.Error("the form's first button does not place the order")
	}
	form := url.Values{"key": {shop.key("/shop")}, "clock": {clock[1]}, "day": {"2026-12-05"}, "pickup": {ten15}, "qty.cardamom-bun": {"2"}, "qty.rye-loaf": {"0"}, "name": {"Åsa"}}
	kept := "/shop?date=2026-12-05&name=%C3%85sa&pickup=" + ten15 + "&qty.cardamom-bun=2"
	v.post("/clock/advance", form).goesTo(kept)
	v.post("/clock/advance", form).goesTo(kept) // once
	v.get(kept).is(200).says("15 minutes ahead", "2 × Cardamom bun", `value="Åsa"`, "Pickup 10:15")
	form.Set("key", v.get(kept).key("/shop"))
	form.Del("clock")
	v.post("/shop", form).is(303)
}

func TestCancellingWhatIsPaidIsAskedOnce(t *testing.T) {
	v := newHouse(t).comesAs("guest")
	page := v.orders(ten15)
	o := v.get(page).says(">Cancel the order</button>").saysNot("Yes, cancel it")
	v.post(page+"/pay", url.Values{"key": {o.key(page + "/pay")}, "amount": {"9000"}, "currency": {"SEK"}}).goesTo(page)
	v.get(page).says("<summary>Cancel the order</summary>", "Yes, cancel it").saysNot(">Cancel the order</button>")
	unpaid := v.orders(ten15)
	v.post(unpaid+"/cancel", formWithKey("0123456789")).goesTo(unpaid)
	v.get(unpaid).says("<summary>Try a payment that comes too late</summary>")
}

func TestYourOrdersAreListedByWhatEndsNextAndThenByPickup(t *testing.T) {
	h := newHouse(t)
	v := h.comesAs("guest")
	paid := v.orders("20261206T0915Z", "qty.rye-loaf", "1")
	v.post(paid+"/pay", url.Values{"key": {"0123456789"}, "amount": {"16600"}, "currency": {"SEK"}}).is(303)
	cancelled := v.orders(ten30)
	v.post(cancelled+"/cancel", formWithKey("0123456789")).is(303)
	first := v.orders(ten30)
	h.at.Set(morning.Add(time.Minute))
	second := v.orders(ten15)
	shop := v.get("/shop").says("2 × Cardamom bun, 1 × Rye loaf", "held until 09:52, not paid", "held until 09:53, not paid", "10:15, Sunday 6 December")
	at := -1
	for _, page := range []string{first, second, cancelled, paid} {
		i := strings.Index(shop.body, page)
		if i < at {
			t.Errorf("%s is listed too early", page)
		}
		at = i
	}
	v.get(paid).says(`<a href="/shop#orders-h">Your orders</a>`)
}

func TestPagesForVisitorsHaveNoWordsOfTheTrade(t *testing.T) {
	all := pagesOf(t)
	full := newHouse(t, func(c *app.Config) { c.Settings.GuestShare, c.Settings.DemoCap, c.Settings.Cap = 0, 0, 0 })
	v := &visitor{house: full}
	for _, as := range []string{"guest", "maja"} {
		all["full for "+as] = v.post("/sign-in", comesIn(as, v.get("/sign-in").key("/sign-in")))
	}
	for name, a := range all {
		if strings.HasPrefix(name, "problem") || strings.HasPrefix(name, "look") {
			continue
		}
		text := regexp.MustCompile(`<[^>]*>`).ReplaceAllString(a.body, " ")
		for _, word := range []string{"andbox", "UTC", "dempoten", " sku", "baker’s", "its baker"} {
			if name == "status" && word == "UTC" { // the day that the ledger counts
				continue
			}
			if strings.Contains(text, word) {
				t.Errorf("%s says %q", name, word)
			}
		}
		if n := strings.Count(text, "(Europe/Stockholm)"); n > 1 {
			t.Errorf("%s names the zone %d times", name, n)
		}
	}
	all["missing"].saysNot("What this refusal means")
}
