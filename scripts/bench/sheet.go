package main

import (
	"fmt"
	"strings"

	"pocbakery/scripts/internal/drive"
)

// free marks what a budget leaves open.
const free = -1

// budget is the most an operation may cost; free where it is not bounded.
type budget struct {
	reads, writes int64 // table requests
	ru, wu        float64
	calls         int64 // of the scheduler
}

func (b budget) holds(c drive.Cost) bool {
	return within(c.Reads, b.reads) && within(c.Writes+c.Erases, b.writes) &&
		within(c.RU, b.ru) && within(c.WU, b.wu) && within(c.Calls(), b.calls)
}

func within[T int64 | float64](have, most T) bool { return most == free || have <= most }

func (b budget) String() string {
	var parts []string
	add := func(bounded bool, format string, v any) {
		if bounded {
			parts = append(parts, fmt.Sprintf(format, v))
		}
	}
	if b.reads == 0 && b.writes == 0 {
		return "no request"
	}
	add(b.reads != free, "%d reads", b.reads)
	add(b.writes != free, "%d writes", b.writes)
	add(b.ru != free && b.ru != 0, "%g RU", b.ru)
	add(b.wu != free && b.wu != 0, "%g WU", b.wu)
	add(b.calls != free && b.calls != 0, "%d calls", b.calls)
	return "<= " + strings.Join(parts, ", ")
}

// sheet is the table of costs.
type sheet struct {
	drive.Table
	prime func() error // before each row, where there is one: what is read now and then
}

// measure adds a row for what f costs.
func (t *sheet) measure(s *drive.Server, what string, b budget, f func() error) error {
	cost, err := t.spent(s, what, f)
	if err == nil {
		t.Row(b.holds(cost), append(cells(what, cost), b.String())...)
	}
	return err
}

// inform adds a row for what f costs, which has no budget.
func (t *sheet) inform(s *drive.Server, what string, f func() error) error {
	cost, err := t.spent(s, what, f)
	if err == nil {
		t.Note(append(cells(what, cost), "")...)
	}
	return err
}

func (t *sheet) spent(s *drive.Server, what string, f func() error) (drive.Cost, error) {
	if t.prime != nil {
		if err := t.prime(); err != nil {
			return drive.Cost{}, fmt.Errorf("before %s: %w", what, err)
		}
	}
	cost, err := s.Spent(f)
	if err != nil {
		err = fmt.Errorf("%s: %w", what, err)
	}
	return cost, err
}

func cells(what string, cost drive.Cost) []string {
	return []string{what, fmt.Sprint(cost.Reads), fmt.Sprint(cost.Writes + cost.Erases),
		fmt.Sprintf("%g", cost.RU), fmt.Sprintf("%g", cost.WU), fmt.Sprint(cost.Calls())}
}
