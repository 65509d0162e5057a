package main

import (
	"fmt"
	"time"

	"pocbakery/scripts/internal/drive"
)

// A process may believe for so long what it has read of the ledger.
const cached = 1200 * time.Millisecond

// visit measures what one visitor does, in the order of a visit.
func (t *sheet) visit(s *drive.Server) error {
	guest, err := t.admission(s)
	if err != nil {
		return err
	}
	c, err := drive.Dial(s.Addr, "")
	if err != nil {
		return err
	}
	defer c.Close()
	slots, err := s.Slots(guest, 1)
	if err != nil {
		return err
	}
	t.prime = func() error { return askTheFlag(c, guest, slots[0]) }
	defer func() { t.prime = nil }()
	if err := t.orders(s, c, guest, slots); err != nil {
		return err
	}
	if err := t.slots(s, guest, ", two of them touched"); err != nil {
		return err
	}
	if err := t.measure(s, "nobody asks anything for 5 s", budget{}, func() error {
		time.Sleep(5 * time.Second)
		return nil
	}); err != nil {
		return err
	}
	for i := slots[1].Capacity + 1; i < pageOrders; i++ {
		if _, err := s.Place(c, guest, slots[2+i%(len(slots)-2)].ID); err != nil {
			return err
		}
	}
	if err := t.measure(s, fmt.Sprintf("read a page of events, %d orders", pageOrders), budget{reads: free, ru: 30}, get(c, guest, "/v1/events")); err != nil {
		return err
	}
	return t.wipe(s, c, guest)
}

// pageOrders is how many orders a visitor has placed whose events are read.
const pageOrders = 100

// askTheFlag has the process read the operator's switch, which it does for
// commands at most once a second, so that no row pays for it by chance. The
// command is refused and changes nothing.
func askTheFlag(c *drive.Conn, g *drive.Guest, slot drive.Slot) error {
	a, err := c.Do("POST", "/v1/orders/"+slot.ID+"-0000000000/cancel", g.Token, "", nil)
	if err == nil && a.Status != 404 {
		err = &drive.Refused{What: "cancelling no order", Answer: a}
	}
	return err
}

// admission measures the ways in, and returns a guest.
func (t *sheet) admission(s *drive.Server) (*drive.Guest, error) {
	var guest *drive.Guest
	enter := func() (err error) { guest, err = s.Enter(); return err }
	refused := func() error {
		a, err := s.Admission()
		if err == nil && a.Status != 503 {
			err = &drive.Refused{What: "an admission that must be refused", Answer: a}
		}
		return err
	}
	status, err := s.Status()
	if err != nil {
		return nil, err
	}
	full := map[string]any{"cap": status.Sandboxes.Used + 2}
	if err := s.Admit(map[string]any{"rate_limit": "on"}); err != nil { // as it is where nobody measures
		return nil, err
	}
	for _, step := range []struct {
		what   string
		budget budget
		before func() error
		f      func() error
	}{
		{"admit a guest, who arms the control hub", budget{reads: 1, writes: 2, ru: free, wu: 13, calls: 2}, nil, enter},
		{"admit a guest", budget{reads: 1, writes: 1, ru: free, wu: 12, calls: 1}, nil, enter},
		{"refuse at a cap, cold", budget{reads: 1, ru: 2}, func() error {
			err := s.Admit(full)
			time.Sleep(cached)
			return err
		}, refused},
	} {
		if step.before != nil {
			if err := step.before(); err != nil {
				return nil, err
			}
		}
		if err := t.measure(s, step.what, step.budget, step.f); err != nil {
			return nil, err
		}
	}
	if err := s.Open(); err != nil {
		return nil, err
	}
	if err := t.refusedFromMemory(s); err != nil {
		return nil, err
	}
	return guest, s.Open()
}

// orders measures placing, being refused and paying.
func (t *sheet) orders(s *drive.Server, c *drive.Conn, g *drive.Guest, slots []drive.Slot) error {
	var onSlot []drive.Order
	place := func(i int) func() error {
		return func() error {
			o, err := s.Place(c, g, slots[i].ID)
			if i == 1 {
				onSlot = append(onSlot, o)
			}
			return err
		}
	}
	plain := budget{reads: 2, writes: 2, ru: free, wu: 4}
	if err := t.measure(s, "place the first order of a hub, which arms it", budget{reads: 3, writes: 3, ru: free, wu: free, calls: 1}, place(0)); err != nil {
		return err
	}
	if err := t.measure(s, "place the first order of a slot", plain, place(1)); err != nil {
		return err
	}
	held := plain
	held.wu = 2
	if err := t.measure(s, "place on a slot that has holds", held, place(1)); err != nil {
		return err
	}
	for len(onSlot) < slots[1].Capacity {
		if err := place(1)(); err != nil {
			return err
		}
	}
	if err := t.measure(s, "refuse a full slot", budget{reads: 2, ru: free}, func() error {
		a, err := c.Do("POST", "/v1/orders", g.Token, drive.NewKey(), drive.OrderBody(slots[1].ID))
		if err == nil && (a.Status != 409 || drive.Text(a.Body, "code") != "slot-full") {
			err = &drive.Refused{What: "a placement on a full slot", Answer: a}
		}
		return err
	}); err != nil {
		return err
	}
	pay := func(o drive.Order) func() error {
		return func() error { return s.Pay(c, o, drive.NewKey()) }
	}
	if err := t.measure(s, "pay, the slot's earliest hold", budget{reads: 2, writes: 2, ru: free, wu: 6}, pay(onSlot[0])); err != nil {
		return err
	}
	return t.measure(s, "pay, another hold", budget{reads: 2, writes: 2, ru: free, wu: 4}, pay(onSlot[len(onSlot)-1]))
}

