package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"pocbakery/pkg/alarm"
	"pocbakery/pkg/store"
)

func TestTheConsoleShowsWhatIsAndWhatHappens(t *testing.T) {
	v := newHouse(t).comesAs("guest")
	page := v.orders(ten15, "name", "Åsa Öberg")
	a := v.get("/console").is(200).says("Saturday 5 December", "1 held, 0 confirmed, 5 free", `aria-label="Places at 10:15"`,
		"What ends next", "The hold on a place at 10:15, Saturday 5 December", `href="`+page+`"`, "This copy of the shop, and all in it",
		"Hold at ", " until 09:52.", "30 of the day&#39;s 30 minutes are left.", "Deleted at 11:00 real time", "Wipe now", "Åsa Öberg", "To the next end, 09:52", "Older ones")
	if strings.Index(a.body, "The hold on a place") > strings.Index(a.body, "This copy of the shop, and") {
		t.Error("the next end is not on top")
	}
	a.saysNot("Set aside")
	v.get("/shop").says(`<a href="/console">`)
}

func TestTheConsoleIsTheBakersAlone(t *testing.T) {
	h := newHouse(t)
	olle := h.comesAs("olle")
	olle.get("/console").is(403).says("This page is the bakers")
	olle.get("/shop").saysNot(`href="/console"`)
	none := &visitor{house: h}
	none.get("/console?state=paid").goesTo("/sign-in?next=" + url.QueryEscape("/console?state=paid"))
	for _, path := range []string{"/console/slots/" + ten15, "/console/clock", "/console/traffic", "/console/traffic/stop", "/console/tokens", "/console/tokens/x/revoke"} {
		form := url.Values{"key": {"0123456789"}, "seconds": {"900"}, "capacity": {"0"}, "minutes": {"1"}, "orders_per_minute": {"1"}, "name": {"x"}}
		olle.post(path, form).is(403)
		none.post(path, form).goesTo("/sign-in?next=" + url.QueryEscape("/console"))
	}
	over := h.comesAs("guest")
	over.post("/sandbox/end", formWithKey("0123456789")).is(303)
	over.get("/console").is(410).says("Your copy of the shop is over")
}

func TestTheConsoleEditsCapacitiesWithFormsOnly(t *testing.T) {
	v := newHouse(t).comesAs("maja")
	set := func(places, back string) answer {
		return v.post("/console/slots/"+ten15, url.Values{"capacity": {places}, "next": {back}})
	}
	set("200", "/console?day=2026-12-05").goesTo("/console?day=2026-12-05#board")
	v.get("/console").says("200 free", "10:15</a> has 200 places now.")
	set("0", "//elsewhere.example").goesTo("/console#board")
	v.get("/console").says("0 held, 0 confirmed, 0 free")
	set("201", "/console").is(422).says("A slot has 0 to 200 places.")
	set("many", "/console").is(422)
	v.post("/console/slots/x", url.Values{"capacity": {"1"}}).is(404)
}

func TestTheConsoleFindsOrdersPageByPage(t *testing.T) {
	v := newHouse(t).comesAs("guest")
	v.orders(ten15, "name", "Åsa Öberg")
	v.get("/console?q="+url.QueryEscape("åsa ö")).says("Åsa Öberg", "placed").saysNot("Older ones")
	v.get("/console?state=placed&q=nobody").says("No order is like that.")
	seen, path := 0, "/console?state=collected"
	for range 3 {
		a := v.get(path).is(200)
		n := strings.Count(a.body, "<span>collected</span>")
		if n != 20 {
			t.Fatalf("%d on a page", n)
		}
		seen += n
		_, more, ok := strings.Cut(a.body, `<a href="/console?cursor=`)
		if !ok {
			t.Fatal("there are no older ones")
		}
		more, _, _ = strings.Cut(more, "#")
		path = "/console?cursor=" + strings.ReplaceAll(more, "&amp;", "&")
	}
	v.get(path).says("The latest")
	v.get("/console?state=none").is(200)
	v.get("/console?cursor=none").is(422)
}

