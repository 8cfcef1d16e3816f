package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"hyptx/analysis"
	"hyptx/internal/beside"
	"hyptx/internal/gpu"
	"hyptx/internal/hierarchy"
	"hyptx/internal/table"
)

// hyptx compare --counters: a profiler's counts beside ours. There is no verdict: what
// rests on an estimate may be off, and how far is what somebody wants to see.

// counterFlags are the flags of compare that are about a profiler's counts.
type counterFlags struct {
	counters, gpu string
	csv           *output
	inputs        []analysis.Input
}

// compareCounters emulates the program once and prints a line a metric.
func (a *app) compareCounters(ctx context.Context, path string, f *compareFlags) error {
	c := &f.counterFlags
	opts := a.options(analysis.Memory, &programFlags{kernel: f.kernel})
	var on *gpu.GPU
	if c.gpu != "" {
		var err error
		if on, err = gpu.Get(c.gpu); err != nil {
			return err
		}
		if err := hierarchy.Check(on); err != nil {
			return err
		}
		opts.GPUs = []*gpu.GPU{on}
	}
	if err := a.checkOutputs(append(gpuFiles(c.gpu), path, c.counters), c.csv); err != nil {
		return err
	}
	measured, err := readRows(a, c.counters, &c.inputs, beside.Read)
	if err != nil {
		return err
	}
	if names := beside.PassedOver(measured); len(names) > 0 {
		a.note("%s: not compared, since hyptx has nothing like it: %s", c.counters, strings.Join(names, ", "))
	}
	s, err := a.openOne(path, f.bare, opts)
	if err != nil {
		return err
	}
	c.inputs = append(c.inputs, s.Inputs...)
	p, failed := analysis.ProfileAll(ctx, []*analysis.Session{s})
	if on != nil {
		p = p.On(on)
	}
	rows, err := beside.Rows(measured, p)
	if err != nil {
		return errors.Join(failed, fmt.Errorf("%s: %w", c.counters, err))
	}
	c.csv.fill = fillRows(&c.inputs, func() any { return rows })
	onStdout, err := a.writeOutputs([]*output{c.csv})
	if !onStdout && err == nil {
		a.printCounters(s.Manifest.Name, c.counters, rows)
	}
	return errors.Join(failed, err)
}

// printCounters writes a table a launch.
func (a *app) printCounters(program, file string, rows []*beside.Row) {
	a.sayFolded("%s: %s beside hyptx", program, file)
	for one := range table.Runs(rows, func(a, b *beside.Row) bool { return a.Launch == b.Launch }) {
		a.sayFolded("launch %s, %s", one[0].Launch, analysis.ShortKernel(one[0].Kernel))
		t := sheet{indent: "  ", spare: []string{"basis"}, more: "--csv FILE writes all"}
		t.add("metric", "measured", "hyptx", "off %", "basis")
		for _, r := range one {
			ours := "-"
			if r.Ours.Known {
				ours = counted(r.Ours.X)
			}
			t.add(r.Metric, counted(r.Measured), ours, r.Percent.Fixed(1), r.Basis)
		}
		t.print(a.text, a.columns())
	}
}

// counted writes a whole number as it is, and another one with six digits.
func counted(x float64) string {
	if x == math.Trunc(x) {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', 6, 64)
}
