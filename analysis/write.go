package analysis

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/gocarina/gocsv"

	"hyptx/internal/columns"
	"hyptx/internal/manifest"
	"hyptx/internal/number"
)

// Files. CSV is for tables and scripts, JSON has everything in one document, and each
// says which version made it from which inputs: a figure in a paper can be traced to
// the PTX. Equal inputs give equal files, to the byte; that is why how long an analysis
// took is written only when asked for.

// Stamp says where a file comes from. Every file that is written carries it:
// as its last two columns or, in JSON, as keys.
type Stamp struct {
	// Version of the tool, and Inputs: [HashInputs] of all that went in.
	Version, Inputs string
}

// The names of the stamp's columns.
var stampColumns = []string{"hyptx_version", "inputs_sha256"}

// stampWriter is a gocsv.CSVWriter that puts a stamp behind every row.
type stampWriter struct {
	*csv.Writer
	next []string // names for the header, then the values
	then []string
	row  []string // reused
}

func newStampWriter(w io.Writer, s Stamp) *stampWriter {
	return &stampWriter{Writer: csv.NewWriter(w), next: stampColumns, then: []string{s.Version, s.Inputs}}
}

// Write stands before that of csv.Writer.
func (w *stampWriter) Write(row []string) error {
	w.row = append(append(w.row[:0], row...), w.next...)
	w.next = w.then
	return w.Writer.Write(w.row)
}

// RowWriter returns a function that writes slices of rows ([]*InstrRow and the like)
// as CSV, one after the other; the header comes with the first. With metrics, rows of
// launches have only these columns and those that say which launch a row is.
func RowWriter(w io.Writer, s Stamp, metrics ...string) func(rows any) error {
	out := newStampWriter(w, s)
	launches, header := newLaunchWriter(out, metrics), true
	return func(rows any) error {
		first := header
		header = false
		if list, is := rows.([]*Row); is {
			return launches.write(list, first)
		}
		if first {
			return gocsv.MarshalCSV(rows, out)
		}
		return gocsv.MarshalCSVWithoutHeaders(rows, out)
	}
}

// Columns returns the columns of profile.csv, in order, without the stamp's.
func Columns() []columns.Column { return columns.Of(Row{}) }

// HasColumn reports whether profile.csv has a column of that name.
func HasColumn(name string) bool {
	return slices.ContainsFunc(Columns(), func(c columns.Column) bool { return c.Name == name })
}

// WriteCSV writes profile.csv; with metrics, only these columns and those that
// say which launch a row is.
func (p *Profile) WriteCSV(w io.Writer, s Stamp, metrics []string) error {
	return RowWriter(w, s, metrics...)(p.Rows)
}

// launchWriter writes rows of launches, of which there may be very many.
type launchWriter struct {
	out    *stampWriter
	names  []string
	fields [][]int
	row    []string // reused
}

func newLaunchWriter(out *stampWriter, metrics []string) *launchWriter {
	names := chosenColumns(metrics)
	if len(metrics) == 0 {
		names = names[:0]
		for _, c := range Columns() {
			names = append(names, c.Name)
		}
	}
	return &launchWriter{out, names, fieldsOf(names), make([]string, len(names))}
}

// write writes rows, after the header if it is the first time.
func (w *launchWriter) write(rows []*Row, header bool) error {
	if header {
		if err := w.out.Write(w.names); err != nil {
			return err
		}
	}
	for _, r := range rows {
		r.values(w.fields, w.row)
		if err := w.out.Write(w.row); err != nil {
			return err
		}
	}
	w.out.Flush()
	return w.out.Error()
}

// identity are the columns that stay when metrics are chosen.
var identity = []string{"network", "file", "kernel", "label", "launch"}

func chosenColumns(metrics []string) []string {
	names := slices.Clone(identity)
	for _, m := range metrics {
		if !slices.Contains(names, m) {
			names = append(names, m)
		}
	}
	return names
}

// fieldsOf returns the fields of a row that are the named columns, nil for what is none.
func fieldsOf(names []string) [][]int {
	fields := make([][]int, len(names))
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Row]()) {
		if i := slices.Index(names, f.Tag.Get("csv")); i >= 0 {
			fields[i] = f.Index
		}
	}
	return fields
}

