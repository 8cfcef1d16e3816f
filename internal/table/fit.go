package table

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// A readable table is never wider than it may be. What is too wide gives way in
// this order: headings are put on two lines, long texts lose their middle (names
// differ at their ends), and columns go, those that say least first. A note below
// names what went, so that nobody takes a column that did not fit for one that is
// empty.

// LeastName is how short fit cuts a text before a column goes.
const LeastName = 24

// grid is a table that is being fitted.
type grid struct {
	columns []Column
	cells   [][]string
	stacked bool // headings stand on two lines
}

// fit cuts a table to a width in columns of the terminal, 0 for any, and returns
// the headings of those that went.
func (g *grid) fit(width int) (left []string) {
	if width <= 0 {
		return nil
	}
	g.stacked = g.excess(g.widths(), width) > 0
	whole := *g
	keep := slices.Repeat([]bool{true}, len(g.columns))
	fits := func() bool {
		g.columns, g.cells = whole.columns, whole.cells
		for c, k := range slices.Backward(keep) {
			if !k {
				g.drop(c)
			}
		}
		widths := g.widths()
		g.shrink(widths, width)
		return g.excess(widths, width) <= 0
	}
	var gone []int
	for c := 0; c >= 0 && !fits(); {
		if c = whole.least(keep); c >= 0 {
			keep[c] = false
			gone = append(gone, c)
		}
	}
	for _, c := range slices.Backward(gone) { // a narrow one may have room after all
		keep[c] = true
		keep[c] = fits()
	}
	fits()
	for _, c := range gone {
		if !keep[c] {
			left = append(left, whole.columns[c].Heading)
		}
	}
	widths := g.widths()
	g.shrink(widths, width)
	g.cut(widths)
	return left
}

// drop takes a column out.
func (g *grid) drop(c int) {
	g.columns = slices.Delete(slices.Clone(g.columns), c, c+1)
	cells := make([][]string, len(g.cells))
	for i, row := range g.cells {
		cells[i] = slices.Delete(slices.Clone(row), c, c+1)
	}
	g.cells = cells
}

// least returns the column that goes next, -1 if all have to stay: of those of
// the highest rank the last.
func (g *grid) least(kept []bool) int {
	last, rank := -1, 0
	for c, col := range g.columns {
		if kept[c] && col.Rank > 0 && col.Rank >= rank {
			last, rank = c, col.Rank
		}
	}
	return last
}

// widths are those of the columns as they are.
func (g *grid) widths() []int {
	widths := make([]int, len(g.columns))
	for c := range g.columns {
		for _, h := range g.heading(c) {
			widths[c] = max(widths[c], utf8.RuneCountInString(h))
		}
		for _, row := range g.cells {
			widths[c] = max(widths[c], utf8.RuneCountInString(row[c]))
		}
	}
	return widths
}

// excess is how much wider a table is than it may be.
func (g *grid) excess(widths []int, width int) int {
	for _, w := range widths {
		width -= len(gap) + w
	}
	return -width
}

// shrink narrows the widest texts until the table fits or none is longer than
// LeastName.
func (g *grid) shrink(widths []int, width int) {
	for over := g.excess(widths, width); over > 0; over-- {
		widest := -1
		for c, col := range g.columns {
			if col.Text && widths[c] > LeastName && (widest < 0 || widths[c] > widths[widest]) {
				widest = c
			}
		}
		if widest < 0 {
			return
		}
		widths[widest]--
	}
}

// cut takes the middle out of texts that are wider than their columns.
func (g *grid) cut(widths []int) {
	cells := make([][]string, len(g.cells))
	for i, row := range g.cells {
		for c, cell := range row {
			cells[i] = append(cells[i], Shorten(cell, widths[c]))
		}
	}
	g.cells = cells
}

// heading returns the lines of a heading: two if headings are stacked and it has
// several words, broken where both are shortest.
func (g *grid) heading(column int) (lines [2]string) {
	h := g.columns[column].Heading
	lines[1] = h
	if !g.stacked {
		return lines
	}
	least := len(h)
	for i := range len(h) {
		if wide := max(i, len(h)-i-1); h[i] == ' ' && wide < least {
			lines, least = [2]string{h[:i], h[i+1:]}, wide
		}
	}
	return lines
}

// leftOut says which columns did not fit, and who has them.
func leftOut(b *strings.Builder, left []string, width int) {
	if len(left) == 0 {
		return
	}
	Wrap(b, fmt.Sprintf("left out to fit %d columns: %s. A wider terminal (or COLUMNS=200) shows more, -o FILE writes all", width, strings.Join(left, ", ")), width)
}

// Wrap writes a sentence in lines of at most that width, 0 for any.
func Wrap(b *strings.Builder, text string, width int) {
	b.WriteString(Fold(text, width, "  ") + "\n")
}

// Fold breaks a text into lines of at most that width, or of one word; 0 is any. All
// but the first are indented.
func Fold(text string, width int, indent string) string {
	var b strings.Builder
	at := 0
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case width > 0 && at+1+n > width:
			b.WriteString("\n" + indent)
			at = len(indent)
		default:
			b.WriteString(" ")
			at++
		}
		b.WriteString(word)
		at += n
	}
	return b.String()
}

// Narrow folds the lines of a text that are longer than width, 0 for any, each two columns
// behind where it begins. Others stay as they are, with the blanks that are in them.
func Narrow(text string, width int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if rest := strings.TrimSuffix(line, "\n"); width > 0 && utf8.RuneCountInString(rest) > width {
			words := strings.TrimLeft(rest, " ")
			indent := rest[:len(rest)-len(words)]
			b.WriteString(indent + Fold(words, width-len(indent), indent+"  "))
			line = line[len(rest):]
		}
		b.WriteString(line)
	}
	return b.String()
}

// Shorten cuts the middle out of a text that is longer than most.
func Shorten(s string, most int) string {
	r := []rune(s)
	if len(r) <= most || most < 5 {
		return s
	}
	tail := (most - 3) / 3
	return string(r[:most-3-tail]) + "..." + string(r[len(r)-tail:])
}
