package gpu

// Unit is what executes machine instructions in an SM: a warp instruction occupies
// one for its initiation interval, and kinds of one unit wait for each other.
type Unit uint8

// The units of an SM.
const (
	UnitNone     Unit = iota
	UnitFMA           // floating-point and integer multiply-add; before Volta integers, too
	UnitFMALite       // the second half of the FP32 lanes where integers have none of them
	UnitALU           // integer, logic, comparison
	UnitFP64          // doubles and their conversions
	UnitFP16          // packed halves
	UnitXU            // transcendental functions, conversions, bit counts
	UnitLSU           // loads, stores, shuffles
	UnitTexture       // texture and surface fetches
	UnitTensor        // matrix instructions
	UnitBranch        // control flow and barriers
	UnitUniform       // the uniform datapath
	UnitDispatch      // a port through which several units are fed
	NumUnits
)

var unitNames = [NumUnits]string{"none", "fma", "fma_lite", "alu", "fp64", "fp16", "xu", "lsu", "texture", "tensor", "branch", "uniform", "dispatch"}

// String returns the unit as files of GPUs spell it.
func (u Unit) String() string { return unitNames[u] }

// Issue policies of a scheduler.
const (
	GreedyOldest   = "gto"   // greedy, then the oldest warp
	GreedyYoungest = "cggty" // compiler-guided greedy, then the youngest (Huerta et al. 2025)
	GreedyInTurn   = "grr"   // greedy, then the next warp in turn
)

// What a scheduler can issue besides a warp's instruction in the same cycle.
const (
	DualNone  = "none"
	DualOther = "other" // the warp's next one, if one of both is an ALU's and the other is not
	DualAny   = "any"   // the warp's next one, if it is independent
)
