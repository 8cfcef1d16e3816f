package analysis

import (
	"io"
	"runtime"
	"time"

	"hyptx/internal/check"
	"hyptx/internal/gpu"
	"hyptx/internal/hierarchy"
	"hyptx/internal/manifest"
	"hyptx/internal/observe"
	"hyptx/internal/traffic/stream"
	"hyptx/internal/vary"
	"hyptx/parser"
)

// Mode is how much of a kernel is emulated (docs/design.md, Emulating as little as decides the answer).
type Mode string

// The modes.
const (
	Static  Mode = "static"
	Control Mode = "control"
	Memory  Mode = "memory"
	Full    Mode = "full"
)

// Options are the settings of a Session. The zero value is not useful; start
// from [DefaultOptions].
type Options struct {
	Mode Mode
	// Kernel and Launch choose which launches get a row: a kernel's PTX, C++ or
	// base name; a list of launches' numbers from 0, ranges of them and labels,
	// as "0,7-9"; "" for all.
	Kernel, Launch string
	// Restrict is the folder in which all files that a manifest names must lie, "" for
	// anywhere.
	Restrict string
	// Bare says how a .ptx file without a manifest is launched; bare that this is one.
	Bare manifest.Flags
	bare bool
	// overrun is how many launches of a bare file took longer than what is assumed may.
	overrun *int
	// Jobs is how many CTAs or files may be worked on at the same time.
	Jobs int
	// MaxMemoryBytes bounds the pages of emulated memory, MaxInstructions the
	// warp instructions of one launch: if it is the default, those whose grid is assumed
	// have fewer (guess.go). The whole run ends with its context.
	MaxMemoryBytes  int64
	MaxInstructions int64
	// LaunchTimeout (0 for none) bounds each launch.
	LaunchTimeout time.Duration
	// PerCTA, PerInstruction, Loops and Paths ask for these views.
	PerCTA, PerInstruction, Loops, Paths bool
	// PathLists asks for the blocks that each thread entered: then all CTAs run, one
	// after the other.
	PathLists bool
	// AnalysisTime asks how long each launch takes here, which differs between
	// runs that are otherwise equal.
	AnalysisTime bool
	// LongestWarp asks for the counts of the longest warp, for
	// [LaunchProfile.WarpBlocks].
	LongestWarp bool
	// GPUs are those whose caches are modelled, in modes memory and full: all of
	// them listen to one run. A profile shows the first one's; [Profile.On] those of
	// the others.
	GPUs []*gpu.GPU
	// WatchL2, if not nil, gives for each of them what hears the sectors that its L2 is
	// asked for, by their block of 128 bytes.
	WatchL2 func(*gpu.GPU) func(block uint64, sectors uint8)
	// WatchL2Only: what the L2s and DRAM would do is not wanted, and not known.
	WatchL2Only bool
	// WatchCTAs, if not nil, gives for each launch what hears the requests of its CTAs
	// in their order, beside the caches of the first of GPUs, on which so many of them run
	// at a time on each SM.
	WatchCTAs func(kernel string, launch int, ctas int64, perSM int) func(*stream.CTA) error
	// Sample says how much of large launches the caches see. Of the other CTAs nothing is
	// known but what mode control counts, so that their faults are not found; Footprint:
	// somebody wants to know that of all CTAs, all the same.
	Sample    hierarchy.Sample
	Footprint bool
	// Simulate are the GPUs on which time is simulated (simulate.go), others than those
	// before. SimulatedInstructions bounds the machine instructions of warps of each launch
	// that are; 0: nothing does. SimulatedOfFewWaves does of launches of three waves of
	// CTAs or less, where it is more and a tenth of them.
	Simulate                                   []*gpu.GPU
	SimulatedInstructions, SimulatedOfFewWaves int64
	// ColdL2: each simulated launch finds nothing in the L2, else what the launch
	// before left there.
	ColdL2 bool
	// Stalls asks of simulations what warps wait for at each instruction.
	Stalls bool
	// OverTime asks of simulations what was done when.
	OverTime bool
	// Forgive lets accesses that hit no memory read zeros and write nothing; else they
	// are faults (beyond.go).
	Forgive bool
	// Lenient, if not nil, makes warnings of some errors ([ir.Lenient]) and hears those of
	// each module; what is undefined but has one meaning on a GPU is a warning, too
	// ([emulator.LaunchConfig]).
	Lenient func(parser.ErrorList)
	// InvertedBorrow: sub.cc and subc keep the inverse of the borrow in the condition code,
	// not the borrow, as the manual has it; unproven.
	InvertedBorrow bool
	// FailFast ends the profile of a program with its first launch that fails;
	// else it has a row with the reason, and the others go on.
	FailFast bool
	// Verify runs full mode beside the chosen one and compares.
	Verify bool
	// Print, if not nil, gets what kernels print as Session.Run executes them.
	Print io.Writer
	// Variation, if not nil, is another machine that obeys the PTX manual, which
	// Session.Run follows.
	Variation *vary.Variation
	// Each, if not nil, hears the profile of each launch as it ends. The session's has
	// then the total alone, unless it is to be verified: so there may be more launches
	// than memory. An error ends the program.
	Each func(*Profile) error
	// Kept, if not nil, are the bytes of what is kept of programs that were profiled
	// before, which count against MaxMemoryBytes; Profile adds to it.
	Kept *int64
	// Debug, if not nil, is what is told of a program that Session.Run executes.
	Debug *observe.Request
	// Watching, if not nil, has additions watched: Session.Run is then for them.
	Watching *Watching
	// Check, if not nil, says what Session.Run is to find wrong with the program, and gets
	// it (check.go).
	Check *check.Run
	// Progress, if not nil, hears what is being done.
	Progress Progress
}

// Progress hears how far a run has come.
type Progress interface {
	// Start begins a part: its name and the number of its CTAs.
	Start(name string, ctas int64)
	// Done tells how many CTAs of the present part have ended.
	Done(ctas int64)
}

// defaultInstructions is some minutes' work, more than any launch of our networks.
const defaultInstructions = 4_000_000_000

// DefaultOptions returns control mode on all cores with the default limits.
func DefaultOptions() Options {
	return Options{Mode: Control, Jobs: runtime.GOMAXPROCS(0), MaxMemoryBytes: 8 << 30, MaxInstructions: defaultInstructions}
}
