package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"hyptx/analysis"
	"hyptx/internal/predict"
	"hyptx/internal/roofline"
	"hyptx/power"
)

// rooflineResult gathers the launches of all arguments and their rows.
type rooflineResult struct {
	devices  []*roofline.Device
	opts     roofline.Options
	launches predict.Launches
	rows     []*roofline.Row
	inputs   []analysis.Input
	times    map[string]roofline.Time // what --time says, by launch
}

// add adds the launches of a program on each GPU with their rows, and returns
// how many launches these are.
func (r *rooflineResult) add(ctx context.Context, of predict.Launches, partial bool) (n int, err error) {
	for i, list := range of {
		r.launches[i] = append(r.launches[i], list...)
		n += len(list)
	}
	rows, err := of.Times(ctx, r.devices, r.opts, partial)
	r.rows = append(r.rows, rows...)
	return n, err
}

// on returns the launches on a GPU.
func (r *rooflineResult) on(d *roofline.Device) []*roofline.Launch {
	return r.launches[slices.Index(r.devices, d)]
}

// rooflineInputs reads the files that results depend on beside the programs:
// GPUs' and measured times.
func (a *app) rooflineInputs(f *rooflineFlags, res *rooflineResult) error {
	if err := a.readGPUs(&res.inputs, f.gpus...); err != nil {
		return err
	}
	if f.times == "" {
		return nil
	}
	src, err := a.readInput(f.times, &res.inputs)
	if err == nil {
		res.times, err = power.ReadTimes(bytes.NewReader(src.Text), f.times)
	}
	return err
}

// checkTimes returns an error that names the rows of --time that are of no
// launch.
func (r *rooflineResult) checkTimes(f *rooflineFlags) error {
	launches := map[string]bool{}
	for _, row := range r.rows {
		launches[row.Launch] = true
	}
	var lost []string
	for _, launch := range slices.Sorted(maps.Keys(r.times)) {
		if !launches[launch] {
			lost = append(lost, strconv.Quote(launch))
		}
	}
	if lost == nil {
		return nil
	}
	return fmt.Errorf("%s: no row is of launch %s: launches are numbers from 0, and a row for each that was chosen", f.times, strings.Join(lost, ", "))
}

// rooflineCounters adds the kernels of a profiler's file.
func (a *app) rooflineCounters(ctx context.Context, f *rooflineFlags, res *rooflineResult) error {
	src, err := a.readInput(f.counters, &res.inputs)
	if err != nil {
		return err
	}
	launches, err := roofline.ReadMeasured(src.Name, src.Text)
	if err != nil {
		return err
	}
	if _, err := res.add(ctx, predict.Everywhere(launches, res.devices), false); err != nil {
		clear(res.launches) // sums by kernel would be of a part of them
		if n := len(res.rows); n > 0 {
			a.note("%s: %s complete and written all the same; there is no total", f.counters, are(n, "row"))
		}
		return fmt.Errorf("%s: %w", f.counters, err)
	}
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
	rows := r.rows
	if f.noTotal {
		rows = slices.DeleteFunc(slices.Clone(rows), func(r *roofline.Row) bool { return r.Kind != analysis.KindLaunch })
	}
	if f.json != "" {
		if err := a.write(f.json, func(w io.Writer) error {
			e := json.NewEncoder(w)
			e.SetIndent("", " ")
			return e.Encode(map[string]any{"hyptx_version": stamp.Version, "inputs_sha256": stamp.Inputs, "rows": rows})
		}); err != nil {
			return err
		}
	}
	if err := a.writeToolkit(r, f); err != nil {
		return err
	}
	if f.out != "" {
		for _, line := range roofline.Summary(r.rows) {
			a.note("%s", line)
		}
		return a.write(f.out, func(w io.Writer) error { return analysis.WriteRows(w, stamp, rows) })
	}
	if f.json == "-" || f.plot == "-" {
		return nil
	}
	return roofline.WriteTable(a.stdout, rows, r.opts.Reference, a.columns())
}

// writeToolkit writes the files of gpuroofperf-tool.
func (a *app) writeToolkit(r *rooflineResult, f *rooflineFlags) error {
	if f.parameters != "" {
		if err := a.write(f.parameters, func(w io.Writer) error {
			return roofline.WriteToolkitParameters(w, version(), r.launches[0], r.opts.Rule)
		}); err != nil {
			return fmt.Errorf("--parameters %s: %w", f.parameters, err)
		}
	}
	if f.prediction == "" {
		return nil
	}
	format := strings.TrimPrefix(filepath.Ext(f.prediction), ".")
	if err := a.write(f.prediction, func(w io.Writer) error {
		return roofline.WriteToolkitPrediction(w, format, r.rows, r.on, r.devices, r.opts)
	}); err != nil {
		return fmt.Errorf("--prediction %s: %w", f.prediction, err)
	}
	return nil
}

// plot draws what --plot-kind says: the quadrant plot with each GPU's own
// traffic.
func (r *rooflineResult) plot(f *rooflineFlags) ([]byte, error) {
	format := strings.TrimPrefix(filepath.Ext(f.plot), ".")
	if f.plotKind == "roofline" {
		return roofline.PlotRoofline(r.rows, r.devices, format)
	}
	for _, d := range r.devices {
		for _, l := range r.on(d) {
			if l.Network != r.on(d)[0].Network {
				return nil, errors.New("the quadrant plot is of one kernel or network; name one")
			}
		}
	}
	return roofline.PlotQuadrant(r.on, r.devices, r.opts, format)
}
