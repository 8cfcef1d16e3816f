package power

import (
	"fmt"
	"slices"
	"strings"
)

// Counter is a kind of event that costs energy (AccelWattch's performance
// counters). Execution counters count active lanes of warp instructions.
type Counter uint8

// The counters. They count in different units, which their energies are for: up to
// ICacheMiss warp instructions and fetches of them; from Int to Tex active lanes, so
// that an addition of a full warp is 32; the memories sectors, passes, bursts and
// flits, whose sizes stand beside them.
const (
	TotInst   Counter = iota // warp instructions decoded
	IntInst                  // warp instructions scheduled, of integer or no type
	FPInst                   // warp instructions scheduled, of floating-point type
	ICacheHit                // fetches of two instructions
	ICacheMiss
	L1ReadHit // sectors of global and local memory
	L1ReadMiss
	L1WriteHit
	L1WriteMiss
	TexHit // texture cache
	TexMiss
	ConstHit // warp instructions that read constants
	ConstMiss
	SharedPass // passes of a warp's access over the banks
	RegRead    // 32 for each register operand of a warp instruction
	RegWrite
	NonReg // 32 for each source operand that is no register
	Int
	IntMul24
	IntMul32
	IntMul
	IntDiv
	FP
	FPMul
	FPDiv
	DP
	DPMul
	DPDiv
	Sqrt
	Log
	Sin
	Exp
	Tensor
	Tex
	DRAMRead // bursts of 32 bytes
	DRAMWrite
	DRAMPrecharge
	L2ReadHit // sectors
	L2ReadMiss
	L2WriteHit
	L2WriteMiss
	Flit // 40 bytes between SM and memory partition, each way
	Duty // pipeline duty cycle, for each SM and cycle
	NumCounters
)

// counterNames are AccelWattch's.
var counterNames = [NumCounters]string{
	"TOT_INST", "INT_INST", "FP_INST", "IC_H", "IC_M", "DC_RH", "DC_RM", "DC_WH", "DC_WM", "TC_H", "TC_M", "CC_H", "CC_M", "SHRD",
	"REG_RD", "REG_WR", "NON_REG", "INT", "IMUL24", "IMUL32", "IMUL", "IDIV", "FP", "FPMUL", "FPDIV", "DP", "DPMUL", "DPDIV",
	"SQRT", "LG", "SIN", "EXP", "TENSOR", "TEX", "MEM_RD", "MEM_WR", "MEM_PRE", "L2_RH", "L2_RM", "L2_WH", "L2_WM", "NOC", "DUTY",
}

// String returns AccelWattch's name of the counter, as "IMUL32".
func (c Counter) String() string { return counterNames[c] }

// parseCounter returns the counter of that name.
func parseCounter(name string) (Counter, error) {
	return byName[Counter]("counter", name, counterNames[:])
}

// byName returns the value whose name stands at its place among names; kind is
// what they are the names of.
func byName[T ~uint8](kind, name string, names []string) (T, error) {
	if i := slices.Index(names, name); i >= 0 {
		return T(i), nil
	}
	last := len(names) - 1
	return 0, fmt.Errorf("unknown %s %q: must be %s or %s", kind, name, strings.Join(names[:last], ", "), names[last])
}

// ofDRAM reports whether DRAM's own supply pays for an event.
func (c Counter) ofDRAM() bool { return c >= DRAMRead && c <= DRAMPrecharge }

// counts are events by counter. They are floating-point numbers, unlike the counts
// of a profile: an estimate of machine code and the mean over a sample are no
// integers, and sums of 2^53 events are far off.
type counts [NumCounters]float64

// CounterSet is a set of counters.
type CounterSet uint64

// Has reports whether the set has c.
func (s CounterSet) Has(c Counter) bool { return s>>c&1 == 1 }

// with returns the set with more counters in it.
func (s CounterSet) with(more ...Counter) CounterSet {
	for _, c := range more {
		s |= 1 << c
	}
	return s
}
