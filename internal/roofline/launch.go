package roofline

import (
	"errors"

	"hyptx/analysis"
	"hyptx/internal/number"
	"hyptx/internal/pipe"
	"hyptx/internal/roofline/thesis"
	"hyptx/internal/sim"
)

// Whence traffic comes.
const (
	TrafficMeasured  = "measured"  // a profiler's DRAM transactions
	TrafficModel     = "model"     // the cache model's DRAM sectors
	trafficSimulated = "simulated" // those of a simulation
	TrafficFootprint = "footprint" // each byte touched once: a lower bound
	TrafficGiven     = "given"     // by the user
	TrafficUnknown   = ""
)

// Launch is what a launch executed, all its repetitions together, and the
// shape of one of them. What is unknown is an empty Real, or 0 where a field
// says so.
type Launch struct {
	Network, Kernel, Label, Launch string
	// Repetitions of the launch: a manifest's count, a profiler's invocations.
	Repetitions float64
	// CTAs and BlockThreads are of one repetition; 0 if nobody knows.
	CTAs, BlockThreads float64
	RegistersPerThread int
	SharedBytes        int // of a CTA, static and dynamic
	// Target is the architecture that the PTX is for, as "sm_70"; "" if unknown.
	Target string
	// Metrics are the thesis' counters but for DRAM transactions.
	Metrics thesis.Metrics
	// Parameters stand in the place of Metrics where only they are known.
	Parameters *thesis.Kernel
	// What other units than the thesis' three classes have to do: thread
	// instructions, multiply-adds of tensor cores, operations on 16-bit floats
	// (a packed pair is two), 4-byte lanes of shared memory with bank conflicts. L1Passes are those
	// over its banks of a request of global or local memory, in the mean.
	Special, TensorMACs, FP16Ops, SharedLanes, L1Passes number.Real
	// Products are the multiply-adds of TensorMACs by the number of the product; nil where nobody told them apart.
	Products *[pipe.NumProducts]float64
	// Kinds are machine instructions of warps by kind; nil where nobody estimated them.
	Kinds   *[pipe.NumKinds]float64
	Traffic Traffic
	// Counts is what was counted: "ptx", "machine" (an estimate of the machine
	// code), or "measured" by a profiler.
	Counts                   string
	Exactness, AssumedInputs string
	// Failed is why the launch failed, so that nothing is known of it but which it
	// is; "" if it did not.
	Failed string
	// Chain gives the dependent chain of the longest warp under a GPU's latencies
	// ([Path.Chain]); nil if nobody knows its path.
	Chain func(Latencies) (Chain, error)
	// Lone is the course of that warp alone on an SM, which takes Longer times what was seen of
	// it; nil if nobody followed it: then its chain stands in.
	Lone   *sim.Lone
	Longer float64
	// Lengths are those of the CTAs' longest warps, in any unit, nil if all are about equal.
	Lengths *sim.Lengths
	// Opaque is why there is no time whatever the GPU, nil if there may be one.
	Opaque error
	// Simulated is what a simulation of the GPU says of the launch, nil if there is none.
	Simulated *analysis.Simulated
	// Evidence holds what a profiler measured besides.
	Evidence thesis.Evidence
}

// Traffic is what a launch moves, in bytes, all repetitions.
type Traffic struct {
	Source              string
	DRAMRead, DRAMWrite number.Real
	L2, L1              number.Real // sectors that reach the L2; sectors that warps ask for
	Stored              number.Real // those that reach the L2 to be written
	Requests            number.Real // packets that SMs send to the L2, not in bytes
	L1Loads             number.Real // loads of global memory by warps, not in bytes
	Lanes               number.Real // what lanes load from global memory and store there
	// L1Hits is the share of global loads' sectors that hit in the L1, L2Hits that
	// of those in the L2 that come there; unknown, all go to DRAM.
	L1Hits, L2Hits number.Real
	// Atomics are sectors of them, LineSectors those of the line of the L2 that has the most, and LineLanes
	// the lanes, as many of an instruction as want one word; not in bytes.
	Atomics, LineSectors, LineLanes float64
	// Accesses are those of DRAM, of as much as it moves at least, not in bytes, Rows what they open.
	Accesses, Rows float64
	// ConstReplays are addresses of constants that lanes want besides the first, not in bytes.
	ConstReplays float64
	// Had is the share of what the launch reads that the L2 had when it began.
	Had number.Real
}

