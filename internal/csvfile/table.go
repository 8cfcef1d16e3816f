package csvfile

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
)

// MaxBytes is how large a table may be: every cell becomes a string, so that a
// table takes some times its size in memory.
const MaxBytes = 64 << 20

// Format is how a kind of table is written.
type Format struct {
	// Comma separates cells; 0 is a comma.
	Comma rune
	// Comment begins lines that are no rows; 0 if there are none.
	Comment rune
	// Lenient takes what tools write that do not keep to RFC 4180: blanks after
	// a comma, quotes within a cell, a comma at the end of a row, a column
	// twice (then the first is read).
	Lenient bool
	// MaxRows is how many rows there may be, where one takes much more memory
	// than its line; 0 for as many as fit into [MaxBytes].
	MaxRows int
}

// Table is a table that was opened: its header was read, its rows are next.
type Table struct {
	Format
	// Name is the file's, for errors.
	Name   string
	Header []string
	// Column is the place of each column in a row, by its name.
	Column map[string]int

	reader *csv.Reader
}

// Row is a row of a table.
type Row struct {
	// Line is the one in the file with which it begins, from 1.
	Line int
	// Cells are valid until the next row is read: they lie where this one's did.
	Cells []string
}

// Open reads the header of a table. Columns that must be there are an error if
// they are not. name is the file's: errors begin with it.
func (f Format) Open(name string, text []byte, needed ...string) (*Table, error) {
	if len(text) > MaxBytes {
		return nil, fmt.Errorf("%s: more than %d bytes", name, MaxBytes)
	}
	r := csv.NewReader(bytes.NewReader(text))
	if f.Comma != 0 {
		r.Comma = f.Comma
	}
	r.Comment, r.LazyQuotes, r.TrimLeadingSpace = f.Comment, f.Lenient, f.Lenient
	r.FieldsPerRecord = -1 // checked in Rows, which can say more
	t := &Table{Format: f, Name: name, Column: map[string]int{}, reader: r}
	header, err := r.Read()
	switch {
	case err == io.EOF && len(needed) > 0:
		return nil, fmt.Errorf("%s: is empty: a header with the columns %s, and rows, are expected", name, strings.Join(needed, ", "))
	case err == io.EOF:
		return nil, fmt.Errorf("%s: is empty: a header and rows are expected", name)
	case err != nil:
		line, err := plain(err)
		return nil, t.At(line, err)
	}
	r.ReuseRecord = true // from here on: the header is kept
	for i, c := range header {
		header[i] = strings.TrimSpace(c)
		if _, twice := t.Column[header[i]]; !twice {
			t.Column[header[i]] = i
		} else if !f.Lenient {
			return nil, fmt.Errorf("%s: column %q stands twice", name, header[i])
		}
	}
	t.Header = header
	for _, c := range needed {
		if !slices.Contains(header, c) {
			return nil, fmt.Errorf("%s: there is no column %q: needed are %s", name, c, strings.Join(needed, ", "))
		}
	}
	return t, nil
}

// Rows reads the rows, once. What is wrong with a row comes with it, without its
// place (that is for [Table.At]): a caller may go on and gather what else is
// wrong. There is nothing behind a row that is no CSV.
func (t *Table) Rows() iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		for n := 0; ; n++ {
			cells, err := t.reader.Read()
			if err == io.EOF {
				return
			}
			if err != nil {
				line, err := plain(err)
				yield(Row{Line: line}, err)
				return
			}
			line, _ := t.reader.FieldPos(0)
			switch {
			case t.MaxRows > 0 && n == t.MaxRows:
				yield(Row{Line: line}, fmt.Errorf("more than %d rows", t.MaxRows))
				return
			case len(cells) < len(t.Header), len(cells) > len(t.Header) && !t.Lenient:
				err = fmt.Errorf("has %d of %d columns", len(cells), len(t.Header))
			}
			if !yield(Row{line, cells}, err) {
				return
			}
		}
	}
}

// At gives an error its place.
func (t *Table) At(line int, err error) error {
	return fmt.Errorf("%s: line %d: %w", t.Name, line, err)
}

// plain takes an error of encoding/csv apart: its line, and what is wrong there.
func plain(err error) (line int, what error) {
	var pe *csv.ParseError
	if !errors.As(err, &pe) {
		return 0, err
	}
	return pe.Line, fmt.Errorf("column %d: %w", pe.Column, pe.Err)
}
