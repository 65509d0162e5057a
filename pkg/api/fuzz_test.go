package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"reflect"
	"testing"
	"unicode/utf8"

	"pocbakery/pkg/hub"
	"pocbakery/pkg/refusal"
)

// FuzzBody: whatever is taken is also JSON to everybody else, reads the same
// there, and keeps to its bounds; whatever is refused is refused in so many words.
func FuzzBody(f *testing.F) {
	for _, s := range []string{anOrder, `{"pickup":"a","lines":[{"sku":"b","quantity":1}],"name":"c","note":"d\n"}`, `{"p\u0069ckup":""}`, `{"lines":[[[]]]}`, `{"a":1,"a":2}`, `{} {}`, `[`, "\xff", `{"lines":[{"quantity":1e2}]}`} {
		f.Add([]byte(s))
	}
	shape := shapeOf(reflect.TypeFor[placeOrderBody]())
	f.Fuzz(func(t *testing.T, body []byte) {
		var got, again placeOrderBody
		if err := decode(body, shape, reflect.ValueOf(&got).Elem()); err != nil {
			for _, code := range []refusal.Code{refusal.MalformedBody, refusal.UnknownField, refusal.Invalid} {
				if refusal.Is(err, code) {
					if p := ProblemOf(err); !utf8.ValidString(p.Field) || len(p.Field) > 128 || p.Detail == "" {
						t.Errorf("%+v", p)
					}
					return
				}
			}
			t.Fatalf("%q: %v", body, err)
		}
		strict := json.NewDecoder(bytes.NewReader(body))
		strict.DisallowUnknownFields()
		if err := strict.Decode(&again); err != nil || !reflect.DeepEqual(got, again) {
			t.Errorf("%q: %+v, and elsewhere %+v, %v", body, got, again, err)
		}
		if n := len(got.Lines); n < 1 || n > 50 || control(string(got.Name), false) || control(string(got.Note), true) || utf8.RuneCountInString(string(got.Name)) > 80 {
			t.Errorf("out of bounds: %+v", got)
		}
		for _, l := range got.Lines {
			if l.Quantity < 1 || l.Quantity > 50 || l.SKU == "" {
				t.Errorf("out of bounds: %+v", l)
			}
		}
	})
}

func FuzzKey(f *testing.F) {
	for _, s := range []string{"12345678", `"12345678"`, `"a\"b\\cdefgh"`, `"`, "ö", aKey} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, header string) {
		key, err := idempotencyKey(http.Header{keyHeader: {header}}, keyRequired)
		if err != nil {
			if key != "" || !refusal.Is(err, refusal.KeyInvalid) {
				t.Errorf("%q: %q, %v", header, key, err)
			}
			return
		}
		if len(key) < minKey || len(key) > maxKey || !visible(key) {
			t.Errorf("%q: %q", header, key)
		}
		// A key is the same in quotes as without, unless it opens with one itself.
		quoted := `"` + string(bytes.ReplaceAll(bytes.ReplaceAll([]byte(key), []byte(`\`), []byte(`\\`)), []byte(`"`), []byte(`\"`))) + `"`
		if again, err := idempotencyKey(http.Header{keyHeader: {quoted}}, keyRequired); err != nil || again != key {
			t.Errorf("%q in quotes: %q, %v", key, again, err)
		}
	})
}

func FuzzCredential(f *testing.F) {
	h := newHouse(f)
	token := h.token(hub.Baker)
	f.Add("Bearer "+token, true, "", "")
	f.Add("", false, SessionCookie+"="+token, "a=b; c")
	f.Add("Basic", true, "\x00", ";;=")
	door := NewDoor(h.sessions, nil, h.handler.(edge).Clock)
	f.Fuzz(func(t *testing.T, authorization string, header bool, cookie, another string) {
		r := httptest.NewRequest("POST", "/v1/orders", nil)
		if header {
			r.Header[authorizationName] = []string{authorization}
		}
		r.Header["Cookie"] = []string{cookie, another}
		_, s, err := door.Credential(r)
		if err == nil && s != sessionOf(hub.Baker) {
			t.Errorf("%q %q %q were believed as %+v", authorization, cookie, another, s)
		}
		if err != nil && !refusal.Is(err, refusal.Unauthenticated) {
			t.Error(err)
		}
	})
}

const authorizationName = authorization

func FuzzQuery(f *testing.F) {
	for _, s := range []string{"date=2026-12-05&days=2", "limit=%31", "q=%ff", "a=%zz", "date=;"} {
		f.Add(s)
	}
	shape := shapeOf(reflect.TypeFor[ordersQuery]())
	f.Fuzz(func(t *testing.T, raw string) {
		var q ordersQuery
		if err := decodeQuery(raw, shape, reflect.ValueOf(&q).Elem()); err != nil {
			if !refusal.Is(err, refusal.Invalid) {
				t.Error(err)
			}
			return
		}
		if q.Limit < 1 || q.Limit > 100 || control(string(q.Q), false) || !utf8.ValidString(string(q.Q)) {
			t.Errorf("%q: %+v", raw, q)
		}
	})
}