// values fills in the row's values of some fields. There may be very many rows, which are
// written when somebody waits for the program's end: so their types are asked for by
// name, not by what they can do.
func (r *Row) values(fields [][]int, out []string) {
	row := reflect.ValueOf(r).Elem()
	for i, at := range fields {
		out[i] = ""
		if at == nil {
			continue
		}
		switch v := row.FieldByIndex(at).Addr().Interface().(type) {
		case *string:
			out[i] = *v
		case *number.Int:
			out[i] = v.String()
		case *number.Real:
			out[i] = v.String()
		default:
			panic(fmt.Sprintf("a column is a %T", v))
		}
	}
}

// programEntry is what the JSON form says of a program besides its launches.
type programEntry struct {
	Network string          `json:"network"`
	Inputs  []Input         `json:"inputs"`
	Meta    json.RawMessage `json:"meta,omitempty"` // as the manifest has it
}

// Program names a program for the JSON form.
type Program struct {
	Manifest *manifest.Manifest
	Inputs   []Input
}

// WriteJSON writes the profile as one JSON document, a row at a time, for there may be
// millions. Loops and CTAs stand in it if the sessions were asked for them.
func (p *Profile) WriteJSON(w io.Writer, s Stamp, programs []Program, opts Options) error {
	var of []programEntry
	for _, prog := range programs {
		of = append(of, programEntry{prog.Manifest.Name, prog.Inputs, prog.Manifest.Meta})
	}
	d := &document{w: w, next: "{\n "}
	d.value("hyptx_version", s.Version)
	d.value("inputs_sha256", s.Inputs)
	d.value("programs", of)
	d.list("launches", true, rowsOf(p.Rows))
	d.list("kernels", true, rowsOf(p.ByKernel(0)))
	d.list("instructions", true, eachOf(p, (*LaunchProfile).perInstruction))
	if opts.Loops {
		d.list("loops", false, eachOf(p, (*LaunchProfile).loops))
	}
	if opts.PerCTA {
		d.list("ctas", false, func(put func(any)) error {
			return p.perCTA(func(r *CTARow) error { put(r); return d.failed })
		})
	}
	d.next = strings.TrimSuffix(d.next, ",\n ") + "\n}\n"
	d.put("", nil)
	return d.failed
}

// rowsOf and eachOf go through rows that are there, and through those that launches make.
func rowsOf[T any](rows []T) func(put func(any)) error {
	return func(put func(any)) error {
		for _, r := range rows {
			put(r)
		}
		return nil
	}
}

func eachOf[T any](p *Profile, rows func(*LaunchProfile) []T) func(put func(any)) error {
	return func(put func(any)) error {
		for _, lp := range p.Launches {
			if lp.outcome != nil {
				_ = rowsOf(rows(lp))(put)
			}
		}
		return nil
	}
}

// document is a JSON document that is being written, as json.MarshalIndent writes it.
type document struct {
	w      io.Writer
	next   string // what stands before the next value
	failed error
}

// put writes what stands before a value, and the value, if it is not nil, with its lines
// behind indent.
func (d *document) put(indent string, value any) {
	var text []byte
	if value != nil && d.failed == nil {
		text, d.failed = json.MarshalIndent(value, indent, " ")
	}
	if d.failed == nil {
		_, d.failed = d.w.Write(append([]byte(d.next), text...))
	}
}

// value writes a value with its name.
func (d *document) value(name string, value any) {
	d.next += `"` + name + `": `
	d.put(" ", value)
	d.next = ",\n "
}

// list writes a list of rows with its name; without a row it is null, or is left out.
func (d *document) list(name string, always bool, each func(put func(any)) error) {
	before := d.next
	d.next += `"` + name + "\": [\n  "
	some := false
	if err := each(func(row any) {
		d.put("  ", row)
		some, d.next = true, ",\n  "
	}); d.failed == nil {
		d.failed = err
	}
	switch {
	case some:
		d.next = "\n ],\n "
	case always:
		d.next = before + `"` + name + `": null` + ",\n "
	default:
		d.next = before
	}
}
