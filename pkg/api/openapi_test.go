package api

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"pocbakery/pkg/hub"
	"pocbakery/pkg/refusal"
)

// published is the document as a client gets it.
func published(t *testing.T) (doc map[string]any) {
	t.Helper()
	a := newHouse(t).ask("GET", documentPath, "", "Authorization", "").ok(200)
	if a.header.Get("Content-Type") != "application/json" || !strings.Contains(a.header.Get("Cache-Control"), "max-age") {
		t.Errorf("%v", a.header)
	}
	if err := json.Unmarshal([]byte(a.raw), &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// at follows keys into a document.
func at(t testing.TB, doc any, keys ...string) any {
	t.Helper()
	for _, k := range keys {
		m, ok := doc.(map[string]any)
		if !ok || m[k] == nil {
			t.Fatalf("no %q of %q", k, keys)
		}
		doc = m[k]
	}
	return doc
}

func TestTheDocumentHasEveryRouteAndNoOther(t *testing.T) {
	doc := published(t)
	if doc["openapi"] != "3.1.0" {
		t.Errorf("openapi %v", doc["openapi"])
	}
	ids, operations := map[any]bool{}, 0
	for _, rt := range routes() {
		op := at(t, doc, "paths", rt.path, strings.ToLower(rt.method)).(map[string]any)
		if op["operationId"] != rt.id || ids[rt.id] || op["summary"] != rt.about || rt.about == "" {
			t.Errorf("%s %s: %v %v", rt.method, rt.path, op["operationId"], op["summary"])
		}
		ids[rt.id] = true
		at(t, op, "responses", strconv.Itoa(rt.status))
		for _, code := range rt.refusals() {
			r := at(t, op, "responses", strconv.Itoa(statuses[code])).(map[string]any)
			if !slices.Contains(strings.Split(r["description"].(string), ", "), string(code)) || !slices.Contains(at(t, r, codesExtension).([]any), any(string(code))) {
				t.Errorf("%s does not say %s", rt.id, code)
			}
			at(t, r, "content", "application/problem+json", "schema", "$ref")
		}
		if secured := len(op["security"].([]any)) > 0; secured != (rt.who != open) {
			t.Errorf("%s: security %v", rt.id, op["security"])
		}
		if key := slices.ContainsFunc(params(op), func(p map[string]any) bool {
			return p["in"] == "header" && p["name"] == keyHeader && (p["required"] == true) == (rt.key == keyRequired || rt.key == keySecret)
		}); key != (rt.key != keyIgnored) {
			t.Errorf("%s: the key is documented %v", rt.id, key)
		}
		for _, m := range placeholder.FindAllStringSubmatch(rt.path, -1) {
			if !slices.ContainsFunc(params(op), func(p map[string]any) bool { return p["in"] == "path" && p["name"] == m[1] && p["required"] == true }) {
				t.Errorf("%s: %s is not documented", rt.id, m[1])
			}
		}
		if (op["requestBody"] != nil) != (rt.body != nil) {
			t.Errorf("%s: body %v", rt.id, op["requestBody"])
		}
	}
	for _, item := range at(t, doc, "paths").(map[string]any) {
		operations += len(item.(map[string]any))
	}
	if operations != len(routes()) {
		t.Errorf("%d operations for %d routes", operations, len(routes()))
	}
	if got := fmt.Sprint(at(t, doc, "servers")); got != "[map[url:/]]" {
		t.Errorf("the servers are %s", got)
	}
	at(t, doc, "components", "securitySchemes", "session")
	at(t, doc, "components", "securitySchemes", "bearer")
}

func params(op map[string]any) (out []map[string]any) {
	list, _ := op["parameters"].([]any)
	for _, p := range list {
		out = append(out, p.(map[string]any))
	}
	return out
}

func TestEveryReferenceOfTheDocumentResolves(t *testing.T) {
	doc := published(t)
	used := map[string]bool{}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if ref, ok := v["$ref"].(string); ok {
				name, ok := strings.CutPrefix(ref, schemaPrefix)
				if !ok {
					t.Errorf("a reference to %s", ref)
				}
				at(t, doc, "components", "schemas", name)
				used[name] = true
			}
			for _, e := range v {
				walk(e)
			}
		case []any:
			for _, e := range v {
				walk(e)
			}
		}
	}
	walk(doc)
	for name, s := range at(t, doc, "components", "schemas").(map[string]any) {
		if !used[name] {
			t.Errorf("nobody uses %s", name)
		}
		if at(t, s, "type") != "object" {
			t.Errorf("%s is %v", name, s)
		}
	}
}

