package power

import (
	"embed"
	"fmt"
	"slices"
	"strconv"

	"hyptx/internal/csvfile"
)

//go:embed data/*.tsv data/*.json
var data embed.FS

// embedded is an embedded file of tab-separated values.
type embedded struct {
	*csvfile.Table
	rows [][]string
}

// readTable reads an embedded table; lines with # are comments. The files are
// part of the program, so that a fault in one is a bug.
func readTable(name string) *embedded {
	text, err := data.ReadFile("data/" + name)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	t := &embedded{}
	if t.Table, err = (csvfile.Format{Comma: '\t', Comment: '#'}).Open(name, text); err != nil {
		panic("BUG: " + err.Error())
	}
	for row, err := range t.Rows() {
		if err != nil {
			panic("BUG: " + t.At(row.Line, err).Error())
		}
		t.rows = append(t.rows, slices.Clone(row.Cells))
	}
	return t
}

// text returns a cell.
func (t *embedded) text(row int, column string) string {
	i, ok := t.Column[column]
	if !ok {
		panic(fmt.Sprintf("BUG: %s has no column %s", t.Name, column))
	}
	return t.rows[row][i]
}

// number returns a cell as a number.
func (t *embedded) number(row int, column string) float64 {
	x, err := strconv.ParseFloat(t.text(row, column), 64)
	if err != nil {
		panic(fmt.Sprintf("BUG: %s: %s of row %d is no number: %v", t.Name, column, row, err))
	}
	return x
}

// find returns the row whose first cell is key.
func (t *embedded) find(key string) int {
	row := slices.IndexFunc(t.rows, func(cells []string) bool { return cells[0] == key })
	if row < 0 {
		panic(fmt.Sprintf("BUG: %s has no row %s", t.Name, key))
	}
	return row
}
