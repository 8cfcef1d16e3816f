package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"hyptx/internal/gpu"
	"hyptx/internal/hardware/calibrate"
)

// What a calibration leaves: NAME.json, the GPU's file, and beside it the runs for
// `hyptx power tune` and the log. All are made from the log alone, in this order,
// because each needs the one before: rates of units and caches; the GPU's file with
// them; then counters of the runs, which are emulated on the caches of that file. A
// file for which there is nothing (no sensors, no clocks that could be locked) is
// not written, and one from an earlier run is left as it is.

// The endings of the files that stand beside the GPU's.
const (
	logFile      = ".log.jsonl"
	runsFile     = ".runs.csv"
	idleFile     = ".idle.csv"
	clocksFile   = ".clocks.csv"
	networksFile = ".networks.csv"
)

// beside is the name of a file of that ending: of my.json and .idle.csv it is
// my.idle.csv, in the same folder.
func (f *calibrateFlags) beside(ending string) string {
	if ending == runsFile && f.runs != "" {
		return f.runs
	}
	return strings.TrimSuffix(f.out, ".json") + ending
}

// From a log to files: first the rates of the units, which make the GPU's file
// together with documented facts of the same product; then runs for tuning,
// whose counters need that file. Measurements of another version's benchmarks
// are left out, because they count other work.

// writeCalibration makes all files from a log.
func (a *app) writeCalibration(ctx context.Context, l *calibrate.Log, f *calibrateFlags) error {
	l, stale := l.Fresh()
	if len(stale) > 0 {
		a.note("%d measurements are of other texts of their benchmarks and left out (%s, ...); measure again", len(stale), stale[0])
	}
	base, note := calibrate.Base(l.Subject)
	if f.gpu != "" {
		g, err := gpu.Get(f.gpu)
		if err != nil {
			return err
		}
		base, note = g, "documented facts are those of "+g.Name
	}
	a.note("%s", note)
	counter := calibrate.NewCounter(base)
	if !counter.Caches {
		a.note("the caches of %s are not known well enough: runs have no events of caches and DRAM", l.Subject.Name)
	}
	rates, err := calibrate.Evaluate(ctx, l, counter)
	if err != nil {
		return err
	}
	mine, notes, err := calibrate.File(calibrate.NameOf(filepath.Base(f.beside(""))), l, base, rates)
	if err != nil {
		return err
	}
	a.noteAll(notes)
	if err := a.write(f.out, func(w io.Writer) error { return writeJSON(w, mine, "  ") }); err != nil {
		return err
	}
	a.reportRates(mine, f)
	return a.writeRuns(ctx, l, mine, counter, f)
}

// writeRuns writes the files of power, those for which there is something.
func (a *app) writeRuns(ctx context.Context, l *calibrate.Log, g *gpu.GPU, counter *calibrate.Counter, f *calibrateFlags) error {
	runs, err := calibrate.CollectRuns(ctx, l, g, counter)
	if err != nil {
		return err
	}
	comment := fmt.Sprintf("measured by hyptx %s calibrate on %s; hyptx power tune FILE --gpu %s --variant ptx_sim", version(), l.Subject.Name, f.out)
	networks := &strings.Builder{}
	n, err := l.WriteNetworks(networks)
	if err != nil {
		return err
	}
	for _, file := range []struct {
		ending string
		rows   int
		fill   func(io.Writer) error
	}{
		{runsFile, len(runs.Rows), func(w io.Writer) error { return runs.WriteRuns(w, comment) }},
		{idleFile, len(runs.Idle), func(w io.Writer) error { return runs.WriteIdle(w, l.Subject.SMs) }},
		{clocksFile, len(runs.Clocks), runs.WriteClocks},
		{networksFile, n, func(w io.Writer) error { _, err := io.WriteString(w, networks.String()); return err }},
	} {
		if file.rows == 0 {
			continue
		}
		if err := a.write(f.beside(file.ending), file.fill); err != nil {
			return err
		}
	}
	return nil
}

// reportRates prints what was measured: the facts whose source in the new file is
// hyptx, and not a document or the driver.
func (a *app) reportRates(g *gpu.GPU, f *calibrateFlags) {
	for _, field := range g.Fields() {
		if strings.Contains(field.Source, "hyptx") {
			a.say("%s\t%s %s", field.Path, field.Value, field.Unit)
		}
	}
	a.say("written: %s", f.out)
}