func TestTheConsoleMovesTheClockAndSaysWhatItReleased(t *testing.T) {
	v := newHouse(t).comesAs("guest")
	v.orders(ten15)
	v.orders(ten30)
	a := v.get("/console")
	move := url.Values{"key": {a.key("/console/clock")}, "seconds": {"900"}, "next": {"/console?day=2026-12-05"}}
	done := v.post("/console/clock", move).is(303).Header.Get("Location")
	if done != "/console?day=2026-12-05&moved=900&released=2&expired=2#clock" {
		t.Error(done)
	}
	v.get(strings.TrimSuffix(done, "#clock")).says("The clock was moved by 15 minutes. 2 holds ended unpaid, and 2 orders with them.", "09:52")
	v.post("/console/clock", move).is(303) // once
	v.get("/console").says("15 minutes ahead of real time").saysNot("The clock was moved by 15 minutes. ")
	v.post("/console/clock", url.Values{"key": {"0123456789"}, "seconds": {"0"}}).is(422)
	v.get("/console?moved=60").says("The clock was moved by 1 minute. No hold ended on the way.")
	v.get("/console?moved=x&released=-1").is(200)
}

func TestTheConsoleStartsAndStopsTraffic(t *testing.T) {
	h := newHouse(t)
	v := h.comesAs("guest")
	v.post("/console/traffic", url.Values{"minutes": {"10"}, "orders_per_minute": {"12"}}).goesTo("/console#traffic")
	v.get("/console").is(200).says("It runs until 09:47 real time", "20 of the day&#39;s 30 minutes are left.", "Minute 1: ", "Simulated traffic began, for 10 minutes.", "Stop the traffic", "The minute of simulated traffic")
	v.post("/console/traffic", url.Values{"minutes": {"10"}, "orders_per_minute": {"12"}}).is(409).says("Traffic is running already")
	h.at.Move(61 * time.Second)
	v.post("/console/traffic/stop", url.Values{}).goesTo("/console#traffic")
	v.get("/console").says("28 of the day&#39;s 30 minutes are left.", "The simulated traffic stopped.", "Start the traffic")
	v.post("/console/traffic", url.Values{"minutes": {"29"}, "orders_per_minute": {"1"}}).is(429).says("28 of today")
	v.post("/console/traffic", url.Values{"minutes": {""}, "orders_per_minute": {"1"}}).is(422)
}

func TestTheConsoleShowsATokenOnceAndRevokesIt(t *testing.T) {
	v := newHouse(t).comesAs("guest")
	a := v.post("/console/tokens", url.Values{"name": {"till <b>"}}).is(200).says("It is shown this once.", "till &lt;b&gt;", `data-here="/console"`)
	_, secret, _ := strings.Cut(a.body, `class="secret">`)
	secret, _, _ = strings.Cut(secret, "<")
	byToken := func(path string) int {
		return (&visitor{house: v.house}).get(path, func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+secret) }).StatusCode
	}
	if !strings.HasPrefix(secret, "pb_") || byToken("/v1/menu") != 200 {
		t.Fatalf("%q", secret)
	}
	// What a token may not do under /v1, it may not by way of a page.
	for path, form := range map[string]url.Values{"/sandbox/end": formWithKey("0123456789"), "/console/tokens": {"name": {"another"}}} {
		(&visitor{house: v.house}).post(path, form, func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+secret) }).is(403)
	}
	list := v.get("/console").saysNot(secret, "It is shown this once.").says("last used on 2026-12-05")
	_, id, _ := strings.Cut(list.body, `action="/console/tokens/`)
	id, _, _ = strings.Cut(id, "/revoke")
	for range 2 {
		v.post("/console/tokens/"+id+"/revoke", url.Values{}).goesTo("/console#tokens")
	}
	if got := byToken("/v1/menu"); got != 401 {
		t.Errorf("revoked, and %d", got)
	}
	v.post("/console/tokens", url.Values{"name": {""}}).is(422)
}

func TestJourneyABakerWatchesTrafficComeAndStopsIt(t *testing.T) {
	h := newHouse(t)
	g := atBrowser(t, h.opens(), true)
	g.goes("/sign-in?next=/console")
	g.presses("Continue as Maja")
	g.sees("The console", "30 of the day's 30 minutes are left.")
	g.presses("Start the traffic")
	g.sees("It runs until", "20 of the day's 30 minutes are left.", "Simulated traffic began, for 10 minutes.")
	first := g.reads("#traffic .placed")
	h.at.Move(61 * time.Second) // the second minute is due, and its alarm rings
	g.until("the second minute is drawn, without a reload", func() bool {
		return learns(g, chromedp.Evaluate[int](`document.querySelectorAll(".chart g").length`)) == 2 && g.reads("#traffic .placed") != first
	})
	g.sees("Hold at")
	if n := learns(g, chromedp.Evaluate[int](`performance.getEntriesByType("navigation").length`)); n != 1 {
		t.Errorf("%d navigations", n)
	}
	g.presses("Stop the traffic")
	g.sees("The simulated traffic stopped.", "28 of the day's 30 minutes are left.")
}

