package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"hyptx/analysis"
	"hyptx/power"
)

// writePower writes the rows in every form that was asked for; a table if
// nothing else goes to standard output. A picture that cannot be drawn does not
// keep back the others.
func (a *app) writePower(r *powerResult, f *powerFlags) error {
	stamp := analysis.Stamp{Version: version(), Inputs: analysis.HashInputs(r.inputs)}
	launches := r.rows
	if f.noTotal {
		launches = slices.DeleteFunc(slices.Clone(launches), func(r *power.Row) bool { return r.Kind != analysis.KindLaunch })
	}
	var rows any = launches
	if f.clocks != nil {
		rows = r.sweep
	}
	failed := a.plotPower(r, f)
	if f.json != "" {
		failed = errors.Join(failed, a.write(f.json, func(w io.Writer) error {
			e := json.NewEncoder(w)
			e.SetIndent("", " ")
			return e.Encode(map[string]any{"hyptx_version": stamp.Version, "inputs_sha256": stamp.Inputs, "notes": r.notes, "rows": rows, "hottest": r.hot, "classes": r.class})
		}))
	}
	if f.hot != "" {
		failed = errors.Join(failed, a.write(f.hot, func(w io.Writer) error { return analysis.WriteRows(w, stamp, r.hot) }))
	}
	if f.clocks != nil {
		r.notes = append(r.notes, "voltage is taken to go with the clock (AccelWattch's equation 3); a real board stops at a least voltage")
	}
	if f.out != "" {
		for _, n := range slices.Concat(power.Headlines(r.rows), power.SweepSummary(r.sweep), r.notes) {
			a.note("%s", n)
		}
		return errors.Join(failed, a.write(f.out, func(w io.Writer) error { return analysis.WriteRows(w, stamp, rows) }))
	}
	if f.json == "-" || f.hot == "-" {
		return failed
	}
	return errors.Join(failed, a.tablePower(r, launches, f))
}

// plotPower draws the picture, if one was asked for.
func (a *app) plotPower(r *powerResult, f *powerFlags) error {
	if f.plot == "" {
		return nil
	}
	format := strings.TrimPrefix(filepath.Ext(f.plot), ".")
	picture, err := []byte(nil), error(nil)
	if f.clocks != nil {
		picture, err = power.PlotSweep(r.sweep, r.limitW, format)
	} else {
		picture, err = power.PlotComponents(r.rows, r.limitW, format)
	}
	if err != nil {
		return fmt.Errorf("--plot %s: %w", f.plot, err)
	}
	return a.writeFile(f.plot, picture)
}

// tablePower writes readable tables: the rows that were asked for, the hottest instructions, and on
// what they rest.
func (a *app) tablePower(r *powerResult, rows []*power.Row, f *powerFlags) error {
	w, width := a.stdout, a.columns()
	var err error
	if f.clocks != nil {
		err = errors.Join(power.WriteSweepTable(w, r.sweep, width), line(w, ""))
		for _, s := range power.SweepSummary(r.sweep) {
			err = errors.Join(err, line(w, s))
		}
	} else {
		err = errors.Join(power.WriteTable(w, rows, width), line(w, ""), power.WriteSummary(w, r.rows))
		if len(r.hot) > 0 && f.hot == "" {
			err = errors.Join(err, line(w, "\nThe instructions with most dynamic energy; memory is shared out by sectors, instruction cache and pipeline by warp instructions:"), power.WriteHotTable(w, r.hot, width), power.WriteClassTable(w, r.class, width))
		}
	}
	err = errors.Join(err, line(w, ""))
	for _, n := range r.notes {
		err = errors.Join(err, line(w, n))
	}
	return errors.Join(err, line(w, "This is a model: AccelWattch (MICRO 2021); `hyptx power validate` says how well it meets measurements."))
}

// line writes a line of text.
func line(w io.Writer, text string) error {
	_, err := fmt.Fprintln(w, text)
	return err
}
