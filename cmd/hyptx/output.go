package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"hyptx/analysis"
	"hyptx/internal/figure"
)

// Outputs. A command lists the files that its flags name before it begins: with
// the flag, so that messages can name it; with the format, so that a name that
// says something else is refused (an hour's CSV in a file rows.json is found by
// whoever reads it, weeks later); and with what will fill it. The list is checked
// at once (file.go) and filled at the end. A file that cannot be made does not
// keep back the others: all are tried, and all errors told.

// output is a file that a flag names.
type output struct {
	flag, path string // as -o out.csv; without a path nobody asked for it
	as         format
	fill       func(io.Writer) error
	// cut fills the file instead, where each row is worth something by itself: it
	// ends with the context, and what is written then stays.
	cut func(context.Context, io.Writer) error
	// spare: it is one of several figures, and nothing to draw in it is no failure.
	spare bool
	// rows, if there is one, writes what stands there of some launches (stream.go).
	rows rowsOf
}

// asked reports whether the file was asked for.
func (o *output) asked() bool { return o.path != "" }

// format is what a file holds.
type format struct {
	endings []string // of names that say so
	is      string   // what is written there, in a sentence
	strict  bool     // the ending chooses among formats: another one is no name
}

var (
	asRows    = format{[]string{".csv", ".json"}, "rows are written as CSV (*.csv) or as JSON (*.json)", false}
	asCSV     = format{[]string{".csv"}, "it is CSV (*.csv)", false}
	asJSON    = format{[]string{".json"}, "it is JSON (*.json)", false}
	asNPY     = format{[]string{".npy"}, "it is NumPy's format (*.npy)", false}
	asDOT     = format{[]string{".dot", ".gv"}, "it is DOT (*.dot), which Graphviz draws: dot -Tsvg", false}
	asPicture = format{[]string{".svg", ".png", ".pdf"}, "", true}
	asToolkit = format{[]string{".json", ".csv"}, "", true}
)

// endings are those that say what a file holds. A name with any other, or with
// none, may hold anything.
var endings = []string{".csv", ".tsv", ".json", ".jsonl", ".parquet", ".arrow", ".feather", ".xlsx", ".ods", ".npy", ".npz", ".db", ".html",
	".md", ".svg", ".png", ".pdf", ".dot", ".gv", ".gz", ".zip"}

// check is an error for a name that contradicts the format.
func (o *output) check() error {
	switch ext := strings.ToLower(filepath.Ext(o.path)); {
	case slices.Contains(o.as.endings, ext):
	case o.as.strict:
		return usagef("%s %s: must end in %s", o.flag, o.path, or(o.as.endings))
	case slices.Contains(endings, ext):
		return usagef("%s %s: %s is not written: %s", o.flag, o.path, ext, o.as.is)
	}
	return nil
}

// ending is that of a strict output, as the library names formats.
func (o *output) ending() string {
	return strings.TrimPrefix(strings.ToLower(filepath.Ext(o.path)), ".")
}

// writeOutputs writes the files that were asked for. onStdout says that one went
// to standard output, where a table would then stand in its way.
func (a *app) writeOutputs(outputs []*output) (onStdout bool, failed error) {
	for _, o := range outputs {
		if !o.asked() {
			continue
		}
		onStdout = onStdout || isStdout(o.path)
		err := a.fill(o)
		if o.spare && errors.Is(err, figure.ErrNothing) {
			a.note("%s: %v", o.path, err)
			continue
		}
		if err != nil {
			err = fmt.Errorf("%s %s: %w", o.flag, o.path, err)
		}
		failed = errors.Join(failed, err)
	}
	return onStdout, failed
}

// fill writes one file.
func (a *app) fill(o *output) error {
	if o.cut == nil {
		return a.write(o.path, o.fill)
	}
	ctx, was := a.ctx, a.ctx
	if ctx.Err() != nil { // what can be written at once is
		late, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), graceTime, context.Cause(ctx))
		defer cancel()
		ctx = late
	}
	defer func() { a.ctx = was }()
	a.ctx = context.WithoutCancel(ctx)
	var ended error
	err := a.write(o.path, func(w io.Writer) error {
		err := o.cut(ctx, w)
		if err != nil && ctx.Err() != nil {
			ended, err = err, nil
		}
		return err
	})
	return errors.Join(err, ended)
}

// rowsTo is an output of rows that are yet to be made, of inputs that are yet to be read.
func rowsTo(flag, path string, inputs *[]analysis.Input, rows func() any) *output {
	return &output{flag: flag, path: path, as: asCSV, fill: fillRows(inputs, rows)}
}

// fillRows fills a file with such rows.
func fillRows(inputs *[]analysis.Input, rows func() any) func(io.Writer) error {
	return func(w io.Writer) error { return analysis.RowWriter(w, stampOf(*inputs))(rows()) }
}

// writeRows writes rows that need no program, at once.
func (a *app) writeRows(path string, stamp analysis.Stamp, rows any) error {
	out := &output{flag: "-o", path: path, as: asCSV, fill: func(w io.Writer) error { return analysis.RowWriter(w, stamp)(rows) }}
	if err := a.checkOutputs(nil, out); err != nil {
		return err
	}
	_, err := a.writeOutputs([]*output{out})
	return err
}

// stampOf is the stamp of rows that were made of these inputs by this version:
// equal stamps, equal rows.
func stampOf(inputs []analysis.Input) analysis.Stamp {
	return analysis.Stamp{Version: version(), Inputs: analysis.HashInputs(inputs)}
}

// origin begins the document of one program: what it was made of, and by whom.
type origin struct {
	Version string `json:"hyptx_version"`
	Inputs  string `json:"inputs_sha256"`
	Network string `json:"network"`
}

// originOf is that of a program.
func originOf(s *analysis.Session) origin {
	return origin{version(), analysis.HashInputs(s.Inputs), s.Manifest.Name}
}

// writeJSON writes a document as people and programs read it.
func writeJSON(w io.Writer, document any, indent string) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	return e.Encode(document)
}

// drawn is what fills a file with a picture.
func drawn(draw func() ([]byte, error)) func(io.Writer) error {
	return func(w io.Writer) error {
		picture, err := draw()
		if err == nil {
			_, err = w.Write(picture)
		}
		return err
	}
}
