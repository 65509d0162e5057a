package main

import (
	"testing"

	"pocbakery/scripts/internal/drive"
)

func TestABudgetHoldsUpToItsFigureAndNoFurther(t *testing.T) {
	b := budget{reads: 2, writes: 3, ru: free, wu: 4, calls: 1}
	for _, c := range []struct {
		cost drive.Cost
		ok   bool
	}{
		{drive.Cost{}, true},
		{drive.Cost{Reads: 2, Writes: 2, Erases: 1, RU: 900, WU: 4, Creates: 1}, true},
		{drive.Cost{Reads: 3}, false},
		{drive.Cost{Writes: 4}, false},
		{drive.Cost{Writes: 2, Erases: 2}, false},
		{drive.Cost{WU: 4.5}, false},
		{drive.Cost{Creates: 1, Deletes: 1}, false},
	} {
		if b.holds(c.cost) != c.ok {
			t.Errorf("%+v within %s: %v", c.cost, b, !c.ok)
		}
	}
	if got := b.String(); got != "<= 2 reads, 3 writes, 4 WU, 1 calls" {
		t.Error(got)
	}
	if got := (budget{}).String(); got != "no request" {
		t.Error(got)
	}
}
