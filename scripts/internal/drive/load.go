package drive

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// The sizes of the scenarios.
const (
	capacity     = 6
	rushAttempts = 20_000
	rushSlots    = 40
	fillGuests   = 4
	fillEach     = FullOrders
	fillDays     = 13 // from tomorrow on, so that no slot has begun
	stampede     = 1_000
	payments     = 8_000
	liveGuests   = 100
	liveOrders   = 6
)

// FullOrders is how many orders Fill places in each sandbox; one takes 3,000.
const FullOrders = 2_900

// pool has n clients do f(0..total-1), each over a connection of its own that
// stands before the clock starts. The first error ends it.
func (s *Server) pool(n, total int, f func(c *Conn, i int) error) (time.Duration, error) {
	conns := make([]*Conn, n)
	for i := range conns {
		c, err := Dial(s.Addr, "")
		if err != nil {
			return 0, err
		}
		defer c.Close()
		conns[i] = c
	}
	var (
		next   atomic.Int64
		failed atomic.Pointer[error]
		wg     sync.WaitGroup
	)
	gate := make(chan struct{})
	for _, c := range conns {
		wg.Go(func() {
			<-gate
			for failed.Load() == nil {
				i := int(next.Add(1)) - 1
				if i >= total {
					return
				}
				if err := f(c, i); err != nil {
					failed.CompareAndSwap(nil, &err)
				}
			}
		})
	}
	began := time.Now()
	close(gate)
	wg.Wait()
	took := time.Since(began)
	if err := failed.Load(); err != nil {
		return took, *err
	}
	return took, nil
}

// Placed says what attempts to place came to.
type Placed struct {
	Placed, Refused int
	Took            time.Duration
	CPU             time.Duration // of the server; 0 where its process is not known
	Worst           float64       // write attempts for each refused one, of the worst round
	Mean            float64
}

// PerSecond is the rate of all attempts.
func (p Placed) PerSecond() float64 { return float64(p.Placed+p.Refused) / p.Took.Seconds() }

// Each is the server's processor time for one attempt. Unlike the rate it does
// not depend on what else the machine is doing.
func (p Placed) Each() time.Duration { return p.CPU / time.Duration(max(p.Placed+p.Refused, 1)) }

// timed is pool, and what the server's process spent on it.
func (s *Server) timed(n, total int, f func(c *Conn, i int) error) (took, cpu time.Duration, err error) {
	if s.Pid == 0 {
		took, err = s.pool(n, total, f)
		return took, 0, err
	}
	before, err := s.CPU()
	if err != nil {
		return 0, 0, err
	}
	if took, err = s.pool(n, total, f); err != nil {
		return took, 0, err
	}
	after, err := s.CPU()
	return took, after - before, err
}

// Rush lets clients attempt to place 20,000 orders on 40 slots of 6.
func (s *Server) Rush(clients int) (Placed, error) {
	g, err := s.Enter()
	if err != nil {
		return Placed{}, err
	}
	slots, err := s.Slots(g, 1)
	if err != nil {
		return Placed{}, err
	}
	if len(slots) < rushSlots {
		return Placed{}, fmt.Errorf("a day has %d slots, %d are needed", len(slots), rushSlots)
	}
	bodies := make([][]byte, rushSlots)
	for i := range bodies {
		bodies[i] = OrderBody(slots[i].ID)
	}
	var placed, refused atomic.Int64
	ks := newKeys()
	took, cpu, err := s.timed(clients, rushAttempts, func(c *Conn, i int) error {
		a, err := c.Do("POST", "/v1/orders", g.Token, ks.next(), bodies[i%rushSlots])
		switch {
		case err != nil:
			return err
		case a.Status == 201:
			placed.Add(1)
		case a.Status == 409 && Text(a.Body, "code") == "slot-full":
			refused.Add(1)
		default:
			return &Refused{What: "POST /v1/orders", Answer: a}
		}
		return nil
	})
	p := Placed{Placed: int(placed.Load()), Refused: int(refused.Load()), Took: took, CPU: cpu}
	if err == nil && p.Placed != rushSlots*capacity {
		err = fmt.Errorf("%d orders were placed on %d slots of %d", p.Placed, rushSlots, capacity)
	}
	return p, err
}

