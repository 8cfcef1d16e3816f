package roofline

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"hyptx/analysis"
	"hyptx/internal/roofline/thesis"
	"hyptx/internal/table"
)

// tableColumns are what most people look at.
var tableColumns = []table.Column{
	{Heading: "launch"}, {Heading: "label", Text: true, Rank: 9}, {Heading: "kernel", Text: true}, {Heading: "gpu", Text: true},
	{Heading: "time us"}, {Heading: "bound", Text: true}, {Heading: "launch us", Rank: 3}, {Heading: "issue us", Rank: 3}, {Heading: "mem us", Rank: 3}, {Heading: "latency us", Rank: 3},
	{Heading: "measured us"}, {Heading: "deviation %"}, {Heading: "e_util", Rank: 2},
	{Heading: "op/byte", Rank: 5}, {Heading: "o_dev", Rank: 8}, {Heading: "GOPS", Rank: 4}, {Heading: "occ %", Rank: 5}, {Heading: "limiter", Text: true, Rank: 7}, {Heading: "eligible", Text: true, Rank: 6},
}

// WriteTable writes the readable table: networks apart, below each what is
// missing for the times that are not there, and what the others rest on. ref is
// the measured time by which they were multiplied, if any. The table is at most
// width columns wide, 0 for any.
func WriteTable(w io.Writer, rows []*Row, ref Reference, width int) error {
	var b strings.Builder
	for one := range table.Runs(rows, func(a, b *Row) bool { return a.Network == b.Network }) {
		fmt.Fprintln(&b, one[0].Network)
		writeRows(&b, withoutSingleTotals(one), ref, width)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// withoutSingleTotals leaves out totals of a single launch.
func withoutSingleTotals(rows []*Row) []*Row {
	var out []*Row
	for i, r := range rows {
		if r.Launch != Total || i >= 2 && rows[i-2].Launch != Total {
			out = append(out, r)
		}
	}
	return out
}

func writeRows(b *strings.Builder, rows []*Row, ref Reference, width int) {
	cells := make([][]string, len(rows))
	var missing []string
	for i, r := range rows {
		cells[i] = []string{r.Launch, r.Label, analysis.ShortKernel(r.Kernel), r.GPU, r.TimeUs.String(), r.boundText(), r.LaunchUs.String(), r.IssueUs.String(),
			r.MemUs.String(), r.LatencyUs.String(), r.MeasuredUs.String(), r.DeviationPct.String(), r.EUtil.String(),
			r.IntensityDRAM.String(), r.ODev.String(), r.GOPS.String(), r.OccupancyPct.String(), r.Limiter, r.Eligible}
		if r.Missing != "" && !r.sums() {
			missing = append(missing, r.Missing)
		}
	}
	table.Write(b, tableColumns, cells, func(i int) bool { return rows[i].Launch == Total && i > 0 }, width)
	var below strings.Builder
	WriteMissing(&below, "no time", missing)
	writeMeasured(&below, rows, ref)
	writeBasis(&below, rows)
	b.WriteString(table.Narrow(below.String(), width))
}

// writeMeasured says what measured times did to the others.
func writeMeasured(b *strings.Builder, rows []*Row, ref Reference) {
	if i := slices.IndexFunc(rows, func(r *Row) bool { return r.EUtil.Known }); i >= 0 {
		util, measured := rows[i].EUtil.X, ref.Seconds*1e6
		fmt.Fprintf(b, "e_util %.4g: %.6g us measured on %s / %.4g us predicted; all times are the model's times that (5.13), so that those of %s make the measured time; "+
			"the terms beside them are the model's\n", util, measured, ref.GPU, measured/util, ref.GPU)
	}
	switch {
	case slices.ContainsFunc(rows, func(r *Row) bool { return r.DeviationPct.Known }):
		fmt.Fprintf(b, "deviation: (time - measured) / measured, taken for granted that %s is where it was measured\n", rows[0].GPU)
		if against := Against(rows); against != "" {
			fmt.Fprintln(b, against)
		}
	case ref.GPU == "" && slices.ContainsFunc(rows, func(r *Row) bool { return r.MeasuredUs.Known }):
		fmt.Fprintln(b, "measured: on one GPU, nobody says which; name that one alone to see how far off the model is")
	}
}

// boundText names the cache of a launch that a cache limits.
func (r *Row) boundText() string {
	if r.cacheBound() {
		return r.Bound + " (" + r.MemoryLimit + ")"
	}
	return r.Bound
}

// cacheBound reports whether a cache, and not DRAM, limits the launch.
func (r *Row) cacheBound() bool {
	return r.Bound == string(thesis.Memory) && (r.MemoryLimit == "L1" || r.MemoryLimit == "L2")
}

// writeBasis says what the times rest on, and what was assumed.
func writeBasis(b *strings.Builder, rows []*Row) {
	var models, counts, assumed string
	for _, r := range rows {
		models, counts = joined(models, r.TimeModel), joined(counts, r.Counts)
		if assumed == "" {
			assumed = r.AssumedInputs
		}
	}
	fmt.Fprintf(b, "a model: time %s, counts %s, DRAM traffic %s, rates %s\n", cmp.Or(models, "none"), counts,
		byGPU(rows, func(r *Row) string { return r.TrafficSource }), byGPU(rows, func(r *Row) string { return r.RatesBasis }))
	if assumed != "" {
		fmt.Fprintf(b, "assumed: %s\n", analysis.BriefAssumptions(assumed))
	}
}

// byGPU writes a word of rows: once if it is that of all GPUs, else by GPU.
func byGPU(rows []*Row, word func(*Row) string) string {
	var gpus, words []string
	same := true
	for _, r := range rows {
		i := slices.Index(gpus, r.GPU)
		if i < 0 {
			i, gpus, words = len(gpus), append(gpus, r.GPU), append(words, "")
		}
		words[i] = joined(words[i], word(r))
	}
	for _, x := range words {
		same = same && x == words[0]
	}
	if same {
		return words[0]
	}
	for i, x := range words {
		words[i] = gpus[i] + " " + x
	}
	return strings.Join(words, "; ")
}
