package bakery

import (
	"time"

	"pocbakery/pkg/localtime"
)

// Date is a day of the calendar as the shop's wall shows it.
type Date = localtime.Date

// lastYear is the last that YYYY-MM-DD can write.
const lastYear = 9999

// ParseDate reads YYYY-MM-DD; ok is false for all else, and for days that no
// month has.
func ParseDate(s string) (d Date, ok bool) { return localtime.ParseDate(s) }

// slotAt and unix do what SlotAt and Start do, ten times as fast: a page of
// slots writes and reads hundreds of ids. Years without four digits are cut to
// the nearest with, so that text order stays time order.
func slotAt(unix int64) SlotID {
	t := time.Unix(unix, 0).UTC()
	y, m, d := t.Date()
	hour, minute, _ := t.Clock()
	switch {
	case y < 0:
		return "00000101T0000Z"
	case y > 9999:
		return "99991231T2359Z"
	}
	return SlotID([]byte{
		digit(y / 1000), digit(y / 100), digit(y / 10), digit(y), digit(int(m) / 10), digit(int(m)), digit(d / 10), digit(d),
		'T', digit(hour / 10), digit(hour), digit(minute / 10), digit(minute), 'Z',
	})
}

func digit(n int) byte { return '0' + byte(n%10) }

func (s SlotID) unix() (t int64, ok bool) {
	if len(s) != len(slotLayout) || s[8] != 'T' || s[13] != 'Z' {
		return 0, false
	}
	number := func(digits SlotID) (n int) {
		for i := range len(digits) {
			if digits[i] < '0' || digits[i] > '9' {
				ok = false
			}
			n = n*10 + int(digits[i]-'0')
		}
		return n
	}
	ok = true
	y, m, d := number(s[:4]), number(s[4:6]), number(s[6:8])
	hour, minute := number(s[9:11]), number(s[11:13])
	at := time.Date(y, time.Month(m), d, hour, minute, 0, 0, time.UTC)
	if !ok || hour > 23 || minute > 59 || at.Month() != time.Month(m) || at.Day() != d {
		return 0, false
	}
	return at.Unix(), true
}
