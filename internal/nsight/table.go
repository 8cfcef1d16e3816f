package nsight

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"hyptx/internal/csvfile"
)

// format is the profilers': they do not double the quotes in a kernel's name,
// and a column may stand twice.
var format = csvfile.Format{Lenient: true}

// form is one of the tables that profilers print, told by its columns.
type form struct {
	columns []string
	// begin prepares to read and returns what reads a row.
	begin func(t *table) (func(rec []string) error, error)
	ncu   bool
}

// The forms, the more special first. raw has its metrics in columns.
var (
	long   = form{[]string{"ID", "Kernel Name", "Metric Name", "Metric Unit", "Metric Value"}, (*table).long, true}
	raw    = form{[]string{"ID", "Kernel Name"}, (*table).raw, true}
	nvprof = form{[]string{"Kernel", "Invocations", "Metric Name", "Avg"}, (*table).nvprof, false}

	nsightForms = []form{long, raw}
	allForms    = []form{nvprof, long, raw}
)

// in reports whether a header has the form's columns.
func (f *form) in(header []string) bool {
	return !slices.ContainsFunc(f.columns, func(c string) bool { return !slices.Contains(header, c) })
}

// mostErrors is how many errors of a file are shown.
const mostErrors = 10

// table is a profiler's table that is being read.
type table struct {
	file     string
	line     int // of the row
	header   []string
	column   map[string]int
	wanted   Wanted
	byKey    map[string]*Launch
	passed   map[string]bool // metrics that are not wanted
	launches []*Launch
}

// find returns the form of the first table in a text, and the text with every
// line emptied that is not the table's, so that numbers of lines stay right: a
// profiler prints between what the program prints, and in the middle of it.
func find(text []byte, forms []form) (f form, table []byte) {
	for line := range bytes.Lines(text) {
		if f.columns == nil {
			f = formOf(line, forms)
		}
		if f.columns != nil && !chatter(line) {
			table = append(table, line...)
		} else {
			table = append(table, '\n')
		}
	}
	return f, table
}

// formOf returns the form whose header a line is; without columns if it is none.
func formOf(line []byte, forms []form) form {
	if !bytes.Contains(line, []byte("Kernel")) { // all forms have it
		return form{}
	}
	// A program may print a lot: a look at the words first.
	words := strings.Split(string(line), ",")
	for i, w := range words {
		words[i] = strings.Trim(w, "\" \r\n")
	}
	for _, f := range forms {
		if !f.in(words) {
			continue
		}
		if t, err := format.Open("", line); err == nil && f.in(t.Header) {
			return f
		}
	}
	return form{}
}

// read finds the table and reads its rows.
func (t *table) read(text []byte, ncu, nvprof Wanted) error {
	forms := allForms
	if len(nvprof.Units) == 0 {
		forms = nsightForms
	}
	f, alone := find(text, forms)
	if f.columns == nil {
		return t.noTable(text, forms)
	}
	cells, err := format.Open(t.file, alone)
	if err != nil {
		return err
	}
	t.header, t.column, t.wanted = cells.Header, cells.Column, nvprof
	if f.ncu {
		t.wanted = ncu
	}
	row, err := f.begin(t)
	if err != nil {
		return fmt.Errorf("%s: %w", t.file, err)
	}
	if err := t.rows(cells, row); err != nil {
		return err
	}
	if len(t.launches) == 0 {
		return fmt.Errorf("%s: no kernel stands in it", t.file)
	}
	return nil
}

// noTable says why a text has none.
func (t *table) noTable(text []byte, forms []form) error {
	known := "those of ncu with one metric a line (" + strings.Join(long.columns, ", ") + ") or, by --page raw, one kernel a line (" +
		strings.Join(raw.columns, ", ") + ", metrics)"
	if len(forms) == len(allForms) {
		known = "neither nvprof's (" + strings.Join(nvprof.columns, ", ") + ") nor " + known
	} else {
		known = "not " + known
	}
	for line := range bytes.Lines(text) {
		if !chatter(line) {
			return fmt.Errorf("%s: its columns are %s", t.file, known)
		}
	}
	return fmt.Errorf("%s: there is no table; expected the CSV of nvprof or ncu with a header line", t.file)
}

// chatter tells what the profilers print around the table.
func chatter(line []byte) bool {
	return bytes.HasPrefix(line, []byte("==")) || len(bytes.TrimSpace(line)) == 0
}

// rows reads all rows, and gathers what is wrong with them.
func (t *table) rows(cells *csvfile.Table, read func(rec []string) error) error {
	var errs []error
	unshown := 0
	for row, err := range cells.Rows() {
		if t.line = row.Line; err == nil {
			err = read(row.Cells)
		}
		switch {
		case err == nil:
		case errors.Is(err, errStop):
			return cells.At(row.Line, err)
		case len(errs) == mostErrors:
			unshown++
		default:
			errs = append(errs, cells.At(row.Line, err))
		}
	}
	if unshown > 0 {
		errs = append(errs, fmt.Errorf("%s: and %d more", t.file, unshown))
	}
	return errors.Join(errs...)
}

// errStop is among the errors after which no other row is read.
var errStop = errors.New("no further row was read")

// of returns the launch of a key, which it makes.
func (t *table) of(key, id, kernel string) (*Launch, error) {
	l := t.byKey[key]
	switch {
	case l == nil && len(t.launches) == MaxLaunches:
		return nil, fmt.Errorf("more than %d launches; %w", MaxLaunches, errStop)
	case l == nil:
		// Copies, lest whole rows stay in memory.
		l = &Launch{ID: strings.Clone(id), Kernel: strings.Clone(kernel), Invocations: 1, Levels: map[string]int{}, Line: t.line}
		t.byKey[strings.Clone(key)] = l
		t.launches = append(t.launches, l)
	case l.Kernel != kernel:
		return nil, fmt.Errorf("launch %s is of two kernels: %s, and in line %d %s", id, kernel, l.Line, l.Kernel)
	}
	return l, nil
}

// add adds a metric's value, in its unit, times scale.
func (l *Launch) add(name string, value, scale float64) error {
	if slices.ContainsFunc(l.Metrics, func(m Metric) bool { return m.Name == name }) {
		return fmt.Errorf("%s stands there twice for %s", name, l.Kernel)
	}
	if !(value >= 0) || math.IsInf(value*scale, 0) {
		return fmt.Errorf("%s of %s is %g: counts are finite and not negative", name, l.Kernel, value)
	}
	l.Metrics = append(l.Metrics, Metric{strings.Clone(name), value * scale})
	return nil
}
