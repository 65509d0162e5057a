package store

import (
	"maps"
	"time"
)

// Names of the fields every adapter knows.
const (
	FieldDue  = "due"
	FieldWake = "wake"
	FieldTTL  = "ttl"
	FieldV    = "v"
	FieldBy   = "by"
)

// Clock names the clock an end counts in.
type Clock byte

// The two clocks of a hub: wall time, and business time (wall time plus the
// hub's offset).
const (
	Business Clock = 'b'
	Wall     Clock = 'w'
)

// instantLayout sorts as time: UTC, milliseconds, fixed width.
const instantLayout = "2006-01-02T15:04:05.000Z"

// FormatInstant writes an instant so that text order is time order. Instants
// are whole milliseconds everywhere in the table; anything finer is cut off.
func FormatInstant(t time.Time) string { return t.UTC().Format(instantLayout) }

// ParseInstant reads what FormatInstant wrote; ok is false for anything else.
func ParseInstant(s string) (t time.Time, ok bool) {
	// time.Parse also takes a comma for the point and an hour of one digit.
	if len(s) != len(instantLayout) || s[19] != '.' {
		return time.Time{}, false
	}
	t, err := time.Parse(instantLayout, s)
	return t, err == nil
}

// DueAt is the value of the field due for an end on a clock.
func DueAt(c Clock, t time.Time) string { return string(c) + FormatInstant(t) }

// ParseDue reads what DueAt wrote.
func ParseDue(s string) (c Clock, t time.Time, ok bool) {
	if s == "" {
		return 0, time.Time{}, false
	}
	t, ok = ParseInstant(s[1:])
	return Clock(s[0]), t, ok && (s[0] == byte(Business) || s[0] == byte(Wall))
}

// Fields are an item's top-level fields by name: string, int64 or bool.
type Fields map[string]any

// Item is what the table holds under a key. The zero Item is "not there".
type Item struct {
	Key
	Rev    int64 // 1 at its first write, one more at every later one
	Fields Fields
}

// Exists reports whether there is an item.
func (i Item) Exists() bool { return i.Rev > 0 }

// Has reports whether the item has the field.
func (i Item) Has(name string) bool { _, ok := i.Fields[name]; return ok }

// String is the field's text, empty where there is none.
func (i Item) String(name string) string { s, _ := i.Fields[name].(string); return s }

// Int is the field's number, 0 where there is none.
func (i Item) Int(name string) int64 { n, _ := i.Fields[name].(int64); return n }

// Bool is the field's truth, false where there is none.
func (i Item) Bool(name string) bool { b, _ := i.Fields[name].(bool); return b }

// Time is an instant written by FormatInstant, the zero time where there is none.
func (i Item) Time(name string) time.Time { t, _ := ParseInstant(i.String(name)); return t }

// ExpiredAt reports whether the item is past its ttl: it is, from the very
// second on. The zero now is before every ttl.
func (i Item) ExpiredAt(now time.Time) bool {
	ttl, ok := i.Fields[FieldTTL].(int64)
	return ok && !now.IsZero() && now.Unix() >= ttl
}

// Clone is a copy that shares nothing with the item.
func (i Item) Clone() Item {
	i.Fields = maps.Clone(i.Fields)
	return i
}
