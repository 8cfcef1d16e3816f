package silicon

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"hyptx/internal/csvfile"
	"hyptx/internal/number"
)

// Rows that take an hour are predicted in parts, set by set, perhaps on several
// machines. The tables of all of them are made of the files that the parts wrote.

// ReadRows reads rows as a run wrote them, and the version of hyptx that did.
func ReadRows(name string, text []byte) (rows []*Row, version string, err error) {
	fields := map[string][]int{}
	var needed []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Row]()) {
		if column := f.Tag.Get("csv"); column != "" {
			fields[column], needed = f.Index, append(needed, column)
		}
	}
	const stamp = "hyptx_version"
	t, err := csvfile.Format{}.Open(name, text, append(needed, stamp)...)
	if err != nil {
		return nil, "", err
	}
	for line, err := range t.Rows() {
		r := &Row{}
		for i, column := range t.Header {
			if index, ok := fields[column]; ok && err == nil {
				err = setCell(reflect.ValueOf(r).Elem().FieldByIndex(index), line.Cells[i])
			}
		}
		if err != nil {
			return nil, "", t.At(line.Line, err)
		}
		rows, version = append(rows, r), strings.Clone(line.Cells[t.Column[stamp]])
	}
	if rows == nil {
		return nil, "", fmt.Errorf("%s: no rows", name)
	}
	return rows, version, nil
}

// setCell sets a field to what stands in a cell.
func setCell(field reflect.Value, cell string) error {
	if field.Kind() == reflect.String {
		field.SetString(strings.Clone(cell))
		return nil
	}
	x := 0.0
	if cell != "" {
		var err error
		if x, err = strconv.ParseFloat(cell, 64); err != nil {
			return fmt.Errorf("%q is no number", cell)
		}
	}
	if to, ok := field.Addr().Interface().(*number.Real); ok {
		*to = number.Real{X: x, Known: cell != ""}
	} else {
		field.SetFloat(x)
	}
	return nil
}

// InOrder puts rows of several files into one order: that of their sets, then GPUs,
// then as they stood.
func InOrder(rows []*Row) {
	slices.SortStableFunc(rows, func(a, b *Row) int {
		return strings.Compare(a.Set+"\x00"+a.GPU, b.Set+"\x00"+b.GPU)
	})
}
