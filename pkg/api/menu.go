package api

import "pocbakery/pkg/bakery"

type menuJSON struct {
	Items []itemJSON `json:"items"`
}

type itemJSON struct {
	SKU         string    `json:"sku"`
	Name        string    `json:"name"`
	Description string    `json:"description"`
	Price       moneyJSON `json:"price"`
	Available   bool      `json:"available"`
}

func itemOf(p bakery.Product) itemJSON {
	return itemJSON{p.SKU, p.Name, p.Description, moneyJSON(p.Price), p.Available}
}

type moneyJSON struct {
	Amount   int64  `json:"amount" doc:"In the currency's minor unit"`
	Currency string `json:"currency" doc:"ISO 4217"`
}

func (s *server) menu(c *call) (out menuJSON, err error) {
	m, err := s.Shop.Menu(c.ctx, c.who)
	out.Items = make([]itemJSON, len(m))
	for i, p := range m {
		out.Items[i] = itemOf(p)
	}
	return out, err
}

type editItemBody struct {
	Available bool `json:"available" doc:"Whether it can be ordered now"`
}

func (s *server) editItem(c *call, in *editItemBody) (itemJSON, error) {
	p, err := s.Shop.SetAvailable(c.ctx, c.who, c.path("sku"), in.Available)
	return itemOf(p), err
}
