package web_test

import (
	"context"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"sync/atomic"
	"testing"
	"time"

	"pocbakery/pkg/admission"
	"pocbakery/pkg/app"
	"pocbakery/pkg/store"
	"pocbakery/pkg/store/mem"
)

// broken is a table that fails for a while.
type broken struct {
	store.Store
	err atomic.Pointer[error]
	// after is how many calls still succeed before it fails.
	after atomic.Int64
}

func (b *broken) fails() error {
	if err := b.err.Load(); err != nil && b.after.Add(-1) < 0 {
		return *err
	}
	return nil
}

func (b *broken) fail(err error, after int64) {
	b.after.Store(after)
	b.err.Store(&err)
}

func (b *broken) mend() { b.err.Store(nil) }

func (b *broken) Get(ctx context.Context, now time.Time, keys ...store.Key) ([]store.Item, error) {
	if err := b.fails(); err != nil {
		return nil, err
	}
	return b.Store.Get(ctx, now, keys...)
}

func (b *broken) List(ctx context.Context, now time.Time, pk string, r store.Range) (store.Page, error) {
	if err := b.fails(); err != nil {
		return store.Page{}, err
	}
	return b.Store.List(ctx, now, pk, r)
}

func (b *broken) Commit(ctx context.Context, now time.Time, w ...store.Write) error {
	if err := b.fails(); err != nil {
		return err
	}
	return b.Store.Commit(ctx, now, w...)
}

func (b *broken) Overdue(ctx context.Context, until time.Time, limit int) ([]store.Ref, error) {
	if err := b.fails(); err != nil {
		return nil, err
	}
	return b.Store.Overdue(ctx, until, limit)
}

func brokenHouse(t *testing.T) (*house, *broken) {
	b := &broken{Store: mem.New(nil)}
	return newHouse(t, func(c *app.Config) { c.Table = b }), b
}

// resent reads the form that a failure's page offers to send again.
func (a answer) resent() url.Values {
	a.t.Helper()
	form := url.Values{}
	for _, m := range regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]*)"`).FindAllStringSubmatch(a.body, -1) {
		form.Add(html.UnescapeString(m[1]), html.UnescapeString(m[2]))
	}
	return form
}

func TestWhatFailedCanBeSentAgainUnderItsKey(t *testing.T) {
	h, table := brokenHouse(t)
	v := h.comesAs("guest")
	form := url.Values{"key": {v.get("/shop").key("/shop")}, "pickup": {ten15}, "qty.cardamom-bun": {"2"}, "name": {`Åsa "<b>"`}}
	table.fail(fmt.Errorf("over: %w", store.ErrUnavailable), 0)
	a := v.post("/shop", form).is(503).says("The order book did not answer", "Send it again", "it is done once")
	if got := a.Header.Get("Retry-After"); got != "1" {
		t.Errorf("Retry-After %q", got)
	}
	if got := a.resent().Encode(); got != form.Encode() {
		t.Errorf("the form to send again is %s, want %s", got, form.Encode())
	}
	v.get("/shop").is(503).says("Try again", `href="/shop"`)
	table.mend()
	page := v.post("/shop", a.resent()).is(303).Header.Get("Location")
	v.post("/shop", form).goesTo(page)

	pay := url.Values{"key": {v.get(page).key(page + "/pay")}, "amount": {"9000"}, "currency": {"SEK"}}
	table.fail(fmt.Errorf("over: %w", store.ErrUnavailable), 0)
	again := v.post(page+"/pay", pay).is(503).says("Send it again").resent()
	move := v.post("/clock/advance", url.Values{"key": {"0123456789"}, "seconds": {"60"}, "next": {page}}).is(503)
	v.post("/sandbox/end", url.Values{"key": {"0123456789"}}).is(503)
	table.mend()
	v.post(page+"/pay", again).goesTo(page)
	v.post("/clock/advance", move.resent()).goesTo(page)
	v.get(page).says("Paid.", "1 minute ahead")
}

func TestAFaultIsNotToldButSaysThatAskingAgainIsSafe(t *testing.T) {
	h, table := brokenHouse(t)
	v := h.comesAs("guest")
	page := v.orders(ten15)
	table.fail(errors.New("secret detail"), 0)
	for _, path := range []string{"/shop", page} {
		v.get(path).is(500).says("Something broke on our side", "Sending it again from here is safe").saysNot("secret")
	}
	v.post("/shop", url.Values{"key": {"0123456789"}, "pickup": {ten15}, "qty.rye-loaf": {"1"}}).is(500).saysNot("secret")
	v.post("/sign-in", comesIn("guest", "0123456789abcdefghijklmn")).is(500).says("Something broke on our side", "Continue as a guest").saysNot("secret")
}

// Wherever in a page's reads the table fails, the page is whole or says so.
func TestATableThatFailsInTheMiddleLeavesNoHalfPage(t *testing.T) {
	h, table := brokenHouse(t)
	v := h.comesAs("guest")
	page := v.orders(ten15)
	for n := range int64(8) {
		for _, path := range []string{"/shop", page} {
			table.fail(store.ErrUnavailable, n)
			a := v.get(path)
			if a.StatusCode != http.StatusOK && a.StatusCode != http.StatusServiceUnavailable {
				t.Errorf("%s failing after %d: %d", path, n, a.StatusCode)
			}
			a.says("</html>")
		}
		table.fail(store.ErrUnavailable, n)
		a := v.post("/shop", url.Values{"key": {"0123456789"}, "pickup": {ten15}, "name": {"Åsa"}})
		if a.StatusCode != 422 && a.StatusCode != 503 {
			t.Errorf("placing, failing after %d: %d", n, a.StatusCode)
		}
		a.says("Åsa")
		table.mend()
	}
}

func TestARefusedAdmissionSaysWhenToComeBack(t *testing.T) {
	h := newHouse(t, func(c *app.Config) { c.Settings.GuestShare, c.Settings.Cap = 1, 1 })
	h.comesAs("guest")
	v := &visitor{house: h}
	form := comesIn("guest", v.get("/sign-in").key("/sign-in"))
	form.Set("next", "/orders/x")
	a := v.post("/sign-in", form).is(503).
		says("in about 15 hours", "Ask again at 01:00 on Sunday 6 December (Europe/Stockholm)<", "Continue as a guest", `value="/orders/x"`)
	if got := a.Header.Get("Retry-After"); got != "55380" {
		t.Errorf("Retry-After %q", got)
	}
	off := newHouse(t, func(c *app.Config) { c.Settings.Flag = admission.Off })
	v = &visitor{house: off}
	a = v.post("/sign-in", comesIn("olle", v.get("/").key("/sign-in"))).is(503).says("not lending copies of the shop now").saysNot("Ask again at")
	if got := a.Header.Get("Retry-After"); got != "" {
		t.Errorf("Retry-After %q where no time is known", got)
	}
}
