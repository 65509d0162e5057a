package storetest

import (
	"slices"
	"testing"
)

func TestEveryCaseHasANameOfItsOwn(t *testing.T) {
	names := Cases()
	if len(names) < 50 {
		t.Fatalf("there are %d cases", len(names))
	}
	slices.Sort(names)
	if n := len(slices.Compact(names)); n != len(Cases()) {
		t.Fatalf("%d names for %d cases", n, len(Cases()))
	}
}
