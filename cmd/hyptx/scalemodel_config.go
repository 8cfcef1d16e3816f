package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hyptx/analysis"
	"hyptx/internal/gpu"
	"hyptx/internal/number"
	"hyptx/internal/scalemodel"
)

// hyptx scalemodel config: the scaled GPUs. Of the paper's targets there are only the
// figures of its tables; of a GPU that hyptx knows a file is made for each size, which
// --gpu takes like any other.

// paperTargets are the targets that are no GPU's file.
var paperTargets = map[string]scalemodel.Shared{"paper": scalemodel.PaperTarget, "paper-chiplets": scalemodel.PaperChiplets}

func (a *app) scalemodelConfigCommand() *cobra.Command {
	var target, out, dir string
	var sms []int
	c := &cobra.Command{
		Use: "config --target NAME --sms 8,16", Short: "Make scaled GPUs of a target", Args: cobra.NoArgs,
		Long: `Make scale models of a GPU: of so many SMs, with as large a part of the L2 and its slices, of the network and of DRAM and its channels.
What an SM has and all latencies stay. What cannot be divided is rounded, and said.

The target is a GPU of hyptx or a file of one; then --dir takes a GPU's file for each size. It may also be the paper's: paper
(128 SMs), paper-chiplets (16 chiplets of 64 SMs), of which there is a table.`,
		Example: "  hyptx scalemodel config --target paper --sms 8,16,32,64\n  hyptx scalemodel config --target gv100 --sms 8,16 --dir .\n  hyptx profile net.json --mode memory --gpu gv100-8sm.json",
		RunE: func(*cobra.Command, []string) error {
			if err := refuse(refusal{target == "", "--target says which GPU is scaled, as --target gv100 or --target paper"},
				refusal{len(sms) == 0, "--sms says how many SMs the scale models have, as --sms 8,16"},
				refusal{slices.ContainsFunc(sms, func(n int) bool { return n < 1 }), "--sms: a scale model has at least 1 SM"},
				refusal{dir != "" && paperTargets[target].SMs > 0, "--dir: of the paper's target there are too few numbers for a GPU's file; -o writes them as CSV"}); err != nil {
				return err
			}
			if of, is := paperTargets[target]; is {
				return a.configPaper(of, sms, out)
			}
			return a.configGPU(target, sms, out, dir)
		},
	}
	fl := c.Flags()
	fl.StringVar(&target, "target", "", "the GPU that is scaled: a `name`, a file *.json, paper or paper-chiplets")
	fl.IntSliceVar(&sms, "sms", nil, "SMs of the scale models, `numbers` as 8,16")
	fl.StringVarP(&out, "output", "o", "", "write what each shares as CSV to this `file` (- for standard output)")
	fl.StringVar(&dir, "dir", "", "write each scale model's file, NAME-8sm.json, to this `folder`")
	complete(c, "target", func() []string { return append(gpu.Names(), "paper", "paper-chiplets") })
	return c
}

// configPaper scales one of the paper's targets.
func (a *app) configPaper(target scalemodel.Shared, sms []int, out string) error {
	var rows []*scalemodel.Shared
	for _, n := range sms {
		s, err := target.Scale(n)
		if err != nil {
			return usagef("--sms: %w", err)
		}
		rows = append(rows, &s)
	}
	return a.writeShared(rows, out, nil, nil)
}

// configGPU scales a GPU of hyptx. The file that is written is a whole one, so that it can be
// read without the one it was made from; each scaled number says so in its source.
func (a *app) configGPU(name string, sms []int, out, dir string) error {
	files := gpuFiles(name)
	if err := a.checkOutputs(files); err != nil {
		return err
	}
	var inputs []analysis.Input
	for _, f := range files {
		if _, err := a.readInput(f, &inputs); err != nil {
			return err
		}
	}
	g, err := gpu.Get(name)
	if err != nil {
		return err
	}
	var rows []*scalemodel.Shared
	var outputs []*output
	for _, n := range sms {
		scaled, rounded, err := scalemodel.GPU(g, n)
		if err != nil {
			return err
		}
		row := scalemodel.SharedOf(scaled, g)
		row.NotWhole = rounded
		rows = append(rows, row)
		if dir != "" {
			outputs = append(outputs, &output{flag: "--dir", path: filepath.Join(dir, scaled.Name+".json"), as: asJSON,
				fill: func(w io.Writer) error { return writeJSON(w, scaled, "  ") }})
		}
	}
	return a.writeShared(rows, out, inputs, outputs)
}

// writeShared writes what sizes share, with a note for what was rounded.
func (a *app) writeShared(rows []*scalemodel.Shared, out string, inputs []analysis.Input, outputs []*output) error {
	outputs = append(outputs, rowsTo("-o", out, &inputs, func() any { return rows }))
	if err := a.checkOutputs(nil, outputs...); err != nil {
		return err
	}
	t := &sheet{}
	t.add("SMs", "factor", "LLC MB", "slices", "NoC GB/s", "DRAM GB/s", "controllers")
	for _, s := range rows {
		cells := []string{fmt.Sprint(s.SMs)}
		for _, x := range []number.Real{number.Ratio(s.Factor), s.LLCMB, s.LLCSlices, s.NoCGBPerS, s.DRAMGBPerS, s.MemoryControllers} {
			cells = append(cells, strings.TrimSuffix(strings.TrimRight(known(x, 4), "0"), "."))
		}
		t.add(cells...)
		if s.NotWhole != "" {
			a.note("%d SMs: %s: rounded, so that the scale model is not exactly the part of the target that its SMs are", s.SMs, s.NotWhole)
		}
	}
	return a.finishRows(t, out, outputs)
}
