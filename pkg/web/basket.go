package web

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"pocbakery/pkg/bakery"
	"pocbakery/pkg/refusal"
)

// basket is the storefront's form as the visitor filled it in: as typed, so
// that nothing is lost when it comes back.
type basket struct {
	date   string
	pickup bakery.SlotID
	qty    map[string]string // by sku
	name   string
	note   string
}

const qtyPrefix = "qty."

// readBasket reads the form. date is a press of the day picker; day is which
// one was shown, and take a place that a refusal offered.
func readBasket(v url.Values) basket {
	b := basket{
		date: cmp.Or(v.Get("date"), v.Get("day")), pickup: bakery.SlotID(v.Get("pickup")), qty: map[string]string{},
		// Browsers send a line's end as two characters.
		name: v.Get("name"), note: strings.ReplaceAll(v.Get("note"), "\r\n", "\n"),
	}
	if take := v.Get("take"); take != "" {
		b.pickup = bakery.SlotID(take)
	}
	for name, values := range v {
		if sku, ok := strings.CutPrefix(name, qtyPrefix); ok && values[0] != "" && values[0] != "0" {
			b.qty[sku] = values[0]
		}
	}
	return b
}

// values are the basket in an address, without what is empty.
func (b basket) values() url.Values {
	v := url.Values{}
	set := func(name, value string) {
		if value != "" {
			v.Set(name, value)
		}
	}
	set("date", b.date)
	set("pickup", string(b.pickup))
	set("name", b.name)
	set("note", b.note)
	for sku, n := range b.qty {
		set(qtyPrefix+sku, n)
	}
	return v
}

// placement is the basket as an order, or what is missing for one. The lines
// stand in the order of their skus, so that the same basket is the same order.
func (b basket) placement() (bakery.Placement, error) {
	p := bakery.Placement{Pickup: b.pickup, Name: b.name, Note: b.note}
	for _, sku := range slices.Sorted(maps.Keys(b.qty)) {
		n, err := quantity(b.qty[sku])
		if err != nil {
			return p, refusal.At(refusal.Invalid, qtyPrefix+sku, quantityRule(n))
		}
		if n > 0 {
			p.Lines = append(p.Lines, bakery.Wanted{SKU: sku, Quantity: n})
		}
	}
	switch {
	case len(p.Lines) == 0:
		return p, refusal.At(refusal.Invalid, "lines", "Nothing is in the order yet. Choose how many you want of something on the menu.")
	case b.pickup == "":
		return p, refusal.At(refusal.Invalid, "pickup", "No pickup time is chosen yet. Choose one.")
	}
	return p, nil
}

// quantityRule says what a quantity may be to who typed n, or no number (0).
func quantityRule(n int) string {
	most := strconv.Itoa(bakery.MaxQuantity)
	if n > bakery.MaxQuantity {
		return "An order takes at most " + most + " of one thing, and this asks for " + strconv.Itoa(n) + "."
	}
	return "A quantity is a whole number from 0 to " + most + "."
}

// quantity is how many of something, as typed.
func quantity(s string) (int, error) {
	n, err := strconv.Atoi(strings.TrimSpace(s))
	switch {
	case err != nil:
		return 0, err
	case n < 0, n > bakery.MaxQuantity:
		return n, strconv.ErrRange
	}
	return n, nil
}

// shopURL is the storefront with a basket in its address.
func shopURL(v url.Values) string {
	if len(v) == 0 {
		return "/shop"
	}
	return "/shop?" + v.Encode()
}
