package bolt_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"pocbakery/pkg/store"
	"pocbakery/pkg/store/bolt"
)

var someKey = store.Key{PK: "hub", SK: "slot#1"}

// samples are items with every type of value and every length of length.
func samples() []store.Item {
	all := []store.Fields{
		nil,
		{"text": "häppchen ☕", "empty": "", "nul": "\x00"},
		{"zero": int64(0), "minus": int64(-1), "max": int64(math.MaxInt64), "min": int64(math.MinInt64), "mid": int64(300)},
		{"yes": true, "no": false},
		{"long": strings.Repeat("x", 20_000), strings.Repeat("n", 200): "long name"},
		slotFields(6),
	}
	var items []store.Item
	for n, fields := range all {
		items = append(items, store.Item{Key: someKey, Rev: int64(n*n*1000 + 1), Fields: fields})
	}
	return items
}

// slotFields is like a slot's item with so many holds: what a refusal lists.
func slotFields(holds int) store.Fields {
	fields := store.Fields{
		"v": int64(1), "by": "0a1b2c3d", "capacity": int64(6), "taken": int64(holds), "held": int64(holds), "confirmed": int64(0),
		"first_end": "2040-05-17T12:10:00.000Z", "due": "b2040-05-17T12:10:00.000Z", "wake": "2040-05-17T12:10:00.000Z",
	}
	for n := range holds {
		fields[fmt.Sprintf("h_%08d", n)] = `{"end":"2040-05-17T12:10:00.000Z","state":"held","made":"2040-05-17T12:00:00.000Z","fp":"9f86d081884c"}`
	}
	return fields
}

func TestAnItemIsDecodedAsItWasEncoded(t *testing.T) {
	for n, want := range samples() {
		b := bolt.Encode(want)
		got, size, err := bolt.Decode(want.Key, b)
		if err != nil || got.Key != want.Key || got.Rev != want.Rev || !maps.Equal(got.Fields, want.Fields) {
			t.Fatalf("sample %d: %v, %v", n, err, got)
		}
		if size != store.ItemBytes(want) {
			t.Fatalf("sample %d has size %d", n, size)
		}
		// bbolt takes the bytes back when the transaction ends.
		clear(b)
		if !maps.Equal(got.Fields, want.Fields) {
			t.Fatalf("sample %d shares memory with the file", n)
		}
	}
}

func TestEveryBitThatFlipsIsNoticed(t *testing.T) {
	b := bolt.Encode(samples()[2])
	for n := range len(b) * 8 {
		flipped := bytes.Clone(b)
		flipped[n/8] ^= 1 << (n % 8)
		if _, _, err := bolt.Decode(someKey, flipped); err == nil {
			t.Fatalf("bit %d may flip", n)
		}
	}
	for n := range b {
		if _, _, err := bolt.Decode(someKey, b[:n]); err == nil {
			t.Fatalf("%d bytes are enough", n)
		}
	}
}

func TestABodyThatIsNoItemIsAnError(t *testing.T) {
	for name, body := range map[string]string{
		"nothing":               "",
		"another format":        "\x02\x01\x00\x00",
		"revision zero":         "\x01\x00\x00\x00",
		"a field too few":       "\x01\x01\x00\x01",
		"a byte too many":       "\x01\x01\x00\x00x",
		"no such type":          "\x01\x01\x00\x01\x01nx",
		"a field without name":  "\x01\x01\x00\x01\x00t",
		"a field twice":         "\x01\x01\x00\x02\x01nt\x01nt",
		"text past the end":     "\x01\x01\x00\x01\x01ns\x05abc",
		"huge text":             "\x01\x01\x00\x01\x01ns\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
		"huge count":            "\x01\x01\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
		"a number without end":  "\x01\x01\x00\x01\x01ni\xff\xff",
		"a number of 11 bytes":  "\x01\x01\x00\x01\x01ni\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
		"a revision of 70 bits": "\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x00\x00",
	} {
		if _, _, err := bolt.DecodeBody(someKey, body); err == nil {
			t.Errorf("%s is an item", name)
		}
	}
}

// FuzzDecode: whatever is in the file, decoding ends with an item or an error,
// and an item that comes out goes in again.
func FuzzDecode(f *testing.F) {
	for _, i := range samples() {
		f.Add(bolt.Encode(i)[4:])
	}
	f.Add([]byte{})
	f.Add([]byte("\x01\x01\x00\x01\x01nt"))
	f.Add(binary.AppendUvarint([]byte{1, 1, 0}, math.MaxUint64))
	f.Fuzz(func(t *testing.T, body []byte) {
		_, _, _ = bolt.Decode(someKey, body)
		i, _, err := bolt.DecodeBody(someKey, string(body))
		if err != nil {
			return
		}
		again, size, err := bolt.Decode(someKey, bolt.Encode(i))
		if err != nil || again.Rev != i.Rev || size != store.ItemBytes(i) {
			t.Fatalf("%v: %v, %v", err, i, again)
		}
		names := slices.Sorted(maps.Keys(i.Fields))
		for _, name := range names {
			if again.Fields[name] != i.Fields[name] {
				t.Fatalf("%q was %v, is %v", name, i.Fields[name], again.Fields[name])
			}
		}
	})
}
