package nsight

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

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
	launches []*Launch
	errs     []error
	unshown  int
}

// find returns the form of the first header in a text and its columns, nil if
// there is none.
func find(text []byte, forms []form) (form, []string) {
	for line := range bytes.Lines(text) {
		if f, header := headerOf(line, forms); header != nil {
			return f, header
		}
	}
	return form{}, nil
}

// headerOf reads a line as a header, nil if it is none.
func headerOf(line []byte, forms []form) (form, []string) {
	if !bytes.Contains(line, []byte("Kernel")) { // all forms have it
		return form{}, nil
	}
	// A program may print a lot: a look at the words first.
	words := strings.Split(string(line), ",")
	for i, w := range words {
		words[i] = strings.Trim(w, "\" \r\n\ufeff")
	}
	for _, f := range forms {
		if !f.in(words) {
			continue
		}
		r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(line, []byte("\ufeff"))))
		r.LazyQuotes = true
		header, err := r.Read()
		for i, h := range header {
			header[i] = strings.TrimSpace(h)
		}
		if err == nil && f.in(header) {
			return f, header
		}
	}
	return form{}, nil
}

// read finds the table and reads its rows.
func (t *table) read(text []byte, ncu, nvprof Wanted) error {
	if len(text) > MaxBytes {
		return fmt.Errorf("%s: more than %d bytes", t.file, MaxBytes)
	}
	forms := allForms
	if len(nvprof.Units) == 0 {
		forms = nsightForms
	}
	f, header := find(text, forms)
	if header == nil {
		return t.noTable(text, forms)
	}
	t.header, t.column, t.wanted = header, map[string]int{}, nvprof
	if f.ncu {
		t.wanted = ncu
	}
	for i, h := range header {
		if _, twice := t.column[h]; !twice {
			t.column[h] = i
		}
	}
	row, err := f.begin(t)
	if err != nil {
		return fmt.Errorf("%s: %w", t.file, err)
	}
	if err := t.rows(alone(text, forms), row); err != nil {
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

// alone empties all lines that are no rows, so that numbers of lines stay right.
func alone(text []byte, forms []form) []byte {
	out := make([]byte, 0, len(text))
	inside := false
	for line := range bytes.Lines(text) {
		if inside && !chatter(line) {
			out = append(out, line...)
			continue
		}
		if !inside {
			_, header := headerOf(line, forms)
			inside = header != nil
		}
		out = append(out, '\n')
	}
	return out
}

// rows reads all rows, and gathers what is wrong with them.
func (t *table) rows(text []byte, row func(rec []string) error) error {
	r := csv.NewReader(bytes.NewReader(text))
	r.FieldsPerRecord, r.LazyQuotes, r.ReuseRecord = -1, true, true
	for {
		rec, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return fmt.Errorf("%s: %w", t.file, err)
		}
		t.line, _ = r.FieldPos(0)
		if len(rec) < len(t.header) {
			err = fmt.Errorf("has %d of %d columns", len(rec), len(t.header))
		} else {
			err = row(rec)
		}
		if errors.Is(err, errStop) {
			return fmt.Errorf("%s: line %d: %w", t.file, t.line, err)
		}
		t.note(err)
	}
	if t.unshown > 0 {
		t.errs = append(t.errs, fmt.Errorf("%s: and %d more", t.file, t.unshown))
	}
	return errors.Join(t.errs...)
}

// note keeps an error about the row.
func (t *table) note(err error) {
	switch {
	case err == nil:
	case len(t.errs) == mostErrors:
		t.unshown++
	default:
		t.errs = append(t.errs, fmt.Errorf("%s: line %d: %w", t.file, t.line, err))
	}
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
