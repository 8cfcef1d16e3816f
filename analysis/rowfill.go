package analysis

import (
	"fmt"
	"math"

	"hyptx/internal/cache"
)

// Row makes the row of a launch.
func (lp *LaunchProfile) Row() *Row {
	r := newRow(&lp.Launch, &lp.Facts)
	m := lp.Kernel.Module
	r.Launch = lp.Name()
	r.File, r.Kernel, r.KernelDemangled, r.Label = lp.File, lp.KernelName, lp.Demangled, lp.Label
	r.PTXVersion = fmt.Sprintf("%d.%d", m.PTXVersion/100, m.PTXVersion%100)
	r.PTXTarget, r.PTXAddressSize = lp.Target.String(), Count(uint64(m.AddressSize))
	r.GridX, r.GridY, r.GridZ = Count(uint64(lp.Grid[0])), Count(uint64(lp.Grid[1])), Count(uint64(lp.Grid[2]))
	r.BlockX, r.BlockY, r.BlockZ = Count(uint64(lp.Block[0])), Count(uint64(lp.Block[1])), Count(uint64(lp.Block[2]))
	return r
}

// newRow makes a row of what a launch, or a network, and its total have alike.
// A counter that is unknown leaves its columns empty.
func newRow(l *Launch, f *Facts) *Row {
	r := &Row{Network: l.Network, Launch: "total", Exactness: l.Exactness, AssumedInputs: l.AssumedInputs, AnalysisMS: Ratio(l.AnalysisMS)}
	r.fillSize(f)
	r.fillInstructions(f)
	r.fillControl(f)
	r.MemoryBlock.fill(f)
	r.CacheBlock.fill(f, l.CacheGPU)
	r.MachineBlock.fill(f)
	return r
}

// fillSize fills the size of the launch and of what was emulated of it.
func (r *Row) fillSize(f *Facts) {
	r.Count, r.CTAs, r.Warps, r.Threads = f.Of(Launches), f.Of(CTAs), f.Of(Warps), f.Of(Threads)
	r.StaticSharedBytes, r.DynamicSharedBytes = f.Of(StaticSharedBytes), f.Of(DynamicSharedBytes)
	r.LocalBytes, r.RegistersPerThread = f.Of(LocalBytes), f.Of(RegistersPerThread)
	r.FileInstructions, r.StaticInstructions, r.BasicBlocks = f.Of(FileInstructions), f.Of(StaticInstructions), f.Of(BasicBlocks)
	r.SliceInstructions, r.SlicePct = f.Of(SliceInstructions), percentOf(f.Of(SliceInstructions), f.Of(StaticInstructions), Ratio(0))
	r.StaticThreadInstructions = f.Of(StaticThreadInstructions)
	r.DependencyGraphs, r.CTAClasses = f.Of(DependencyGraphs), f.Of(CTAClasses)
	r.EmulatedCTAs, r.EmulatedWarpInstructions = f.Of(EmulatedCTAs), f.Of(EmulatedWarpInstructions)
	r.AssumedDecisions = f.Of(AssumedDecisions)
}

// fillInstructions fills what was executed, by kind.
func (r *Row) fillInstructions(f *Facts) {
	r.WarpInstructions, r.ThreadInstructions, r.ThreadInstructionsPredOn = f.Of(WarpInstructions), f.Of(ThreadInstructions), f.Of(ThreadInstructionsPredOn)
	r.FlopSP, r.FlopSPAdd, r.FlopSPMul, r.FlopSPFma, r.FlopSPSpecial = f.FlopSP(), f.Of(FlopSPAdd), f.Of(FlopSPMul), f.Of(FlopSPFma), f.Of(FlopSPSpecial)
	r.FlopDP, r.FlopDPAdd, r.FlopDPMul, r.FlopDPFma = f.FlopDP(), f.Of(FlopDPAdd), f.Of(FlopDPMul), f.Of(FlopDPFma)
	r.FlopHP, r.FlopHPAdd, r.FlopHPMul, r.FlopHPFma = f.FlopHP(), f.Of(FlopHPAdd), f.Of(FlopHPMul), f.Of(FlopHPFma)
	r.FlopTensor, r.OpTensorInt = f.Of(FlopTensor), f.Of(OpTensorInt)
	r.InstFP16, r.InstFP32, r.InstFP64 = f.Of(InstFP16), f.Of(InstFP32), f.Of(InstFP64)
	r.InstSpecial, r.InstSpecialFP32 = f.InstSpecial(), f.Of(InstSpecialFP32)
	r.InstInteger, r.InstBitConvert = f.Of(InstInteger), f.Of(InstBitConvert)
	r.InstControl, r.InstLdSt, r.InstAtomic = f.Of(InstControl), f.Of(InstLdSt), f.Of(InstAtomic)
	r.InstTexture, r.InstInterThread = f.Of(InstTexture), f.Of(InstInterThread)
	r.InstBarrier, r.InstTensor, r.InstMisc = f.Of(InstBarrier), f.Of(InstTensor), f.Of(InstMisc)
}

