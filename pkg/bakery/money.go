package bakery

// Money is an amount in the minor unit of its currency (öre, cents): never a float.
type Money struct {
	Amount   int64  // minor units
	Currency string // ISO 4217, three letters
}

// Times is the price of n pieces.
func (m Money) Times(n int) Money { m.Amount *= int64(n); return m }

// Plus adds two amounts of one currency.
func (m Money) Plus(o Money) Money {
	if m.Currency == "" {
		return o
	}
	m.Amount += o.Amount
	return m
}
