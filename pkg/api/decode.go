package api

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"pocbakery/pkg/refusal"
)

// maxDepth is how deep a body may nest.
const maxDepth = 32

// decoder reads one body. Decoders are used again.
type decoder struct {
	json *jsontext.Decoder
	raw  bytes.Reader
	path []byte // where in the body it is, "lines[0].quantity"
}

var decoders = sync.Pool{New: func() any {
	d := &decoder{}
	d.json = jsontext.NewDecoder(&d.raw)
	return d
}}

// decode reads a body into a value of its shape, in one pass. A body that is
// no JSON is that first of all: where a value is wrong, the rest is still read
// for its form.
func decode(body []byte, s *shape, v reflect.Value) error {
	if len(body) == 0 {
		return malformed("", "This request needs a body.")
	}
	d := decoders.Get().(*decoder)
	defer decoders.Put(d)
	d.raw.Reset(body)
	d.json.Reset(&d.raw) // its default is strict: no key twice, valid UTF-8
	d.path = d.path[:0]

	fault := d.value(s, v)
	if refusal.Is(fault, refusal.MalformedBody) {
		return fault
	}
	if err := d.rest(); err != nil {
		return err
	}
	return fault
}

var nothing = shapeOf(reflect.TypeFor[struct{}]())

// decodeNothing reads the body of a request that needs none.
func decodeNothing(body []byte) error {
	if len(body) == 0 {
		return nil
	}
	return decode(body, nothing, reflect.ValueOf(&struct{}{}).Elem())
}

// rest reads on to the end, for the form alone.
func (d *decoder) rest() error {
	for {
		top := d.json.StackDepth() == 0
		_, err := d.json.ReadToken()
		switch {
		case top && err == io.EOF: //nolint:errorlint // the decoder returns it bare, at the end alone
			return nil
		case err != nil:
			return d.syntax(err)
		case top:
			return malformed("", "Something follows the JSON value.")
		case d.json.StackDepth() > maxDepth:
			return malformed("", "The body is more than "+strconv.Itoa(maxDepth)+" levels deep.")
		}
	}
}

// syntax says what is wrong with the form, without repeating any of it.
func (d *decoder) syntax(err error) error {
	detail := "The body is not JSON."
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		detail = "The body has a key twice."
	case errors.Is(err, io.ErrUnexpectedEOF):
		detail = "The body ends in the middle."
	}
	return malformed("", detail)
}

func (d *decoder) value(s *shape, v reflect.Value) error {
	if s.maybe {
		v.Field(1).SetBool(true)
		if d.json.PeekKind() == 'n' {
			v.Field(2).SetBool(true)
			_, err := d.json.ReadToken()
			return err
		}
		v = v.Field(0)
	}
	switch kind := d.json.PeekKind(); {
	case kind == '{' && s.kind == reflect.Struct:
		return d.object(s, v)
	case kind == '[' && s.kind == reflect.Slice:
		return d.list(s, v)
	case kind == '"' && s.kind == reflect.String,
		kind == '0' && s.kind == reflect.Int,
		(kind == 't' || kind == 'f') && s.kind == reflect.Bool:
	case kind == 0:
		_, err := d.json.ReadToken()
		return d.syntax(err)
	case len(d.path) == 0:
		return malformed("", "The body is not a JSON object.")
	default:
		return s.invalid(string(d.path))
	}
	token, err := d.json.ReadToken()
	if err != nil {
		return d.syntax(err)
	}
	switch s.kind {
	case reflect.String:
		return s.setText(v, string(d.path), token.String())
	case reflect.Int:
		return s.setInt(v, string(d.path), token.String())
	default:
		v.SetBool(token.Bool())
		return nil
	}
}

func (d *decoder) object(s *shape, v reflect.Value) error {
	if _, err := d.json.ReadToken(); err != nil {
		return d.syntax(err)
	}
	var seen uint64 // a bit a member; no request has 64
	base := len(d.path)
	for d.json.PeekKind() == '"' {
		name, err := d.json.ReadValue()
		if err != nil {
			return d.syntax(err)
		}
		i := s.member(name)
		if i < 0 {
			return d.unknown(s, name, seen)
		}
		seen |= 1 << i
		m := &s.members[i]
		if base > 0 {
			d.path = append(d.path, '.')
		}
		d.path = append(d.path, m.name...)
		if err := d.value(m.shape, v.Field(m.field)); err != nil {
			return err
		}
		d.path = d.path[:base]
	}
	if _, err := d.json.ReadToken(); err != nil {
		return d.syntax(err)
	}
	for i, m := range s.members {
		if m.required && seen&(1<<i) == 0 {
			if base > 0 {
				d.path = append(d.path, '.')
			}
			return m.missing(string(append(d.path, m.name...)))
		}
	}
	return nil
}

func (d *decoder) list(s *shape, v reflect.Value) error {
	if _, err := d.json.ReadToken(); err != nil {
		return d.syntax(err)
	}
	base := len(d.path)
	n := 0
	for ; d.json.PeekKind() != ']' && d.json.PeekKind() != 0; n++ {
		if int64(n) >= s.max {
			return s.invalid(string(d.path[:base]))
		}
		d.path = append(strconv.AppendInt(append(d.path[:base], '['), int64(n), 10), ']')
		if n == v.Cap() {
			v.Grow(1)
		}
		v.SetLen(n + 1)
		if err := d.value(s.items, v.Index(n)); err != nil {
			return err
		}
	}
	d.path = d.path[:base]
	if _, err := d.json.ReadToken(); err != nil {
		return d.syntax(err)
	}
	if int64(n) < s.min {
		return s.invalid(string(d.path))
	}
	return nil
}

// member finds a member by its name in the body, -1 for none.
func (s *shape) member(raw jsontext.Value) int {
	for i := range s.members {
		if name := s.members[i].name; len(raw) == len(name)+2 && string(raw[1:len(raw)-1]) == name {
			return i
		}
	}
	if bytes.IndexByte(raw, '\\') >= 0 { // the same name, written with escapes
		plain, err := jsontext.AppendUnquote(nil, raw)
		for i := range s.members {
			if err == nil && string(plain) == s.members[i].name {
				return i
			}
		}
	}
	return -1
}

// maxEchoed bounds what of a request's own names an answer repeats.
const maxEchoed = 64

func (d *decoder) unknown(s *shape, raw jsontext.Value, seen uint64) error {
	plain, _ := jsontext.AppendUnquote(nil, raw)
	name := string(plain)
	detail := "There is no such field."
	for i, m := range s.members {
		if strings.EqualFold(m.name, name) {
			if seen&(1<<i) != 0 {
				return malformed("", "The body has a key twice, in another case.")
			}
			detail = "There is no such field; there is " + strconv.Quote(m.name) + "."
		}
	}
	if control(name, false) || len(name) > maxEchoed {
		name = "?"
	}
	if len(d.path) > 0 {
		name = string(d.path) + "." + name
	}
	return refusal.At(refusal.UnknownField, name, detail)
}

func invalid(field, detail string) error { return refusal.At(refusal.Invalid, field, detail) }