// DRAM returns W_traf.
func (t Traffic) DRAM() number.Real {
	if t.Source == TrafficUnknown {
		return number.Real{}
	}
	return number.Ratio(t.DRAMRead.X + t.DRAMWrite.X)
}

// errNotCounted says that a launch has no dynamic counts (mode static).
var errNotCounted = errors.New("nothing was counted: the time needs mode control, memory or full")

// ErrOpaqueTensor is why a launch with matrix products of unknown sizes has no time.
var ErrOpaqueTensor = errors.New("tcgen05.mma multiplies matrices of a size that stands in a descriptor, and that is no constant of the launch: its operations are unknown")

// Counting says which instructions are charged.
type Counting string

// The countings: the PTX as it is written, or the estimate of what ptxas makes
// of it (package machine).
const (
	PTX     Counting = "ptx"
	Machine Counting = "machine"
	Counted Counting = "measured" // by a profiler
)

// NewLaunch makes a Launch of a launch of a profile. fp32 special functions
// count as fp32 instructions, atomics as loads and stores.
func NewLaunch(id *analysis.Launch, f *analysis.Facts, c Counting) (*Launch, error) {
	x := f.X
	switch {
	case id.Error != "":
		return &Launch{Network: id.Network, Kernel: id.Demangled, Label: id.Label, Launch: id.Name(), Repetitions: x(analysis.Launches),
			CTAs: x(analysis.CTAs), BlockThreads: float64(id.BlockThreads()), Counts: string(c), Target: id.Target.String(), Failed: id.Error}, nil
	case !f.Of(analysis.WarpInstructions).Known:
		return nil, errNotCounted
	}
	l := &Launch{
		Network: id.Network, Kernel: id.Demangled, Label: id.Label, Launch: id.Name(),
		Repetitions: x(analysis.Launches), CTAs: x(analysis.CTAs), BlockThreads: float64(id.BlockThreads()),
		RegistersPerThread: int(x(analysis.RegistersPerThread)), SharedBytes: int(x(analysis.StaticSharedBytes) + x(analysis.DynamicSharedBytes)),
		Metrics: thesis.Metrics{
			FMA32: x(analysis.FlopSPFma), FMA64: x(analysis.FlopDPFma),
			FP32: x(analysis.InstFP32) + x(analysis.InstSpecialFP32), FP64: x(analysis.InstFP64), Integer: x(analysis.InstInteger),
			LdSt: x(analysis.InstLdSt) + x(analysis.InstAtomic), WarpInstructions: x(analysis.WarpInstructions),
		},
		Special:    number.Ratio(float64(f.InstSpecial().N)),
		TensorMACs: number.Ratio((x(analysis.FlopTensor) + x(analysis.OpTensorInt)) / 2), Products: f.Products,
		FP16Ops: number.Ratio(x(analysis.FlopHPAdd) + x(analysis.FlopHPMul) + x(analysis.FlopHPFma)),
		Counts:  string(c), Exactness: id.AllExactness(), AssumedInputs: id.AssumedInputs,
		Traffic: trafficOf(f), Target: id.Target.String(),
	}
	if f.CachesSimulated {
		l.Traffic.Source = trafficSimulated
	}
	if f.OpaqueTensor {
		l.TensorMACs, l.Opaque = number.Real{}, ErrOpaqueTensor
	}
	if l.Opaque == nil {
		l.Opaque = f.UnknownTraffic()
	}
	if c == Machine {
		l.machine(f)
	}
	requests := x(analysis.GlobalLoadRequests) + x(analysis.GlobalStoreRequests) + x(analysis.LocalLoadRequests) + x(analysis.LocalStoreRequests)
	if f.Of(analysis.L1Passes).Known && requests > 0 {
		l.L1Passes = number.Ratio(x(analysis.L1Passes) / requests)
	}
	if f.Of(analysis.SharedLoadPasses).Known {
		l.SharedLanes = number.Ratio(32 * (x(analysis.SharedLoadPasses) + x(analysis.SharedStorePasses)))
	}
	return l, nil
}

// What time is charged for. A GPU executes machine code: ptxas has folded moves, put
// address arithmetic into loads, unrolled loops and made a sequence of a division.
// Times are therefore of the estimate of package machine unless the user asks for the
// PTX. Both keep the PTX's traffic: the same bytes move.

