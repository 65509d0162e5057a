package bakery

import (
	"maps"
	"testing"
	"time"

	"pocbakery/pkg/hub"
	"pocbakery/pkg/store"
)

const fuzzSlot = SlotID("20261205T0915Z")

func FuzzDecodeHold(f *testing.F) {
	made := time.Date(2026, 12, 5, 8, 0, 0, 0, time.UTC)
	now := hub.Now{Wall: made.Add(-time.Hour), Business: made}
	s := Slot{ID: fuzzSlot, Holds: map[Code]Hold{}}
	f.Add(s.Hold("0123456789", "print", now, false).encode())
	s.ReleaseEnded(hub.Now{Wall: now.Wall, Business: made.Add(time.Hour)})
	f.Add(s.Hold("0123456789", "print", now, true).encode())
	s.Confirm("0123456789", now)
	f.Add(s.Holds["0123456789"].encode())
	f.Add(`{"s":"h","m":1,"e":2,"f":"x","later":[1,{"a":null}]}`)
	f.Add(`{"s":1}`)
	f.Fuzz(func(t *testing.T, text string) {
		h, err := decodeHold("0123456789", text)
		if err != nil {
			return
		}
		again, err := decodeHold("0123456789", h.encode())
		if err != nil || again.encode() != h.encode() {
			t.Errorf("%q does not come back: %v", text, err)
		}
		h.Events(fuzzSlot)
	})
}

func FuzzDecodeOrder(f *testing.F) {
	f.Add("placed", `[{"s":"cardamom-bun","q":2,"p":4500}]`, `[{"i":"p_1","s":"accepted","a":9000,"c":"SEK","t":1}]`, `[]`, `[{"y":"OrderPlaced","w":1}]`)
	f.Add("void", "", "", "", "")
	f.Add("placed", "{", "[", "null", "[null]")
	f.Fuzz(func(t *testing.T, state, lines, payments, refunds, log string) {
		i := store.Item{Rev: 1, Fields: store.Fields{
			fieldState: state, fieldLines: lines, fieldPayments: payments, fieldRefunds: refunds, fieldLog: log, fieldCurrency: "SEK",
		}}
		o, err := decodeOrder(fuzzSlot, "0123456789", i)
		if err != nil {
			return
		}
		w := o.change(hub.Root{ID: "x"})
		again, err := decodeOrder(fuzzSlot, "0123456789", w.Apply(i))
		if err != nil || len(again.Payments) != len(o.Payments) || len(again.Refunds) != len(o.Refunds) {
			t.Errorf("an order does not come back: %v", err)
		}
	})
}

func FuzzDecodeCursor(f *testing.F) {
	f.Add("")
	f.Add(encodeCursor("20261205T0915Z-0123456789"))
	f.Add("!!")
	f.Fuzz(func(t *testing.T, s string) {
		ref, err := decodeCursor(s)
		if err == nil && s != "" && encodeCursor(ref) != s {
			t.Errorf("%q is read as %q", s, ref)
		}
	})
}

// What a later version wrote into a slot or a hold survives this version's
// writes, so that going back one version drops nothing.
func TestUnknownFieldsSurviveARewrite(t *testing.T) {
	now := hub.Now{Wall: time.Date(2026, 12, 5, 8, 0, 0, 0, time.UTC), Business: time.Date(2026, 12, 5, 8, 0, 0, 0, time.UTC)}
	s := Slot{ID: fuzzSlot, Capacity: 6, Holds: map[Code]Hold{}}
	s.Hold("0123456789", "print", now, false)
	w := s.write(hub.Root{ID: "x"})
	i := w.Apply(store.Item{})
	i.Fields = maps.Clone(i.Fields)
	i.Fields["later"] = "kept"
	i.Fields["h_0123456789"] = i.String("h_0123456789")[:len(i.String("h_0123456789"))-1] + `,"later":{"a":1}}`
	s, err := decodeSlot(fuzzSlot, i, 6)
	if err != nil {
		t.Fatal(err)
	}
	s.Confirm("0123456789", now)
	w = s.write(hub.Root{ID: "x"})
	next := w.Apply(i)
	if next.String("later") != "kept" {
		t.Error("the slot's field is gone")
	}
	if h, _ := decodeHold("0123456789", next.String("h_0123456789")); string(h.unknown) != `{"later":{"a":1}}` {
		t.Errorf("the hold's is %s", h.unknown)
	}
}
