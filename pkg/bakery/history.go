package bakery

import (
	"iter"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"pocbakery/pkg/localtime"
)

// History is the past a shop was born with: some 2,500 orders of the ten weeks
// before its first day. None of them is stored. Each is derived, whenever it
// is asked for, from the seed and its pickup's date, and becomes an item only
// when it is changed.
//
// It is made of whole numbers throughout, so that every machine derives the
// same past, and each date by itself, so that a page costs its own days only.
type History struct {
	Seed  int64 // 0 is a shop without a past
	Hours Hours
	Born  time.Time // the shop's birth; everything here happened before
}

const (
	// pastDays is ten whole weeks, so that every window has each weekday equally.
	pastDays = 70
	// meanDay is how many orders a day has on average, in thousandths.
	meanDay = 2_500_000 / pastDays
)

// weekdays is how busy a day is, in thousandths of the average; it adds up to
// seven averages. Sunday is the first.
var weekdays = [7]int{880, 720, 850, 920, 1000, 1180, 1450}

// dishes is what is ordered: how often, and how many at most.
var dishes = []struct {
	sku          string
	weight, most int
}{
	{"cardamom-bun", 30, 6}, {"cinnamon-bun", 20, 6}, {"sourdough-loaf", 14, 2}, {"seeded-roll", 12, 8},
	{"rye-loaf", 8, 2}, {"cheese-sandwich", 8, 4}, {"chocolate-ball", 7, 6}, {"princess-slice", 6, 4},
	{"saffron-bun", 5, 6}, {"crispbread", 3, 2}, {"princess-cake", 2, 1},
}

// dishPrices is what they cost, in the order of dishes; dishWeight is all
// their weights.
var dishPrices, dishWeight = func() (prices []Money, weight int) {
	menu := SeededMenu()
	for _, d := range dishes {
		p, ok := menu.Product(d.sku)
		if !ok {
			panic("bakery: the past sells what the menu does not have: " + d.sku)
		}
		prices, weight = append(prices, p.Price), weight+d.weight
	}
	return prices, weight
}()

var firstNames = strings.Fields(`
	Åke Åsa Agneta Ahmed Aino Aisha Alva Amina Anders Andrzej Anja Astrid Barbro Birgitta Björn Bo Carl Dana Darko
	Ebba Elif Elin Elsa Emre Erik Fatima Filip Goran Gudrun Gunnar Gustav Göran Hamid Hanna Hassan Helena Håkan Ingrid
	Ismail Jasmin Johanna Jonas Juan Kaisa Karin Kerstin Khadija Lars Layla Leif Lena Linnéa Lovisa Maja Malin Marek
	Maria Mats Mehmet Mikael Mina Mohammed Märta Nadia Nils Nour Olle Olof Oskar Parisa Per Petra Rana Reza Rosa
	Samira Sara Signe Sofia Stig Svetlana Sören Tereza Tuva Ulla Viktor Wilma Yasmin Yusuf Zahra Örjan`)

var lastNames = strings.Fields(`
	Abdi Ahlgren Ali Andersson Aydin Berg Bergström Björk Blom Dahl Demir Eklund Ekström Engström Eriksson Forsberg
	Ghorbani Gustafsson Haddad Hansson Hassan Hedlund Holmgren Hosseini Håkansson Ibrahim Jansson Johansson Jovanović
	Karlsson Kaya Khalil Korhonen Kowalski Larsson Lindberg Lindgren Lindqvist Lund Mäkinen Mohamud Månsson Nguyen
	Nilsson Norberg Novak Nyström Olsson Omar Öberg Öhman Pettersson Popescu Rahimi Sandström Sjöberg Söderlund
	Strand Svensson Sundin Tesfaye Virtanen Wallin Yılmaz Åberg Åström`)

var notes = []string{
	"In a box, please.", "For the office.", "No nuts near it, please.", "I come by bicycle.",
	"Well baked, if there is one.", "My son fetches it.", "My neighbour fetches it.", "Please keep the receipt.",
	"Could be five minutes late.", "One bag each.", "For the choir.", "The darker ones.", "I bring my own bag.",
}

// Span is the first and the last date of the past, zero where there is none.
func (h History) Span() (first, last Date) {
	if h.Seed == 0 {
		return Date{}, Date{}
	}
	last = h.Hours.Today(h.Born).AddDays(-1)
	return last.AddDays(1 - pastDays), last
}

// has reports whether the past has this date.
func (h History) has(d Date) bool {
	first, last := h.Span()
	return h.Seed != 0 && !d.Before(first) && !last.Before(d)
}

// Order finds an order of the past.
func (h History) Order(ref OrderRef) (o Order, ok bool) {
	slot, code, ok := ref.Split()
	if !ok {
		return Order{}, false
	}
	orders := h.OrdersOf(h.Hours.DateOf(slot))
	i := slices.IndexFunc(orders, func(o Order) bool { return o.Slot == slot && o.Code == code })
	if i < 0 {
		return Order{}, false
	}
	return orders[i], true
}