func TestTheDocumentStatesTheBoundsOfTheContract(t *testing.T) {
	doc := published(t)
	schemas := at(t, doc, "components", "schemas")
	for path, want := range map[string]any{
		"PlaceOrder.properties.name.maxLength":          80.0,
		"PlaceOrder.properties.note.maxLength":          500.0,
		"PlaceOrder.properties.lines.minItems":          1.0,
		"PlaceOrder.properties.lines.maxItems":          50.0,
		"PlaceOrder.additionalProperties":               false,
		"PlaceOrder.required":                           []any{"pickup", "lines"},
		"Wanted.properties.quantity.minimum":            1.0,
		"Wanted.properties.quantity.maximum":            50.0,
		"EditSlot.properties.capacity.minimum":          0.0,
		"EditSlot.properties.capacity.maximum":          200.0,
		"Advance.properties.seconds.minimum":            1.0,
		"Advance.properties.seconds.maximum":            604800.0,
		"Admit.properties.kind.enum":                    []any{"guest", "demo", "account"},
		"Admit.properties.demo_account.enum":            []any{"maja", "olle"},
		"Admit.properties.turnstile_token.maxLength":    2048.0,
		"Order.properties.lines.type":                   "array",
		"Order.properties.held_until.format":            "date-time",
		"Session.required":                              []any{"kind", "role", "expires_at"},
		"Token.required":                                []any{"token", "expires_at"},
		"Slot.required":                                 []any{"id", "starts_at", "local", "capacity", "held", "confirmed", "taken", "free", "rev"},
		"Problem.properties.next_free.$ref":             schemaPrefix + "Slot",
		"Problem.properties.earliest_hold_ends_at.type": "string",
	} {
		if got := at(t, schemas, strings.Split(path, ".")...); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s is %v, want %v", path, got, want)
		}
	}
	for _, path := range []string{"/v1/orders", "/v1/events"} {
		limit := params(at(t, doc, "paths", path, "get").(map[string]any))
		i := slices.IndexFunc(limit, func(p map[string]any) bool { return p["name"] == "limit" })
		if got := fmt.Sprint(at(t, limit[i], "schema", "minimum"), at(t, limit[i], "schema", "maximum"), at(t, limit[i], "schema", "default"), limit[i]["required"]); got != "1 100 50 <nil>" {
			t.Errorf("%s: limit %s", path, got)
		}
	}
}

// The document names every type of event that the code declares.
func TestTheDocumentNamesEveryTypeOfEvent(t *testing.T) {
	about := at(t, published(t), "components", "schemas", "Event", "properties", "type", "description").(string)
	declared := 0
	for _, file := range []string{"../hub/event.go", "../bakery/event.go", "../traffic/event.go", "../planner/event.go"} {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			c, ok := n.(*ast.ValueSpec)
			if !ok || c.Type == nil || !strings.HasSuffix(types.ExprString(c.Type), "EventType") {
				return true
			}
			declared++
			name, _ := strconv.Unquote(c.Values[0].(*ast.BasicLit).Value)
			if !slices.Contains(strings.FieldsFunc(about, func(r rune) bool { return strings.ContainsRune(" ,;", r) }), name) {
				t.Errorf("%s is not among them: add it to eventTypes", name)
			}
			return true
		})
	}
	if declared != len(eventTypes) {
		t.Errorf("%d types are declared, %d are named", declared, len(eventTypes))
	}
}

// The tenth character of an event's id is the rank of its type, by which ids
// tell what one decision made happen in its order. An unranked type has the first.
func TestEveryTypeOfEventHasARankOfItsOwn(t *testing.T) {
	ranked := map[byte]hub.EventType{}
	for _, e := range eventTypes {
		rank := hub.Event{Type: e}.ID()[9]
		if other := ranked[rank]; other != "" {
			t.Errorf("%s and %s have one rank: add the type to the order in pkg/hub/event.go", other, e)
		}
		ranked[rank] = e
	}
}

// undocumented are the headers that no reader of the document has to act on.
var undocumented = []string{"Content-Type", "Content-Length", "Cache-Control", "X-Content-Type-Options"}

