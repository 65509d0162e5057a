package api

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"
)

// maybe is a member of a body that may be left out, which changes nothing, or be
// null, which clears it.
type maybe[T any] struct {
	Value T
	Given bool // also where it is null
	Null  bool
}

// Schema is the value's, or null.
func (maybe[T]) Schema(r huma.Registry) *huma.Schema {
	s := *r.Schema(reflect.TypeFor[T](), false, "")
	s.Nullable = true
	return &s
}

// inside is the type of the value in a maybe; ok is false for every other type.
func inside(t reflect.Type) (value reflect.Type, ok bool) {
	if t.Kind() != reflect.Struct || t.NumField() != 3 || t.Field(1).Name != "Given" || t.Field(2).Name != "Null" {
		return nil, false
	}
	return t.Field(0).Type, true
}

// or is what a pointer to the value would be: nil where it was left out, the
// zero value where it is null.
func (m maybe[T]) or() *T {
	if !m.Given {
		return nil
	}
	return &m.Value
}
