package bakery

import "slices"

// Product is a thing the bakery sells.
type Product struct {
	SKU         string // never changes
	Name        string
	Description string
	Price       Money
	Available   bool // can be ordered now
}

// Menu is what the bakery sells, in the order it is shown in.
type Menu []Product

// SeededMenu is the menu a shop is born with.
func SeededMenu() Menu {
	kr := func(n int64) Money { return Money{Amount: n * 100, Currency: "SEK"} }
	return Menu{
		{"cardamom-bun", "Cardamom bun", "Butter dough, knotted by hand, with cardamom ground the same morning.", kr(45), true},
		{"cinnamon-bun", "Cinnamon bun", "The same dough with cinnamon and pearl sugar.", kr(42), true},
		{"saffron-bun", "Saffron bun", "Saffron dough and two raisins. Until Christmas.", kr(39), true},
		{"semla", "Semla", "Wheat bun with almond paste and whipped cream. From January to Easter.", kr(58), false},
		{"seeded-roll", "Seeded roll", "Sunflower, linseed and sesame. For breakfast, or for soup.", kr(18), true},
		{"sourdough-loaf", "Sourdough loaf", "Wheat, water and salt, two days in the making. 900 g.", kr(82), true},
		{"rye-loaf", "Rye loaf", "Dark and dense, with a little syrup. Keeps for a week. 1 kg.", kr(76), true},
		{"crispbread", "Crispbread", "A round of rye with caraway. Keeps for months. 300 g.", kr(64), true},
		{"cheese-sandwich", "Cheese sandwich", "Rye bread, butter, aged cheese, cucumber.", kr(69), true},
		{"chocolate-ball", "Chocolate ball", "Oats, cocoa and a spoon of coffee, rolled in coconut.", kr(28), true},
		{"princess-slice", "Princess cake, a slice", "Sponge, raspberry and cream under green marzipan.", kr(62), true},
		{"princess-cake", "Princess cake, whole", "Eight slices. Say in the note what it is for.", kr(445), true},
	}
}

// Product finds what has this SKU.
func (m Menu) Product(sku string) (p Product, ok bool) {
	i := slices.IndexFunc(m, func(p Product) bool { return p.SKU == sku })
	if i < 0 {
		return Product{}, false
	}
	return m[i], true
}

// With is the menu with some things made available, or not. What it does not
// have is no matter.
func (m Menu) With(available map[string]bool) Menu {
	m = slices.Clone(m)
	for i := range m {
		if a, ok := available[m[i].SKU]; ok {
			m[i].Available = a
		}
	}
	return m
}

// Wanted is a line that somebody asks for.
type Wanted struct {
	SKU      string
	Quantity int
}

// Unsold is the first of the lines asked for that cannot be sold.
type Unsold struct {
	Line    int // its place among them, from 0
	SKU     string
	SoldOut bool // it is on the menu and cannot be had now; else it is not on it
}

// Price prices the lines asked for, in their order, or says which cannot be
// sold. Quantities are the caller's to bound.
func (m Menu) Price(wanted []Wanted) (lines []Line, unsold *Unsold) {
	lines = make([]Line, 0, len(wanted))
	for i, w := range wanted {
		p, ok := m.Product(w.SKU)
		if !ok || !p.Available {
			return nil, &Unsold{Line: i, SKU: w.SKU, SoldOut: ok}
		}
		lines = append(lines, Line{SKU: w.SKU, Quantity: w.Quantity, UnitPrice: p.Price})
	}
	return lines, nil
}
