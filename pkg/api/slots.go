package api

import (
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"pocbakery/pkg/bakery"
	"pocbakery/pkg/refusal"
)

type slotJSON struct {
	ID        bakery.SlotID `json:"id"`
	StartsAt  instant       `json:"starts_at"`
	Local     string        `json:"local" doc:"Its start on the shop's clock"`
	Capacity  int           `json:"capacity"`
	Held      int           `json:"held" doc:"Places held by orders that wait to be paid"`
	Confirmed int           `json:"confirmed" doc:"Places that are paid"`
	Taken     int           `json:"taken"`
	Free      int           `json:"free"`
	Rev       string        `json:"rev" doc:"For If-Match, in quotes"`
}

func slotOf(v bakery.SlotView) slotJSON {
	return slotJSON{v.ID, instant(v.StartsAt), v.Local, v.Capacity, v.Held, v.Confirmed, v.Taken(), v.Free(), strconv.FormatInt(v.Rev, 10)}
}

type slotsQuery struct {
	Date text `json:"date" format:"date" doc:"The shop's local date"`
	Days int  `json:"days" minimum:"1" maximum:"14" default:"1" doc:"How many dates in a row"`
}

// slotsJSON is one day, or several.
type slotsJSON struct {
	Date     string     `json:"date,omitzero"`
	TimeZone string     `json:"time_zone,omitzero"`
	Slots    []slotJSON `json:"slots,omitzero"`
	Days     []dayJSON  `json:"days,omitzero"`
}

// TransformSchema says which members come together.
func (slotsJSON) TransformSchema(r huma.Registry, s *huma.Schema) *huma.Schema {
	one := r.Schema(reflect.TypeFor[dayJSON](), true, "")
	several := &huma.Schema{Type: huma.TypeObject, Properties: map[string]*huma.Schema{"days": s.Properties["days"]},
		Required: []string{"days"}, AdditionalProperties: false, Description: "Where more than one date was asked for"}
	return &huma.Schema{Type: huma.TypeObject, OneOf: []*huma.Schema{one, several}}
}

type dayJSON struct {
	Date     string     `json:"date" format:"date"`
	TimeZone string     `json:"time_zone" doc:"The shop's, by its IANA name"`
	Slots    []slotJSON `json:"slots"`
}

func (s *server) slots(c *call, in *slotsQuery) (out slotsJSON, err error) {
	from, err := date("date", string(in.Date))
	if err != nil {
		return out, err
	}
	days, err := s.Shop.Days(c.ctx, c.who, from, in.Days)
	if err != nil {
		return out, err
	}
	out.Days = make([]dayJSON, len(days))
	for i, d := range days {
		slots := make([]slotJSON, len(d.Slots))
		for j, v := range d.Slots {
			slots[j] = slotOf(v)
		}
		out.Days[i] = dayJSON{d.Date.String(), s.Shop.Zone(), slots}
	}
	if len(days) == 1 {
		d := out.Days[0]
		return slotsJSON{Date: d.Date, TimeZone: d.TimeZone, Slots: d.Slots}, nil
	}
	return out, nil
}

func (s *server) slot(c *call) (slotJSON, error) {
	v, err := s.Shop.Slot(c.ctx, c.who, bakery.SlotID(c.path("slot")))
	return c.tagged(v, err)
}

// tagged puts a slot's revision into the answer's ETag.
func (c *call) tagged(v bakery.SlotView, err error) (slotJSON, error) {
	out := slotOf(v)
	if err == nil {
		c.writer.Header()["Etag"] = []string{`"` + out.Rev + `"`}
	}
	return out, err
}

type editSlotBody struct {
	Capacity int `json:"capacity" minimum:"0" maximum:"200" doc:"How many places the slot has; fewer than are taken takes none away"`
}

func (s *server) editSlot(c *call, in *editSlotBody) (slotJSON, error) {
	rev, err := ifMatch(c.request.Header)
	if err != nil {
		return slotJSON{}, err
	}
	v, err := s.Shop.SetCapacity(c.ctx, c.who, bakery.SlotID(c.path("slot")), in.Capacity, rev)
	return c.tagged(v, err)
}

const ifMatchHeader = "If-Match"

// ifMatch is the one revision an edit asks for, empty where any will do.
func ifMatch(h http.Header) (string, error) {
	values := h[ifMatchHeader]
	if len(values) == 0 {
		return "", nil
	}
	v := strings.Trim(values[0], " \t")
	if len(values) == 1 && v == "*" {
		return "", nil // the slots there are always exist
	}
	rev, opened := strings.CutPrefix(v, `"`)
	rev, closed := strings.CutSuffix(rev, `"`)
	switch {
	case strings.HasPrefix(v, `W/"`):
		return "", refusal.At(refusal.ChangedMeanwhile, ifMatchHeader, "A weak tag never matches.")
	case len(values) != 1 || !opened || !closed || rev == "" || len(rev) > 20 || !visible(rev) || strings.Contains(rev, `"`):
		return "", invalid(ifMatchHeader, `This must be one slot's rev in quotes, such as "3", or *.`)
	}
	return rev, nil
}
