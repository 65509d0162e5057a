package drive

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"
)

// passToken is Cloudflare's documented dummy, which its test keys let pass.
const passToken = "XXXX.DUMMY.TOKEN.XXXX"

// Guest is a visitor with a sandbox of their own.
type Guest struct {
	Hub   string
	Token string
	Born  time.Time
}

// Slot is a pickup slot as a visitor sees it.
type Slot struct {
	ID       string `json:"id"`
	Capacity int    `json:"capacity"`
	Free     int    `json:"free"`
}

// NewKey is an Idempotency-Key that nobody used before.
func NewKey() string {
	var b [18]byte
	rand.Read(b[:])
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// keys numbers the keys of a run: a random stem is drawn once, not per request.
type keys struct {
	stem string
	n    atomic.Int64
}

func newKeys() *keys { return &keys{stem: NewKey() + "-"} }

func (k *keys) next() string { return k.stem + strconv.FormatInt(k.n.Add(1), 10) }

// addresses counts the loopback addresses that visitors came from. Each is an
// address of its own to a rate limit.
var addresses atomic.Int64

// NextAddress is a loopback address that no visitor of this run came from yet.
func NextAddress() string {
	n := addresses.Add(1)
	return fmt.Sprintf("127.%d.%d.%d", 1+n/(250*250)%250, n/250%250, 1+n%250)
}

// Admission asks for a guest's sandbox once, from an address of its own.
func (s *Server) Admission() (Answer, error) {
	c, err := Dial(s.Addr, NextAddress())
	if err != nil {
		return Answer{}, err
	}
	defer c.Close()
	return s.AdmissionOver(c)
}

// AdmissionOver asks for a guest's sandbox once, under a key of its own, from
// where a connection comes from.
func (s *Server) AdmissionOver(c *Conn) (Answer, error) {
	return c.Do("POST", "/v1/sandboxes", "", NewKey(), []byte(`{"kind":"guest","turnstile_token":"`+passToken+`"}`))
}

// Enter makes a guest.
func (s *Server) Enter() (*Guest, error) {
	a, err := s.Admission()
	if err != nil {
		return nil, err
	}
	if a.Status != 201 {
		return nil, &Refused{What: "POST /v1/sandboxes", Answer: a}
	}
	var got struct {
		Sandbox struct {
			ID   string    `json:"id"`
			Born time.Time `json:"born_at"`
		} `json:"sandbox"`
		Session struct {
			Token string `json:"token"`
		} `json:"session"`
	}
	if err := json.Unmarshal(a.Body, &got); err != nil {
		return nil, err
	}
	return &Guest{Hub: got.Sandbox.ID, Token: got.Session.Token, Born: got.Sandbox.Born}, nil
}

// Slots are the slots of days from the guest's tomorrow on, in their order.
func (s *Server) Slots(g *Guest, days int) ([]Slot, error) {
	c, err := Dial(s.Addr, "")
	if err != nil {
		return nil, err
	}
	defer c.Close()
	tomorrow := g.Born.UTC().AddDate(0, 0, 1).Format(time.DateOnly)
	a, err := c.Do("GET", fmt.Sprintf("/v1/slots?date=%s&days=%d", tomorrow, days), g.Token, "", nil)
	if err != nil {
		return nil, err
	}
	if a.Status != 200 {
		return nil, &Refused{What: "GET /v1/slots", Answer: a}
	}
	type day struct {
		Slots []Slot `json:"slots"`
	}
	var got struct {
		day
		Days []day `json:"days"`
	}
	if err := json.Unmarshal(a.Body, &got); err != nil {
		return nil, err
	}
	slots := got.Slots
	for _, d := range got.Days {
		slots = append(slots, d.Slots...)
	}
	if len(slots) == 0 {
		return nil, fmt.Errorf("no slots from %s on", tomorrow)
	}
	return slots, nil
}

// OrderBody is the body of a placement of two cardamom buns.
func OrderBody(slot string) []byte {
	return []byte(`{"pickup":"` + slot + `","lines":[{"sku":"cardamom-bun","quantity":2}]}`)
}

// Order is what a payment needs to know of a placed order.
type Order struct {
	Guest  *Guest
	Ref    string
	Amount []byte // the body of its payment
}

// ReadOrder reads a placement's answer.
func ReadOrder(g *Guest, body []byte) (Order, error) {
	var got struct {
		Ref   string          `json:"ref"`
		Total json.RawMessage `json:"total"`
	}
	if err := json.Unmarshal(body, &got); err != nil {
		return Order{}, err
	}
	return Order{Guest: g, Ref: got.Ref, Amount: append(append([]byte(`{"amount":`), got.Total...), '}')}, nil
}

// Place places an order and wants it to succeed.
func (s *Server) Place(c *Conn, g *Guest, slot string) (Order, error) {
	a, err := c.Do("POST", "/v1/orders", g.Token, NewKey(), OrderBody(slot))
	if err != nil {
		return Order{}, err
	}
	if a.Status != 201 {
		return Order{}, &Refused{What: "POST /v1/orders", Answer: a}
	}
	return ReadOrder(g, a.Body)
}

// Pay pays an order and wants the payment to be accepted.
func (s *Server) Pay(c *Conn, o Order, key string) error {
	a, err := c.Do("POST", "/v1/orders/"+o.Ref+"/payments", o.Guest.Token, key, o.Amount)
	if err != nil {
		return err
	}
	if a.Status != 200 {
		return &Refused{What: "a payment", Answer: a}
	}
	return nil
}
