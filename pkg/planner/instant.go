package planner

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"pocbakery/pkg/hub"
)

// instant is a time as rows keep it: whole milliseconds, as a number.
type instant time.Time

// Time is the instant.
func (i instant) Time() time.Time { return time.Time(i) }

// IsZero reports whether there is no time.
func (i instant) IsZero() bool { return time.Time(i).IsZero() }

// MarshalJSONTo writes the milliseconds since 1970.
func (i instant) MarshalJSONTo(e *jsontext.Encoder) error {
	return e.WriteToken(jsontext.Int(time.Time(i).UnixMilli()))
}

// UnmarshalJSONFrom reads them.
func (i *instant) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	t, err := d.ReadToken()
	if err != nil {
		return err
	}
	ms, err := t.Int()
	*i = instant(hub.Millis(ms))
	return err
}
