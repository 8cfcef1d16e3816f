package analysis

import (
	"hyptx/depgraph"
	"hyptx/ir"
)

// Launch says which launch of a program a profile is of, and its shape; its
// sizes are counters of [Facts].
type Launch struct {
	// Network and File (without its folder) are what the launch belongs to.
	Network, File string
	// KernelName is the kernel's name in the PTX, Demangled as the source has it.
	KernelName, Demangled string
	Label                 string
	// Number is how rows and messages call the launch: from 0.
	Number      int
	Grid, Block [3]uint32
	// CacheGPU is the GPU whose caches were modelled, "" for none.
	CacheGPU string
	// Exactness is "exact", "scheduled" or "assumed", "" where nothing was
	// counted; AssumedInputs says what was assumed.
	Exactness, AssumedInputs string
	// AnalysisMS is how long the launch took here, in ms.
	AnalysisMS float64
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
}