func TestJourneyABakerSeesAnOrderComeAndMakesItsTimeLarger(t *testing.T) {
	h := newHouse(t)
	g := atBrowser(t, h.opens(), true)
	v := h.comesAs("guest")
	g.signedInAs(v)
	g.goes("/console")
	g.sees("0 held, 0 confirmed, 6 free")
	v.orders(ten15, "name", "Åsa")
	g.sees("1 held, 0 confirmed, 5 free", "The hold on a place at 10:15, Saturday 5 December") // by itself
	// What is being typed stays, whatever happens meanwhile.
	g.does(chromedp.SetValue(chromedp.CSS("#capacity-"+ten15), "12"))
	v.orders(ten30)
	g.sees("The hold on a place at 10:30, Saturday 5 December")
	g.does(chromedp.Click(`//li[@id="at-` + ten15 + `"]//button`))
	g.sees("1 held, 0 confirmed, 11 free", "has 12 places now.")
}

func TestJourneyABakerMovesTheClockToTheNextEnd(t *testing.T) {
	h := newHouse(t)
	g := atBrowser(t, h.opens(), true)
	v := h.comesAs("guest")
	v.orders(ten15)
	g.signedInAs(v)
	g.goes("/console")
	g.presses("To the next end, 09:52")
	g.sees("1 hold ended unpaid, and 1 order with it.", "was released.", "The order expired.")
}

func TestJourneyABakerWithoutJavaScriptMakesATokenAndWipes(t *testing.T) {
	h := newHouse(t)
	g := atBrowser(t, h.opens(), false)
	g.signedInAs(h.comesAs("maja"))
	g.goes("/console")
	g.does(chromedp.SendKeys(chromedp.CSS("#token-name"), "till"))
	g.presses("Make a token")
	g.sees("The token “till”", "It is shown this once.")
	g.goes("/console")
	g.sees("not used yet")
	g.does(chromedp.Click(`//summary[.="Wipe now"]`), chromedp.Click(`//details//input[@type="checkbox"]`))
	g.presses("Wipe now")
	g.sees("Your copy of the shop is over")
}

// An end that cannot be settled does not take the page with it: it stands on the
// board until it is set aside, and then among what was, with its reason.
func TestTheConsoleShowsWhatCannotBeSettled(t *testing.T) {
	h := newHouse(t)
	v := h.comesAs("guest")
	id := v.hub()
	put := func(sk string, fields store.Fields) {
		if err := h.app.Engine.Store().Commit(t.Context(), h.at.Now(), store.Put(store.Key{PK: id, SK: sk}, store.IfAbsent(), fields)); err != nil {
			t.Fatal(err)
		}
	}
	end := h.at.Now().Add(time.Minute)
	put("slot#"+ten30, store.Fields{"capacity": int64(6), "h_0000000000": "{", "due": store.DueAt(store.Business, end), "wake": store.FormatInstant(end)})
	v.get("/console").is(200).says("The slot at 10:30, Saturday 5 December").saysNot("Set aside")
	h.at.Move(time.Minute)
	for range 10 {
		_ = h.app.Wake(t.Context(), alarm.Schedule{Hub: id})
	}
	v.get("/console").is(200).says("Set aside", "slot#"+ten30, "cannot be read").saysNot("The slot at 10:30")
}

// hub is the id of the visitor's sandbox.
func (v *visitor) hub() string {
	_, rest, _ := strings.Cut(v.get("/v1/sandbox").body, `"id":"`)
	id, _, _ := strings.Cut(rest, `"`)
	return id
}

func TestJourneyABakerFindsAnOrderByItsName(t *testing.T) {
	h := newHouse(t)
	g := atBrowser(t, h.opens(), true)
	v := h.comesAs("guest")
	v.orders(ten15, "name", "Åsa-Märta Öhrström")
	g.signedInAs(v)
	g.goes("/console")
	g.does(chromedp.SendKeys(chromedp.CSS("#q"), "öhrst\r")) // by keyboard
	g.until("one is found", func() bool {
		return learns(g, chromedp.Evaluate[int](`document.querySelectorAll(".found li").length`)) == 1
	})
	g.does(chromedp.Click(chromedp.CSS(".found a")))
	g.sees("Åsa-Märta Öhrström", "A place is held for you until")
}
