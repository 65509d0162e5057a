package api

import (
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"
)

// instant is a time on the wire: RFC 3339 in UTC, with exactly three fraction
// digits. Its zero is left out.
type instant time.Time

const instantLayout = "2006-01-02T15:04:05.000Z"

// IsZero reports whether there is no time.
func (i instant) IsZero() bool { return time.Time(i).IsZero() }

// MarshalJSONTo writes the time.
func (i instant) MarshalJSONTo(e *jsontext.Encoder) error {
	b := append(e.AvailableBuffer(), '"')
	b = time.Time(i).UTC().AppendFormat(b, instantLayout)
	return e.WriteValue(append(b, '"'))
}

// Schema is the time's, in the document.
func (instant) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "date-time", Pattern: `^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$`,
		Examples: []any{"2026-11-30T09:15:00.000Z"}}
}
