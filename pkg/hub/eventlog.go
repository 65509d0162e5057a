package hub

import (
	"context"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"pocbakery/pkg/store"
)

// MaxLog bounds the events one item keeps: the oldest give way.
const MaxLog = 64

// EventRow is an event as it is stored: short names, milliseconds.
type EventRow struct {
	Type    EventType `json:"y"`
	Wall    int64     `json:"w"`
	At      int64     `json:"a,omitzero"` // left out where it is Wall
	Slot    string    `json:"s,omitzero"`
	Ref     string    `json:"r,omitzero"`
	Payment string    `json:"p,omitzero"`
	Refund  string    `json:"f,omitzero"`
	SKU     string    `json:"k,omitzero"`
	Reason  string    `json:"n,omitzero"`
	Revived bool      `json:"v,omitzero"`
	From    int64     `json:"b,omitzero"`
	To      int64     `json:"t,omitzero"`
	Seconds int64     `json:"d,omitzero"`
	Nth     int64     `json:"i,omitzero"`

	Task     string `json:"tk,omitzero"`
	Block    string `json:"bk,omitzero"`
	Calendar string `json:"cl,omitzero"`
	Date     string `json:"dt,omitzero"`
	Moves    int64  `json:"mv,omitzero"`

	Unknown jsontext.Value `json:",embed"` // what a later version knows
}

// Row is the event as it is stored.
func (e Event) Row() EventRow {
	row := EventRow{
		Type: e.Type, Wall: e.Wall.UnixMilli(), At: e.At.UnixMilli(), Slot: e.Slot, Ref: e.Ref, Payment: e.Payment,
		Refund: e.Refund, SKU: e.SKU, Reason: e.Reason, Revived: e.Revived, From: e.From, To: e.To, Seconds: e.Seconds, Nth: e.Nth,
		Task: e.Task, Block: e.Block, Calendar: e.Calendar, Date: e.Date, Moves: e.Moves,
	}
	if row.At == row.Wall {
		row.At = 0
	}
	return row
}

// Event is the event that a row stands for.
func (r EventRow) Event() Event {
	at := r.At
	if at == 0 {
		at = r.Wall
	}
	return Event{
		Type: r.Type, Wall: Millis(r.Wall), At: Millis(at), Slot: r.Slot, Ref: r.Ref, Payment: r.Payment,
		Refund: r.Refund, SKU: r.SKU, Reason: r.Reason, Revived: r.Revived, From: r.From, To: r.To, Seconds: r.Seconds, Nth: r.Nth,
		Task: r.Task, Block: r.Block, Calendar: r.Calendar, Date: r.Date, Moves: r.Moves,
	}
}

// Millis is the instant so many milliseconds after 1970, in UTC.
func Millis(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// EncodeLog writes events as the text of a field, the newest MaxLog of them.
func EncodeLog(events []Event) string {
	rows := make([]EventRow, 0, len(events))
	for _, e := range events[max(0, len(events)-MaxLog):] {
		rows = append(rows, e.Row())
	}
	b, err := json.Marshal(rows)
	if err != nil { // strings and numbers always encode, unless a string is not UTF-8
		panic(err)
	}
	return string(b)
}

// DecodeLog reads what EncodeLog wrote; empty text is no events.
func DecodeLog(s string) ([]Event, error) {
	if s == "" {
		return nil, nil
	}
	var rows []EventRow
	if err := json.Unmarshal([]byte(s), &rows); err != nil {
		return nil, err
	}
	events := make([]Event, len(rows))
	for i, r := range rows {
		events[i] = r.Event()
	}
	return events, nil
}

const (
	eventPrefix = "event#"
	fieldEvent  = "event"
)

// LogWrite is the write of an event that has no other item to live in.
func (r Root) LogWrite(e Event) store.Write { return r.LogWriteAt(eventPrefix, e) }

// LogWriteAt is the same in a log of its own, whose items have this prefix.
func (r Root) LogWriteAt(prefix string, e Event) store.Write {
	return store.Put(r.Key(prefix+e.ID()), store.IfAbsent(), store.Fields{fieldEvent: EncodeLog([]Event{e})})
}

// LoggedIn reads what LogWriteAt wrote.
func LoggedIn(i store.Item) ([]Event, error) { return DecodeLog(i.String(fieldEvent)) }

// Log lists the hub's own events: its birth, and those that live in no other item.
func (e *Engine) Log(ctx context.Context, view View) ([]Event, error) {
	events := []Event{{Type: SandboxBorn, Wall: view.Root.BornAt, At: view.Root.BornAt}}
	items, err := e.ListAll(ctx, view, store.Prefix(eventPrefix))
	if err != nil {
		return nil, err
	}
	for _, i := range items {
		logged, err := LoggedIn(i)
		if err != nil {
			return nil, err
		}
		events = append(events, logged...)
	}
	return events, nil
}

// ListAll lists a range of the hub's items, page after page.
func (e *Engine) ListAll(ctx context.Context, view View, r store.Range) ([]store.Item, error) {
	var all []store.Item
	for {
		page, err := e.store.List(ctx, view.Now.Wall, string(view.Root.ID), r)
		if err != nil {
			return nil, err
		}
		all = append(all, page.Items...)
		if page.Next == "" {
			return all, nil
		}
		r.After = page.Next
	}
}
