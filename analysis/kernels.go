package analysis

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"hyptx/internal/number"
	"hyptx/internal/table"
)

// A network has hundreds of launches and a dozen kernels; which kernel to look at is
// the first question. This view sums the launches of each and puts the largest first.
// Kernels of one name in two files are two: compilers give the same template the same
// name wherever it is instantiated, and the code need not be the same.
//
// KernelRow is a row of --by-kernel: all launches of a kernel in a network.
type KernelRow struct {
	Network            string      `csv:"network" json:"network" doc:"the network"`
	Kernel             string      `csv:"kernel" json:"kernel" doc:"name in the PTX and in C++"`
	KernelDemangled    string      `csv:"kernel_demangled" json:"kernel_demangled" doc:"^"`
	Launches           uint64      `csv:"launches" json:"launches" doc:"its launches, repetitions counted"`
	Threads            uint64      `csv:"threads" json:"threads" doc:"sum over the launches"`
	WarpInstructions   uint64      `csv:"warp_instructions" json:"warp_instructions" doc:"sum; its share in the chosen launches of the network"`
	WarpPct            number.Real `csv:"warp_instructions_pct" json:"warp_instructions_pct" doc:"^"`
	ThreadInstructions uint64      `csv:"thread_instructions" json:"thread_instructions" doc:"as in a total of profile.csv"`
	FlopSP             uint64      `csv:"flop_count_sp" json:"flop_count_sp" doc:"^"`
	FlopDP             uint64      `csv:"flop_count_dp" json:"flop_count_dp" doc:"^"`
	FlopHP             uint64      `csv:"flop_count_hp" json:"flop_count_hp" doc:"^"`
	FlopTensor         number.Int  `csv:"flop_count_tensor" json:"flop_count_tensor" doc:"^"`
	BranchEfficiency   number.Real `csv:"branch_efficiency_pct" json:"branch_efficiency_pct" doc:"^"`
	WarpEfficiency     number.Real `csv:"warp_execution_efficiency_pct" json:"warp_execution_efficiency_pct" doc:"^"`
	BytesTransferred   number.Int  `csv:"bytes_transferred" json:"bytes_transferred" doc:"^"`
	Exactness          string      `csv:"exactness" json:"exactness" doc:"^"`

	facts Facts
}

// ByKernel sums the launches of each kernel of each network. Those with the
// most warp instructions come first; top, if it is not 0, is how many of each
// network there are at most.
func (p *Profile) ByKernel(top int) []*KernelRow {
	var out []*KernelRow
	for _, of := range table.Groups(p.of.kernels, func(k *kernelSum) string { return k.Network }) {
		var rows []*KernelRow
		total := uint64(0)
		for _, k := range of {
			r := k.KernelRow
			rows, total = append(rows, &r), total+r.facts.Of(WarpInstructions).N
		}
		for _, r := range rows {
			r.finish(total)
		}
		slices.SortStableFunc(rows, func(a, b *KernelRow) int { return cmp.Compare(b.WarpInstructions, a.WarpInstructions) })
		if top > 0 && len(rows) > top {
			rows = rows[:top]
		}
		out = append(out, rows...)
	}
	return out
}

// kernelSum is what launches of a kernel in a network add up to; file is the module's.
type kernelSum struct {
	KernelRow
	file string
}

// addKernel adds to what launches of a kernel add up to. There are few kernels.
func (t *tally) addKernel(row *KernelRow, file string) {
	at := slices.IndexFunc(t.kernels, func(k *kernelSum) bool { return k.Kernel == row.Kernel && k.file == file && k.Network == row.Network })
	if at < 0 {
		t.kernels = append(t.kernels, &kernelSum{KernelRow: KernelRow{Network: row.Network, Kernel: row.Kernel, KernelDemangled: row.KernelDemangled}, file: file})
		at = len(t.kernels) - 1
	}
	k := t.kernels[at]
	k.Launches += row.Launches
	k.Threads += row.Threads
	k.facts.addTimes(&row.facts, 1)
	k.Exactness = Worse(k.Exactness, row.Exactness)
}

// finish fills what follows from the sums; total is the network's. The row of a total
// knows how ratios are made of sums, so that they are made in one place.
func (r *KernelRow) finish(total uint64) {
	row := newRow(&Launch{}, &r.facts)
	r.WarpInstructions, r.ThreadInstructions = row.WarpInstructions.N, row.ThreadInstructions.N
	r.WarpPct = number.Percent(r.WarpInstructions, total, number.Real{})
	r.FlopSP, r.FlopDP, r.FlopHP, r.FlopTensor = row.FlopSP.N, row.FlopDP.N, row.FlopHP.N, row.FlopTensor
	r.BytesTransferred = row.BytesTransferred
	r.BranchEfficiency, r.WarpEfficiency = row.BranchEfficiencyPct, row.WarpExecutionEfficiencyPct
}

// kernelColumns are the columns of the table of kernels.
var kernelColumns = []table.Column{
	{Heading: "network", Text: true}, {Heading: "kernel", Text: true}, {Heading: "launches"}, {Heading: "warp inst"}, {Heading: "share %"},
	{Heading: "thread inst", Rank: 4}, {Heading: "flop", Rank: 3}, {Heading: "branch eff %", Rank: 5}, {Heading: "warp eff %", Rank: 2},
	{Heading: "bytes moved", Rank: 1}, {Heading: "exactness", Text: true, Rank: 1},
}

// WriteKernelTable writes the top kernels as a readable table of at most width
// columns, 0 for any.
func (p *Profile) WriteKernelTable(w io.Writer, top, width int) error {
	var cells [][]string
	all, shown := p.ByKernel(0), p.ByKernel(top)
	rest := 0.0
	for _, r := range all {
		rest += r.WarpPct.X
	}
	for _, r := range shown {
		rest -= r.WarpPct.X
		cells = append(cells, []string{
			r.Network, ShortKernel(r.KernelDemangled), fmt.Sprint(r.Launches), fmt.Sprint(r.WarpInstructions), r.WarpPct.String(),
			fmt.Sprint(r.ThreadInstructions), flopOf(r.FlopSP+r.FlopDP+r.FlopHP, r.FlopTensor), r.BranchEfficiency.String(),
			r.WarpEfficiency.String(), r.BytesTransferred.String(), r.Exactness,
		})
	}
	var b strings.Builder
	p.nameOnly(&b, cells)
	table.Write(&b, kernelColumns, cells, nil, width)
	if n := len(all) - len(shown); n > 0 && len(p.networkNames()) == 1 {
		fmt.Fprintf(&b, "and %d more with %.2f %% of the warp instructions\n", n, rest)
	}
	p.notes(&b, width)
	_, err := io.WriteString(w, b.String())
	return err
}

// networkNames returns the networks in order.
func (p *Profile) networkNames() []string {
	return table.Distinct(p.Rows, func(r *Row) string { return r.Network })
}
