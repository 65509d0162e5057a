package api

import (
	"net/url"
	"reflect"
	"unicode/utf8"

	"pocbakery/pkg/bakery"
)

// decodeQuery reads a query into a struct of its shape. Parameters that no
// member names are ignored; an empty one counts as left out.
func decodeQuery(raw string, s *shape, v reflect.Value) error {
	var values url.Values
	if raw != "" {
		var err error
		if values, err = url.ParseQuery(raw); err != nil {
			return invalid("", "The query cannot be read.")
		}
	}
	for i := range s.members {
		m := &s.members[i]
		given := values[m.name]
		if len(given) > 1 {
			return invalid(m.name, "This is there more than once.")
		}
		in := m.absent
		if len(given) == 1 && given[0] != "" {
			in = given[0]
		}
		if in == "" {
			if m.required {
				return m.missing(m.name)
			}
			continue
		}
		if err := m.setQuery(v.Field(m.field), in); err != nil {
			return err
		}
	}
	return nil
}

func (m *member) setQuery(v reflect.Value, in string) error {
	switch m.kind {
	case reflect.Int:
		return m.setInt(v, m.name, in)
	case reflect.String:
		if !utf8.ValidString(in) || control(in, false) {
			return m.invalid(m.name)
		}
		return m.setText(v, m.name, in)
	default:
		panic("api: a query has numbers and texts")
	}
}

// date reads a local date of a query; an empty one is none.
func date(field, in string) (bakery.Date, error) {
	if in == "" {
		return bakery.Date{}, nil
	}
	d, ok := bakery.ParseDate(in)
	if !ok {
		return bakery.Date{}, invalid(field, "This must be "+aDate+".")
	}
	return d, nil
}