// get is a read that must be answered.
func get(c *drive.Conn, g *drive.Guest, path string) func() error {
	return func() error {
		a, err := c.Do("GET", path, g.Token, "", nil)
		if err == nil && a.Status != 200 {
			err = &drive.Refused{What: "GET " + path, Answer: a}
		}
		return err
	}
}

// slots measures reading the slots of a sandbox, whose state the suffix tells.
func (t *sheet) slots(s *drive.Server, g *drive.Guest, suffix string) error {
	c, err := drive.Dial(s.Addr, "")
	if err != nil {
		return err
	}
	defer c.Close()
	today := g.Born.UTC().Format(time.DateOnly)
	tomorrow := g.Born.UTC().AddDate(0, 0, 1).Format(time.DateOnly)
	for _, r := range []struct {
		what, path string
		ru         float64
	}{
		{"read the slots of a day", "/v1/slots?date=" + tomorrow, 20},
		{"read the slots of 14 days", "/v1/slots?days=14&date=" + today, 120},
	} {
		if err := t.measure(s, r.what+suffix, budget{reads: free, ru: r.ru}, get(c, g, r.path)); err != nil {
			return err
		}
	}
	return nil
}

// full measures the reads of a sandbox in which nearly every slot is full. A
// page of its events has no budget: it is many times what a visitor orders.
func (t *sheet) full(s *drive.Server, g *drive.Guest) error {
	if err := t.slots(s, g, ", nearly all of them full"); err != nil {
		return err
	}
	c, err := drive.Dial(s.Addr, "")
	if err != nil {
		return err
	}
	defer c.Close()
	return t.inform(s, fmt.Sprintf("read a page of events, %d orders", drive.FullOrders), get(c, g, "/v1/events"))
}

// alarm measures one run of a hub that has many ends due.
func (t *sheet) alarm(s *drive.Server) error {
	const ends, over = 12, 4
	for _, part := range []string{"rules", "ttl"} {
		if err := s.Quiet(part); err != nil {
			return err
		}
	}
	g, err := s.Enter()
	if err != nil {
		return err
	}
	slots, err := s.Slots(g, 1)
	if err != nil {
		return err
	}
	c, err := drive.Dial(s.Addr, "")
	if err != nil {
		return err
	}
	defer c.Close()
	// A one-shot names a whole second: all ends fall into one.
	time.Sleep(time.Until(time.Now().Truncate(time.Second).Add(time.Second + 50*time.Millisecond)))
	orders := make([]drive.Order, ends)
	for i := range orders {
		if orders[i], err = s.Place(c, g, slots[i%over].ID); err != nil {
			return err
		}
	}
	b := budget{reads: free, writes: ends + over + 2, ru: free, wu: free, calls: 1}
	if err := t.measure(s, fmt.Sprintf("an alarm with %d ends due in %d slots", ends, over), b, func() error {
		return s.Advance(16 * time.Minute)
	}); err != nil {
		return err
	}
	for _, o := range orders {
		a, err := c.Do("GET", "/v1/orders/"+o.Ref, g.Token, "", nil)
		if err != nil {
			return err
		}
		if state := drive.Text(a.Body, "state"); state != "expired" {
			return fmt.Errorf("an order whose hold has ended is %q", state)
		}
	}
	return nil
}

// wipe measures the end of a sandbox at its visitor's wish.
func (t *sheet) wipe(s *drive.Server, c *drive.Conn, g *drive.Guest) error {
	items, err := s.Items(g.Hub)
	if err != nil {
		return err
	}
	schedules, err := s.Schedules(g.Hub)
	if err != nil {
		return err
	}
	batches := (items + 24) / 25
	// One list, a delete a schedule, and one create for the second pass, which
	// the control hub makes.
	b := budget{reads: free, writes: int64(batches + 3), ru: free, wu: free, calls: int64(1 + schedules + 1)}
	what := fmt.Sprintf("wipe a sandbox of %d items and %d schedules; of the calls 1 create for the second pass", items, schedules)
	if err := t.measure(s, what, b, func() error {
		a, err := c.Do("DELETE", "/v1/sandbox", g.Token, "", nil)
		if err == nil && a.Status != 204 {
			err = &drive.Refused{What: "DELETE /v1/sandbox", Answer: a}
		}
		return err
	}); err != nil {
		return err
	}
	left, err := s.Items(g.Hub)
	if err == nil && left > 0 {
		err = fmt.Errorf("%d items are left of a wiped sandbox", left)
	}
	return err
}
