package web

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"pocbakery/pkg/bakery"
)

// nbsp keeps a number and its unit on one line.
const nbsp = "\u00a0"

// instantLayout is how an instant is handed to a module.
const instantLayout = "2006-01-02T15:04:05.000Z"

func instant(t time.Time) string { return t.UTC().Format(instantLayout) }

// words puts times in the shop's zone into words.
type words struct{ zone *time.Location }

func wordsIn(zone string) words {
	loc, err := time.LoadLocation(zone)
	if err != nil {
		panic("web: " + err.Error())
	}
	return words{zone: loc}
}

func (w words) clock(t time.Time) string { return t.In(w.zone).Format("15:04") }

func (w words) day(t time.Time) string { return t.In(w.zone).Format("Monday 2 January") }

// at is a time of day, with its day where that is another than the day of now.
func (w words) at(t, now time.Time) string {
	if w.date(t) == w.date(now) {
		return w.clock(t)
	}
	return w.clock(t) + " on " + w.day(t)
}

// date is the local date of an instant, as 2026-12-05.
func (w words) date(t time.Time) string { return t.In(w.zone).Format(time.DateOnly) }

// slot is a slot's start on the shop's clock.
func (w words) slot(id bakery.SlotID) (local string, start time.Time) {
	start, ok := id.Start()
	if !ok {
		return string(id), start
	}
	return w.clock(start), start
}

// inWords is a duration, rounded up to the second: exact below an hour, about
// above.
func inWords(d time.Duration) string {
	s := int64((d + time.Second - 1) / time.Second)
	switch {
	case s < 60:
		return count(max(s, 0), "second")
	case s < 3600 && s%60 == 0:
		return count(s/60, "minute")
	case s < 3600:
		return count(s/60, "minute") + " " + count(s%60, "second")
	case s < 48*3600:
		return "about " + count((s+1800)/3600, "hour")
	default:
		return "about " + count((s+12*3600)/86400, "day")
	}
}

// about is how long until something, where it stays true for a while without a
// script that counts; empty below an hour.
func about(d time.Duration) string {
	if d < time.Hour {
		return ""
	}
	return "in " + inWords(d)
}

// holdWords is how long a place is held, in words.
var holdWords = exactly(bakery.HoldFor)

// exactly is a duration in whole minutes and hours, for offsets.
func exactly(d time.Duration) string {
	var parts []string
	for _, unit := range []struct {
		d    time.Duration
		name string
	}{{24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}, {time.Second, "second"}} {
		if n := int64(d / unit.d); n > 0 {
			parts = append(parts, count(n, unit.name))
			d -= time.Duration(n) * unit.d
		}
	}
	return strings.Join(parts, " ")
}

func count(n int64, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return strconv.FormatInt(n, 10) + " " + word + "s"
}

func places(n int) string { return count(int64(n), "place") }

// currency is how the shop writes a currency: its unit, and the digits of the
// minor unit.
func currency(code string) (unit string, digits int) {
	switch code {
	case "SEK", "NOK", "DKK":
		return "kr", 2
	case "EUR":
		return "€", 2
	case "JPY", "KRW", "ISK", "CLP", "VND":
		return code, 0
	default:
		return code, 2
	}
}

// money is an amount as a Swedish shop writes it: "1 045,50 kr".
func money(m bakery.Money) string {
	unit, digits := currency(m.Currency)
	sign, n := "", m.Amount
	if n < 0 {
		sign, n = "−", -n
	}
	power := int64(1)
	for range digits {
		power *= 10
	}
	whole := strconv.FormatInt(n/power, 10)
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + nbsp + whole[i:]
	}
	if digits > 0 {
		whole += fmt.Sprintf(",%0*d", digits, n%power)
	}
	return sign + whole + nbsp + unit
}