// machine puts the estimated instructions in the place of the PTX's. A kernel of
// integers stays one, though the machine code of a division has a floating-point
// reciprocal.
func (l *Launch) machine(f *analysis.Facts) {
	m, x := &l.Metrics, f.X
	kind := m.Type(thesis.Any)
	fp32, fp64 := x(analysis.EstInstFP32)+x(analysis.EstInstSpecial), x(analysis.EstInstFP64)
	m.FMA32, m.FMA64 = x(analysis.EstInstFP32FMA), x(analysis.EstInstFP64FMA)
	if kind == thesis.Integer {
		fp32, m.FMA32 = 0, 0
	}
	if kind != thesis.FP64 {
		fp64, m.FMA64 = 0, 0
	}
	m.FP32, m.FP64, m.Integer = fp32, fp64, x(analysis.EstInstInteger)
	m.LdSt, m.WarpInstructions = x(analysis.EstInstLdSt)+x(analysis.EstInstAtomic), x(analysis.EstWarpInstructions)
	l.Special = number.Ratio(x(analysis.EstInstSpecial))
	l.Kinds = &f.Kinds
}

// trafficOf returns what the caches of a GPU did, or else the footprint.
func trafficOf(f *analysis.Facts) Traffic {
	var t Traffic
	x := f.X
	t.ConstReplays = max(0, x(analysis.ConstPasses)-x(analysis.ConstRequests))
	if f.Of(analysis.BytesTransferred).Known {
		t.L1, t.L1Loads = number.Ratio(x(analysis.BytesTransferred)), number.Ratio(x(analysis.GlobalLoadRequests))
		t.Lanes = number.Ratio(x(analysis.GlobalLoadBytes) + x(analysis.GlobalStoreBytes))
	}
	switch {
	case f.Of(analysis.DRAMReadBytes).Known:
		t.Source = TrafficModel
		t.DRAMRead, t.DRAMWrite = number.Ratio(x(analysis.DRAMReadBytes)), number.Ratio(x(analysis.DRAMWriteBytes))
		t.L2 = number.Ratio(thesis.SectorBytes * (x(analysis.L2ReadSectors) + x(analysis.L2WriteSectors)))
		t.Stored = number.Ratio(thesis.SectorBytes * x(analysis.L2WriteSectors))
		// Of the flits of a request one is its head, the others are its sectors, whichever way.
		t.Requests = number.Ratio(max(0, x(analysis.NoCFlits)-t.L2.X/thesis.SectorBytes))
		t.Atomics, t.LineSectors, t.LineLanes = x(analysis.AtomicSectors), x(analysis.LineAtomicSectors), x(analysis.LineAtomicLanes)
		t.Accesses, t.Rows = x(analysis.DRAMAccesses), x(analysis.DRAMAccessRows)
		t.L1Hits, t.L2Hits, t.Had = l1Hits(f), share(x(analysis.L2ReadHits), x(analysis.L2ReadSectors)), had(f)
	case f.Of(analysis.FootprintBytes).Known:
		t.Source = TrafficFootprint
		t.DRAMRead = number.Ratio(x(analysis.FootprintBytes) * x(analysis.Launches))
	}
	return t
}

// l1Hits is the part of the sectors of global loads that hit in the L1. Loads of
// local memory, which the L1 sees, too, are taken to hit as often as the global
// ones there; those that pass it by (.cg, .volatile, or all of them on a GPU
// whose L1 does not cache them) do not hit.
func l1Hits(f *analysis.Facts) number.Real {
	hits, seen := f.X(analysis.L1ReadHits), f.X(analysis.L1ReadHits)+f.X(analysis.L1ReadMisses)
	through := share(seen-f.X(analysis.LocalLoadSectors), f.X(analysis.GlobalLoadSectors)).X
	// What the L1 saw may be an estimate of a sample, what was loaded is a count.
	through = min(max(through, 0), 1)
	return number.Ratio(through * share(hits, seen).X)
}

// had is the share of the bytes that a launch reads which did not come from DRAM, though each of
// them is read for the first time once: what it touches, less what it may have stored.
func had(f *analysis.Facts) number.Real {
	x := f.X
	reads := (x(analysis.FootprintBytes) - thesis.SectorBytes*x(analysis.GlobalStoreSectors)/max(x(analysis.Launches), 1)) * x(analysis.Launches)
	if !f.Of(analysis.FootprintBytes).Known || reads <= 0 {
		return number.Real{}
	}
	return number.Ratio(max(0, 1-x(analysis.DRAMReadBytes)/reads))
}

// share is a part of a whole; of nothing, all. (Launches without loads from
// global memory may have loads by generic addresses, which are of shared memory.)
func share(part, whole float64) number.Real {
	if whole == 0 {
		return number.Ratio(1)
	}
	return number.Ratio(part / whole)
}
