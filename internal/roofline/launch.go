package roofline

import (
	"errors"

	"hyptx/analysis"
	"hyptx/internal/roofline/thesis"
)

// Whence traffic comes.
const (
	TrafficMeasured  = "measured"  // a profiler's DRAM transactions
	TrafficModel     = "model"     // the cache model's DRAM sectors
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
	// (a packed pair is two), 4-byte lanes of shared memory with bank conflicts.
	Special, TensorMACs, FP16Ops, SharedLanes analysis.Real
	Traffic                                   Traffic
	// Counts is what was counted: "ptx", "machine" (an estimate of the machine
	// code), or "measured" by a profiler.
	Counts                   string
	Exactness, AssumedInputs string
	// Chain is the dependent chain of the longest warp; nil if nobody knows.
	Chain Chainer
	// Evidence holds what a profiler measured besides.
	Evidence thesis.Evidence
}

// Traffic is what a launch moves, in bytes, all repetitions.
type Traffic struct {
	Source              string
	DRAMRead, DRAMWrite analysis.Real
	L2, L1              analysis.Real // sectors that reach the L2; sectors that warps ask for
	L1Loads             analysis.Real // loads of global memory by warps, not in bytes
	// L1Hits is the share of global loads' sectors that hit in the L1, L2Hits that
	// of those in the L2 that come there; unknown, all go to DRAM.
	L1Hits, L2Hits analysis.Real
}

// DRAM returns W_traf.
func (t Traffic) DRAM() analysis.Real {
	if t.Source == TrafficUnknown {
		return analysis.Real{}
	}
	return analysis.Ratio(t.DRAMRead.X + t.DRAMWrite.X)
}

// Chainer gives the longest warp's dependent chain under a GPU's latencies.
type Chainer interface {
	Chain(Latencies) (Chain, error)
}

// ErrNotCounted says that a row has no dynamic counts (mode static).
var ErrNotCounted = errors.New("nothing was counted: the time needs mode control, memory or full")

// Counting says which instructions are charged.
type Counting string

// The countings: the PTX as it is written, or the estimate of what ptxas makes
// of it (package machine).
const (
	PTX     Counting = "ptx"
	Machine Counting = "machine"
)

// FromRow makes a Launch of a row of the profile that is no total. fp32
// special functions count as fp32 instructions, atomics as loads and stores.
func FromRow(r *analysis.Row, c Counting) (*Launch, error) {
	if !r.WarpInstructions.Known {
		return nil, ErrNotCounted
	}
	l := &Launch{
		Network: r.Network, Kernel: r.KernelDemangled, Label: r.Label, Launch: r.Launch,
		Repetitions: n(r.Count), CTAs: n(r.CTAs), BlockThreads: n(r.BlockX) * n(r.BlockY) * n(r.BlockZ),
		RegistersPerThread: int(r.RegistersPerThread.N), SharedBytes: int(r.StaticSharedBytes.N + r.DynamicSharedBytes.N),
		Metrics: thesis.Metrics{
			FMA32: n(r.FlopSPFma), FMA64: n(r.FlopDPFma), FP32: n(r.InstFP32) + n(r.InstSpecialFP32), FP64: n(r.InstFP64),
			Integer: n(r.InstInteger), LdSt: n(r.InstLdSt) + n(r.InstAtomic), WarpInstructions: n(r.WarpInstructions),
		},
		Special:    analysis.Ratio(n(r.InstSpecial)),
		TensorMACs: analysis.Ratio((n(r.FlopTensor) + n(r.OpTensorInt)) / 2),
		FP16Ops:    analysis.Ratio(n(r.FlopHPAdd) + n(r.FlopHPMul) + n(r.FlopHPFma)),
		Counts:     string(c), Exactness: r.Exactness, AssumedInputs: r.AssumedInputs,
		Traffic: trafficOf(r), Target: r.PTXTarget,
	}
	if c == Machine {
		l.machine(r)
	}
	if t := r.SharedLoadTransactions; t.Known {
		l.SharedLanes = analysis.Ratio(32 * (n(t) + n(r.SharedStoreTransactions)))
	}
	return l, nil
}

func n(i analysis.Int) float64 { return float64(i.N) }

// machine puts the estimated instructions in the place of the PTX's. A kernel of
// integers stays one, though the machine code of a division has a floating-point
// reciprocal.
func (l *Launch) machine(r *analysis.Row) {
	m := &l.Metrics
	kind := m.Type(thesis.Any)
	fp32, fp64 := n(r.EstInstFP32)+n(r.EstInstSpecial), n(r.EstInstFP64)
	m.FMA32, m.FMA64 = n(r.EstInstFP32FMA), n(r.EstInstFP64FMA)
	if kind == thesis.Integer {
		fp32, m.FMA32 = 0, 0
	}
	if kind != thesis.FP64 {
		fp64, m.FMA64 = 0, 0
	}
	m.FP32, m.FP64, m.Integer = fp32, fp64, n(r.EstInstInteger)
	m.LdSt, m.WarpInstructions = n(r.EstInstLdSt)+n(r.EstInstAtomic), n(r.EstWarpInstructions)
	l.Special = analysis.Ratio(n(r.EstInstSpecial))
}

// trafficOf reads the cache block, or else the footprint of the memory block.
func trafficOf(r *analysis.Row) Traffic {
	var t Traffic
	if r.BytesTransferred.Known {
		t.L1, t.L1Loads = analysis.Ratio(n(r.BytesTransferred)), analysis.Ratio(n(r.GlobalLoadRequests))
	}
	switch {
	case r.DRAMReadBytes.Known:
		t.Source = TrafficModel
		t.DRAMRead, t.DRAMWrite = analysis.Ratio(n(r.DRAMReadBytes)), analysis.Ratio(n(r.DRAMWriteBytes))
		t.L2 = analysis.Ratio(thesis.SectorBytes * (n(r.L2ReadSectors) + n(r.L2WriteSectors)))
		t.L1Hits, t.L2Hits = l1Hits(r), share(n(r.L2ReadHits), n(r.L2ReadSectors))
	case r.FootprintBytes.Known:
		t.Source = TrafficFootprint
		t.DRAMRead = analysis.Ratio(n(r.FootprintBytes) * n(r.Count))
	}
	return t
}

// l1Hits is the part of the sectors of global loads that hit in the L1. Loads of
// local memory, which the L1 sees, too, are taken to hit as often as the global
// ones there; those that pass it by (.cg, .volatile, or all of them on a GPU
// whose L1 does not cache them) do not hit.
func l1Hits(r *analysis.Row) analysis.Real {
	seen := n(r.L1ReadHits) + n(r.L1ReadMisses)
	through := share(seen-n(r.LocalLoadTransactions), n(r.GldTransactions)).X
	// What the L1 saw may be an estimate of a sample, what was loaded is a count.
	through = min(max(through, 0), 1)
	return analysis.Ratio(through * share(n(r.L1ReadHits), seen).X)
}

// share is a part of a whole; of nothing, all. (Launches without loads from
// global memory may have loads by generic addresses, which are of shared memory.)
func share(part, whole float64) analysis.Real {
	if whole == 0 {
		return analysis.Ratio(1)
	}
	return analysis.Ratio(part / whole)
}
