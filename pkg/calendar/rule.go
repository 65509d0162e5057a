package calendar

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/teambition/rrule-go"
)

const (
	// maxSteps bounds what the rules of one expansion may count, and with it
	// its time: about a second at the worst.
	maxSteps = 1_000_000
	// maxRule is the longest rule that is read, in bytes.
	maxRule = 1024
	// maxInterval and maxADay bound what a sane rule asks for.
	maxInterval = 10_000
	maxADay     = 24
)

// rule is a recurrence of readings on a clock.
type rule struct {
	rrule.ROption
}

// readRule reads an RRULE value of a series that starts at a clock reading. An
// UNTIL in UTC is turned to a reading by clock.
func readRule(text string, start time.Time, clock func(time.Time) time.Time) (rule, error) {
	if len(text) > maxRule {
		return rule{}, errors.New("the rule is too long")
	}
	text = strings.ToUpper(strings.Trim(strings.TrimSpace(text), ";"))
	o, err := rrule.StrToROptionInLocation(text, time.UTC)
	if err != nil {
		return rule{}, errors.New("the rule cannot be read")
	}
	switch {
	case o.Freq == rrule.SECONDLY || o.Freq == rrule.MINUTELY:
		return rule{}, errors.New("the rule repeats more often than every hour")
	case o.Count < 0 || (o.Count == 0 && strings.Contains(text, "COUNT=")):
		return rule{}, errors.New("the rule counts to less than one")
	case o.Interval < 0 || o.Interval > maxInterval:
		return rule{}, fmt.Errorf("the rule has an interval of more than %d", maxInterval)
	case max(len(o.Byhour), 1)*max(len(o.Byminute), 1)*max(len(o.Bysecond), 1) > maxADay:
		return rule{}, fmt.Errorf("the rule repeats more than %d times a day", maxADay)
	case o.Freq == rrule.HOURLY && !meets(o.Byhour, start.Hour(), max(o.Interval, 1)):
		return rule{}, errors.New("the rule never comes to one of its hours")
	}
	until := strings.Index(text, "UNTIL=")
	if until >= 0 {
		value, _, _ := strings.Cut(text[until+len("UNTIL="):], ";")
		switch {
		case len(value) == len("20060102"): // the whole of that day
			o.Until = o.Until.Add(24*time.Hour - time.Second)
		case strings.HasSuffix(value, "Z"):
			o.Until = clock(o.Until)
		}
	}
	o.Dtstart = start
	if _, err := rrule.NewRRule(*o); err != nil {
		return rule{}, errors.New("the rule has a part out of its bounds")
	}
	return rule{ROption: *o}, nil
}

// meets reports whether an hour that goes on by so many hours ever comes to one
// of these.
func meets(hours []int, from, by int) bool {
	if len(hours) == 0 {
		return true
	}
	for range 24 {
		if slices.Contains(hours, from) {
			return true
		}
		from = (from + by) % 24
	}
	return false
}

// between lists the readings in [from, until), counting its steps down; it
// stops where none is left.
func (r rule) between(from, until time.Time, steps *int) []time.Time {
	r.skip(from)
	if r.Until.IsZero() || r.Until.After(until) {
		r.Until = until // also where no day ever fits, it ends there
	}
	if *steps <= 0 || r.Dtstart.After(r.Until) {
		return nil
	}
	rr, err := rrule.NewRRule(r.ROption)
	if err != nil {
		return nil
	}
	if *steps -= r.idle(until); *steps <= 0 {
		return nil
	}
	var in []time.Time
	for next := rr.Iterator(); *steps > 0; *steps-- {
		t, ok := next()
		if !ok || !t.Before(until) {
			break
		}
		if !t.Before(from) {
			in = append(in, t)
		}
	}
	return in
}

// skip moves the start of a rule that counts nothing near to the range, by
// whole intervals, so that its phase is kept.
func (r *rule) skip(from time.Time) {
	if r.Count > 0 {
		return
	}
	var step time.Duration
	switch r.Freq {
	case rrule.HOURLY:
		step = time.Hour
	case rrule.DAILY:
		step = 24 * time.Hour
	case rrule.WEEKLY:
		step = 7 * 24 * time.Hour
	default:
		return // at most 12 a year
	}
	step *= time.Duration(max(r.Interval, 1))
	if n := from.Sub(r.Dtstart)/step - 1; n > 0 {
		r.Dtstart = r.Dtstart.Add(n * step)
	}
}

// idle is what looking for days costs a rule, in steps, however few it finds.
func (r rule) idle(until time.Time) int {
	days := int(until.Sub(r.Dtstart) / (24 * time.Hour))
	return max(days, 0) / 16
}
