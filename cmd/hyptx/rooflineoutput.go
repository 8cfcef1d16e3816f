package main

import (
	"bytes"
	"context"
	"crypto/sha256"
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
	"hyptx/internal/gpu"
	"hyptx/internal/roofline"
	"hyptx/power"
)

// rooflineResult gathers the launches of all arguments and their rows.
type rooflineResult struct {
	devices  []*roofline.Device
	caches   map[*roofline.Device]*gpu.GPU // whose caches are modelled
	opts     roofline.Options
	launches map[*roofline.Device][]*roofline.Launch
	rows     []*roofline.Row
	inputs   []analysis.Input
	times    map[string]roofline.Time // what --time says, by launch
}

// gpuRun are the launches of a program on a GPU; partial if it did not end.
type gpuRun struct {
	launches []*roofline.Launch
	partial  bool
}

// add adds the launches on each GPU, a network at a time, and returns how many
// rows of launches these are. A program that did not end has no total, and no
// measured time to scale others by.
func (r *rooflineResult) add(of map[*roofline.Device]gpuRun) int {
	rows, _ := r.addUntil(context.Background(), of)
	return rows
}

// addUntil is add that ends when the context does, with its error.
func (r *rooflineResult) addUntil(ctx context.Context, of map[*roofline.Device]gpuRun) (int, error) {
	var networks []string
	opts, rows := r.opts, 0
	for _, d := range r.devices {
		for _, l := range of[d].launches {
			if !slices.Contains(networks, l.Network) {
				networks = append(networks, l.Network)
			}
		}
		if of[d].partial {
			opts.Reference = roofline.Reference{}
		}
		rows += len(of[d].launches)
		r.launches[d] = append(r.launches[d], of[d].launches...)
	}
	for _, n := range networks {
		list, err := roofline.ReportUntil(ctx, func(d *roofline.Device) []*roofline.Launch { return ofNetwork(of[d].launches, n) }, r.devices, opts)
		for _, row := range list {
			if row.Launch != roofline.Total || row.GPU != "" && !r.isPartial(of, row.GPU) {
				r.rows = append(r.rows, row)
			}
		}
		if err != nil {
			return rows, err
		}
	}
	return rows, nil
}

func (r *rooflineResult) isPartial(of map[*roofline.Device]gpuRun, gpu string) bool {
	return slices.ContainsFunc(r.devices, func(d *roofline.Device) bool { return d.Name == gpu && of[d].partial })
}

func ofNetwork(launches []*roofline.Launch, network string) []*roofline.Launch {
	var out []*roofline.Launch
	for _, l := range launches {
		if l.Network == network {
			out = append(out, l)
		}
	}
	return out
}

// rooflineInputs reads the files that results depend on beside the programs:
// GPUs' and measured times.
func (a *app) rooflineInputs(f *rooflineFlags, res *rooflineResult) error {
	read := func(name string) ([]byte, error) {
		src, err := analysis.ReadSource(name, a.stdin)
		if err != nil {
			return nil, err
		}
		res.inputs = append(res.inputs, analysis.Input{Name: src.Name, SHA256: sha256.Sum256(src.Text)})
		return src.Text, nil
	}
	for _, name := range gpuFiles(f.gpus...) {
		if _, err := read(name); err != nil {
			return err
		}
	}
	if f.times == "" {
		return nil
	}
	text, err := read(f.times)
	if err == nil {
		res.times, err = power.ReadTimes(bytes.NewReader(text), f.times)
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
	src, err := analysis.ReadSource(f.counters, a.stdin)
	if err != nil {
		return err
	}
	launches, err := roofline.ReadMeasured(src.Name, src.Text)
	if err != nil {
		return err
	}
	res.inputs = append(res.inputs, analysis.Input{Name: src.Name, SHA256: sha256.Sum256(src.Text)})
	of := map[*roofline.Device]gpuRun{}
	for _, d := range res.devices {
		of[d] = gpuRun{launches: launches}
	}
	if _, err := res.addUntil(ctx, of); err != nil {
		clear(res.launches) // sums by kernel would be of a part of them
		if n := len(res.rows); n > 0 {
			a.note("%s: %s complete and written all the same; there is no total", f.counters, rowsAre(n))
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
	if f.json != "" {
		if err := a.write(f.json, func(w io.Writer) error {
			e := json.NewEncoder(w)
			e.SetIndent("", " ")
			return e.Encode(map[string]any{"hyptx_version": stamp.Version, "inputs_sha256": stamp.Inputs, "rows": r.rows})
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
		return a.write(f.out, func(w io.Writer) error { return analysis.WriteRows(w, stamp, r.rows) })
	}
	if f.json == "-" || f.plot == "-" {
		return nil
	}
	return roofline.WriteTable(a.stdout, r.rows, r.opts.Reference)
}

// writeToolkit writes the files of gpuroofperf-tool.
func (a *app) writeToolkit(r *rooflineResult, f *rooflineFlags) error {
	if f.parameters != "" {
		if err := a.write(f.parameters, func(w io.Writer) error {
			return roofline.WriteToolkitParameters(w, version(), r.launches[r.devices[0]], r.opts.Rule)
		}); err != nil {
			return fmt.Errorf("--parameters %s: %w", f.parameters, err)
		}
	}
	if f.prediction == "" {
		return nil
	}
	format := strings.TrimPrefix(filepath.Ext(f.prediction), ".")
	if err := a.write(f.prediction, func(w io.Writer) error {
		return roofline.WriteToolkitPrediction(w, format, r.rows, func(d *roofline.Device) []*roofline.Launch { return r.launches[d] }, r.devices, r.opts)
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
		for _, l := range r.launches[d] {
			if l.Network != r.launches[d][0].Network {
				return nil, errors.New("the quadrant plot is of one kernel or network; name one")
			}
		}
	}
	return roofline.PlotQuadrant(func(d *roofline.Device) []*roofline.Launch { return r.launches[d] }, r.devices, r.opts, format)
}
