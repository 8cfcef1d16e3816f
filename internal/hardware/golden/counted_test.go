package golden

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"hyptx/analysis"
	"hyptx/internal/nsight"
)

// Counted is a launch of a network as Nsight Compute counted it.
type Counted struct {
	Kernel string
	// Values of the metrics that are compared by Nsight Compute's names, in base
	// units: instructions, requests, sectors, bytes.
	Values map[string]float64
}

// ReadCounters reads counters.csv as `hyptx judge` writes it, Nsight Compute's
// CSV whose IDs are preceded by the network's name and '/': the launches of each
// network, in order. name is the file's, for errors.
func ReadCounters(name string, text []byte) (map[string][]*Counted, error) {
	wanted := nsight.Wanted{Units: map[string]nsight.Unit{}}
	for _, p := range pairs {
		for metric := range p.gpu {
			wanted.Units[metric] = nsight.Any
		}
	}
	wanted.Hint = "compared are " + strings.Join(slices.Sorted(maps.Keys(wanted.Units)), ", ")
	launches, err := nsight.Read(name, text, wanted, nsight.Wanted{})
	if err != nil {
		return nil, err
	}
	out := map[string][]*Counted{}
	for _, l := range launches {
		network, _, ok := strings.Cut(l.ID, "/")
		if !ok || network == "" {
			return nil, fmt.Errorf("%s: line %d: ID is %q: must be a network, '/' and a number", name, l.Line, l.ID)
		}
		c := &Counted{Kernel: l.Kernel, Values: map[string]float64{}}
		for _, m := range l.Metrics {
			c.Values[m.Name] = m.Value
		}
		out[network] = append(out[network], c)
	}
	return out, nil
}

// Distance is how far a count is from the GPU's.
type Distance struct {
	Network string
	// Launch and Kernel; "total" and "" for the network.
	Launch, Kernel string
	Column         string // of profile.csv
	GPU, Ours      float64
	// Bound is how far they may be apart, relative to the GPU's; 0 for any.
	Bound float64
}

// Relative is the distance as a part of the GPU's count.
func (d Distance) Relative() float64 {
	if d.GPU == d.Ours {
		return 0
	}
	return (d.Ours - d.GPU) / d.GPU
}

// Beyond reports whether the distance is beyond its bound.
func (d Distance) Beyond() bool { return d.Bound > 0 && !(math.Abs(d.Relative()) <= d.Bound) }

// sum is a sum of Nsight Compute's metrics: factor by name.
type sum map[string]float64

// of adds up; ok is false if one is missing.
func (s sum) of(c *Counted) (x float64, ok bool) {
	for name, factor := range s {
		v, ok := c.Values[name]
		if !ok {
			return 0, false
		}
		x += factor * v
	}
	return x, true
}

// pair is a column of profile.csv and what the GPU has for it.
type pair struct {
	column string
	gpu    sum
	ours   func(r *analysis.Row) analysis.Int
	// bound, relative; 0 where PTX and machine code need not agree. reason says
	// why they must.
	bound  float64
	reason string
}

// Names of Nsight Compute's metrics, with what is common to them left out.
const (
	pred = "smsp__sass_thread_inst_executed_op_"
	lsu  = "l1tex__t_"
)

