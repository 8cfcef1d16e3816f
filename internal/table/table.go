// Package table writes readable tables, those of profiles, times and power alike, so
// that they look alike: [Write]. A caller gives columns and cells of text; numbers are
// grouped (12,345,678) and rounded here, columns that say nothing are left out, and
// what is too wide for the terminal is fitted (fit.go). Rows that belong together are
// found and folded in rows.go.
package table

import (
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
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

// gap stands before every column.
const gap = "  "

// Write writes rows of cells as a readable table of at most width columns (0: any), a
// rule before those that ruled names, and what was left out to fit the width. Columns
// that are empty in all rows are left out; without ruled there are no rules.
func Write(w io.Writer, columns []Column, rows [][]string, ruled func(row int) bool, width int) error {
	var b strings.Builder
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
	leftOut(&b, left, width)
	_, err := io.WriteString(w, b.String())
	return err
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
				cell = Readable(cell)
			}
			g.cells[i] = append(g.cells[i], cell)
		}
	}
	return g
}

// Readable groups the digits of a number and rounds it to two decimals, but
// nothing short of 100 % to 100.00: one divergent branch in a million is the
// difference that a reader looks for.
func Readable(s string) string {
	if x, err := strconv.ParseFloat(s, 64); err == nil && strings.Contains(s, ".") {
		if s = strconv.FormatFloat(x, 'f', 2, 64); s == "100.00" && x < 100 {
			s = "99.99"
		}
	}
	whole, rest, point := strings.Cut(s, ".")
	if whole == "" || strings.Trim(whole, "0123456789") != "" || strings.Trim(rest, "0123456789") != "" {
		return s
	}
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if point {
		return whole + "." + rest
	}
	return whole
}
