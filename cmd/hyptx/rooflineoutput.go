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
	launches []*roofline.Launch // on the first GPU, for the quadrant plot
	rows     []*roofline.Row
	inputs   []analysis.Input
}

// add adds the launches on each GPU, a network at a time.
func (r *rooflineResult) add(of map[*roofline.Device][]*roofline.Launch) {
	first := of[r.devices[0]]
	r.launches = append(r.launches, first...)
	for begin, end := 0, 0; begin < len(first); begin = end {
		for end = begin; end < len(first) && first[end].Network == first[begin].Network; {
			end++
		}
		r.rows = append(r.rows, roofline.Report(func(d *roofline.Device) []*roofline.Launch { return of[d][begin:end] }, r.devices, r.opts)...)
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
	of := map[*roofline.Device][]*roofline.Launch{}
	for _, d := range res.devices {
		of[d] = launches
	}
	res.add(of)
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
