package sim

import (
	"hyptx/internal/gpu"
	"hyptx/internal/hierarchy"
	"hyptx/internal/pipe"
)

// configure returns the simulator's GPU for CTAs that need so much of an SM, and how
// many of them an SM holds.
func (s *Simulator) configure(cta gpu.CTA) (*Config, int, error) {
	g := s.Spec
	launch, err := hierarchy.Resident(g, cta)
	if err != nil {
		return nil, 0, err
	}
	l2, err := g.L2Shape()
	if err != nil {
		return nil, 0, err
	}
	sms, err := gpu.Need(g, "sms", g.SMs)
	if err != nil {
		return nil, 0, err
	}
	m := configOf(s.timing, s.clockMHz)
	m.SMs = sms
	m.L1.Bytes, m.L1.Ways = int(launch.L1.SizeBytes), launch.L1.Ways
	m.L2.Bytes, m.L2.Ways = int64(l2.Bytes), l2.Ways
	// Shared memory that is apart from the cache has all its banks to itself.
	if m.L1.SharedPassCycles = 1; g.L1.SharesWithShared != nil && g.L1.SharesWithShared.Value {
		m.L1.SharedPassCycles = m.L1.PassCycles
	}
	if g.L1.CachesGlobal != nil {
		m.L1.LoadsPast = !g.L1.CachesGlobal.Value
	}
	if g.L1.WritePolicy != nil {
		m.L1.WriteAllocate = g.L1.WritePolicy.Value == gpu.WriteThroughAllocate
	}
	if c := g.Chiplets; c != nil {
		m.Chiplets = Chiplets{Count: c.Count, CTAs: c.CTAs, Pages: c.Pages, PageBlocks: uint64(c.PageBytes / blockBytes), LinkBytesPerCycle: c.LinkGBPerS * 1e3 / s.clockMHz, HopCycles: c.HopCycles}
	}
	for k, cycles := range g.Stalls[s.Kernel] {
		if cycles > 0 {
			m.Kinds[k].IntervalCycles += cycles
			m.Kinds[k].LatencyCycles += cycles
		}
	}
	return m, launch.CTAsPerSM, m.check()
}

// configOf returns what of a GPU does not depend on the launch, at a clock of its SMs
// in MHz. What has a clock of its own, the L2's latency and DRAM, takes other cycles at
// another one.
func configOf(t *gpu.Timing, clockMHz float64) *Config {
	ns := func(x float64) float64 { return x * clockMHz / 1e3 }
	m := &Config{
		Cores: t.Issue.SubCores, IssueWidth: t.Issue.PerScheduler,
		DualMath: t.Issue.Dual == gpu.DualAny, Oldest: t.Issue.Policy == gpu.GreedyOldest, InTurn: t.Issue.Policy == gpu.GreedyInTurn,
		MatrixPerCycle: t.Tensor.Rates(),
		Fetch: Fetch{
			LineInstrs: max(1, int(blockBytes/t.Code.InstructionBytes)), L0Lines: t.Code.L0Bytes / blockBytes, L1Lines: t.Code.L1Bytes / blockBytes,
			L0MissCycles: t.Code.L0MissCycles, L1MissCycles: t.Code.L1MissCycles,
		},
		L1: L1{
			CyclesPerAccess: t.LSU.CyclesPerInstruction, PassCycles: blockBytes / t.LSU.BytesPerCycle, TagCycles: t.LSU.TagCyclesPerLine, QueuedPerCore: t.LSU.QueueEntries, AddressCycles: t.LSU.QueueCycles, SharedStoreCycles: t.LSU.SharedStoreCycles,
			Random:             t.LSU.Replacement == "random",
			OutstandingSectors: t.LSU.MissEntries * blockSectors, ReturnBytesPerCycle: t.LSU.ReturnBytesPerCycle,
		},
		L2: L2{
			Slices: t.L2.Slices, LatencyCycles: ns(t.L2.LatencyNs), RequestCycles: 1 / t.NoC.RequestsPerCycle,
			WriteBytesPerCycle: t.NoC.StoreBytesPerCycle, ReadBytesPerCycle: t.NoC.ReturnBytesPerCycle,
			BytesPerCycle: t.L2.BytesPerCycle, AtomicCycles: sectorBytes / 4 / t.L2.AtomicsDistinct, SameWordCycles: 1 / t.L2.AtomicsSameAddress,
		},
		DRAM: DRAM{
			Channels: t.DRAM.Channels, BanksPerChannel: t.DRAM.Banks, RowBytes: t.DRAM.RowBytes, LatencyCycles: ns(t.DRAM.LatencyNs),
			BytesPerCycle: t.DRAM.BytesPerS / (clockMHz * 1e6), ReadEfficiency: t.DRAM.ReadShare, WriteEfficiency: t.DRAM.WriteShare,
			MixedEfficiency: t.DRAM.CopyShare, LinkBytesPerCycle: t.L2.DRAMBytesPerCycle, GrainBytes: t.DRAM.AccessBytes, RowCycles: ns(t.DRAM.RowCycleNs), ActivateCycles: ns(t.DRAM.RowToRowNs), MissCycles: ns(t.DRAM.RowMissNs), QueueRequests: t.DRAM.QueueRequests,
		},
		Cluster:       Cluster{GPCs: t.Cluster.GPCs, LatencyCycles: t.Cluster.LatencyCycles, BytesPerCycle: t.Cluster.BytesPerCycle, BarrierCycles: t.Cluster.BarrierCycles, OrderCycles: t.Cluster.OrderCycles},
		Launch:        LaunchTiming{CTACycles: t.Launch.FirstIssueCycles, CTAsPerCycle: t.Launch.CTAsPerCycle},
		BarrierCycles: t.Kinds[pipe.Barrier].LatencyCycles, PredicateCycles: t.Issue.PredicateCycles,
	}
	for k := range t.Kinds {
		m.Kinds[k] = timing(&t.Kinds[k])
	}
	return m
}

func timing(t *gpu.KindTiming) Timing {
	of := Timing{
		Unit: uint8(t.Unit), Alternative: uint8(t.Alternative), IntervalCycles: t.IntervalCycles,
		Second: uint8(t.Also), SecondIntervalCycles: t.AlsoCycles, LatencyCycles: t.LatencyCycles,
	}
	if t.SharedBySM {
		of.Shared, of.SharedCycles, of.SwitchCycles = of.Unit, of.IntervalCycles, t.SwitchCycles
		of.Unit, of.Alternative = 0, 0
	}
	return of
}
