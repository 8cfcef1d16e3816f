package main

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"hyptx/analysis"
	"hyptx/power"
)

// writePower writes the rows in every form that was asked for; a table if
// nothing else goes to standard output.
func (a *app) writePower(r *powerResult, f *powerFlags) error {
	stamp := analysis.Stamp{Version: version(), Inputs: analysis.HashInputs(r.inputs)}
	var rows any = r.rows
	if f.clocks != nil {
		rows = r.sweep
	}
	if f.plot != "" {
		if err := a.plotPower(r, f); err != nil {
			return err
		}
	}
	if f.json != "" {
		if err := a.write(f.json, func(w io.Writer) error {
			e := json.NewEncoder(w)
			e.SetIndent("", " ")
			return e.Encode(map[string]any{"hyptx_version": stamp.Version, "inputs_sha256": stamp.Inputs, "notes": r.notes, "rows": rows, "hottest": r.hot, "classes": r.class})
		}); err != nil {
			return err
		}
	}
	if f.hot != "" {
		if err := a.write(f.hot, func(w io.Writer) error { return analysis.WriteRows(w, stamp, r.hot) }); err != nil {
			return err
		}
	}
	if f.out != "" {
		for _, n := range r.notes {
			a.note("%s", n)
		}
		return a.write(f.out, func(w io.Writer) error { return analysis.WriteRows(w, stamp, rows) })
	}
	if f.json == "-" || f.hot == "-" {
		return nil
	}
	return a.tablePower(r, f)
}

func (a *app) plotPower(r *powerResult, f *powerFlags) error {
	format := strings.TrimPrefix(filepath.Ext(f.plot), ".")
	picture, err := []byte(nil), error(nil)
	if f.clocks != nil {
		picture, err = power.PlotSweep(r.sweep, format)
	} else {
		picture, err = power.PlotComponents(r.rows, format)
	}
	if err != nil {
		return fmt.Errorf("--plot %s: %w", f.plot, err)
	}
	return a.writeFile(f.plot, picture)
}

// tablePower writes readable tables: the rows, the hottest instructions, and on
// what they rest.
func (a *app) tablePower(r *powerResult, f *powerFlags) error {
	if f.clocks != nil {
		if err := power.WriteSweepTable(a.stdout, r.sweep); err != nil {
			return err
		}
		r.notes = append(r.notes, "voltage is taken to go with the clock (AccelWattch's equation 3); a real board stops at a least voltage")
	} else {
		if err := power.WriteTable(a.stdout, r.rows); err != nil {
			return err
		}
		if len(r.hot) > 0 && f.hot == "" {
			fmt.Fprintln(a.stdout, "\nThe instructions with most dynamic energy; memory is shared out by sectors:")
			if err := power.WriteHotTable(a.stdout, r.hot); err != nil {
				return err
			}
			fmt.Fprintln(a.stdout, "\nDynamic energy by class of instruction:")
			if err := power.WriteClassTable(a.stdout, r.class); err != nil {
				return err
			}
		}
	}
	fmt.Fprintln(a.stdout)
	for _, n := range r.notes {
		fmt.Fprintf(a.stdout, "%s\n", n)
	}
	_, err := fmt.Fprintln(a.stdout, "This is a model: AccelWattch (MICRO 2021); `hyptx power validate` says how well it meets measurements.")
	return err
}
