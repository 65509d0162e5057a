package explore_test

import (
	"encoding/json"
	"strings"
	"time"

	"pocbakery/pkg/explore"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/store"
)

// What the oracles know of the rows: read here from the stored fields alone,
// so that no error of the product's own reading is repeated.

type holdSeen struct {
	State   string `json:"s"`
	Made    int64  `json:"m"`
	End     int64  `json:"e"`
	Revived bool   `json:"v"`
}

type slotSeen struct {
	exists                           bool
	capacity, taken, held, confirmed int
	firstEnd, due, wake              string
	holds                            map[string]holdSeen // by code
}

func slotOf(s explore.Scene) slotSeen {
	i := s.Item(store.Key{PK: string(shopHub), SK: "slot#" + string(pickup)})
	slot := slotSeen{
		exists: i.Exists(), capacity: 1, taken: int(i.Int("taken")), held: int(i.Int("held")), confirmed: int(i.Int("confirmed")),
		firstEnd: i.String("first_end"), due: i.String(store.FieldDue), wake: i.String(store.FieldWake), holds: map[string]holdSeen{},
	}
	if i.Exists() {
		slot.capacity = int(i.Int("capacity"))
	}
	for name := range i.Fields {
		if code, ok := strings.CutPrefix(name, "h_"); ok {
			var h holdSeen
			mustRead(i.String(name), &h)
			slot.holds[code] = h
		}
	}
	return slot
}

// takenAt is how many places are not free at an instant.
func (s slotSeen) takenAt(t time.Time) int {
	n := 0
	for _, h := range s.holds {
		if h.State == "c" || (h.State == "h" && t.UnixMilli() < h.End) {
			n++
		}
	}
	return n
}

func (s slotSeen) revived() int {
	n := 0
	for _, h := range s.holds {
		if h.Revived {
			n++
		}
	}
	return n
}

type orderSeen struct {
	exists   bool
	code     string
	state    string
	payments map[string]int // by state
	refunds  int
	holdEnd  time.Time
	log      []hub.Event
}

// orderOf is the order under a key, and whether one stands there.
func orderOf(s explore.Scene, key string) (orderSeen, bool) {
	return orderSeenIn(s.Item(orderKey(key)))
}

func orderKey(key string) store.Key {
	slot, code, _ := refs[key].Split()
	return store.Key{PK: string(shopHub), SK: "order#" + string(slot) + "#" + string(code)}
}

func orderSeenIn(i store.Item) (o orderSeen, stands bool) {
	o = orderSeen{exists: i.Exists(), state: i.String("state"), holdEnd: i.Time("hold_end"), payments: map[string]int{}, code: i.SK[strings.LastIndexByte(i.SK, '#')+1:]}
	var payments []struct {
		State string `json:"s"`
	}
	var refunds []struct{}
	mustRead(i.String("payments"), &payments)
	mustRead(i.String("refunds"), &refunds)
	for _, p := range payments {
		o.payments[p.State]++
	}
	o.refunds = len(refunds)
	var err error
	if o.log, err = hub.DecodeLog(i.String("log")); err != nil {
		panic(err)
	}
	return o, o.exists && o.state != "void"
}

// ordersOf is every order, standing or void.
func ordersOf(s explore.Scene) map[string]orderSeen {
	orders := map[string]orderSeen{}
	for _, i := range s.Items() {
		if strings.HasPrefix(i.SK, "order#") {
			o, _ := orderSeenIn(*i)
			orders[o.code] = o
		}
	}
	return orders
}

func mustRead(text string, into any) {
	if text == "" {
		return
	}
	if err := json.Unmarshal([]byte(text), into); err != nil {
		panic(err)
	}
}
