package power

import (
	"embed"
	"fmt"
	"strconv"
	"strings"
)

//go:embed data/*.tsv
var data embed.FS

// table is an embedded file of tab-separated values: a header, then rows.
type table struct {
	name   string
	column map[string]int
	rows   [][]string
}

// readTable reads an embedded table; lines with # are comments. The files are
// part of the program, so that a fault in one is a bug.
func readTable(name string) *table {
	raw, err := data.ReadFile("data/" + name)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	t := &table{name: name}
	for line := range strings.Lines(string(raw)) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" || line[0] == '#' {
			continue
		}
		cells := strings.Split(line, "\t")
		if t.column == nil {
			t.column = map[string]int{}
			for i, c := range cells {
				t.column[c] = i
			}
			continue
		}
		if len(cells) != len(t.column) {
			panic(fmt.Sprintf("BUG: %s: %d cells in a row of %d columns", name, len(cells), len(t.column)))
		}
		t.rows = append(t.rows, cells)
	}
	return t
}

// text returns a cell.
func (t *table) text(row int, column string) string {
	i, ok := t.column[column]
	if !ok {
		panic(fmt.Sprintf("BUG: %s has no column %s", t.name, column))
	}
	return t.rows[row][i]
}

// number returns a cell as a number.
func (t *table) number(row int, column string) float64 {
	x, err := strconv.ParseFloat(t.text(row, column), 64)
	if err != nil {
		panic(fmt.Sprintf("BUG: %s: %s of row %d is no number: %v", t.name, column, row, err))
	}
	return x
}

// find returns the row whose first cell is key.
func (t *table) find(key string) int {
	for i, r := range t.rows {
		if r[0] == key {
			return i
		}
	}
	panic(fmt.Sprintf("BUG: %s has no row %s", t.name, key))
}
