package api

import "pocbakery/pkg/bakery"

type payBody struct {
	Amount amountBody `json:"amount" doc:"Exactly the order's total"`
}

type amountBody struct {
	Amount   int64 `json:"amount" minimum:"0" maximum:"1000000000000" doc:"In the currency's minor unit"`
	Currency text  `json:"currency" minLength:"3" maxLength:"3" doc:"ISO 4217"`
}

type paidJSON struct {
	Payment paymentJSON `json:"payment"`
	Order   orderJSON   `json:"order"`
}

type paymentJSON struct {
	ID     string              `json:"id"`
	State  bakery.PaymentState `json:"state" enum:"accepted,late,duplicate"`
	Amount moneyJSON           `json:"amount"`
	At     instant             `json:"at"`
}

func paymentOf(p bakery.Payment) paymentJSON {
	return paymentJSON{p.ID, p.State, moneyJSON(p.Amount), instant(p.At)}
}

type refundJSON struct {
	ID      string              `json:"id"`
	Payment string              `json:"payment"`
	State   string              `json:"state" enum:"requested"`
	Reason  bakery.RefundReason `json:"reason" enum:"late,duplicate,cancelled"`
	Amount  moneyJSON           `json:"amount"`
}

func (s *server) pay(c *call, in *payBody) (paidJSON, error) {
	amount := bakery.Money{Amount: in.Amount.Amount, Currency: string(in.Amount.Currency)}
	p, o, replayed, err := s.Shop.Pay(c.ctx, c.who, c.ref(), c.key, amount)
	if err != nil {
		return paidJSON{}, err
	}
	if replayed {
		c.replayed()
	}
	return paidJSON{paymentOf(p), orderOf(o)}, nil
}