// fillControl fills branches, divergence and barriers.
func (r *Row) fillControl(f *Facts) {
	hundred := Ratio(100) // where there is no branch
	uniform := f.Of(Branches).less(f.Of(DivergentBranches))
	r.Branches, r.DivergentBranches = f.Of(Branches), f.Of(DivergentBranches)
	r.BranchEfficiencyPct = percentOf(uniform, f.Of(Branches), hundred)
	conditional := f.Of(ConditionalBranches)
	r.ConditionalBranches = conditional
	r.ConditionalBranchEfficiencyPct = percentOf(conditional.less(f.Of(DivergentConditionalBranches)), conditional, hundred)
	r.BranchTargetsUniformPct = percentOf(uniform, f.Of(BranchTargets), hundred)
	if n := f.Of(DivergentBranches); n.Known {
		r.DivergentBranchesPerCTAMean = Ratio(float64(n.N) / max(f.X(CTAExecutions), 1))
	}
	r.DivergentBranchesPerCTAMax, r.DistinctThreadPathsMax = f.Of(DivergentBranchesPerCTAMax), f.Of(DistinctThreadPathsMax)
	lanes := f.Of(WarpInstructions).times(32)
	r.WarpExecutionEfficiencyPct = percentOf(f.Of(ThreadInstructions), lanes, Real{})
	r.WarpNonpredExecutionEfficiency = percentOf(f.Of(ThreadInstructionsPredOn), lanes, Real{})
	if n := f.X(ComputeIssues); n > 0 {
		r.ExecActiveLanesMean = Ratio(f.X(ComputeLanes) / n)
	}
	r.BarriersExecuted, r.DivergentBarriers = f.Of(Barriers), f.Of(DivergentBarriers)
}

func (r *MemoryBlock) fill(f *Facts) {
	r.GlobalLoadRequests, r.GlobalStoreRequests = f.Of(GlobalLoadRequests), f.Of(GlobalStoreRequests)
	r.LocalLoadRequests, r.LocalStoreRequests = f.Of(LocalLoadRequests), f.Of(LocalStoreRequests)
	r.SharedLoadRequests, r.SharedStoreRequests = f.Of(SharedLoadRequests), f.Of(SharedStoreRequests)
	r.ConstRequests, r.TexRequests, r.AtomicRequests = f.Of(ConstRequests), f.Of(TexRequests), f.Of(AtomicRequests)
	r.GldTransactions, r.GstTransactions = f.Of(GlobalLoadSectors), f.Of(GlobalStoreSectors)
	r.LocalLoadTransactions, r.LocalStoreTransactions = f.Of(LocalLoadSectors), f.Of(LocalStoreSectors)
	r.AtomicTransactions = f.Of(AtomicSectors)
	loaded, stored := f.Of(GlobalLoadSectors).times(sectorBytes), f.Of(GlobalStoreSectors).times(sectorBytes)
	r.GldEfficiencyPct = percentOf(f.Of(GlobalLoadBytes), loaded, Real{})
	r.GstEfficiencyPct = percentOf(f.Of(GlobalStoreBytes), stored, Real{})
	r.GldUniqueEfficiencyPct = percentOf(f.Of(GlobalLoadUniqueBytes), loaded, Real{})
	r.SharedLoadTransactions, r.SharedStoreTransactions = f.Of(SharedLoadPasses), f.Of(SharedStorePasses)
	r.SharedEfficiencyPct = percentOf(f.Of(SharedBytes), f.sumOf(SharedLoadPasses, SharedStorePasses).times(passBytes), Real{})
	r.BytesRequested, r.BytesTransferred, r.FootprintBytes = f.Of(BytesRequested), f.Of(BytesTransferred), f.Of(FootprintBytes)
}

