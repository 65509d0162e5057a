package bakery

import (
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"pocbakery/pkg/hub"
	"pocbakery/pkg/store"
)

// Names of an order's fields.
const (
	orderPrefix      = "order#"
	fieldState       = "state"
	fieldLines       = "lines"
	fieldCurrency    = "currency"
	fieldName        = "name"
	fieldNote        = "note"
	fieldPlacedAt    = "placed_at"
	fieldHoldEnd     = "hold_end"
	fieldFingerprint = "fingerprint"
	fieldPayments    = "payments"
	fieldRefunds     = "refunds"
	fieldLog         = "log"
)

func orderSK(slot SlotID, code Code) string { return orderPrefix + string(slot) + "#" + string(code) }

type lineRow struct {
	SKU      string `json:"s"`
	Quantity int    `json:"q"`
	Price    int64  `json:"p"`
}

type paymentRow struct {
	ID       string       `json:"i"`
	State    PaymentState `json:"s"`
	Amount   int64        `json:"a"`
	Currency string       `json:"c"`
	At       int64        `json:"t"`
}

type refundRow struct {
	ID       string       `json:"i"`
	Payment  string       `json:"p"`
	Reason   RefundReason `json:"n"`
	Amount   int64        `json:"a"`
	Currency string       `json:"c"`
}

// storedOrder is an order with the revision it was read at; Rev 0 is no order.
type storedOrder struct {
	Order
	Rev int64
}

// stands reports whether there is an order: neither nothing nor a void.
func (o storedOrder) stands() bool { return o.Rev > 0 && o.State != Void }

// isVoid reports whether a void stands in the order's place.
func (o storedOrder) isVoid() bool { return o.Rev > 0 && o.State == Void }

func decodeOrder(slot SlotID, code Code, i store.Item) (storedOrder, error) {
	o := storedOrder{Order: Order{
		Slot: slot, Code: code, State: OrderState(i.String(fieldState)), Name: i.String(fieldName), Note: i.String(fieldNote),
		PlacedAt: i.Time(fieldPlacedAt), HoldEnd: i.Time(fieldHoldEnd), Fingerprint: i.String(fieldFingerprint),
	}, Rev: i.Rev}
	if !i.Exists() {
		return o, nil
	}
	var lines []lineRow
	var payments []paymentRow
	var refunds []refundRow
	history, err := hub.DecodeLog(i.String(fieldLog))
	for text, rows := range map[string]any{fieldLines: &lines, fieldPayments: &payments, fieldRefunds: &refunds} {
		if s := i.String(text); s != "" && err == nil {
			err = json.Unmarshal([]byte(s), rows)
		}
	}
	if err != nil {
		return o, fmt.Errorf("bakery: an order cannot be read: %w", err)
	}
	o.History = history
	currency := i.String(fieldCurrency)
	for _, l := range lines {
		o.Lines = append(o.Lines, Line{SKU: l.SKU, Quantity: l.Quantity, UnitPrice: Money{l.Price, currency}})
	}
	for _, p := range payments {
		o.Payments = append(o.Payments, Payment{ID: p.ID, State: p.State, Amount: Money{p.Amount, p.Currency}, At: hub.Millis(p.At)})
	}
	for _, r := range refunds {
		o.Refunds = append(o.Refunds, Refund{ID: r.ID, Payment: r.Payment, Reason: r.Reason, Amount: Money{r.Amount, r.Currency}})
	}
	return o, nil
}

// put writes the order whole, under a guard.
func (o Order) put(root hub.Root, g store.Guard) store.Write {
	f := o.changeable()
	f[fieldHoldEnd], f[fieldFingerprint] = store.FormatInstant(o.HoldEnd), o.Fingerprint
	if len(o.Lines) > 0 {
		lines := make([]lineRow, 0, len(o.Lines))
		for _, l := range o.Lines {
			lines = append(lines, lineRow{l.SKU, l.Quantity, l.UnitPrice.Amount})
		}
		f[fieldLines], f[fieldCurrency] = text(lines), o.Lines[0].UnitPrice.Currency
		f[fieldPlacedAt] = store.FormatInstant(o.PlacedAt)
	}
	for name, s := range map[string]string{fieldName: o.Name, fieldNote: o.Note} {
		if s != "" {
			f[name] = s
		}
	}
	return store.Put(root.Key(orderSK(o.Slot, o.Code)), g, f)
}

// change writes what can change in an order, by its revision, and leaves
// alone what only a later version knows. An order derived from the shop's past
// is written whole: from then on it is an item like any other.
func (o storedOrder) change(root hub.Root) store.Write {
	if o.Rev == 0 {
		return o.put(root, store.IfAbsent())
	}
	return store.Write{
		Op: store.OpUpdate, Key: root.Key(orderSK(o.Slot, o.Code)), Guard: store.IfRev(o.Rev), Set: o.changeable(),
	}
}

// changeable are the fields that change in an order's life.
func (o Order) changeable() store.Fields {
	f := store.Fields{fieldState: string(o.State), fieldLog: hub.EncodeLog(o.History)}
	if len(o.Payments) > 0 {
		rows := make([]paymentRow, 0, len(o.Payments))
		for _, p := range o.Payments {
			rows = append(rows, paymentRow{p.ID, p.State, p.Amount.Amount, p.Amount.Currency, p.At.UnixMilli()})
		}
		f[fieldPayments] = text(rows)
	}
	if len(o.Refunds) > 0 {
		rows := make([]refundRow, 0, len(o.Refunds))
		for _, r := range o.Refunds {
			rows = append(rows, refundRow{r.ID, r.Payment, r.Reason, r.Amount.Amount, r.Amount.Currency})
		}
		f[fieldRefunds] = text(rows)
	}
	return f
}

// void is what takes the place of an order that was never written before its
// hold ended.
func void(slot SlotID, h Hold, before storedOrder) Order {
	return Order{
		Slot: slot, Code: h.Code, State: Void, HoldEnd: h.End, Fingerprint: h.Fingerprint, History: before.History,
	}
}

// voidBefore is the guard of a write over a void of an earlier end than this:
// a void of this very hold is final.
func voidBefore(end time.Time) store.Guard {
	return store.If(store.Eq(fieldState, string(Void)), store.Lt(fieldHoldEnd, store.FormatInstant(end)))
}

// text encodes rows of our own making, which always encode.
func text(rows any) string {
	b, err := json.Marshal(rows)
	if err != nil {
		panic(err)
	}
	return string(b)
}
