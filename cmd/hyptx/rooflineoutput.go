package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"hyptx/analysis"
	"hyptx/internal/predict"
	"hyptx/internal/roofline"
)

// What hyptx roofline makes of rows: files, a picture, a table, remarks. Rows are
// added program by program and kept by GPU, since totals, the toolkit's files and
// the reference (--measured) are by GPU. --time is checked at the end only: whether
// a row of the file is of a launch is not known before all programs ran.

// rooflineResult gathers the launches of all arguments and their rows.
type rooflineResult struct {
	devices []*roofline.Device // the GPUs, in the order of --gpu
	opts    roofline.Options
	// launches are those of all programs, by GPU: their counts are equal, their
	// traffic is each GPU's. The toolkit's files and the quadrant plot need them.
	launches predict.Launches
	// rows are in the order of the table: program by program, in each GPU by GPU,
	// a total behind its launches.
	rows   []*roofline.Row
	stalls []*analysis.StallRow
	times  map[string]roofline.Time // what --time says, by launch
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

// rooflineCounters adds the kernels of a profiler's file.
func (a *app) rooflineCounters(ctx context.Context, f *rooflineFlags, res *rooflineResult) error {
	launches, err := readRows(a, f.counters, &f.inputs, roofline.ReadMeasured)
	if err != nil {
		return err
	}
	if _, err := res.add(ctx, predict.Everywhere(launches, res.devices), false); err != nil {
		clear(res.launches) // sums by kernel would be of a part of them
		if n := len(res.rows); n > 0 {
			a.keep(f.counters+": "+are(n, "row"), "; there is no total")
		}
		return fmt.Errorf("%s: %w", f.counters, err)
	}
	return nil
}

// withoutTimes is an error that names the GPUs on which no launch has a time, and
// the reason: who asked for times has none, though the rows say much else.
func (r *rooflineResult) withoutTimes() (failed error) {
	for _, d := range r.devices {
		reason, timed := "", false
		for _, row := range r.rows {
			if row.GPU == d.Name && row.Kind == analysis.KindLaunch {
				reason, timed = cmp.Or(reason, row.Missing), timed || row.TimeUs.Known
			}
		}
		if !timed && reason != "" {
			failed = errors.Join(failed, fmt.Errorf("no launch has a time on %s: %s", d.Name, strings.TrimPrefix(reason, "GPU "+d.Name+": ")))
		}
	}
	return failed
}

// shown are the rows without those that --no-total leaves out.
func (r *rooflineResult) shown(f *rooflineFlags) []*roofline.Row {
	if !f.noTotal {
		return r.rows
	}
	return slices.DeleteFunc(slices.Clone(r.rows), func(r *roofline.Row) bool { return r.Kind == analysis.KindTotal })
}

// writeRoofline writes the rows in every form that was asked for; a table if -o
// was not, and nothing else goes to standard output.
func (a *app) writeRoofline(r *rooflineResult, f *rooflineFlags) error {
	onStdout, failed := a.writeOutputs(f.outputs)
	if f.stalls.asked() && len(r.stalls) == 0 {
		a.note("--stalls: nothing was simulated, so there are no rows; the column time_model says what the times are by")
	}
	noteRemarks(a, "warnings", r.rows, func(row *roofline.Row) []string {
		if row.Kind != analysis.KindLaunch {
			return nil
		}
		return strings.Split(row.Warnings, "; ")
	})
	switch {
	case f.toFile():
		a.noteAll(roofline.Summary(r.rows))
		if against := roofline.Against(r.rows); against != "" {
			a.note("%s", against)
		}
		noteRemarks(a, "missing", r.rows, func(row *roofline.Row) []string { return missing(row.Kind, row.Missing) })
		noteRemarks(a, "assumed_inputs", r.rows, func(row *roofline.Row) []string { return assumed(row.Kind, row.AssumedInputs) })
	case !onStdout && failed == nil:
		return roofline.WriteTable(a.text, r.shown(f), r.opts.Reference, a.columns())
	}
	return failed
}

// plot draws what --plot-kind says: the quadrant plot with each GPU's own
// traffic.
func (r *rooflineResult) plot(f *rooflineFlags) ([]byte, error) {
	look := f.look(f.plot.ending())
	if f.plotKind == "roofline" {
		return roofline.PlotRoofline(r.rows, r.devices, look)
	}
	all := r.launches[0] // those on another GPU are the same ones
	if slices.ContainsFunc(all, func(l *roofline.Launch) bool { return l.Network != all[0].Network }) {
		return nil, errors.New("the quadrant plot is of one kernel or network; name one")
	}
	return roofline.PlotQuadrant(r.on, r.devices, r.opts, look)
}
