package api

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
)

// text is one line; multiline may also have line ends and tabs. Other control
// characters are in neither.
type (
	text      string
	multiline string
)

// Schema is the line's, in the document.
func (text) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Pattern: `^[^\x00-\x1f\x7f-\x9f]*$`}
}

// Schema is the text's, in the document.
func (multiline) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Pattern: `^[^\x00-\x08\x0b-\x1f\x7f-\x9f]*$`}
}

// control reports whether a text has a control character it may not have.
func control(s string, multi bool) bool {
	for _, r := range s {
		if (r < 0x20 || (r >= 0x7f && r < 0xa0)) && (!multi || (r != '\n' && r != '\t')) {
			return true
		}
	}
	return false
}

// shape is what a value of a request must be: the bounds of its published
// schema, compiled once for its Go type.
type shape struct {
	kind  reflect.Kind // Struct, Slice, String, Int or Bool
	says  string       // what the value is, for who got it wrong
	multi bool         // a string of several lines
	maybe bool         // may be null; the value is the first field of its struct

	min, max int64 // of an int; lengths of a string or a slice
	enum     []string

	items   *shape
	members []member
}

type member struct {
	name     string
	field    int // of the Go struct
	required bool
	absent   string // its value in a query that leaves it out
	*shape
}

// shapeOf compiles a request type. It panics for what no request has.
func shapeOf(t reflect.Type) *shape {
	r := huma.NewMapRegistry(schemaPrefix, schemaName)
	return compile(r, t, r.Schema(t, false, ""))
}

func compile(r huma.Registry, t reflect.Type, s *huma.Schema) *shape {
	if s.Ref != "" {
		s = r.SchemaFromRef(s.Ref)
	}
	if value, ok := inside(t); ok {
		out := *compile(r, value, s)
		out.maybe = true
		return &out
	}
	out := &shape{kind: t.Kind()}
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			p := s.Properties[name]
			m := member{name: name, field: i, required: slices.Contains(s.Required, name), shape: compile(r, f.Type, p)}
			if p.Default != nil {
				m.absent, m.required = fmt.Sprint(p.Default), false
			}
			out.members = append(out.members, m)
		}
		out.says = "a JSON object"
	case reflect.Slice:
		out.items = compile(r, t.Elem(), s.Items)
		out.min, out.max = length(s.MinItems, 0), length(s.MaxItems, math.MaxInt64)
		out.says = "a list" + lengths(out.min, out.max, "")
	case reflect.String:
		out.multi = t == reflect.TypeFor[multiline]()
		out.min, out.max = length(s.MinLength, 0), length(s.MaxLength, math.MaxInt64)
		for _, v := range s.Enum {
			out.enum = append(out.enum, v.(string))
		}
		switch {
		case out.enum != nil:
			out.says = "one of " + strings.Join(out.enum, ", ")
		case s.Format == "date":
			out.says = aDate
		default:
			out.says = "a text" + lengths(out.min, out.max, " characters")
		}
	case reflect.Int, reflect.Int64:
		out.kind = reflect.Int
		out.min, out.max = bound(s.Minimum, math.MinInt64), bound(s.Maximum, math.MaxInt64)
		out.says = "a whole number" + limits(out.min, out.max) + ", in digits"
	case reflect.Bool:
		out.says = "true or false"
	default:
		panic("api: no request has a " + t.String())
	}
	return out
}

const aDate = "a date such as 2026-12-05"

// lengths words the bounds that a length has.
func lengths(least, most int64, of string) string {
	switch {
	case least == most:
		return fmt.Sprintf(" of %d%s", least, of)
	case least > 0 && most < math.MaxInt64:
		return fmt.Sprintf(" of %d to %d%s", least, most, of)
	case least > 0:
		return fmt.Sprintf(" of at least %d%s", least, of)
	case most < math.MaxInt64:
		return fmt.Sprintf(" of at most %d%s", most, of)
	}
	return ""
}

// limits words the bounds that a number has.
func limits(least, most int64) string {
	switch {
	case least > math.MinInt64 && most < math.MaxInt64:
		return fmt.Sprintf(" from %d to %d", least, most)
	case least > math.MinInt64:
		return fmt.Sprintf(" of at least %d", least)
	case most < math.MaxInt64:
		return fmt.Sprintf(" of at most %d", most)
	}
	return ""
}

func length(p *int, absent int64) int64 {
	if p == nil {
		return absent
	}
	return int64(*p)
}

func bound(p *float64, absent int64) int64 {
	if p == nil {
		return absent
	}
	return int64(*p)
}

// setText holds a text to its bounds, and keeps it.
func (s *shape) setText(v reflect.Value, field, in string) error {
	if control(in, s.multi) {
		return malformed(field, "The text has a control character.")
	}
	if s.enum != nil && !slices.Contains(s.enum, in) {
		return s.invalid(field)
	}
	if n := int64(len(in)); n > s.max || n < s.min { // bytes are never fewer than characters
		if n = int64(utf8.RuneCountInString(in)); n > s.max || n < s.min {
			return s.invalid(field)
		}
	}
	v.SetString(in)
	return nil
}

// setInt holds a number to its bounds, and keeps it.
func (s *shape) setInt(v reflect.Value, field, in string) error {
	n, err := strconv.ParseInt(in, 10, 64)
	if err != nil || in[0] == '+' || n < s.min || n > s.max {
		return s.invalid(field)
	}
	v.SetInt(n)
	return nil
}

func (s *shape) invalid(field string) error { return invalid(field, "This must be "+s.says+".") }

func (s *shape) missing(field string) error { return invalid(field, "This is missing: "+s.says+".") }
