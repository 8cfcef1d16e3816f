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
	What           string // is counted
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

// pair is what profiles and the GPU count alike.
type pair struct {
	what string
	// ours are the counters whose sum it is.
	ours []analysis.Counter
	gpu  sum
	// bound, relative; 0 where PTX and machine code need not agree, and in launches
	// that count any of unbounded. reason says why they must.
	bound     float64
	unbounded []analysis.Counter
	reason    string
}

// sumOf adds the pair's counters of a launch up; known if all of them are.
func (p *pair) sumOf(f *analysis.Facts) (x float64, known bool) {
	for _, c := range p.ours {
		if !f.Of(c).Known {
			return 0, false
		}
		x += f.X(c)
	}
	return x, true
}

// one is a pair of one counter and one metric, without a bound.
func one(c analysis.Counter, metric string) pair {
	return pair{what: c.String(), ours: []analysis.Counter{c}, gpu: sum{metric: 1}}
}

// within is the same pair with a bound.
func (p pair) within(bound float64, reason string) pair {
	p.bound, p.reason = bound, reason
	return p
}

// Names of Nsight Compute's metrics, with what is common to them left out.
const (
	pred = "smsp__sass_thread_inst_executed_op_"
	lsu  = "l1tex__t_"
	bank = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_"
)

// pairs are what is compared. The bounds are where README says that counts
// carry over to the machine code.
var pairs = []pair{
	{what: "fp32 operations", ours: []analysis.Counter{analysis.FlopSPAdd, analysis.FlopSPMul, analysis.FlopSPFma, analysis.FlopSPFma},
		gpu:   sum{pred + "fadd_pred_on.sum": 1, pred + "fmul_pred_on.sum": 1, pred + "ffma_pred_on.sum": 2},
		bound: 0.05, unbounded: []analysis.Counter{analysis.FlopSPSpecial},
		reason: "ptxas joins additions and multiplications, which leaves their number, and folds few; not where div and sqrt are expanded"},
	{what: "fp64 operations", ours: []analysis.Counter{analysis.FlopDPAdd, analysis.FlopDPMul, analysis.FlopDPFma, analysis.FlopDPFma},
		gpu: sum{pred + "dadd_pred_on.sum": 1, pred + "dmul_pred_on.sum": 1, pred + "dfma_pred_on.sum": 2}},
	one(analysis.GlobalLoadRequests, lsu+"requests_pipe_lsu_mem_global_op_ld.sum").
		within(0.05, "ptxas leaves loads of global memory, but for those it has already"),
	one(analysis.GlobalStoreRequests, lsu+"requests_pipe_lsu_mem_global_op_st.sum").within(0.01, "ptxas leaves stores to global memory"),
	one(analysis.GlobalLoadSectors, lsu+"sectors_pipe_lsu_mem_global_op_ld.sum").within(0.05, "as requests of loads"),
	one(analysis.GlobalStoreSectors, lsu+"sectors_pipe_lsu_mem_global_op_st.sum").within(0.01, "as requests of stores"),
	one(analysis.SharedLoadPasses, bank+"ld.sum"),
	one(analysis.SharedStorePasses, bank+"st.sum"),
	one(analysis.WarpInstructions, "smsp__inst_executed.sum"),
	one(analysis.EstWarpInstructions, "smsp__inst_executed.sum"),
	one(analysis.ThreadInstructions, "smsp__thread_inst_executed.sum"),
	one(analysis.EstThreadInstructions, "smsp__thread_inst_executed.sum"),
	one(analysis.EstInstFP32, pred+"fp32_pred_on.sum"),
	one(analysis.EstInstFP16, pred+"fp16_pred_on.sum"),
	one(analysis.EstInstInteger, pred+"integer_pred_on.sum"),
	one(analysis.EstInstControl, pred+"control_pred_on.sum"),
	one(analysis.EstInstBitConvert, pred+"conversion_pred_on.sum"),
	one(analysis.Branches, "smsp__sass_branch_targets.sum"),
	one(analysis.DivergentBranches, "smsp__sass_branch_targets_threads_divergent.sum"),
	one(analysis.DRAMReadBytes, "dram__bytes_read.sum"),
	one(analysis.DRAMWriteBytes, "dram__bytes_write.sum"),
}

// Distances compares the launches of a network's profile with what the GPU
// counted: the totals of each count, and of those with a bound each launch.
// Launches with a count stand for as many on the GPU.
func Distances(network string, launches []*analysis.LaunchProfile, counted []*Counted) ([]Distance, error) {
	matched, err := match(network, launches, counted)
	if err != nil {
		return nil, err
	}
	var out []Distance
	for i := range pairs {
		out = append(out, pairs[i].distances(network, launches, matched)...)
	}
	return out, nil
}

// distances are those of one pair.
func (p *pair) distances(network string, launches []*analysis.LaunchProfile, matched [][]*Counted) (out []Distance) {
	total := Distance{Network: network, Launch: "total", What: p.what, Bound: p.bound}
	for i, lp := range launches {
		d := Distance{Network: network, Launch: lp.Name(), Kernel: lp.KernelName, What: p.what, Bound: p.bound}
		for _, c := range p.unbounded {
			if lp.Facts.X(c) > 0 {
				d.Bound, total.Bound = 0, 0
			}
		}
		var whole bool
		d.Ours, whole = p.sumOf(&lp.Facts)
		for _, c := range matched[i] {
			x, ok := p.gpu.of(c)
			d.GPU += x
			whole = whole && ok
		}
		if !whole {
			return out
		}
		total.GPU, total.Ours = total.GPU+d.GPU, total.Ours+d.Ours
		if d.Bound > 0 {
			out = append(out, d)
		}
	}
	return append(out, total)
}

// match gives each launch of the profile its launches on the GPU.
func match(network string, launches []*analysis.LaunchProfile, counted []*Counted) ([][]*Counted, error) {
	out := make([][]*Counted, len(launches))
	for i, lp := range launches {
		for range lp.Facts.Of(analysis.Launches).N {
			if len(counted) == 0 {
				return nil, fmt.Errorf("%s: the GPU's counters end before launch %s (%s)", network, lp.Name(), lp.KernelName)
			}
			if counted[0].Kernel != lp.KernelName {
				return nil, fmt.Errorf("%s: launch %s is %s here, %s in the GPU's counters", network, lp.Name(), lp.KernelName, counted[0].Kernel)
			}
			out[i], counted = append(out[i], counted[0]), counted[1:]
		}
	}
	if len(counted) > 0 {
		return nil, fmt.Errorf("%s: the GPU's counters have %d launches more", network, len(counted))
	}
	return out, nil
}
