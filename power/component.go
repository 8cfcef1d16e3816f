package power

import "fmt"

// Component is a part of a GPU that draws power: the columns of AccelWattch's
// tables.
type Component uint8

// The components.
const (
	IBP   Component = iota // instruction buffer
	ICP                    // instruction cache
	DCP                    // L1 data cache
	TCP                    // texture cache
	CCP                    // constant cache
	SHRDP                  // shared memory
	RFP                    // register file
	INTP                   // integer units
	FPUP                   // single precision
	DPUP                   // double precision
	IntMul24P
	IntMul32P
	IntMulP
	IntDivP
	FPMulP
	FPDivP
	FPSqrtP
	FPLgP
	FPSinP
	FPExpP
	DPMulP
	DPDivP
	TensorP
	TexP
	SchedP
	L2CP
	NoCP
	DRAMP
	MCP // memory controller
	PipeP
	IdleCoreP // idle SMs
	ConstP
	StaticP
	NumComponents
)

var componentNames = [NumComponents]string{
	"IBP", "ICP", "DCP", "TCP", "CCP", "SHRDP", "RFP", "INTP", "FPUP", "DPUP", "INT_MUL24P", "INT_MUL32P", "INT_MULP", "INT_DIVP",
	"FP_MULP", "FP_DIVP", "FP_SQRTP", "FP_LGP", "FP_SINP", "FP_EXP", "DP_MULP", "DP_DIVP", "TENSORP", "TEXP", "SCHEDP",
	"L2CP", "NOCP", "DRAMP", "MCP", "PIPEP", "IDLE_COREP", "CONSTP", "STATICP",
}

// String returns AccelWattch's name of the component.
func (c Component) String() string { return componentNames[c] }

// ParseComponent returns the component of that name.
func ParseComponent(name string) (Component, error) {
	for c, n := range componentNames {
		if n == name {
			return Component(c), nil
		}
	}
	return 0, fmt.Errorf("unknown component %q", name)
}

// Dynamic reports whether a component's power comes from events.
func (c Component) Dynamic() bool { return c < IdleCoreP }

// Watts are powers by component, in W. Divided by a power of time they are
// energies, in J.
type Watts [NumComponents]float64

// Total returns the sum over all components.
func (w *Watts) Total() float64 {
	sum := 0.0
	for _, x := range w {
		sum += x
	}
	return sum
}

// Times returns w multiplied by x: joules, if x is seconds.
func (w Watts) Times(x float64) Watts {
	for i := range w {
		w[i] *= x
	}
	return w
}

// Group is a reporting group: figures 8, 9 and 11 of the paper.
type Group uint8

// The groups.
const (
	GroupConst Group = iota
	GroupStatic
	GroupIdleSM
	GroupRegFile
	GroupALU
	GroupFPU
	GroupSFU
	GroupTensor
	GroupL1Shared
	GroupICacheConst
	GroupL2NoC
	GroupDRAM
	GroupOthers
	NumGroups
)

var groupNames = [NumGroups]string{
	"const", "static", "idle_sm", "regfile", "alu", "fpu_dpu", "sfu", "tensor", "l1d_shared", "icache_ccache", "l2_noc", "dram_mc", "others",
}

// String returns the group's name as it stands in column names.
func (g Group) String() string { return groupNames[g] }

// groups says which group a component belongs to. What the paper's figures
// leave open (divisions, 24- and 32-bit products) goes with its unit.
var groups = [NumComponents]Group{
	IBP: GroupOthers, ICP: GroupICacheConst, DCP: GroupL1Shared, TCP: GroupOthers, CCP: GroupICacheConst, SHRDP: GroupL1Shared,
	RFP: GroupRegFile, INTP: GroupALU, FPUP: GroupFPU, DPUP: GroupFPU, IntMul24P: GroupALU, IntMul32P: GroupALU, IntMulP: GroupALU,
	IntDivP: GroupALU, FPMulP: GroupFPU, FPDivP: GroupFPU, FPSqrtP: GroupSFU, FPLgP: GroupSFU, FPSinP: GroupSFU, FPExpP: GroupSFU,
	DPMulP: GroupFPU, DPDivP: GroupFPU, TensorP: GroupTensor, TexP: GroupOthers, SchedP: GroupOthers, L2CP: GroupL2NoC, NoCP: GroupL2NoC,
	DRAMP: GroupDRAM, MCP: GroupDRAM, PipeP: GroupOthers, IdleCoreP: GroupIdleSM, ConstP: GroupConst, StaticP: GroupStatic,
}

// Group returns the reporting group of a component.
func (c Component) Group() Group { return groups[c] }

// ByGroup sums powers by group.
func (w *Watts) ByGroup() (out [NumGroups]float64) {
	for c, x := range w {
		out[groups[c]] += x
	}
	return out
}
