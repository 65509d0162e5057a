package traffic

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"pocbakery/pkg/bakery"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/refusal"
)

const (
	// slotsInView is among how many of the next slots people choose, the near
	// ones more often: so that a busy run fills them, and refuses some.
	slotsInView = 24

	// Of a hundred people so many ask for what is not to be had, and so many go
	// away without paying.
	hopeless  = 12
	undecided = 26

	note = "Simulated traffic"
)

// person is one who comes in a minute.
type person struct {
	key  string
	want bakery.Placement
	pays bool
}

// people are those of the run's next minute, in the order in which they come:
// always the same, for the same run, minute and basis.
func (t *Service) people(s state) []person {
	var sold, unsold []bakery.Product
	for _, p := range t.menu {
		if p.Available {
			sold = append(sold, p)
		} else {
			unsold = append(unsold, p)
		}
	}
	slots := t.shop.Upcoming(s.basis, slotsInView)
	people := make([]person, s.rate)
	for n := range people {
		r := rand.New(rand.NewPCG(uint64(s.seed), uint64(s.minute)<<32|uint64(n)))
		p := person{key: fmt.Sprintf("traffic-%016x-%d-%d", uint64(s.seed), s.minute, n)}
		p.want.Name, p.want.Note = names[r.IntN(len(names))], note
		if len(slots) > 0 {
			p.want.Pickup = slots[min(r.IntN(len(slots)), r.IntN(len(slots)))]
		}
		from, fate := sold, r.IntN(100)
		if fate < hopeless && len(unsold) > 0 {
			from = unsold
		}
		p.pays = fate >= hopeless+undecided
		p.want.Lines = []bakery.Wanted{{SKU: from[r.IntN(len(from))].SKU, Quantity: 1 + r.IntN(3)}}
		people[n] = p
	}
	return people
}

// send sends one person into the shop and says what became of them; over where
// the shop is.
func (t *Service) send(ctx context.Context, id hub.ID, p person) (c Counts, over bool, err error) {
	who := hub.Who{Hub: id, Role: hub.Baker}
	o, _, err := t.shop.Place(ctx, who, p.key, p.want)
	var no *refusal.Refusal
	switch {
	case refusal.Is(err, refusal.SandboxEnded):
		return c, true, nil
	case errors.As(err, &no):
		return Counts{Refused: 1}, false, nil
	case err != nil:
		return c, false, err
	}
	c = Counts{Placed: 1}
	if p.pays {
		paid, _, _, err := t.shop.Pay(ctx, who, o.Ref(), p.key, bakery.Total(o.Lines))
		switch {
		case refusal.Is(err, refusal.SandboxEnded):
			return c, true, nil
		case err != nil && !errors.As(err, &no):
			return c, false, err
		case err == nil && paid.State == bakery.PaymentAccepted:
			c.Paid = 1
			return c, false, nil
		}
	}
	c.Abandoned = 1
	return c, false, nil
}

// names are of people nobody knows.
var names = []string{
	"Alva", "Björn", "Cajsa", "Dag", "Ebba", "Folke", "Greta", "Hjalmar", "Inga", "Jöns", "Kerstin", "Love",
	"Märta", "Nils", "Olga", "Pontus", "Rut", "Sixten", "Tyra", "Ulla", "Vilgot", "Ylva", "Åke", "Östen",
}
