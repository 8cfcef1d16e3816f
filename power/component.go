package power

// Component is a part of a GPU that draws power: the columns of AccelWattch's
// tables.
type Component uint8

// The components. All up to PipeP are dynamic; the paper's table 1 has 22 of them,
// as it takes L2 and NoC together and leaves out the six that only PTX counts can
// tell apart (texture cache, products of 24 and 32 bits, the three divisions).
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
	numComponents
)

var componentNames = [numComponents]string{
	"IBP", "ICP", "DCP", "TCP", "CCP", "SHRDP", "RFP", "INTP", "FPUP", "DPUP", "INT_MUL24P", "INT_MUL32P", "INT_MULP", "INT_DIVP",
	"FP_MULP", "FP_DIVP", "FP_SQRTP", "FP_LGP", "FP_SINP", "FP_EXP", "DP_MULP", "DP_DIVP", "TENSORP", "TEXP", "SCHEDP",
	"L2CP", "NOCP", "DRAMP", "MCP", "PIPEP", "IDLE_COREP", "CONSTP", "STATICP",
}

// String returns AccelWattch's name of the component.
func (c Component) String() string { return componentNames[c] }

// parseComponent returns the component of that name.
func parseComponent(name string) (Component, error) {
	return byName[Component]("component", name, componentNames[:])
}

// dynamic reports whether a component's power comes from events.
func (c Component) dynamic() bool { return c < IdleCoreP }

// watts are powers by component, in W. Divided by a power of time they are
// energies, in J.
type watts [numComponents]float64

// total returns the sum over all components.
func (w *watts) total() float64 {
	sum := 0.0
	for _, x := range w {
		sum += x
	}
	return sum
}

// times returns w multiplied by x: joules, if x is seconds.
func (w watts) times(x float64) watts {
	for i := range w {
		w[i] *= x
	}
	return w
}

// Thirty components are too many for a picture. The paper's figures 8, 9 and 11
// gather them in thirteen groups; reports and plots here do the same, so that a
// network can be laid beside a published kernel.

// group is a reporting group: figures 8, 9 and 11 of the paper.
type group uint8

// The groups.
const (
	groupConst group = iota
	groupStatic
	groupIdleSM
	groupRegFile
	groupALU
	groupFPU
	groupSFU
	groupTensor
	groupL1Shared
	groupICacheConst
	groupL2NoC
	groupDRAM
	groupOthers
	numGroups
)

// groups says which group a component belongs to. What the paper's figures
// leave open (divisions, 24- and 32-bit products) goes with its unit.
var groups = [numComponents]group{
	IBP: groupOthers, ICP: groupICacheConst, DCP: groupL1Shared, TCP: groupOthers, CCP: groupICacheConst, SHRDP: groupL1Shared,
	RFP: groupRegFile, INTP: groupALU, FPUP: groupFPU, DPUP: groupFPU, IntMul24P: groupALU, IntMul32P: groupALU, IntMulP: groupALU,
	IntDivP: groupALU, FPMulP: groupFPU, FPDivP: groupFPU, FPSqrtP: groupSFU, FPLgP: groupSFU, FPSinP: groupSFU, FPExpP: groupSFU,
	DPMulP: groupFPU, DPDivP: groupFPU, TensorP: groupTensor, TexP: groupOthers, SchedP: groupOthers, L2CP: groupL2NoC, NoCP: groupL2NoC,
	DRAMP: groupDRAM, MCP: groupDRAM, PipeP: groupOthers, IdleCoreP: groupIdleSM, ConstP: groupConst, StaticP: groupStatic,
}

// byGroup sums powers by group.
func (w *watts) byGroup() (out [numGroups]float64) {
	for c, x := range w {
		out[groups[c]] += x
	}
	return out
}
