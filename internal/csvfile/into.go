package csvfile

import (
	"encoding/csv"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/gocarina/gocsv"
)

// Into reads a table whose rows are structs: the tag `csv` of a field is its
// column. One with omitempty may be missing; any other column is an error, and
// so is a table without rows.
func Into[T any](f Format, name string, text []byte) ([]T, error) {
	var columns, needed []string
	for _, field := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		column, option, _ := strings.Cut(field.Tag.Get("csv"), ",")
		columns = append(columns, column)
		if option != "omitempty" {
			needed = append(needed, column)
		}
	}
	t, err := f.Open(name, text, needed...)
	if err != nil {
		return nil, err
	}
	for _, c := range t.Header {
		if !slices.Contains(columns, c) {
			return nil, fmt.Errorf("%s: %w", name, unknown(c, columns))
		}
	}
	in := &records{t.reader, [][]string{t.Header}, []int{1}}
	for row, err := range t.Rows() {
		if err != nil {
			return nil, t.At(row.Line, err)
		}
		in.all, in.lines = append(in.all, slices.Clone(row.Cells)), append(in.lines, row.Line)
	}
	if len(in.all) == 1 {
		return nil, fmt.Errorf("%s: no rows: a header and at least one row are needed", name)
	}
	var rows []T
	if err := gocsv.UnmarshalCSV(in, &rows); err != nil {
		if pe := (*csv.ParseError)(nil); errors.As(err, &pe) { // gocsv's line is the record's number
			return nil, t.At(in.lines[pe.Line-1], fmt.Errorf("column %s: %w", t.Header[pe.Column-1], pe.Err))
		}
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return rows, nil
}

// unknown says what is wrong with a column that nobody reads. A name whose first
// word is right is most often one in another unit: time_ms where time_us is
// read, which is off by a factor of 1000 and must not pass for "no time given".
func unknown(column string, columns []string) error {
	stem, _, _ := strings.Cut(column, "_")
	for _, c := range columns {
		if right, _, ok := strings.Cut(c, "_"); ok && right == stem {
			return fmt.Errorf("column %q: the unit does not fit: it must be given as %s", column, c)
		}
	}
	return fmt.Errorf("unknown column %q: the columns are %s", column, strings.Join(columns, ", "))
}

// records are the header and rows as gocsv takes them, with their lines.
type records struct {
	*csv.Reader // for gocsv's interface; it is at its end
	all         [][]string
	lines       []int
}

// ReadAll returns the header and all rows.
func (r *records) ReadAll() ([][]string, error) { return r.all, nil }
