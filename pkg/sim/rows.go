package sim

import (
	"encoding/json"
	"strings"
	"time"

	"pocbakery/pkg/bakery"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/store"
)

// Rows as the oracles read them, by code of their own.

// slotRow is a slot.
type slotRow struct {
	id                               bakery.SlotID
	capacity, taken, held, confirmed int64
	firstEnd, due, wake              string
	holds                            map[string]holdRow
}

// holdRow is a hold, as its field has it.
type holdRow struct {
	State   string `json:"s"`
	Made    int64  `json:"m"`
	End     int64  `json:"e"`
	Retaken bool   `json:"t"`
	Revived bool   `json:"v"`
}

func (h holdRow) end() time.Time { return hub.Millis(h.End) }

func slotOf(i store.Item) slotRow {
	s := slotRow{
		id: bakery.SlotID(strings.TrimPrefix(i.SK, "slot#")), capacity: i.Int("capacity"), taken: i.Int("taken"), held: i.Int("held"),
		confirmed: i.Int("confirmed"), firstEnd: i.String("first_end"), due: i.String(store.FieldDue), wake: i.String(store.FieldWake),
		holds: map[string]holdRow{},
	}
	for name := range i.Fields {
		if code, ok := strings.CutPrefix(name, "h_"); ok {
			var h holdRow
			if err := json.Unmarshal([]byte(i.String(name)), &h); err != nil {
				panic(err)
			}
			s.holds[code] = h
		}
	}
	return s
}

// orderRow is an order.
type orderRow struct {
	state    string // empty for none
	slot     string
	code     string
	end      time.Time
	placed   time.Time
	payments map[string]string // state by id
	accepted int
	refunds  map[string]bool
}

func (o orderRow) paid() bool { return o.state == "paid" || o.state == "collected" }

func orderOf(i store.Item) orderRow {
	o := orderRow{payments: map[string]string{}, refunds: map[string]bool{}}
	o.slot, o.code, _ = strings.Cut(strings.TrimPrefix(i.SK, "order#"), "#")
	if !i.Exists() {
		return o
	}
	o.state, o.end, o.placed = i.String("state"), i.Time("hold_end"), i.Time("placed_at")
	var payments, refunds []struct {
		ID    string `json:"i"`
		State string `json:"s"`
	}
	for name, into := range map[string]any{"payments": &payments, "refunds": &refunds} {
		if s := i.String(name); s != "" {
			if err := json.Unmarshal([]byte(s), into); err != nil {
				panic(err)
			}
		}
	}
	for _, p := range payments {
		o.payments[p.ID] = p.State
		if p.State == "accepted" {
			o.accepted++
		}
	}
	for _, r := range refunds {
		o.refunds[r.ID] = true
	}
	return o
}

func orderKey(id hub.ID, ref bakery.OrderRef) store.Key {
	slot, code, _ := strings.Cut(string(ref), "-")
	return store.Key{PK: string(id), SK: "order#" + slot + "#" + code}
}

func slotKey(id hub.ID, slot string) store.Key { return store.Key{PK: string(id), SK: "slot#" + slot} }

// sandboxOf is the sandbox that a row of the control hub is about; empty for
// other items.
func sandboxOf(sk string) string {
	id, ok := strings.CutPrefix(sk, "sandbox#")
	if !ok {
		return ""
	}
	return id
}

// kindOf is the kind of an item.
func kindOf(sk string) string {
	kind, _, _ := strings.Cut(sk, "#")
	return kind
}
