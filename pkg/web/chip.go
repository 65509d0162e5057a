package web

import (
	"strconv"
	"strings"

	"pocbakery/pkg/bakery"
)

// chip is a slot to choose: its time, a bar of places, and numbers.
type chip struct {
	ID       bakery.SlotID
	Local    string
	Minute   string // its column among the hour's quarters
	When     string // time and day, for the basket
	Starts   string
	Box      string // the bar's viewBox
	Paid     string // paths of the bar: whole,
	Held     string // half,
	Free     string // and empty
	Room     string
	HeldText string
	PaidText string // for who does not see the bar
	Full     bool
	Next     bool
	Checked  bool
}

// Up to cells places each has its own cell in the bar; above, the bar is one
// length of barLength. chip.js draws the same.
const (
	cells     = 12
	barLength = 120
)

func (s *Site) chip(v bakery.SlotView) chip {
	local := v.StartsAt.In(s.words.zone)
	taken := v.Taken()
	all := max(v.Capacity, taken)
	width := max(8, 10*all-2)
	if all > cells {
		width = barLength
	}
	c := chip{
		ID: v.ID, Local: v.Local, Minute: local.Format("04"), Starts: instant(v.StartsAt),
		When: v.Local + ", " + local.Format("Monday 2 January"),
		Box:  "0 0 " + strconv.Itoa(width) + " 8",
		Paid: stretch(0, v.Confirmed, all, 0), Held: stretch(v.Confirmed, taken, all, 4), Free: stretch(taken, all, all, 7),
		Room: "full", Full: v.Free() == 0,
	}
	if !c.Full {
		c.Room = strconv.Itoa(v.Free()) + " free"
	}
	if v.Held > 0 {
		c.HeldText = strconv.Itoa(v.Held) + " held"
	}
	if v.Confirmed > 0 {
		c.PaidText = strconv.Itoa(v.Confirmed) + " paid"
	}
	return c
}

// stretch is the path of places from one to another, from top to the bar's foot.
func stretch(from, to, all, top int) string {
	if to <= from {
		return ""
	}
	if all > cells {
		x := func(n int) string { return strconv.FormatFloat(float64(barLength*n)/float64(all), 'f', 2, 64) }
		return "M" + x(from) + " " + strconv.Itoa(top) + "H" + x(to) + "V8H" + x(from) + "z"
	}
	var d strings.Builder
	h := strconv.Itoa(8 - top)
	for i := from; i < to; i++ {
		d.WriteString("M" + strconv.Itoa(10*i) + " " + strconv.Itoa(top) + "h8v" + h + "h-8z")
	}
	return d.String()
}
