package api

import (
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

const schemaPrefix = "#/components/schemas/"

// schemaName is the name of a type in the document: slotJSON is Slot.
func schemaName(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	for _, suffix := range []string{"JSON", "Body", "Query"} {
		name = strings.TrimSuffix(name, suffix)
	}
	return name
}

// describe makes the OpenAPI document of the routes.
func describe(rts []route) *huma.OpenAPI {
	d := describer{huma.NewMapRegistry(schemaPrefix, schemaName)}
	api := &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{Title: "The Proof of Concept Bakery", Version: "1",
			Description: "A small bakery that takes orders for pickup slots, in a sandbox of your own. Every hold on a place has an end. Errors are RFC 9457 problems; clients act on their code."},
		Servers: []*huma.Server{{URL: "/"}},
		Paths:   map[string]*huma.PathItem{},
		Components: &huma.Components{Schemas: d.registry, SecuritySchemes: map[string]*huma.SecurityScheme{
			"session":  {Type: "apiKey", In: "cookie", Name: SessionCookie, Description: "The session's cookie"},
			"bearer":   {Type: "http", Scheme: "bearer", Description: "The session's token, or an API token; outranks the cookie"},
			"identity": {Type: "apiKey", In: "cookie", Name: IdentityCookie, Description: "Who signed in, as a cookie"},
		}},
	}
	for _, rt := range rts {
		if api.Paths[rt.path] == nil {
			api.Paths[rt.path] = &huma.PathItem{}
		}
		item, op := api.Paths[rt.path], d.operation(rt)
		switch rt.method {
		case http.MethodGet:
			item.Get = op
		case http.MethodPost:
			item.Post = op
		case http.MethodPut:
			item.Put = op
		case http.MethodPatch:
			item.Patch = op
		case http.MethodDelete:
			item.Delete = op
		default:
			panic("api: no place for " + rt.method)
		}
	}
	for _, s := range d.registry.Map() {
		neverNull(s)
	}
	return api
}

type describer struct{ registry huma.Registry }

func (d describer) operation(rt route) *huma.Operation {
	op := &huma.Operation{OperationID: rt.id, Summary: rt.about, Responses: map[string]*huma.Response{}, Security: []map[string][]string{}}
	switch rt.who {
	case open:
	case signed:
		op.Security = append(op.Security, map[string][]string{"identity": {}})
	default:
		op.Security = append(op.Security, map[string][]string{"session": {}}, map[string][]string{"bearer": {}})
	}
	op.Parameters = append(op.Parameters, pathParams(rt.path)...)
	op.Parameters = append(op.Parameters, d.queryParams(rt.query)...)
	op.Parameters = append(op.Parameters, keyParam(rt.key)...)
	if rt.body != nil {
		op.RequestBody = &huma.RequestBody{Required: true, Content: d.content("application/json", rt.body)}
	}
	if rt.id == "edit-slot" {
		op.Parameters = append(op.Parameters, &huma.Param{Name: ifMatchHeader, In: "header", Schema: &huma.Schema{Type: huma.TypeString},
			Description: "The slot's rev in quotes, or *: the edit is refused where the slot has changed since"})
	}
	d.successes(op, rt)
	d.problems(op, rt)
	return op
}

func (d describer) successes(op *huma.Operation, rt route) {
	ok := &huma.Response{Description: http.StatusText(rt.status), Headers: successHeaders(rt)}
	if rt.answer != nil && rt.status != http.StatusSeeOther {
		media := "application/json"
		if rt.answer == reflect.TypeFor[planFile]() {
			media = planMedia
			op.Responses["304"] = &huma.Response{Description: "It has not changed"}
		}
		ok.Content = d.content(media, rt.answer)
	}
	op.Responses[strconv.Itoa(rt.status)] = ok
	if rt.key == keyIgnored {
		return
	}
	if rt.status != http.StatusOK {
		ok = &huma.Response{Description: "A repeat: what an earlier request under this key did", Headers: successHeaders(rt), Content: ok.Content}
		op.Responses["200"] = ok
	}
	ok.Headers["Idempotent-Replayed"] = replayedHeader
}

func (d describer) problems(op *huma.Operation, rt route) {
	codes := rt.refusals()
	slices.Sort(codes)
	for _, code := range slices.Compact(codes) {
		status := strconv.Itoa(statuses[code])
		r := op.Responses[status]
		if r == nil {
			r = &huma.Response{Headers: map[string]*huma.Param{}, Extensions: map[string]any{codesExtension: []string(nil)},
				Content: d.content("application/problem+json", reflect.TypeFor[problemJSON]())}
			op.Responses[status] = r
		}
		listed := append(r.Extensions[codesExtension].([]string), string(code))
		r.Extensions[codesExtension], r.Description = listed, strings.Join(listed, ", ")
		problemHeaders(r.Headers, rt, code)
	}
}

// codesExtension lists the codes that the problems of a response can have.
const codesExtension = "x-problem-codes"

func (d describer) content(media string, t reflect.Type) map[string]*huma.MediaType {
	return map[string]*huma.MediaType{media: {Schema: d.registry.Schema(t, true, "")}}
}

var placeholder = regexp.MustCompile(`\{(\w+)\}`)

func pathParams(path string) (params []*huma.Param) {
	about := map[string]string{"sku": "An item of the menu", "slot": "A slot's id, such as 20261205T0915Z", "ref": "An order's ref", "id": "An id that the list gave", "channel": "The id of a channel"}
	for _, m := range placeholder.FindAllStringSubmatch(path, -1) {
		params = append(params, &huma.Param{Name: m[1], In: "path", Required: true, Description: about[m[1]], Schema: &huma.Schema{Type: huma.TypeString}})
	}
	return params
}

func (d describer) queryParams(t reflect.Type) (params []*huma.Param) {
	if t == nil {
		return nil
	}
	// A registry of its own: what a query is made of is no component.
	s := huma.NewMapRegistry(schemaPrefix, schemaName).Schema(t, false, "")
	for _, m := range shapeOf(t).members {
		p := s.Properties[m.name]
		params = append(params, &huma.Param{Name: m.name, In: "query", Required: m.required, Description: p.Description, Schema: p})
		p.Description = ""
	}
	return params
}

func keyParam(rule keyRule) []*huma.Param {
	if rule == keyIgnored {
		return nil
	}
	least, about := minKey, "Of your own making, a new one for each thing you want; a repeat under it finds the first answer. Visible ASCII characters."
	if rule == keySecret {
		least = minSecretKey
		about += fmt.Sprintf(" A secret, of at least %d different characters: a repeat hands out a session.", minKeyKinds)
	}
	most := maxKey
	return []*huma.Param{{Name: keyHeader, In: "header", Required: rule != keyOptional, Description: about,
		Schema: &huma.Schema{Type: huma.TypeString, MinLength: &least, MaxLength: &most, Pattern: `^[!-~]+$`}}}
}

// neverNull says of lists what is true of ours: an empty one is [].
func neverNull(s *huma.Schema) {
	if s == nil {
		return
	}
	if s.Type == huma.TypeArray {
		s.Nullable = false
	}
	neverNull(s.Items)
	for _, p := range s.OneOf {
		neverNull(p)
	}
	for _, p := range s.Properties {
		neverNull(p)
	}
}
