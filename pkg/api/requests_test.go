package api

import (
	"fmt"
	"io"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"pocbakery/pkg/hub"
	"pocbakery/pkg/refusal"
)

func TestAMalformedBodyIsToldWhatIsWrongWithItAndNothingIsDone(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	line := `{"sku":"cardamom-bun","quantity":2}`
	orders, pay, slot, item, clock, lend := "POST /v1/orders", "POST /v1/orders/x/payments", "PATCH /v1/slots/20261205T0915Z", "PATCH /v1/menu/semla", "POST /v1/sandbox/clock/advance", "POST /v1/sandboxes"
	for _, c := range []struct {
		route, body string
		status      int
		code        refusal.Code
		field       string
	}{
		// The form.
		{orders, ``, 400, refusal.MalformedBody, ""},
		{orders, ` `, 400, refusal.MalformedBody, ""},
		{orders, `{`, 400, refusal.MalformedBody, ""},
		{orders, `{"pickup"`, 400, refusal.MalformedBody, ""},
		{orders, `{"pickup":"x",}`, 400, refusal.MalformedBody, ""},
		{orders, `{pickup:1}`, 400, refusal.MalformedBody, ""},
		{orders, `null`, 400, refusal.MalformedBody, ""},
		{orders, `[]`, 400, refusal.MalformedBody, ""},
		{orders, `"x"`, 400, refusal.MalformedBody, ""},
		{orders, `17`, 400, refusal.MalformedBody, ""},
		{orders, "\ufeff" + anOrder, 400, refusal.MalformedBody, ""},
		{orders, anOrder + `{}`, 400, refusal.MalformedBody, ""},
		{orders, anOrder + ` x`, 400, refusal.MalformedBody, ""},
		{orders, anOrder + "\x00", 400, refusal.MalformedBody, ""},
		{orders, `pickup=20261205T0915Z`, 400, refusal.MalformedBody, ""},
		{orders, `{"pickup":"` + "\xff" + `","lines":[` + line + `]}`, 400, refusal.MalformedBody, ""},
		{orders, `{"pickup":"\ud800","lines":[` + line + `]}`, 400, refusal.MalformedBody, ""},
		{orders, `{"` + "\xc3" + `":1}`, 400, refusal.MalformedBody, ""},
		{orders, "{\"pickup\":\"a\nb\"}", 400, refusal.MalformedBody, ""},
		{orders, `{"pickup":` + deep(33) + `}`, 400, refusal.MalformedBody, ""},
		{orders, `{"pickup":` + deep(31) + `}`, 422, refusal.Invalid, "pickup"},
		{orders, `{"x":` + deep(32) + `}`, 400, refusal.MalformedBody, ""},
		{orders, strings.Repeat(`[`, 16000), 400, refusal.MalformedBody, ""},
		{orders, strings.Repeat(`{"pickup":`, 1600), 400, refusal.MalformedBody, ""},
		{orders, `{"lines":7,` + `"lines":7}`, 400, refusal.MalformedBody, ""}, // the form comes first
		{orders, `{"lines":7} x`, 400, refusal.MalformedBody, ""},
		{orders, `{"x":7`, 400, refusal.MalformedBody, ""},

		// The keys.
		{orders, `{"pickup":"a","pickup":"a","lines":[` + line + `]}`, 400, refusal.MalformedBody, ""},
		{orders, `{"pickup":"a","p\u0069ckup":"a"}`, 400, refusal.MalformedBody, ""},
		{orders, `{"pickup":"a","Pickup":"a"}`, 400, refusal.MalformedBody, ""},
		{orders, `{"Pickup":"a","lines":[` + line + `]}`, 400, refusal.UnknownField, "Pickup"},
		{orders, `{"x":1}`, 400, refusal.UnknownField, "x"},
		{orders, `{"":1}`, 400, refusal.UnknownField, ""},
		{orders, `{"a\u0000b":1}`, 400, refusal.UnknownField, "?"},
		{orders, `{"` + strings.Repeat("x", 15000) + `":1}`, 400, refusal.UnknownField, "?"},
		{orders, `{"pickup":"a","lines":[{"sku":"a","quantity":1,"gift":true}]}`, 400, refusal.UnknownField, "lines[0].gift"},
		{pay, `{"amount":{"amount":1,"currency":"SEK","tip":1}}`, 400, refusal.UnknownField, "amount.tip"},
		{lend, `{"kind":"guest","__proto__":{}}`, 400, refusal.UnknownField, "__proto__"},

		// Texts.
		{orders, `{"pickup":"` + string(slotA) + `","lines":[` + line + `],"name":"a\u0000b"}`, 400, refusal.MalformedBody, "name"},
		{orders, `{"pickup":"` + string(slotA) + `","lines":[` + line + `],"name":"a\nb"}`, 400, refusal.MalformedBody, "name"},
		{orders, `{"pickup":"` + string(slotA) + `","lines":[` + line + `],"name":"a\u007fb"}`, 400, refusal.MalformedBody, "name"},
		{orders, `{"pickup":"` + string(slotA) + `","lines":[` + line + `],"name":"a` + "\u0085" + `b"}`, 400, refusal.MalformedBody, "name"},
		{orders, `{"pickup":"` + string(slotA) + `","lines":[` + line + `],"note":"a\r\nb"}`, 400, refusal.MalformedBody, "note"},
		{orders, `{"pickup":"` + string(slotA) + `","lines":[` + line + `],"name":"` + strings.Repeat("ö", 81) + `"}`, 422, refusal.Invalid, "name"},
		{orders, `{"pickup":"` + string(slotA) + `","lines":[` + line + `],"note":"` + strings.Repeat("x", 501) + `"}`, 422, refusal.Invalid, "note"},
		{orders, `{"pickup":"` + string(slotA) + `","lines":[` + line + `],"name":null}`, 422, refusal.Invalid, "name"},
		{orders, `{"pickup":"` + string(slotA) + `","lines":[` + line + `],"name":["x"]}`, 422, refusal.Invalid, "name"},
		{orders, `{"pickup":7,"lines":[` + line + `]}`, 422, refusal.Invalid, "pickup"},
		{orders, `{"pickup":"","lines":[` + line + `]}`, 422, refusal.Invalid, "pickup"},
		{orders, `{"lines":[` + line + `]}`, 422, refusal.Invalid, "pickup"},
		{lend, `{}`, 422, refusal.Invalid, "kind"},
		{lend, `{"kind":"owner"}`, 422, refusal.Invalid, "kind"},
		{lend, `{"kind":"Guest"}`, 422, refusal.Invalid, "kind"},
		{lend, `{"kind":"demo","demo_account":"eve"}`, 422, refusal.Invalid, "demo_account"},
		{lend, `{"kind":"guest","demo_account":"maja"}`, 422, refusal.Invalid, "demo_account"},
		{lend, `{"kind":"account","demo_account":"maja"}`, 422, refusal.Invalid, "demo_account"},
		{lend, `{"kind":"demo","demo_account":""}`, 422, refusal.Invalid, "demo_account"},
		{lend, `{"kind":"guest","turnstile_token":"` + strings.Repeat("x", 2049) + `"}`, 422, refusal.Invalid, "turnstile_token"},

		// Lists.
		{orders, `{"pickup":"a"}`, 422, refusal.Invalid, "lines"},
		{orders, `{"pickup":"a","lines":null}`, 422, refusal.Invalid, "lines"},
		{orders, `{"pickup":"a","lines":{}}`, 422, refusal.Invalid, "lines"},
		{orders, `{"pickup":"a","lines":[]}`, 422, refusal.Invalid, "lines"},
		{orders, `{"pickup":"a","lines":[null]}`, 422, refusal.Invalid, "lines[0]"},
		{orders, `{"pickup":"a","lines":[` + strings.Repeat(line+",", 50) + line + `]}`, 422, refusal.Invalid, "lines"},
		{orders, `{"pickup":"a","lines":[` + line + `,{"sku":"a"}]}`, 422, refusal.Invalid, "lines[1].quantity"},
		{orders, `{"pickup":"a","lines":[{"quantity":1}]}`, 422, refusal.Invalid, "lines[0].sku"},

		// Numbers.
		{clock, `{"seconds":9.5}`, 422, refusal.Invalid, "seconds"},
		{clock, `{"seconds":9.0}`, 422, refusal.Invalid, "seconds"},
		{clock, `{"seconds":1e2}`, 422, refusal.Invalid, "seconds"},
		{clock, `{"seconds":"900"}`, 422, refusal.Invalid, "seconds"},
		{clock, `{"seconds":0}`, 422, refusal.Invalid, "seconds"},
		{clock, `{"seconds":-1}`, 422, refusal.Invalid, "seconds"},
		{clock, `{"seconds":604801}`, 422, refusal.Invalid, "seconds"},
		{clock, `{"seconds":9223372036854775808}`, 422, refusal.Invalid, "seconds"},
		{clock, `{"seconds":` + strings.Repeat("9", 15000) + `}`, 422, refusal.Invalid, "seconds"},
		{clock, `{"seconds":1e999999999}`, 422, refusal.Invalid, "seconds"},
		{clock, `{"seconds":007}`, 400, refusal.MalformedBody, ""},
		{clock, `{"seconds":+7}`, 400, refusal.MalformedBody, ""},
		{clock, `{"seconds":NaN}`, 400, refusal.MalformedBody, ""},
		{clock, `{"seconds":null}`, 422, refusal.Invalid, "seconds"},
		{slot, `{"capacity":201}`, 422, refusal.Invalid, "capacity"},
		{slot, `{"capacity":-1}`, 422, refusal.Invalid, "capacity"},
		{slot, `{}`, 422, refusal.Invalid, "capacity"},
		{orders, `{"pickup":"a","lines":[{"sku":"a","quantity":0}]}`, 422, refusal.Invalid, "lines[0].quantity"},
		{orders, `{"pickup":"a","lines":[{"sku":"a","quantity":51}]}`, 422, refusal.Invalid, "lines[0].quantity"},
		{pay, `{"amount":450}`, 422, refusal.Invalid, "amount"},
		{pay, `{"amount":{"amount":-1,"currency":"SEK"}}`, 422, refusal.Invalid, "amount.amount"},
		{pay, `{"amount":{"amount":1,"currency":"kronor"}}`, 422, refusal.Invalid, "amount.currency"},
		{pay, `{"amount":{"amount":1}}`, 422, refusal.Invalid, "amount.currency"},
		{item, `{"available":1}`, 422, refusal.Invalid, "available"},
		{item, `{"available":"true"}`, 422, refusal.Invalid, "available"},
		{item, `{"available":null}`, 422, refusal.Invalid, "available"},

		// Where no body is needed, an empty object is one too many words, and no more.
		{"POST /v1/orders/x/cancel", `{"why":1}`, 400, refusal.UnknownField, "why"},
		{"POST /v1/orders/x/collect", `x`, 400, refusal.MalformedBody, ""},
		{"DELETE /v1/sandbox", `{"all":true}`, 400, refusal.UnknownField, "all"},
	} {
		t.Run(fmt.Sprintf("%s %.60s", c.route, c.body), func(t *testing.T) {
			h := newHouse(t)
			method, path, _ := strings.Cut(c.route, " ")
			h.ask(method, path, c.body).is(c.status, c.code, c.field)
			if h.shop.asked > 0 || len(h.desk.asked) > 0 || h.sandboxes.root.Offset > 0 || h.sandboxes.root.Over {
				t.Error("a service was asked")
			}
		})
	}
}