// pairs are what is compared. The bounds are where README says that counts
// carry over to the machine code.
var pairs = []pair{
	{"flop_count_sp", sum{pred + "fadd_pred_on.sum": 1, pred + "fmul_pred_on.sum": 1, pred + "ffma_pred_on.sum": 2}, func(r *analysis.Row) analysis.Int { return r.FlopSP },
		0.05, "ptxas joins additions and multiplications, which leaves their number, and folds few; not where div and sqrt are expanded"},
	{"flop_count_dp", sum{pred + "dadd_pred_on.sum": 1, pred + "dmul_pred_on.sum": 1, pred + "dfma_pred_on.sum": 2}, func(r *analysis.Row) analysis.Int { return r.FlopDP }, 0, ""},
	{"global_load_requests", sum{lsu + "requests_pipe_lsu_mem_global_op_ld.sum": 1}, func(r *analysis.Row) analysis.Int { return r.GlobalLoadRequests },
		0.05, "ptxas leaves loads of global memory, but for those it has already"},
	{"global_store_requests", sum{lsu + "requests_pipe_lsu_mem_global_op_st.sum": 1}, func(r *analysis.Row) analysis.Int { return r.GlobalStoreRequests },
		0.01, "ptxas leaves stores to global memory"},
	{"gld_transactions", sum{lsu + "sectors_pipe_lsu_mem_global_op_ld.sum": 1}, func(r *analysis.Row) analysis.Int { return r.GldTransactions }, 0.05, "as global_load_requests"},
	{"gst_transactions", sum{lsu + "sectors_pipe_lsu_mem_global_op_st.sum": 1}, func(r *analysis.Row) analysis.Int { return r.GstTransactions }, 0.01, "as global_store_requests"},
	{"shared_load_transactions", sum{"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum": 1}, func(r *analysis.Row) analysis.Int { return r.SharedLoadTransactions }, 0, ""},
	{"shared_store_transactions", sum{"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum": 1}, func(r *analysis.Row) analysis.Int { return r.SharedStoreTransactions }, 0, ""},
	{"warp_instructions", sum{"smsp__inst_executed.sum": 1}, func(r *analysis.Row) analysis.Int { return r.WarpInstructions }, 0, ""},
	{"est_machine_warp_instructions", sum{"smsp__inst_executed.sum": 1}, func(r *analysis.Row) analysis.Int { return r.EstWarpInstructions }, 0, ""},
	{"thread_instructions", sum{"smsp__thread_inst_executed.sum": 1}, func(r *analysis.Row) analysis.Int { return r.ThreadInstructions }, 0, ""},
	{"est_machine_thread_instructions", sum{"smsp__thread_inst_executed.sum": 1}, func(r *analysis.Row) analysis.Int { return r.EstThreadInstructions }, 0, ""},
	{"est_inst_fp_32", sum{pred + "fp32_pred_on.sum": 1}, func(r *analysis.Row) analysis.Int { return r.EstInstFP32 }, 0, ""},
	{"est_inst_fp_16", sum{pred + "fp16_pred_on.sum": 1}, func(r *analysis.Row) analysis.Int { return r.EstInstFP16 }, 0, ""},
	{"est_inst_integer", sum{pred + "integer_pred_on.sum": 1}, func(r *analysis.Row) analysis.Int { return r.EstInstInteger }, 0, ""},
	{"est_inst_control", sum{pred + "control_pred_on.sum": 1}, func(r *analysis.Row) analysis.Int { return r.EstInstControl }, 0, ""},
	{"est_inst_bit_convert", sum{pred + "conversion_pred_on.sum": 1}, func(r *analysis.Row) analysis.Int { return r.EstInstBitConvert }, 0, ""},
	{"branches", sum{"smsp__sass_branch_targets.sum": 1}, func(r *analysis.Row) analysis.Int { return r.Branches }, 0, ""},
	{"divergent_branches", sum{"smsp__sass_branch_targets_threads_divergent.sum": 1}, func(r *analysis.Row) analysis.Int { return r.DivergentBranches }, 0, ""},
	{"dram_read_bytes", sum{"dram__bytes_read.sum": 1}, func(r *analysis.Row) analysis.Int { return r.DRAMReadBytes }, 0, ""},
	{"dram_write_bytes", sum{"dram__bytes_write.sum": 1}, func(r *analysis.Row) analysis.Int { return r.DRAMWriteBytes }, 0, ""},
}

// Distances compares the rows of a network's profile, without the total, with
// what the GPU counted: the totals of each column, and of those with a bound
// each launch. Rows with a count stand for as many launches on the GPU.
func Distances(network string, rows []*analysis.Row, counted []*Counted) ([]Distance, error) {
	matched, err := match(network, rows, counted)
	if err != nil {
		return nil, err
	}
	var out []Distance
	for _, p := range pairs {
		total := Distance{Network: network, Launch: "total", Column: p.column, Bound: p.bound}
		whole := true
		for i, r := range rows {
			d := Distance{Network: network, Launch: r.Launch, Kernel: r.Kernel, Column: p.column, Bound: p.bound}
			if r.FlopSPSpecial.N > 0 && p.column == "flop_count_sp" {
				d.Bound, total.Bound = 0, 0
			}
			ours := p.ours(r)
			d.Ours = float64(ours.N)
			whole = whole && ours.Known
			for _, c := range matched[i] {
				x, ok := p.gpu.of(c)
				d.GPU += x
				whole = whole && ok
			}
			total.GPU, total.Ours = total.GPU+d.GPU, total.Ours+d.Ours
			if d.Bound > 0 && whole {
				out = append(out, d)
			}
		}
		if whole {
			out = append(out, total)
		}
	}
	return out, nil
}

// match gives each row its launches on the GPU.
func match(network string, rows []*analysis.Row, counted []*Counted) ([][]*Counted, error) {
	out := make([][]*Counted, len(rows))
	for i, r := range rows {
		for range max(r.Count.N, 1) {
			if len(counted) == 0 {
				return nil, fmt.Errorf("%s: the GPU's counters end before launch %s (%s)", network, r.Launch, r.Kernel)
			}
			if counted[0].Kernel != r.Kernel {
				return nil, fmt.Errorf("%s: launch %s is %s here, %s in the GPU's counters", network, r.Launch, r.Kernel, counted[0].Kernel)
			}
			out[i], counted = append(out[i], counted[0]), counted[1:]
		}
	}
	if len(counted) > 0 {
		return nil, fmt.Errorf("%s: the GPU's counters have %d launches more", network, len(counted))
	}
	return out, nil
}
