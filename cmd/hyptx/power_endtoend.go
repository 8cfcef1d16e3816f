package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hyptx/analysis"
	"hyptx/internal/endtoend"
	"hyptx/internal/number"
	"hyptx/internal/roofline"
	"hyptx/internal/table"
	"hyptx/power"
)

// hyptx power validate --end-to-end: the model from PTX to watts. Our versions of the
// kernels that AccelWattch was validated on go the way that every program goes, by both
// time models and with all energies, and each has a row beside what was measured. Two
// tables say it on the screen, watts and what they rest on; the file has all columns.

// endToEndFlags are the flags of it.
type endToEndFlags struct {
	dir, out string
	models   []string // time models
	variants []string
	inputs   []analysis.Input
}

// endToEndVariants are the power models that it is of, what `hyptx power` takes by default first.
var endToEndVariants = []string{"calibrated", "sass_sim", "ptx_sim"}

// shippedPrograms stands for a folder: the programs that ship with hyptx.
const shippedPrograms = "shipped"

// endToEnd runs the command.
func (a *app) endToEnd(ctx context.Context, f *endToEndFlags) error {
	if f.dir == shippedPrograms {
		dir, err := os.MkdirTemp("", "hyptx")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		files, err := sampleFiles("benchmarks/*")
		if err := cmp.Or(err, a.writeFiles(files, dir)); err != nil {
			return err
		}
		f.dir = filepath.Join(dir, "benchmarks")
	}
	p := &endtoend.Plan{Analysis: a.options(analysis.Control, &programFlags{})}
	for _, name := range f.models {
		m, err := roofline.ModelNamed(name)
		if err != nil {
			return usageError{fmt.Errorf("--time-model: %w", err)}
		}
		p.Models = append(p.Models, m)
	}
	for _, v := range f.variants {
		if !slices.Contains(endToEndVariants, v) {
			return usagef("--variant %s: end to end it is of %s", v, strings.Join(endToEndVariants, ", "))
		}
		p.Variants = append(p.Variants, power.Variant(v))
	}
	p.Open = a.opener(&f.inputs)
	rows, err := p.Run(ctx, f.dir)
	if len(rows) == 0 {
		return err
	}
	if !slices.ContainsFunc(rows, func(r *endtoend.Row) bool { return r.PowerW.Known }) {
		return errors.Join(err, fmt.Errorf("%s: none of the programs is there, as `hyptx samples write 'benchmarks/*' -o FOLDER` writes them", f.dir))
	}
	if f.out != "" {
		return errors.Join(err, a.writeRows(f.out, stampOf(f.inputs), rows))
	}
	a.showEndToEnd(rows)
	return err
}

// showEndToEnd prints the tables of each variant and time model.
func (a *app) showEndToEnd(rows []*endtoend.Row) {
	for one := range table.Runs(rows, func(a, b *endtoend.Row) bool { return a.Variant == b.Variant && a.TimeModel == b.TimeModel }) {
		a.endToEndTable(one)
	}
}

// endToEndTable prints the rows of one variant and time model, and how far off they are.
func (a *app) endToEndTable(rows []*endtoend.Row) {
	a.say("From PTX to watts on a Quadro GV100: energies %s, time %s\n", rows[0].Variant, rows[0].TimeModel)
	s := &sheet{indent: "  ", more: "-o FILE writes all", spare: []string{"HYBRID %", "HW %", "timed %", "DRAM x", "instr x"}}
	s.add("kernel", "W", "ours W", "error %", "timed %", "SASS %", "PTX %", "HW %", "HYBRID %", "us", "ours us", "instr x", "DRAM x")
	off := func(x, measured number.Real) string { return number.ErrorPct(x, measured).Fixed(1) }
	for _, r := range rows {
		s.add(r.Kernel, r.MeasuredW.Fixed(1), r.PowerW.Fixed(1), r.ErrorPct.Fixed(1), r.TimedPct.Fixed(1),
			off(r.SASSSimW, r.MeasuredW), off(r.PTXSimW, r.MeasuredW), off(r.HWW, r.MeasuredW), off(r.HybridW, r.MeasuredW),
			r.MeasuredUs.Fixed(1), r.TimeUs.Fixed(1), over(r.Instructions, r.MeasuredInstructions).Fixed(2), over(r.DRAM, r.MeasuredDRAM).Fixed(2))
	}
	s.print(a.text, a.columns())
	a.say("")
	sums := &sheet{indent: "  ", more: "-o FILE writes all", spare: []string{"kernels"}}
	sums.add("", "kernels", "MAPE %", "median %", "worst %", "bias %", "r", "best constant %")
	for _, l := range endtoend.Summary(rows) {
		sums.add(l.Name, fmt.Sprint(l.N), fmt.Sprintf("%.2f", l.MAPEPct), fmt.Sprintf("%.2f", l.MedianPct), fmt.Sprintf("%.2f", l.WorstPct),
			fmt.Sprintf("%.2f", l.BiasPct), fmt.Sprintf("%.3f", l.R), fmt.Sprintf("%.2f", l.BestConstantPct))
	}
	sums.print(a.text, a.columns())
	for _, r := range rows {
		if r.Missing != "" {
			a.sayFolded("  %s: %s", r.Kernel, r.Missing)
		}
	}
	a.say("")
}

// over is one known figure over another.
func over(x, by number.Real) number.Real {
	if !x.Known || !by.Known {
		return number.Real{}
	}
	return number.Ratio(x.X / by.X)
}