func TestARefusalSaysWhatAValueMustBeAndOnlyTheBoundsThereAre(t *testing.T) {
	for _, c := range []struct{ route, body, says string }{
		{"GET /v1/slots", ``, "This is missing: a date such as 2026-12-05."},
		{"GET /v1/slots?date=tomorrow", ``, "This must be a date such as 2026-12-05."},
		{"GET /v1/slots?date=2026-12-05&days=15", ``, "This must be a whole number from 1 to 14, in digits."},
		{"GET /v1/orders?q=" + strings.Repeat("x", 81), ``, "This must be a text of at most 80 characters."},
		{"GET /v1/orders?state=void", ``, "This must be one of placed, paid, collected, expired, cancelled."},
		{"POST /v1/orders", `{}`, "This is missing: a text of 1 to 64 characters."},
		{"POST /v1/orders", `{"pickup":"a"}`, "This is missing: a list of 1 to 50."},
		{"POST /v1/orders", `{"pickup":"a","lines":[7]}`, "This must be a JSON object."},
		{"POST /v1/orders/x/payments", `{"amount":{"amount":1}}`, "This is missing: a text of 3 characters."},
		{"PATCH /v1/menu/semla", `{}`, "This is missing: true or false."},
		{"POST /v1/sandboxes", `{}`, "This is missing: one of guest, demo, account."},
	} {
		method, path, _ := strings.Cut(c.route, " ")
		if a := newHouse(t).ask(method, path, c.body).ok(422); a.json["detail"] != c.says {
			t.Errorf("%s %s: %v, want %q", c.route, c.body, a.json["detail"], c.says)
		}
	}
	type open struct {
		Text  text   `json:"text"`
		Long  text   `json:"long" minLength:"2"`
		Count int    `json:"count"`
		Least int    `json:"least" minimum:"-3"`
		Most  int    `json:"most" maximum:"7"`
		List  []text `json:"list"`
	}
	var says []string
	for _, m := range shapeOf(reflect.TypeFor[open]()).members {
		says = append(says, m.says)
	}
	want := "a text; a text of at least 2 characters; a whole number, in digits; a whole number of at least -3, in digits; a whole number of at most 7, in digits; a list"
	if got := strings.Join(says, "; "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestWhatIsInBoundsIsTaken(t *testing.T) {
	line := `{"quantity":50,"sku":"cardamom-bun"}`
	for _, c := range []struct {
		route, body string
		status      int
	}{
		{"POST /v1/orders", ` {"note":"ring\n\ttwice","name":"` + strings.Repeat("ö", 80) + `","lines":[` + strings.Repeat(line+",", 49) + line + `],"pickup":"20261205T0915Z"} `, 201},
		{"POST /v1/orders", `{"p\u0069ckup":"20261205T0915Z","lines":[{"sku":"cardamom\u002dbun","quantity":1}],"name":"😀"}`, 201},
		{"POST /v1/sandbox/clock/advance", `{"seconds":604800}`, 200},
		{"PATCH /v1/slots/20261205T0915Z", `{"capacity":0}`, 200},
		{"PATCH /v1/slots/20261205T0915Z", `{"capacity":200}`, 200},
		{"PATCH /v1/menu/semla", `{"available":false}`, 200},
		{"POST /v1/sandboxes", `{"kind":"demo","demo_account":"olle","turnstile_token":"` + strings.Repeat("x", 2048) + `"}`, 201},
		{"POST /v1/sandboxes", `{"kind":"guest"}`, 201},
		{"DELETE /v1/sandbox", `{}`, 204},
		{"DELETE /v1/session", ``, 204},
	} {
		method, path, _ := strings.Cut(c.route, " ")
		newHouse(t).ask(method, path, c.body).ok(c.status)
	}
}

func TestABodyHasSixteenKilobytesHoweverItComes(t *testing.T) {
	pad := func(n int) string { return anOrder + strings.Repeat(" ", n-len(anOrder)) }
	for _, chunked := range []bool{false, true} {
		for n, want := range map[int]int{MaxBody: 201, MaxBody + 1: 413, 1 << 20: 413} {
			h := newHouse(t)
			r := httptest.NewRequest("POST", "/v1/orders", strings.NewReader(pad(n)))
			if chunked {
				r = httptest.NewRequest("POST", "/v1/orders", io.MultiReader(strings.NewReader(pad(n))))
			}
			r.Header.Set("Authorization", "Bearer "+h.token(hub.Customer))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set(keyHeader, aKey)
			if a := h.send(r); a.status != want {
				t.Errorf("%d bytes, chunked %v: %d %s, want %d", n, chunked, a.status, a.raw, want)
			}
		}
	}
	h := newHouse(t)
	r := httptest.NewRequest("POST", "/v1/orders", brokenReader{})
	r.ContentLength = MaxBody + 1
	h.send(r).is(413, refusal.BodyTooLarge, "") // without reading any of it
	r = httptest.NewRequest("POST", "/v1/orders", io.MultiReader(strings.NewReader(anOrder), brokenReader{}))
	r.Header.Set("Content-Type", "application/json")
	h.send(r).is(400, refusal.MalformedBody, "")
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestOnlyJSONIsRead(t *testing.T) {
	for contentType, want := range map[string]int{
		"application/json": 201, "Application/JSON": 201, "application/json; charset=utf-8": 201, "application/json;charset=\"UTF-8\"": 201,
		"": 415, "text/plain": 415, "application/x-www-form-urlencoded": 415, "application/json; charset=latin1": 415,
		"application/problem+json": 415, "application/json, text/plain": 415, ";;;": 415, "application/jsonx": 415,
	} {
		if a := newHouse(t).ask("POST", "/v1/orders", anOrder, "Content-Type", contentType); a.status != want {
			t.Errorf("%q: %d %s, want %d", contentType, a.status, a.raw, want)
		}
	}
	newHouse(t).ask("POST", "/v1/orders", anOrder, "Content-Encoding", "gzip").is(415, refusal.UnsupportedMedia, "Content-Type")
	// What has no body may call it what it likes.
	newHouse(t).ask("POST", "/v1/orders/x/cancel", "", "Content-Type", "text/plain").is(404, refusal.NoSuchOrder, "")
	newHouse(t).ask("POST", "/v1/orders", "", "Content-Type", "text/plain").is(400, refusal.MalformedBody, "")
	newHouse(t).ask("GET", "/v1/menu", "", "Content-Type", "text/plain").ok(200)
}

func TestAKeyIsReadOrRefused(t *testing.T) {
	every := strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' {
			return -1
		}
		return r
	}, string(func() (b []byte) {
		for c := byte(0); c < 128; c++ {
			b = append(b, c)
		}
		return b
	}()))
	for _, c := range []struct{ header, want string }{
		{"12345678", "12345678"},
		{`"12345678"`, "12345678"},
		{` "12345678" `, "12345678"},
		{`"1234\"567\\"`, `1234"567\`},
		{`1234,5678`, `1234,5678`},
		{`12345678"`, `12345678"`},
		{every, every},
		{strings.Repeat("x", 128), strings.Repeat("x", 128)},
		{`"` + strings.Repeat("x", 128) + `"`, strings.Repeat("x", 128)},
		{"1234567", ""},
		{`"1234567"`, ""},
		{strings.Repeat("x", 129), ""},
		{"1234 5678", ""},
		{"1234\t5678", ""},
		{"1234\x005678", ""},
		{"12345678ö", ""},
		{"12345678\xff", ""},
		{`"12345678`, ""},
		{`"1234"5678"`, ""},
		{`"12345678\"`, ""},
		{`"1234\n5678"`, ""},
		{`"12345678";a=b`, ""},
		{`"`, ""},
		{`""`, ""},
		{"", ""},
	} {
		key, err := idempotencyKey(map[string][]string{keyHeader: {c.header}}, keyRequired)
		if key != c.want || (err == nil) != (c.want != "") || (err != nil && !refusal.Is(err, refusal.KeyInvalid)) {
			t.Errorf("%q: %q, %v", c.header, key, err)
		}
	}
	h := newHouse(t)
	h.ask("POST", "/v1/orders", anOrder, keyHeader, "").is(400, refusal.KeyMissing, keyHeader)
	h.ask("POST", "/v1/orders", "x", keyHeader, "").is(400, refusal.KeyMissing, keyHeader) // before the body
	h.ask("POST", "/v1/sandbox/clock/advance", `{"seconds":1}`, keyHeader, "").ok(200)
	h.ask("POST", "/v1/sandbox/clock/advance", `{"seconds":1}`, keyHeader, "short").is(400, refusal.KeyInvalid, keyHeader)
	h.ask("PATCH", "/v1/slots/20261205T0915Z", `{"capacity":3}`, keyHeader, "short").ok(200)

	r := httptest.NewRequest("POST", "/v1/orders", strings.NewReader(anOrder))
	r.Header.Set("Authorization", "Bearer "+h.token(hub.Baker))
	r.Header.Set("Content-Type", "application/json")
	r.Header[keyHeader] = []string{aKey, aKey}
	h.send(r).is(400, refusal.KeyInvalid, keyHeader)

	// The key of a sandbox is a secret.
	for key, want := range map[string]int{"123456789012345678901": 400, "1212121212121212121212": 400, "1234567890123456781234": 201} {
		newHouse(t).ask("POST", "/v1/sandboxes", `{"kind":"guest"}`, keyHeader, key).ok(want)
	}
}

func TestAQueryIsHeldToItsBounds(t *testing.T) {
	for target, field := range map[string]string{
		"/v1/slots": "date", "/v1/slots?date=": "date", "/v1/slots?date=tomorrow": "date", "/v1/slots?date=2026-02-30": "date",
		"/v1/slots?date=2026-12-05&date=2026-12-06": "date", "/v1/slots?date=2026-12-05T00:00:00Z": "date", "/v1/slots?date=%00": "date", "/v1/slots?date=%ff": "date",
		"/v1/slots?date=2026-12-05&days=0": "days", "/v1/slots?date=2026-12-05&days=15": "days", "/v1/slots?date=2026-12-05&days=1.0": "days",
		"/v1/slots?date=2026-12-05&days=%2B1": "days", "/v1/slots?date=2026-12-05&days=99999999999999999999": "days",
		"/v1/slots?date=2026-12-05;days=2": "", "/v1/slots?date=%zz": "",
		"/v1/orders?limit=1&limit=2": "limit", "/v1/orders?limit=0": "limit", "/v1/orders?limit=101": "limit", "/v1/orders?limit=ten": "limit", "/v1/orders?limit=-1": "limit",
		"/v1/orders?state=void": "state", "/v1/orders?state=Paid": "state", "/v1/orders?date=x": "date",
		"/v1/orders?q=%0a": "q", "/v1/orders?q=" + strings.Repeat("x", 81): "q", "/v1/orders?cursor=" + strings.Repeat("x", 1025): "cursor",
		"/v1/events?limit=101": "limit", "/v1/events?date=x": "date", "/v1/events?after=" + strings.Repeat("x", 129): "after",
	} {
		h := newHouse(t)
		a := h.ask("GET", target, "")
		a.is(422, refusal.Invalid, field)
		if h.shop.asked > 0 {
			t.Errorf("%s: the shop was asked", target)
		}
	}
	h := newHouse(t)
	h.ask("GET", "/v1/orders?date=2026-12-05&state=paid&q=Ada+L%C3%B6v&cursor=c&limit=100&utm=x", "").ok(200)
	if q := h.shop.query; q.Date.String() != "2026-12-05" || q.State != "paid" || q.Text != "Ada Löv" || q.Cursor != "c" || q.Limit != 100 {
		t.Errorf("%+v", q)
	}
	h.ask("GET", "/v1/orders?date=&state=&limit=", "").ok(200)
	if q := h.shop.query; q.Limit != 50 || q.State != "" {
		t.Errorf("%+v", q)
	}
}