// fill writes what the caches of a GPU did.
func (r *CacheBlock) fill(f *Facts, gpu string) {
	if !f.Of(L1ReadHits).Known {
		return
	}
	r.L1ReadHits, r.L1ReadMisses = f.Of(L1ReadHits), f.Of(L1ReadMisses)
	r.L1WriteHits, r.L1WriteMisses = f.Of(L1WriteHits), f.Of(L1WriteMisses)
	r.L1HitRatePct = percentOf(f.Of(L1ReadHits), f.sumOf(L1ReadHits, L1ReadMisses), Real{})
	r.L2ReadSectors, r.L2WriteSectors = f.Of(L2ReadSectors), f.Of(L2WriteSectors)
	r.L2ReadHits, r.L2WriteHits = f.Of(L2ReadHits), f.Of(L2WriteHits)
	r.L2HitRatePct = percentOf(f.Of(L2ReadHits), f.Of(L2ReadSectors), Real{})
	r.NoCFlits, r.DRAMRowActivations = f.Of(NoCFlits), f.Of(DRAMRowActivations)
	r.DRAMReadBytes, r.DRAMWriteBytes, r.DRAMFlushBytes = f.Of(DRAMReadBytes), f.Of(DRAMWriteBytes), f.Of(DRAMFlushBytes)
	r.CacheModel, r.CacheCTAs, r.CacheErrorPct = f.CacheModel(gpu), f.Of(CacheCTAs), f.CacheErrorPct()
}

// CacheModel names the model of a GPU's caches, and says if it saw a sample.
func (f *Facts) CacheModel(gpu string) string {
	if f.DRAMVariance.Known {
		return gpu + ", sampled"
	}
	return gpu
}

// CacheErrorPct is the standard uncertainty of the bytes that cross the DRAM
// interface, in percent of them: unknown where the caches saw everything.
func (f *Facts) CacheErrorPct() Real {
	sectors := f.X(DRAMReadBytes)/cache.SectorBytes + f.X(DRAMWriteBytes)/cache.SectorBytes
	switch v := f.DRAMVariance; {
	case v.Known && sectors > 0:
		return Ratio(100 * math.Sqrt(v.X) / sectors)
	case v.Known && v.X == 0:
		return Ratio(0)
	}
	return Real{}
}

func (r *MachineBlock) fill(f *Facts) {
	r.EstWarpInstructions, r.EstThreadInstructions = f.Of(EstWarpInstructions), f.Of(EstThreadInstructions)
	r.EstInstFP16, r.EstInstFP32, r.EstInstFP64 = f.Of(EstInstFP16), f.Of(EstInstFP32), f.Of(EstInstFP64)
	r.EstInstFP32FMA, r.EstInstFP64FMA, r.EstInstSpecial = f.Of(EstInstFP32FMA), f.Of(EstInstFP64FMA), f.Of(EstInstSpecial)
	r.EstInstInteger, r.EstInstBitConvert = f.Of(EstInstInteger), f.Of(EstInstBitConvert)
	r.EstInstControl, r.EstInstLdSt, r.EstInstAtomic = f.Of(EstInstControl), f.Of(EstInstLdSt), f.Of(EstInstAtomic)
	r.EstInstTexture, r.EstInstInterThread = f.Of(EstInstTexture), f.Of(EstInstInterThread)
	r.EstInstBarrier, r.EstInstTensor, r.EstInstMisc = f.Of(EstInstBarrier), f.Of(EstInstTensor), f.Of(EstInstMisc)
}