// From walks the past backwards, latest pickup first, from a position on: an
// order's ref (whether or not the past has that order), or any text that
// stands where one would, such as a slot's id. An empty one is the newest end.
// Each day is derived when the walk gets there.
func (h History) From(at OrderRef, inclusive bool) iter.Seq[Order] {
	return func(yield func(Order) bool) {
		_, d := h.Span()
		if len(at) >= len(slotLayout) {
			if on := h.Hours.DateOf(SlotID(at[:len(slotLayout)])); on != (Date{}) && on.Before(d) {
				d = on
			}
		}
		started := at == ""
		for ; h.has(d); d = d.AddDays(-1) {
			for _, o := range h.OrdersOf(d) {
				if !started {
					ref := o.Ref()
					if ref > at || ref == at && !inclusive {
						continue
					}
					started = true
				}
				if !yield(o) {
					return
				}
			}
		}
	}
}

// OrdersOf is the orders with a pickup on a local date, latest pickup first:
// by their refs, backwards.
func (h History) OrdersOf(d Date) []Order {
	if !h.has(d) {
		return nil
	}
	w, starts := h.Hours.starts(d)
	number := d.UTC().Unix() / (24 * 60 * 60)
	r := newDice(h.Seed, number)
	want := h.busy(d.Weekday(), number, &r)
	visitors := newCrowd(d.Weekday(), w, starts).spread(want, h.Hours.Capacity, &r)
	p := pen{
		dice: &r, midnight: time.Unix(w.First(0), 0).UTC(), slotLength: h.Hours.SlotLength, working: working(d.Weekday()),
		events: make([]Event, 0, 6*want), lines: make([]Line, 0, 2*want), payments: make([]Payment, 0, want),
	}
	orders := make([]Order, 0, want)
	var codes []string
	for i, start := range slices.Backward(starts) {
		p.pickup, p.minute = time.Unix(start, 0).UTC(), w.Minute(start)
		codes = codes[:0]
		for range visitors[i] {
			codes = append(codes, r.word())
		}
		slices.Sort(codes)
		slot := slotAt(start)
		for _, c := range slices.Backward(slices.Compact(codes)) {
			orders = orders[:len(orders)+1]
			p.Order = &orders[len(orders)-1]
			p.write(slot.Ref(Code(c)))
		}
	}
	return orders
}

// busy is how many orders a day has: its weekday's share of the mean, up to 12
// percent more or less in a swell of ten weeks that each seed begins elsewhere
// (over any ten weeks it adds up to nothing), and some luck.
func (h History) busy(day time.Weekday, number int64, r *dice) int {
	const half, swell = pastDays / 2, 120
	phase := newDice(h.Seed, -1)
	x := (int(number%pastDays) + pastDays + phase.n(pastDays)) % pastDays
	tide := -swell + 2*swell*(x%half)/half
	if x >= half {
		tide = -tide
	}
	thousandths := meanDay * weekdays[day] / 1000 * (1000 + tide) / 1000
	return max(0, (thousandths+r.n(1000))/1000+r.n(9)-4+r.n(9)-4)
}

// crowd is how people spread over the slots of a day: running sums of weights.
type crowd []int

// newCrowd has a morning, a lunch and an after-work peak on working days, a
// late morning and an afternoon on the others.
func newCrowd(day time.Weekday, w localtime.Wall, starts []int64) crowd {
	c := make(crowd, len(starts))
	sum := 0
	for i, t := range starts {
		m := w.Minute(t)
		sum += 10
		if working(day) {
			sum += peak(m, 8*60, 120, 60) + peak(m, 12*60+15, 75, 15) + peak(m, 16*60+30, 120, 70)
		} else {
			sum += peak(m, 10*60, 180, 60) + peak(m, 14*60+30, 150, 25)
		}
		c[i] = sum
	}
	return c
}

func working(day time.Weekday) bool { return day != time.Saturday && day != time.Sunday }

// peak rises to its height at a minute of the day and is nothing further away
// than its width.
func peak(minute, at, width, height int) int {
	away := max(minute-at, at-minute)
	return max(0, height*(width-away)/width)
}

// spread is how many people come to each slot. Who finds one full takes the
// next that is not; who finds none goes home. Places that were given back
// count as taken, so that there was room at every instant.
func (c crowd) spread(people, capacity int, r *dice) []int {
	came := make([]int, len(c))
	people = min(people, len(c)*capacity)
	for range people {
		i, _ := slices.BinarySearch(c, r.n(c[len(c)-1])+1)
		for came[i] >= capacity {
			i = (i + 1) % len(c)
		}
		came[i]++
	}
	return came
}

// dice are thrown in whole numbers.
type dice struct{ rand.PCG }

func newDice(seed, number int64) dice { return dice{*rand.NewPCG(uint64(seed), uint64(number))} }

// n is at least 0 and less than k.
func (d *dice) n(k int) int {
	hi, _ := bits.Mul64(d.Uint64(), uint64(max(k, 1)))
	return int(hi)
}

// within is at least 0 and less than m, in whole milliseconds.
func (d *dice) within(m time.Duration) time.Duration {
	return time.Duration(d.n(int(m/time.Millisecond))) * time.Millisecond
}

// word is as many characters as a Code has, of its alphabet.
func (d *dice) word() string {
	var w [CodeLen]byte
	for b, i := d.Uint64(), 0; i < len(w); i++ {
		w[i] = alphabet[b&31]
		b >>= 5
	}
	return string(w[:])
}
