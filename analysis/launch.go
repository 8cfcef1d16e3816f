package analysis

import (
	"strconv"

	"hyptx/depgraph"
	"hyptx/internal/machine"
	"hyptx/internal/number"
	"hyptx/internal/sim"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// Launch says which launch of a program a profile is of, and its shape; its
// sizes are counters of [Facts].
type Launch struct {
	// Network and File (without its folder) are what the launch belongs to.
	Network, File string
	// KernelName is the kernel's name in the PTX, Demangled as the source has it.
	KernelName, Demangled string
	Label                 string
	// Stream is the manifest's, "" for none: launches of one run in order.
	Stream string
	// Number is how rows and messages call the launch: from 0.
	Number int
	// Target is the architecture that the PTX is for.
	Target      isa.Target
	Grid, Block [3]uint32
	// CacheGPU is the GPU whose caches were modelled, "" for none.
	CacheGPU string
	// Exactness is "exact", "scheduled", "undefined" or "assumed", "" where nothing
	// was counted; MemoryExactness is that of the memory block, which rests on
	// addresses as well: "sampled" of a sample of the CTAs. AssumedInputs says what was assumed.
	Exactness, MemoryExactness, AssumedInputs string
	// Error is why the launch failed, so that nothing was counted of it, in one
	// line; of a total, how many launches are not in it because they failed.
	Error string
	// AnalysisMS is how long the launch took here, in ms; unknown unless the
	// options ask for it.
	AnalysisMS number.Real
}

// Name is what rows and files call the launch: its number.
func (l *Launch) Name() string { return strconv.Itoa(l.Number) }

// AllExactness is how exact all of the counts are, those of memory included.
func (l *Launch) AllExactness() string { return Worse(l.Exactness, l.MemoryExactness) }

// BlockThreads are the threads of a CTA.
func (l *Launch) BlockThreads() uint64 {
	return uint64(l.Block[0]) * uint64(l.Block[1]) * uint64(l.Block[2])
}

// LaunchProfile is what was found out about one launch: which it is, what was
// counted, and what the views of its CTAs, instructions and loops are made of.
type LaunchProfile struct {
	Launch
	Facts   Facts
	Kernel  *ir.Func
	plan    *launchPlan
	filter  *depgraph.Filtered
	outcome *outcome
	// shown is, plus 1, which of the session's GPUs the caches are of that are shown; 0: of none.
	shown int32
	// machineCode estimates the code for a compute capability; machineSM is the
	// one that the facts are for, 0 for none.
	machineSM   int32
	machineCode func(sm int) []*machine.Code
	// Simulated is what a simulation of that GPU says, nil if there was none.
	Simulated *Simulated
	// Lone is the course of the longest warp on an SM of that GPU's own, nil if nobody
	// looked for it.
	Lone *sim.Lone
	// Lengths are how many warp instructions of the text each CTA executes, in the order in which
	// they begin; nil where all have about as many, or nobody counted.
	Lengths *sim.Lengths
}
