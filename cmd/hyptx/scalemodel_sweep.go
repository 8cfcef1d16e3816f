package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"hyptx/analysis"
	"hyptx/internal/figure"
	"hyptx/internal/scalemodel"
)

// hyptx scalemodel predict --sweep: a program launch by launch, since a sum over layers
// says of none of them where it stops scaling, and why.

// sweepFlags are where the launches go.
type sweepFlags struct {
	csv, plot string
	rows      []*scalemodel.SweepRow
	scenario  scalemodel.Scenario
}

func (f *sweepFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.csv, "sweep", "", "write each launch of the program on each size to this `file` as CSV, with what limits it")
	c.Flags().StringVar(&f.plot, "plot-sweep", "", "draw how each launch scales, and what stops it, to this `file` (.svg, .png or .pdf)")
}

// outputs are the files of a sweep, which are checked before its rows are there.
func (f *sweepFlags) outputs(look *pictureFlags, inputs *[]analysis.Input) []*output {
	picture := &output{flag: "--plot-sweep", path: f.plot, as: asPicture}
	picture.fill = drawn(func() ([]byte, error) {
		return scalemodel.PlotSweep(f.rows, f.scenario, figure.Look{Format: picture.ending(), Theme: figure.Theme(look.theme)})
	})
	return []*output{rowsTo("--sweep", f.csv, inputs, func() any { return f.rows }), picture}
}

// sayStops shows a line for each launch: how far it scales, and what stops it.
func (a *app) sayStops(f *sweepFlags) {
	stops := scalemodel.Stops(f.rows)
	if f.csv == "" && f.plot == "" || f.csv == "-" || len(stops) == 0 {
		return
	}
	last := fmt.Sprint(f.rows[len(f.rows)-1].Size)
	t := &sheet{spare: []string{"warps", "at " + last + ": %"}, more: "--sweep has them"}
	t.add("launch", "kernel", "CTAs", "scales to", "stopped by", "warps", "at "+last+": %", "limited by", "time %")
	whole := 0
	why := map[scalemodel.Limit]int{}
	var order []scalemodel.Limit
	for _, s := range stops {
		to, warps := fmt.Sprint(s.To), known(s.Warps, 1)
		if s.At == 0 {
			whole++
		} else {
			warps += " to " + known(s.WarpsThen, 1)
			if why[s.Why]++; why[s.Why] == 1 {
				order = append(order, s.Why)
			}
		}
		t.add(s.Launch, s.Kernel, fmt.Sprint(s.CTAs), to, string(s.Why), warps, figures(100*s.Scaling, 1), string(s.Limited), figures(100*s.Share, 1))
	}
	t.print(a.text, a.columns())
	text := fmt.Sprintf("Of %s %d scale to %s", plural(len(stops), "launch"), whole, last)
	for i, limit := range order {
		text += fmt.Sprintf("%s%d by %s", []string{"; the others are stopped, ", ", "}[min(i, 1)], why[limit], stopWords[limit])
	}
	a.sayFolded("%s. A launch is stopped where its IPC is below 90 %% of the proportional one.", text)
}

// stopWords say in a sentence what stops launches.
var stopWords = map[scalemodel.Limit]string{
	scalemodel.FewCTAs:  "CTAs (fewer than SMs)",
	scalemodel.FewWarps: "warps (too few CTAs to fill SMs)",
	scalemodel.Tail:     "a tail (SMs without a CTA at the end)",
	scalemodel.Latency:  "latency (no part is busy)",
	"DRAM":              "DRAM",
	"L2":                "the L2",
	"L1":                "the L1",
	"issue":             "issuing and computing",
	"link":              "links between chiplets",
}
