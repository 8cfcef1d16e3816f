package power

import "slices"

// Micro-benchmarks of boards, whose power and whose events a second are known. They
// are all that the calibrated model is fitted to (calibrate.go). Where only the
// utilisation of units was recorded, the events are those of instructions that keep
// a unit so busy: the registers that they name, and the fetches and issues of their
// warps.

// MicroRun is a micro-benchmark that ran on a board, or the board without a kernel.
type MicroRun struct {
	Board, Benchmark string
	// ClockMHz is of the SMs; SMs is how many the board has.
	ClockMHz, SMs float64
	// Idle: no kernel ran.
	Idle bool
	// Steady: the operands of its arithmetic do not change, so that units hardly
	// switch: what arithmetic costs there is less than in programs.
	Steady bool
	PowerW float64
	// Rates are events a second.
	Rates counts
}

// Issue adds the events of instructions of that many threads a second on a unit,
// which name so many registers as sources and one as destination.
func (r *MicroRun) Issue(unit Counter, threadsPerS, sources float64) {
	warps := threadsPerS / lanesPerAccess
	r.Rates[unit] += threadsPerS
	r.Rates[TotInst] += warps
	if slices.Contains(groupOf("int"), unit) {
		r.Rates[IntInst] += warps
	} else {
		r.Rates[FPInst] += warps
	}
	r.Rates[ICacheHit] += warps / perFetch
	r.Rates[RegRead] += threadsPerS * sources
	r.Rates[RegWrite] += threadsPerS
}

// CountLaunch adds the events of a launch whose counts are known, as often as it ran
// a second; DRAM is left to what hardware counted.
func (r *MicroRun) CountLaunch(l *Launch, perS float64) {
	for c := range NumCounters {
		if c != DRAMRead && c != DRAMWrite && c != DRAMPrecharge {
			r.Rates[c] += (l.Executed.Counts[c] + l.Memory[c]) * perS
		}
	}
	r.Rates[ICacheHit] += l.Executed.Counts[TotInst] / perFetch * perS
}

// eventGroups are the counters whose energies are fitted by a common factor: which
// of a unit's events cost more than others stays as AccelWattch found it. The duty of
// pipelines is in none: what an SM draws because it works is fitted as a whole.
var eventGroups = []struct {
	name     string
	counters []Counter
}{
	{"issue", []Counter{TotInst, IntInst, FPInst, ICacheHit, ICacheMiss, ConstHit, ConstMiss, RegRead, RegWrite, NonReg}},
	{"int", []Counter{Int, IntMul24, IntMul32, IntMul, IntDiv}},
	{"fp32", []Counter{FP, FPMul, FPDiv}},
	{"fp64", []Counter{DP, DPMul, DPDiv}},
	{"sfu", []Counter{Sqrt, Log, Sin, Exp}},
	{"tensor", []Counter{Tensor}},
	{"texture", []Counter{Tex, TexHit, TexMiss}},
	{"l1", []Counter{L1ReadHit, L1ReadMiss, L1WriteHit, L1WriteMiss}},
	{"shared", []Counter{SharedPass}},
	{"l2", []Counter{L2ReadHit, L2ReadMiss, L2WriteHit, L2WriteMiss, Flit}},
	{"dram", []Counter{DRAMRead, DRAMWrite, DRAMPrecharge}},
}

// executing are the groups whose energy goes by what operands are.
var executing = []string{"issue", "int", "fp32", "fp64", "sfu"}

// groupDRAMName is the group whose energy goes by the type of memory.
const groupDRAMName = "dram"

// groupOf returns the counters of a group.
func groupOf(name string) []Counter {
	for _, g := range eventGroups {
		if g.name == name {
			return g.counters
		}
	}
	return nil
}
