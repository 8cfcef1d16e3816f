package analysis

import (
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// All readable tables of hyptx are written here, those of roofline and power too,
// so that they look alike. A caller gives columns and cells of text; numbers are
// grouped (12,345,678) and rounded here, columns that say nothing are left out, and
// what is too wide for the terminal is fitted (fit.go).

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
	var b strings.Builder
	layOut(&b, columns, rows, ruled, width)
	_, err := io.WriteString(w, b.String())
	return err
}

// gap stands before every column.
const gap = "  "

// layOut writes the table of [WriteColumns], and what was left out to fit the
// width. Without ruled there are no rules.
func layOut(b *strings.Builder, columns []Column, rows [][]string, ruled func(row int) bool, width int) {
	g := newGrid(columns, rows)
	left := g.fit(width)
	widths := g.widths()
	line := func(row []string) {
		var s strings.Builder
		for c, cell := range row {
			pad := strings.Repeat(" ", widths[c]-utf8.RuneCountInString(cell))
			if g.columns[c].Text {
				cell += pad
			} else {
				cell = pad + cell
			}
			s.WriteString(gap + cell)
		}
		if text := strings.TrimRight(s.String(), " "); text != "" {
			b.WriteString(text + "\n")
		}
	}
	var head [2][]string
	rule := make([]string, len(g.columns))
	for c := range g.columns {
		h := g.heading(c)
		head[0], head[1] = append(head[0], h[0]), append(head[1], h[1])
		rule[c] = strings.Repeat("-", widths[c])
	}
	line(head[0])
	line(head[1])
	for i, row := range g.cells {
		if ruled != nil && ruled(i) {
			line(rule)
		}
		line(row)
	}
	leftOut(b, left, width)
}

// oneLine writes out line breaks and tabs: a cell is one line, also where a name from
// somebody's file would begin another, which would then look like one of ours.
var oneLine = strings.NewReplacer("\n", `\n`, "\r", `\r`, "\t", `\t`)

// newGrid returns the table of the columns in which any row has something.
func newGrid(columns []Column, rows [][]string) *grid {
	g := &grid{cells: make([][]string, len(rows))}
	for c, column := range columns {
		if !slices.ContainsFunc(rows, func(row []string) bool { return row[c] != "" }) {
			continue
		}
		g.columns = append(g.columns, column)
		for i, row := range rows {
			cell := oneLine.Replace(row[c])
			if !column.Text {
				cell = readable(cell)
			}
			g.cells[i] = append(g.cells[i], cell)
		}
	}
	return g
}
