package hypa

import (
	"io"

	"github.com/gocarina/gocsv"

	"hyptx/analysis"
	"hyptx/internal/number"
)

// FileRow is a row of profile --format hypa: a PTX file of a program, with the columns and
// the names that the paper's tool writes, and no others.
type FileRow struct {
	Name             string      `csv:"filename" doc:"the PTX file; its version, target and address size; its instructions"`
	Version          string      `csv:"PTX version" doc:"^"`
	Target           string      `csv:"target" doc:"^"`
	AddressSize      number.Int  `csv:"address size" doc:"^"`
	FileInstructions number.Int  `csv:"file instructions" doc:"^"`
	CTAs             number.Int  `csv:"CTAs" doc:"of all launches of its kernels"`
	Threads          number.Int  `csv:"threads" doc:"^"`
	Static           number.Int  `csv:"static" doc:"static_thread_instructions of profile.csv"`
	Dynamic          number.Int  `csv:"dynamic" doc:"thread_instructions"`
	FP               number.Int  `csv:"FP" doc:"flop_count_sp + flop_count_dp + flop_count_hp"`
	Executed         number.Int  `csv:"executed instructions" doc:"warp_instructions"`
	Divergent        number.Int  `csv:"divergent branches" doc:"at warp level; a CTA's, in the mean; branch_efficiency_pct"`
	PerCTA           number.Real `csv:"per CTA" doc:"^"`
	EfficiencyPct    number.Real `csv:"branch efficiency" doc:"^"`
	DurationMS       number.Real `csv:"duration (ms)" doc:"of the emulation of its launches"`

	branches number.Int
}

// Files sums the rows of launches by program and file, in their order.
func Files(rows []*analysis.Row) (files []*FileRow) {
	type key struct{ network, file string }
	of := map[key]*FileRow{}
	for _, r := range rows {
		if r.Kind != analysis.KindLaunch {
			continue
		}
		f := of[key{r.Network, r.File}]
		if f == nil {
			zero := number.Count(0)
			f = &FileRow{Name: r.File, Version: r.PTXVersion, Target: r.PTXTarget, AddressSize: r.PTXAddressSize, FileInstructions: r.FileInstructions,
				CTAs: zero, Threads: zero, Static: zero, Dynamic: zero, FP: zero, Executed: zero, Divergent: zero, branches: zero, DurationMS: number.Ratio(0)}
			of[key{r.Network, r.File}] = f
			files = append(files, f)
		}
		f.add(r)
	}
	return files
}

// add adds a launch. What is not known of one is not known of the file.
func (f *FileRow) add(r *analysis.Row) {
	for _, c := range []struct {
		sum  *number.Int
		more []number.Int
	}{
		{&f.CTAs, []number.Int{r.CTAs}}, {&f.Threads, []number.Int{r.Threads}}, {&f.Static, []number.Int{r.StaticThreadInstructions}},
		{&f.Dynamic, []number.Int{r.ThreadInstructions}}, {&f.FP, []number.Int{r.FlopSP, r.FlopDP, r.FlopHP}},
		{&f.Executed, []number.Int{r.WarpInstructions}}, {&f.Divergent, []number.Int{r.DivergentBranches}}, {&f.branches, []number.Int{r.Branches}},
	} {
		for _, n := range c.more {
			*c.sum = number.Int{N: c.sum.N + n.N, Known: c.sum.Known && n.Known}
		}
	}
	f.DurationMS = number.Real{X: f.DurationMS.X + r.AnalysisMS.X, Known: f.DurationMS.Known && r.AnalysisMS.Known}
	known := f.Divergent.Known && f.branches.Known
	f.PerCTA = number.Real{X: float64(f.Divergent.N) / float64(max(f.CTAs.N, 1)), Known: known}
	f.EfficiencyPct = number.Real{X: 100, Known: known}
	if f.branches.N > 0 {
		f.EfficiencyPct.X = 100 * float64(f.branches.N-f.Divergent.N) / float64(f.branches.N)
	}
}

// WriteFiles writes them as CSV.
func WriteFiles(w io.Writer, rows []*analysis.Row) error { return gocsv.Marshal(Files(rows), w) }