// What the handlers really answer, held against what the document says of it.
func TestEveryAnswerIsAsTheDocumentSays(t *testing.T) {
	rts := routes()
	api := describe(rts)
	check := func(name string, op *huma.Operation, a answer) {
		t.Helper()
		r := op.Responses[strconv.Itoa(a.status)]
		if r == nil {
			t.Errorf("%s: %d is not documented: %s", name, a.status, a.raw)
			return
		}
		for header := range a.header {
			if !slices.Contains(undocumented, header) && !slices.ContainsFunc(slices.Collect(maps.Keys(r.Headers)), func(h string) bool { return strings.EqualFold(h, header) }) {
				t.Errorf("%s: %d: the header %s is not documented", name, a.status, header)
			}
		}
		for _, header := range []string{"Date", "Location", "ETag", "WWW-Authenticate"} {
			if r.Headers[header] != nil && a.header.Get(header) == "" {
				t.Errorf("%s: %d has no %s", name, a.status, header)
			}
		}
		if a.status == http.StatusNoContent || a.status == http.StatusSeeOther {
			return
		}
		media := r.Content[a.header.Get("Content-Type")]
		if media == nil {
			t.Errorf("%s: %d as %s is not documented", name, a.status, a.header.Get("Content-Type"))
			return
		}
		var v any
		_ = json.Unmarshal([]byte(a.raw), &v)
		res := &huma.ValidateResult{}
		huma.Validate(api.Components.Schemas, media.Schema, huma.NewPathBuffer(nil, 0), huma.ModeReadFromServer, v, res)
		for _, err := range res.Errors {
			t.Errorf("%s: %d: %v in %s", name, a.status, err, a.raw)
		}
		if a.status >= 400 && !strings.Contains(", "+r.Description+", ", ", "+a.code()+", ") {
			t.Errorf("%s: %s is not documented", name, a.code())
		}
	}
	for _, rt := range rts {
		item := api.Paths[rt.path]
		op := map[string]*huma.Operation{"GET": item.Get, "POST": item.Post, "PUT": item.Put, "PATCH": item.Patch, "DELETE": item.Delete}[rt.method]
		h := newHouse(t)
		check(rt.id, op, askRoute(t, h, &rt))
		check(rt.id+" again", op, askRoute(t, h, &rt))
		check(rt.id+" by nobody", op, askRoute(t, newHouse(t), &rt, "Authorization", ""))
		check(rt.id+" without a key", op, askRoute(t, newHouse(t), &rt, keyHeader, ""))
		check(rt.id+" from elsewhere", op, askRoute(t, newHouse(t), &rt, "Authorization", "", "Cookie", SessionCookie+"="+h.token("baker"), "Sec-Fetch-Site", "cross-site"))
		check(rt.id+" as a customer", op, askRoute(t, newHouse(t), &rt, "Authorization", "Bearer "+h.token("customer")))
		for _, fail := range append([]refusal.Code{refusal.Internal, refusal.TableUnavailable}, rt.refuses...) {
			h := newHouse(t)
			askRoute(t, h, &rt)
			if h.sandboxes.root.Over || len(h.sandboxes.revoked) > 0 {
				continue
			}
			err := refusal.New(fail, "No.")
			if waits[fail] {
				err = err.After(time.Second)
			}
			h.shop.fail, h.sandboxes.fail, h.desk.fail, h.tokens.fail, h.traffic.fail, h.planner.fail = err, err, err, err, err, err
			check(rt.id+" "+string(fail), op, askRoute(t, h, &rt))
		}
	}
	h := newHouse(t)
	for i := range 3 {
		check("place-order until full", api.Paths["/v1/orders"].Post, h.ask("POST", "/v1/orders", anOrder, keyHeader, fmt.Sprint("a-key-number-", i)))
	}
	check("several days", api.Paths["/v1/slots"].Get, h.ask("GET", "/v1/slots?date=2026-12-04&days=3", ""))
	check("orders", api.Paths["/v1/orders"].Get, h.ask("GET", "/v1/orders?limit=1", ""))
}

func TestTheDocumentIsMadeOnceAndCanBeKept(t *testing.T) {
	h := newHouse(t)
	first := h.ask("GET", documentPath, "").ok(200)
	if tag := first.header.Get("Etag"); tag == "" || h.ask("GET", documentPath, "", "If-None-Match", tag).status != 304 {
		t.Errorf("%q", tag)
	}
	if again := published(t); again == nil || h.ask("GET", documentPath, "").raw != first.raw {
		t.Error("another document")
	}
}

func BenchmarkNew(b *testing.B) {
	h := newHouse(b)
	for b.Loop() {
		New(Config{Shop: h.shop, Sessions: h.sessions})
	}
}

func BenchmarkDocument(b *testing.B) {
	for b.Loop() {
		if _, err := json.Marshal(describe(routes())); err != nil {
			b.Fatal(err)
		}
	}
}
