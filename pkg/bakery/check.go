package bakery

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// check refuses a placement that is out of bounds, whoever composed it.
func (p Placement) check() error {
	if len(p.Lines) < 1 || len(p.Lines) > MaxLines {
		return invalid("lines", fmt.Sprintf("An order has 1 to %d lines.", MaxLines))
	}
	for i, l := range p.Lines {
		if l.Quantity < 1 || l.Quantity > MaxQuantity {
			return invalid(fmt.Sprintf("lines[%d].quantity", i), fmt.Sprintf("A line has 1 to %d pieces.", MaxQuantity))
		}
	}
	if err := checkText("name", p.Name, MaxName, ""); err != nil {
		return err
	}
	return checkText("note", p.Note, MaxNote, "\n\t")
}

// checkText refuses text that is too long, not UTF-8, or has control
// characters other than those allowed.
func checkText(field, s string, limit int, allowed string) error {
	if !utf8.ValidString(s) || utf8.RuneCountInString(s) > limit {
		return invalid(field, fmt.Sprintf("The %s has at most %d characters.", field, limit))
	}
	for _, r := range s {
		if (r < 0x20 || (r >= 0x7f && r < 0xa0)) && !strings.ContainsRune(allowed, r) {
			return invalid(field, "The "+field+" has a control character.")
		}
	}
	return nil
}