// Fill places orders where there is room, spread over days and sandboxes, and
// returns them in the order of their guests.
func (s *Server) Fill(clients int) (Placed, []Order, error) {
	guests := make([]*Guest, fillGuests)
	bodies := make([][][]byte, fillGuests)
	for i := range guests {
		g, err := s.Enter()
		if err != nil {
			return Placed{}, nil, err
		}
		slots, err := s.Slots(g, fillDays)
		if err != nil {
			return Placed{}, nil, err
		}
		if room := len(slots) * capacity; room < fillEach {
			return Placed{}, nil, fmt.Errorf("%d days have room for %d orders, %d are needed", fillDays, room, fillEach)
		}
		guests[i] = g
		for _, x := range slots {
			bodies[i] = append(bodies[i], OrderBody(x.ID))
		}
	}
	orders := make([]Order, fillGuests*fillEach)
	ks := newKeys()
	took, cpu, err := s.timed(clients, len(orders), func(c *Conn, i int) error {
		at, n := i%fillGuests, i/fillGuests
		g := guests[at]
		a, err := c.Do("POST", "/v1/orders", g.Token, ks.next(), bodies[at][n%len(bodies[at])])
		if err != nil {
			return err
		}
		if a.Status != 201 {
			return &Refused{What: "POST /v1/orders", Answer: a}
		}
		orders[i] = Order{Guest: g, Ref: Text(a.Body, "ref")}
		if i == 0 {
			orders[0], err = ReadOrder(g, a.Body)
		}
		return err
	})
	for i := range orders {
		orders[i].Amount = orders[0].Amount // the same two buns for everybody
	}
	return Placed{Placed: len(orders), Took: took, CPU: cpu}, orders, err
}

// PayAll pays for placed orders.
func (s *Server) PayAll(clients int, orders []Order) (Placed, error) {
	orders = orders[:min(payments, len(orders))]
	ks := newKeys()
	took, cpu, err := s.timed(clients, len(orders), func(c *Conn, i int) error {
		return s.Pay(c, orders[i], ks.next())
	})
	return Placed{Placed: len(orders), Took: took, CPU: cpu}, err
}

// Stampede sends 1,000 placements at once for one slot of 6, several times
// over, each on a slot of its own. Exactly 6 may be placed each time.
func (s *Server) Stampede(rounds int) (Placed, error) {
	g, err := s.Enter()
	if err != nil {
		return Placed{}, err
	}
	slots, err := s.Slots(g, 1)
	if err != nil {
		return Placed{}, err
	}
	if rounds >= len(slots) {
		return Placed{}, fmt.Errorf("%d rounds and %d slots", rounds, len(slots))
	}
	// The hub's first order arms its alarm; that is not what is measured.
	c, err := Dial(s.Addr, "")
	if err != nil {
		return Placed{}, err
	}
	defer c.Close()
	if _, err := s.Place(c, g, slots[len(slots)-1].ID); err != nil {
		return Placed{}, err
	}
	var sum Placed
	for round := range rounds {
		body := OrderBody(slots[round].ID)
		var placed, refused atomic.Int64
		ks := newKeys()
		var took time.Duration
		cost, err := s.Spent(func() (err error) {
			took, err = s.pool(stampede, stampede, func(c *Conn, _ int) error {
				a, err := c.Do("POST", "/v1/orders", g.Token, ks.next(), body)
				switch {
				case err != nil:
					return err
				case a.Status == 201:
					placed.Add(1)
				case a.Status == 409 && Text(a.Body, "code") == "slot-full":
					refused.Add(1)
				default:
					return &Refused{What: "POST /v1/orders", Answer: a}
				}
				return nil
			})
			return err
		})
		if err != nil {
			return sum, err
		}
		if placed.Load() != capacity {
			return sum, fmt.Errorf("%d of %d orders were placed at once on a slot of %d", placed.Load(), stampede, capacity)
		}
		// A placed order is two writes; what is left was tried for the refused.
		tried := float64(cost.Writes-2*capacity-cost.Creates) / float64(refused.Load())
		sum.Placed += int(placed.Load())
		sum.Refused += int(refused.Load())
		sum.Took += took
		sum.Worst = max(sum.Worst, tried)
		sum.Mean += tried / float64(rounds)
	}
	return sum, nil
}

// Idle is what a shop takes while nobody asks anything of it.
type Idle struct {
	Guests, Orders int
	Memory         Memory
	CPU            time.Duration // used within Over
	Over           time.Duration
	Requests       int64 // of the table, within Over
}

// Live fills a fresh server with 100 sandboxes of some orders each and then
// watches it do nothing.
func (s *Server) Live(watch time.Duration) (Idle, error) {
	for range liveGuests {
		g, err := s.Enter()
		if err != nil {
			return Idle{}, err
		}
		slots, err := s.Slots(g, 1)
		if err != nil {
			return Idle{}, err
		}
		c, err := Dial(s.Addr, "")
		if err != nil {
			return Idle{}, err
		}
		for i := range liveOrders {
			if _, err := s.Place(c, g, slots[i%len(slots)].ID); err != nil {
				c.Close()
				return Idle{}, err
			}
		}
		c.Close()
	}
	idle := Idle{Guests: liveGuests, Orders: liveGuests * liveOrders, Over: watch}
	time.Sleep(3 * time.Second) // let the runtime put its heap away
	var err error
	if idle.Memory, err = s.Memory(); err != nil {
		return idle, err
	}
	before, err := s.CPU()
	if err != nil {
		return idle, err
	}
	cost, err := s.Spent(func() error { time.Sleep(watch); return nil })
	if err != nil {
		return idle, err
	}
	after, err := s.CPU()
	idle.CPU, idle.Requests = after-before, cost.Requests
	return idle, err
}
