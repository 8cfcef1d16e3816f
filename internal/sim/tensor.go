package sim

import (
	"hyptx/internal/pipe"
	"hyptx/internal/traffic/stream"
)

// Blackwell's products (tcgen05) are issued by one thread and done by the tensor cores of all
// sub-cores together, one after the other, while warps do something else. A product takes as long
// as its multiply-adds, or as what it reads of shared memory, whichever is more: with both factors
// there and fewer than 128 columns that is shared memory, at 128 bytes a cycle (SemiAnalysis,
// Dissecting Nvidia Blackwell). Copies to tensor memory wait their turn among products. Nobody's registers
// wait for any of this: an mbarrier object hears of it once tcgen05.commit has said so, which is when all
// is done that was begun before, and has passed the tensor cores ([ours]: in the cycles of an mma).
//
// Warps load from tensor memory, and store there, by a way that each sub-core has to its 32 lanes:
// a word of each lane a cycle, after which it takes as long as with shared memory ([ours]: no
// document gives the rate or the latency).
//
// Of a pair of CTAs the one that issues has its tensor cores busy; those of the other, which does as
// much for the same product, have nothing else to do, since only one of a pair issues.

// tensor has tensor cores do, or moves to or from their memory, at t what a record asks for.
func (s *sm) tensor(a *access, work stream.TensorWork, t Tick) {
	if work.Words > 0 {
		c := a.core
		c.tensorPort = max(c.tensorPort, t) + Cycles(float64(work.Words))
		s.finish(a, c.tensorPort+a.o.latency-ticksPerCycle)
		return
	}
	cycles := float64(work.SharedBytes) / blockBytes * s.m.L1.SharedPassCycles
	if work.MACs > 0 {
		cycles = max(cycles, float64(work.MACs)/s.m.MatrixPerCycle[a.o.matrix])
	}
	s.tensorFree = max(s.tensorFree, t) + Cycles(cycles)
	s.tensorBusy += Cycles(cycles)
	s.finish(a, t+a.o.latency)
}

// committed is when all is done that tensor cores were given before t.
func (s *sm) committed(t Tick) Tick {
	return max(t, s.tensorFree+Cycles(s.m.Kinds[pipe.Matrix].LatencyCycles))
}
