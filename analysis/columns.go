package analysis

import (
	"io"
	"strings"
)

// Column is a column of a readable table.
type Column struct {
	Heading string
	// Text is left-aligned and cut if it is long; anything else is a number,
	// whose digits are grouped and which is rounded to two decimals.
	Text bool
	// Rank says what goes first where the table is too wide: the highest; 0 stays.
	Rank int
}

// WriteColumns writes rows of cells as a readable table of at most width columns
// (0: any), a rule before those that ruled names. Columns that are empty in all
// rows are left out.
func WriteColumns(w io.Writer, columns []Column, rows [][]string, ruled func(row int) bool, width int) error {
	heads := make([]tableColumn, len(columns))
	for i, c := range columns {
		heads[i].Column = c
	}
	cells := make([][]string, len(rows))
	for i, row := range rows {
		for c, cell := range row {
			if !columns[c].Text {
				cell = readable(cell)
			}
			cells[i] = append(cells[i], cell)
		}
	}
	heads, cells = dropEmpty(heads, cells, false)
	var b strings.Builder
	layOut(&b, headings(heads), cells, ruled, width)
	_, err := io.WriteString(w, b.String())
	return err
}

// ShortKernel is a demangled name without return type and parameters.
func ShortKernel(name string) string { return withoutParameters(name) }

// Worse returns the weaker of two kinds of exactness: of a sum, that of its
// weakest part.
func Worse(a, b string) string {
	rank := map[string]int{"": 0, "exact": 1, "scheduled": 2, "assumed": 3}
	if rank[b] > rank[a] {
		return b
	}
	return a
}
