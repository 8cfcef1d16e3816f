package analysis

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"

	"github.com/gocarina/gocsv"

	"hyptx/internal/columns"
	"hyptx/internal/manifest"
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
}

func newStampWriter(w io.Writer, s Stamp) *stampWriter {
	return &stampWriter{csv.NewWriter(w), stampColumns, []string{s.Version, s.Inputs}}
}

// Write stands before that of csv.Writer.
func (w *stampWriter) Write(row []string) error {
	err := w.Writer.Write(slices.Concat(row, w.next))
	w.next = w.then
	return err
}

// WriteRows writes a slice of rows ([]*InstrRow and the like) as CSV.
func WriteRows(w io.Writer, s Stamp, rows any) error {
	return gocsv.MarshalCSV(rows, newStampWriter(w, s))
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
	if len(metrics) == 0 {
		return WriteRows(w, s, p.Rows)
	}
	out := newStampWriter(w, s)
	names := chosenColumns(metrics)
	if err := out.Write(names); err != nil {
		return err
	}
	for _, r := range p.Rows {
		if err := out.Write(r.values(names)); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
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

// values returns the row's values of the named columns.
func (r *Row) values(names []string) []string {
	byName := map[string]string{}
	row := reflect.ValueOf(r).Elem()
	for _, f := range reflect.VisibleFields(row.Type()) {
		if name := f.Tag.Get("csv"); name != "" {
			byName[name] = fmt.Sprint(row.FieldByIndex(f.Index).Interface())
		}
	}
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = byName[n]
	}
	return out
}

// document is the JSON form of a profile: all views in one.
type document struct {
	Version      string         `json:"hyptx_version"`
	Inputs       string         `json:"inputs_sha256"`
	Programs     []programEntry `json:"programs"`
	Launches     []*Row         `json:"launches"`
	Kernels      []*KernelRow   `json:"kernels"`
	Instructions []*InstrRow    `json:"instructions"`
	Loops        []*LoopRow     `json:"loops,omitempty"`
	// ctas follow: a row at a time, for there may be millions.
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

// WriteJSON writes the profile as one JSON document. Loops and CTAs stand in
// it if the sessions were asked for them.
func (p *Profile) WriteJSON(w io.Writer, s Stamp, programs []Program, opts Options) error {
	d := document{Version: s.Version, Inputs: s.Inputs, Launches: p.Rows, Kernels: p.ByKernel(0), Instructions: p.PerInstruction()}
	for _, prog := range programs {
		d.Programs = append(d.Programs, programEntry{prog.Manifest.Name, prog.Inputs, prog.Manifest.Meta})
	}
	if opts.Loops {
		d.Loops = p.Loops()
	}
	text, err := json.MarshalIndent(d, "", " ")
	if err != nil {
		return err
	}
	text = bytes.TrimSuffix(text, []byte("\n}"))
	next := ",\n \"ctas\": [\n  "
	if _, err := w.Write(text); err != nil || !opts.PerCTA || p.countCTAs() == 0 {
		return errors.Join(err, writeText(w, "\n}\n"))
	}
	if err := p.perCTA(func(r *CTARow) error {
		row, err := json.MarshalIndent(r, "  ", " ")
		err = errors.Join(err, writeText(w, next+string(row)))
		next = ",\n  "
		return err
	}); err != nil {
		return err
	}
	return writeText(w, "\n ]\n}\n")
}

func writeText(w io.Writer, text string) error {
	_, err := io.WriteString(w, text)
	return err
}
