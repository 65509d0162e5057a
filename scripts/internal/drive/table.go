package drive

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Table is what a run prints: rows of cells, the last of them a verdict.
type Table struct {
	Heads []string
	rows  [][]string
	over  int
}

// Row adds a row with its verdict.
func (t *Table) Row(ok bool, cells ...string) {
	verdict := "ok"
	if !ok {
		verdict = "OVER"
		t.over++
	}
	t.rows = append(t.rows, append(cells, verdict))
}

// Note adds a row that has no budget, and so no verdict.
func (t *Table) Note(cells ...string) { t.rows = append(t.rows, cells) }

// Over is the number of rows over their budget.
func (t *Table) Over() int { return t.over }

// Print writes the table.
func (t *Table) Print(w io.Writer) {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, strings.Join(t.Heads, "\t"))
	for _, r := range t.rows {
		fmt.Fprintln(tw, strings.Join(r, "\t"))
	}
	tw.Flush()
}
