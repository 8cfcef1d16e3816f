package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"hyptx/analysis"
	"hyptx/analysis/roofline"
)

// rooflineResult gathers the launches of all arguments and their rows.
type rooflineResult struct {
	devices  []*roofline.Device
	opts     roofline.Options
	launches []*roofline.Launch
	rows     []*roofline.Row
	inputs   []analysis.Input
}

// add adds launches, a network at a time.
func (r *rooflineResult) add(launches []*roofline.Launch) {
	r.launches = append(r.launches, launches...)
	for len(launches) > 0 {
		n := 1
		for n < len(launches) && launches[n].Network == launches[0].Network {
			n++
		}
		r.rows = append(r.rows, roofline.Report(roofline.Everywhere(launches[:n]), r.devices, r.opts)...)
		launches = launches[n:]
	}
}

// rooflineCounters adds the kernels of a profiler's file.
func (a *app) rooflineCounters(f *rooflineFlags, res *rooflineResult) error {
	src, err := analysis.ReadSource(f.counters, a.stdin)
	if err != nil {
		return err
	}
	launches, err := roofline.ReadMeasured(src.Name, src.Text)
	if err != nil {
		return err
	}
	res.inputs = append(res.inputs, analysis.Input{Name: src.Name, SHA256: sha256.Sum256(src.Text)})
	res.add(launches)
	return nil
}

// writeRoofline writes the rows in every form that was asked for; a table if
// nothing else goes to standard output.
func (a *app) writeRoofline(r *rooflineResult, f *rooflineFlags) error {
	stamp := analysis.Stamp{Version: version(), Inputs: analysis.HashInputs(r.inputs)}
	if f.plot != "" {
		picture, err := r.plot(f)
		if err != nil {
			return fmt.Errorf("--plot %s: %w", f.plot, err)
		}
		if err := a.writeFile(f.plot, picture); err != nil {
			return err
		}
	}
	if f.json != "" {
		if err := a.write(f.json, func(w io.Writer) error {
			e := json.NewEncoder(w)
			e.SetIndent("", " ")
			return e.Encode(map[string]any{"hyptx_version": stamp.Version, "inputs_sha256": stamp.Inputs, "rows": r.rows})
		}); err != nil {
			return err
		}
	}
	if f.out != "" {
		return a.write(f.out, func(w io.Writer) error { return analysis.WriteRows(w, stamp, r.rows) })
	}
	if f.json == "-" || f.plot == "-" {
		return nil
	}
	return roofline.WriteTable(a.stdout, r.rows)
}

// plot draws what --plot-kind says.
func (r *rooflineResult) plot(f *rooflineFlags) ([]byte, error) {
	format := strings.TrimPrefix(filepath.Ext(f.plot), ".")
	if f.plotKind == "roofline" {
		return roofline.PlotRoofline(r.rows, r.devices, format)
	}
	for _, l := range r.launches {
		if l.Network != r.launches[0].Network {
			return nil, errors.New("the quadrant plot is of one kernel or network; name one")
		}
	}
	return roofline.PlotQuadrant(r.launches, r.devices, r.opts, format)
}
