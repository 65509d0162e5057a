package bakery

import (
	"slices"
	"testing"
)

func TestTheSeededMenuIsSound(t *testing.T) {
	seen := map[string]bool{}
	out := 0
	for _, p := range SeededMenu() {
		if seen[p.SKU] || p.SKU == "" || p.Name == "" || p.Description == "" || p.Price.Amount <= 0 || p.Price.Currency != "SEK" {
			t.Errorf("%+v", p)
		}
		seen[p.SKU] = true
		if !p.Available {
			out++
		}
	}
	if !seen["cardamom-bun"] || out != 1 {
		t.Error(seen, out)
	}
}

func TestThePriceOfTheLinesIsInTheirOrder(t *testing.T) {
	m := SeededMenu()
	lines, unsold := m.Price([]Wanted{{"rye-loaf", 1}, {"cardamom-bun", 2}, {"rye-loaf", 3}})
	want := []Line{{"rye-loaf", 1, Money{7600, "SEK"}}, {"cardamom-bun", 2, Money{4500, "SEK"}}, {"rye-loaf", 3, Money{7600, "SEK"}}}
	if unsold != nil || !slices.Equal(lines, want) || Total(lines) != (Money{39400, "SEK"}) {
		t.Error(lines, unsold)
	}
}

func TestTheFirstLineThatCannotBeSoldIsNamed(t *testing.T) {
	m := SeededMenu()
	for _, c := range []struct {
		wanted []Wanted
		want   Unsold
	}{
		{[]Wanted{{"cardamom-bun", 1}, {"semla", 2}, {"pizza", 1}}, Unsold{1, "semla", true}},
		{[]Wanted{{"cardamom-bun", 1}, {"pizza", 1}, {"semla", 2}}, Unsold{1, "pizza", false}},
		{[]Wanted{{"", 1}}, Unsold{0, "", false}},
	} {
		if lines, unsold := m.Price(c.wanted); unsold == nil || *unsold != c.want || lines != nil {
			t.Error(c.wanted, lines, unsold)
		}
	}
}

func TestWhatAShopMakesAvailableLeavesTheMenuItCameFromAlone(t *testing.T) {
	m := SeededMenu()
	changed := m.With(map[string]bool{"semla": true, "cardamom-bun": false, "pizza": true})
	semla, _ := changed.Product("semla")
	bun, _ := changed.Product("cardamom-bun")
	if !semla.Available || bun.Available || len(changed) != len(m) {
		t.Error(semla, bun)
	}
	if !slices.Equal(m, SeededMenu()) {
		t.Error("the menu changed")
	}
	if _, ok := changed.Product("pizza"); ok {
		t.Error("pizza is on the menu")
	}
}
