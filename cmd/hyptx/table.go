package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// Tables of this program's own lists: GPUs, instruction forms, benchmarks,
// outputs that were compared. Their cells are sentences and syntax rather than
// figures, so where the terminal is narrow the widest columns are folded, word by
// word, below themselves; nothing is cut. Only when a folded column would be
// narrower than leastFold do columns go, those that `spare` names, in its order,
// and a line below says which. (The tables of profile, roofline and power hold
// figures and are package table's: there a long name loses its middle.)

// sheet is a table on its way to the screen.
type sheet struct {
	indent string
	rows   [][]string // all of one length; the first may be the headings
	spare  []string   // headings of the columns that go first
	more   string     // where those are still told, for the note
	least  int        // how narrow a folded column may be, where that is not leastFold
	// apart: what is too long for the second column stands whole in a line of its own,
	// above the rest of its row. So long names are neither cut nor folded.
	apart bool
}

// leastFold is how narrow a folded column may be before another one goes.
const leastFold = 16

// columnGap separates columns.
const columnGap = "  "

// add adds a row.
func (s *sheet) add(cells ...string) { s.rows = append(s.rows, cells) }

// print writes the table, at most width columns wide, in one piece.
func (s *sheet) print(w io.Writer, width int) {
	if len(s.rows) == 0 {
		return
	}
	var all bytes.Buffer
	if s.apart {
		s.printApart(&all, width)
	} else {
		s.printFolded(&all, width)
	}
	w.Write(all.Bytes()) // a screen keeps what goes wrong
}

// printFolded writes the table with its widest columns folded.
func (s *sheet) printFolded(w io.Writer, width int) {
	left := 0 // columns that went
	widths := s.fold(width)
	for ; widths == nil && left < len(s.spare); left++ {
		s.drop(s.spare[left])
		widths = s.fold(width)
	}
	if widths == nil {
		widths = s.natural()
	}
	for _, row := range s.rows {
		s.line(w, row, widths)
	}
	if left > 0 {
		note := fmt.Sprintf("left out to fit %d columns: %s. A wider terminal (or COLUMNS=200) shows more, %s",
			width, strings.Join(s.spare[:left], ", "), s.more)
		fmt.Fprintln(w, strings.Join(foldWords(note, width, "  "), "\n"))
	}
}

// printApart writes the table with its long names apart.
func (s *sheet) printApart(w io.Writer, width int) {
	widths := s.natural()
	room := width - len(s.indent) - len(columnGap)*(len(widths)-1)
	for c, n := range widths {
		if c != 1 {
			room -= n
		}
	}
	widths[1] = min(widths[1], max(room, 0))
	for _, row := range s.rows {
		if row[1] != "" && utf8.RuneCountInString(row[1]) > widths[1] {
			fmt.Fprintf(w, "%s%-*s%s%s\n", s.indent, widths[0], row[0], columnGap, row[1])
			row = slices.Concat([]string{"", ""}, row[2:])
		}
		s.line(w, row, widths)
	}
}

// natural are the widths of the columns as they are.
func (s *sheet) natural() []int {
	widths := make([]int, len(s.rows[0]))
	for _, row := range s.rows {
		for c, cell := range row {
			widths[c] = max(widths[c], utf8.RuneCountInString(cell))
		}
	}
	return widths
}

// fold narrows the widest columns until the table fits; nil if it cannot. It takes a
// column away from the widest, again and again: of 60 and 20 with 70 to have, the
// first becomes 50 and the second stays as it is.
func (s *sheet) fold(width int) []int {
	widths := s.natural()
	room := width - len(s.indent) - len(columnGap)*(len(widths)-1)
	for _, n := range widths {
		room -= n
	}
	for ; room < 0; room++ {
		widest := slices.Max(widths)
		if widest <= cmp.Or(s.least, leastFold) {
			return nil
		}
		widths[slices.Index(widths, widest)]--
	}
	return widths
}

// drop takes the column of that heading out.
func (s *sheet) drop(heading string) {
	c := slices.Index(s.rows[0], heading)
	for i, row := range s.rows {
		s.rows[i] = slices.Delete(row, c, c+1)
	}
}

// line writes a row, in as many lines as its longest folded cell needs.
func (s *sheet) line(w io.Writer, row []string, widths []int) {
	var lines []string
	before := 0 // columns of the cells on the left
	for c, cell := range row {
		for l, part := range foldWords(cell, widths[c], "") {
			if l == len(lines) {
				lines = append(lines, "")
			}
			lines[l] += strings.Repeat(" ", before-utf8.RuneCountInString(lines[l])) + part
		}
		before += widths[c] + len(columnGap)
	}
	for _, line := range lines {
		fmt.Fprintln(w, s.indent+strings.TrimRight(line, " "))
	}
}

// foldWords breaks a text into lines of at most width columns, all but the first
// behind a hanging indent. It breaks at blanks; a word that is longer than a
// line (the syntax of mma has 53 characters without one) breaks where it must.
func foldWords(text string, width int, hang string) (lines []string) {
	line := []rune{}
	begin := 0 // where the line's own words begin
	flush := func() {
		lines = append(lines, string(line))
		line = []rune(hang)
		begin = len(line)
	}
	words := strings.Fields(text)
	if whole := strings.Join(words, " "); utf8.RuneCountInString(whole) <= width {
		return []string{whole}
	}
	for _, word := range words {
		w := []rune(word)
		if len(line) > begin && len(line)+1+len(w) > width {
			flush()
		} else if len(line) > begin {
			line = append(line, ' ')
		}
		for len(line)+len(w) > width && width > len(hang) {
			n := width - len(line)
			line = append(line, w[:n]...)
			w = w[n:]
			flush()
		}
		line = append(line, w...)
	}
	return append(lines, string(line))
}
