package analysis

import (
	"hyptx/emulator"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// Every figure begins as one of these counters. They are an index and no struct of
// named fields so that what is done to all of them, adding launches up, scaling one
// that stands for many, comparing with full emulation, is a loop over a table and
// cannot forget one. A new counter is a constant, a line in the table below, and the
// place that adds to it.
//
// Counters are added as exact integers. What is scaled is scaled by whole numbers
// (CTAs, warps and repetitions that one stands for), so that a profile in which one
// warp was run equals the profile of all to the last digit; [Session.Verify] holds
// every counter of blockExecuted to that.
// Counter is something that is counted of a launch: an index into [Facts].
// What it is, and how the launches of a network make a total, stands in one
// table, [counters]; the column of a row that shows it stands in row.go.
type Counter uint8

// The counters. Those of one block are known together or not at all, unless
// their comment says otherwise.
const (
	nowhere Counter = iota // what has no counter is counted here, and never read

	// The launch's size, known before anything runs.
	Launches // a manifest's count
	CTAs     // of one repetition, as are Warps and Threads
	Warps
	Threads
	StaticSharedBytes // of a CTA
	DynamicSharedBytes
	LocalBytes         // of a thread
	RegistersPerThread // an estimate: what ptxas is expected to need
	FileInstructions
	StaticInstructions // of the kernel and what it may call
	BasicBlocks
	StaticThreadInstructions // if every thread went through the text once
	SliceInstructions
	TrustedAccesses  // known in control mode only
	ForgivenAccesses // known if accesses are forgiven
	DependencyGraphs

	// What of it was emulated.
	CTAExecutions // CTAs, in all repetitions
	CTAClasses
	EmulatedCTAs
	EmulatedWarpInstructions
	AssumedDecisions
	DivergentBranchesPerCTAMax
	DistinctThreadPathsMax // known only if paths were asked for

	// What was executed, in all repetitions.
	WarpInstructions
	ThreadInstructions
	ThreadInstructionsPredOn
	FlopSPAdd
	FlopSPMul
	FlopSPFma
	FlopSPSpecial
	FlopDPAdd
	FlopDPMul
	FlopDPFma
	FlopHPAdd
	FlopHPMul
	FlopHPFma
	FlopTensor
	OpTensorInt
	InstFP16 // instructions of threads whose guard held, by class
	InstFP32
	InstFP64
	InstSpecialFP16
	InstSpecialFP32
	InstSpecialFP64
	InstInteger
	InstBitConvert
	InstControl
	InstLdSt
	InstAtomic
	InstTexture
	InstInterThread
	InstBarrier
	InstTensor
	InstMisc
	Branches
	DivergentBranches
	ConditionalBranches
	DivergentConditionalBranches
	BranchTargets // targets reached
	Barriers
	DivergentBarriers
	ComputeIssues // warp instructions of the classes of exec_active_lanes_mean
	ComputeLanes  // and their active lanes

	// What the accesses of memory moved, in modes memory and full.
	GlobalLoadRequests
	GlobalStoreRequests
	LocalLoadRequests
	LocalStoreRequests
	SharedLoadRequests
	SharedStoreRequests
	ConstRequests
	TexRequests
	AtomicRequests
	GlobalLoadSectors // of 32 bytes
	GlobalStoreSectors
	LocalLoadSectors
	LocalStoreSectors
	AtomicSectors
	GlobalLoadBytes // asked for
	GlobalStoreBytes
	GlobalLoadUniqueBytes
	SharedLoadPasses // over the banks
	SharedStorePasses
	SharedBytes
	BytesRequested
	BytesTransferred
	FootprintBytes

	// What the cache model of a GPU saw, in sectors of 32 bytes but where the
	// name says otherwise.
	L1ReadHits
	L1ReadMisses
	L1WriteHits
	L1WriteMisses
	L2ReadSectors
	L2WriteSectors
	L2ReadHits
	L2WriteHits
	NoCFlits
	DRAMReadBytes
	DRAMWriteBytes
	DRAMRowActivations
	CacheCTAs
	DRAMFlushBytes // of a network: they belong to no launch

	// What ptxas is expected to make of what was executed (package machine).
	EstWarpInstructions
	EstThreadInstructions
	EstInstFP16
	EstInstFP32
	EstInstFP64
	EstInstFP32FMA
	EstInstFP64FMA
	EstInstSpecial
	EstInstInteger
	EstInstBitConvert
	EstInstControl
	EstInstLdSt
	EstInstAtomic
	EstInstTexture
	EstInstInterThread
	EstInstBarrier
	EstInstTensor
	EstInstMisc
	EstInstUniform

	NumCounters
)

// block is a group of counters that become known together: by one step of the
// analysis, which a mode, an option or an error may leave out.
type block uint8

const (
	noBlock      block = iota
	blockGiven         // by the launch
	blockPlanned       // by what has to be emulated of it
	blockTrusted       // by what the slice leaves out, where nothing sees it
	blockForgiven
	blockExecuted
	blockMoved
	blockCached
	blockEstimated
)

// rule is how a counter of launches becomes that of their total. sum is right where a
// launch that does not know a counter has none of it: in mode memory all launches
// know their traffic. The caches of a GPU that cannot run one launch of ten (too much
// shared memory) say nothing of that one, and nine of ten are no total: sumOfAll.
type rule uint8

const (
	ofLaunch rule = iota // it does not: a total says nothing, or something of its own
	sum                  // of the launches that know it
	sumOfAll             // unless one does not know it: the others alone are no total
	most                 // the largest one
)

// counters says of every counter which block it is of, how it is totalled, and
// what it counts.
var counters = [NumCounters]struct {
	block block
	total rule
	what  string
}{
	nowhere: {noBlock, ofLaunch, "nothing"},

	Launches:                 {blockGiven, sum, "repetitions of the launch"},
	CTAs:                     {blockGiven, sum, "CTAs of one repetition"},
	Warps:                    {blockGiven, sum, "warps of one repetition"},
	Threads:                  {blockGiven, sum, "threads of one repetition"},
	StaticSharedBytes:        {blockGiven, most, "bytes of static shared memory of a CTA"},
	DynamicSharedBytes:       {blockGiven, most, "bytes of dynamic shared memory of a CTA"},
	LocalBytes:               {blockGiven, most, "bytes of local memory of a thread"},
	RegistersPerThread:       {blockGiven, most, "registers of a thread, estimated"},
	FileInstructions:         {blockGiven, ofLaunch, "instructions of the PTX file"},
	StaticInstructions:       {blockGiven, sum, "instructions of the kernel and what it may call"},
	BasicBlocks:              {blockGiven, ofLaunch, "basic blocks of the kernel and what it may call"},
	StaticThreadInstructions: {blockGiven, sum, "static instructions times threads"},
	SliceInstructions:        {blockGiven, sum, "instructions of the slice"},
	TrustedAccesses:          {blockTrusted, sum, "accesses trusted to stay in their buffers"},
	ForgivenAccesses:         {blockForgiven, sum, "accesses that hit no memory"},
	DependencyGraphs:         {blockGiven, sum, "different dependency graphs of CTAs"},

	CTAExecutions:              {blockPlanned, sum, "CTAs of all repetitions"},
	CTAClasses:                 {blockPlanned, sum, "classes of CTAs with equal counts"},
	EmulatedCTAs:               {blockPlanned, sum, "CTAs that were emulated"},
	EmulatedWarpInstructions:   {blockPlanned, sum, "warp instructions that were emulated"},
	AssumedDecisions:           {blockPlanned, sum, "decisions on what nobody gave"},
	DivergentBranchesPerCTAMax: {blockPlanned, most, "divergent branches of the CTA with the most"},
	DistinctThreadPathsMax:     {noBlock, most, "different paths of the threads of a CTA, the most"},

	WarpInstructions:             {blockExecuted, sum, "instructions issued by warps"},
	ThreadInstructions:           {blockExecuted, sum, "instructions executed by threads"},
	ThreadInstructionsPredOn:     {blockExecuted, sum, "instructions executed by threads whose guard held"},
	FlopSPAdd:                    {blockExecuted, sum, "fp32 additions"},
	FlopSPMul:                    {blockExecuted, sum, "fp32 multiplications"},
	FlopSPFma:                    {blockExecuted, sum, "fp32 multiply-adds"},
	FlopSPSpecial:                {blockExecuted, sum, "fp32 special functions"},
	FlopDPAdd:                    {blockExecuted, sum, "fp64 additions"},
	FlopDPMul:                    {blockExecuted, sum, "fp64 multiplications"},
	FlopDPFma:                    {blockExecuted, sum, "fp64 multiply-adds"},
	FlopHPAdd:                    {blockExecuted, sum, "fp16 additions"},
	FlopHPMul:                    {blockExecuted, sum, "fp16 multiplications"},
	FlopHPFma:                    {blockExecuted, sum, "fp16 multiply-adds"},
	FlopTensor:                   {blockExecuted, sum, "floating-point operations of tensor cores"},
	OpTensorInt:                  {blockExecuted, sum, "integer operations of tensor cores"},
	InstFP16:                     {blockExecuted, sum, "fp16 instructions"},
	InstFP32:                     {blockExecuted, sum, "fp32 instructions"},
	InstFP64:                     {blockExecuted, sum, "fp64 instructions"},
	InstSpecialFP16:              {blockExecuted, sum, "special functions of fp16"},
	InstSpecialFP32:              {blockExecuted, sum, "special functions of fp32"},
	InstSpecialFP64:              {blockExecuted, sum, "special functions of fp64"},
	InstInteger:                  {blockExecuted, sum, "integer instructions"},
	InstBitConvert:               {blockExecuted, sum, "conversions"},
	InstControl:                  {blockExecuted, sum, "control instructions"},
	InstLdSt:                     {blockExecuted, sum, "loads and stores"},
	InstAtomic:                   {blockExecuted, sum, "atomics"},
	InstTexture:                  {blockExecuted, sum, "texture instructions"},
	InstInterThread:              {blockExecuted, sum, "exchanges between threads"},
	InstBarrier:                  {blockExecuted, sum, "barrier instructions of threads"},
	InstTensor:                   {blockExecuted, sum, "matrix instructions"},
	InstMisc:                     {blockExecuted, sum, "other instructions"},
	Branches:                     {blockExecuted, sum, "branches"},
	DivergentBranches:            {blockExecuted, sum, "divergent branches"},
	ConditionalBranches:          {blockExecuted, sum, "conditional branches"},
	DivergentConditionalBranches: {blockExecuted, sum, "divergent conditional branches"},
	BranchTargets:                {blockExecuted, sum, "branch targets reached"},
	Barriers:                     {blockExecuted, sum, "barriers"},
	DivergentBarriers:            {blockExecuted, sum, "divergent barriers"},
	ComputeIssues:                {blockExecuted, sum, "warp instructions that compute"},
	ComputeLanes:                 {blockExecuted, sum, "lanes of warp instructions that compute"},

	GlobalLoadRequests:    {blockMoved, sum, "requests of loads of global memory"},
	GlobalStoreRequests:   {blockMoved, sum, "requests of stores to global memory"},
	LocalLoadRequests:     {blockMoved, sum, "requests of loads of local memory"},
	LocalStoreRequests:    {blockMoved, sum, "requests of stores to local memory"},
	SharedLoadRequests:    {blockMoved, sum, "requests of loads of shared memory"},
	SharedStoreRequests:   {blockMoved, sum, "requests of stores to shared memory"},
	ConstRequests:         {blockMoved, sum, "requests of loads of constants"},
	TexRequests:           {blockMoved, sum, "requests of textures"},
	AtomicRequests:        {blockMoved, sum, "requests of atomics and reductions"},
	GlobalLoadSectors:     {blockMoved, sum, "sectors loaded from global memory"},
	GlobalStoreSectors:    {blockMoved, sum, "sectors stored to global memory"},
	LocalLoadSectors:      {blockMoved, sum, "sectors loaded from local memory"},
	LocalStoreSectors:     {blockMoved, sum, "sectors stored to local memory"},
	AtomicSectors:         {blockMoved, sum, "sectors of atomics and reductions in global memory"},
	GlobalLoadBytes:       {blockMoved, sum, "bytes that loads of global memory ask for"},
	GlobalStoreBytes:      {blockMoved, sum, "bytes that stores to global memory write"},
	GlobalLoadUniqueBytes: {blockMoved, sum, "distinct bytes of each load of global memory"},
	SharedLoadPasses:      {blockMoved, sum, "passes over the banks of shared memory by loads and atomics"},
	SharedStorePasses:     {blockMoved, sum, "passes over the banks of shared memory by stores and reductions"},
	SharedBytes:           {blockMoved, sum, "bytes of shared memory asked for"},
	BytesRequested:        {blockMoved, sum, "bytes of global and local memory asked for"},
	BytesTransferred:      {blockMoved, sum, "bytes of the sectors of global and local memory"},
	FootprintBytes:        {blockMoved, ofLaunch, "distinct bytes of global and local memory"},

	L1ReadHits:         {blockCached, sumOfAll, "sectors read that hit in the L1"},
	L1ReadMisses:       {blockCached, sumOfAll, "sectors read that miss the L1"},
	L1WriteHits:        {blockCached, sumOfAll, "sectors written that hit in the L1"},
	L1WriteMisses:      {blockCached, sumOfAll, "sectors written that miss the L1"},
	L2ReadSectors:      {blockCached, sumOfAll, "sectors that the L2 is asked for"},
	L2WriteSectors:     {blockCached, sumOfAll, "sectors written to the L2"},
	L2ReadHits:         {blockCached, sumOfAll, "sectors read that hit in the L2"},
	L2WriteHits:        {blockCached, sumOfAll, "sectors written that hit in the L2"},
	NoCFlits:           {blockCached, sumOfAll, "flits of 40 bytes between SMs and L2"},
	DRAMReadBytes:      {blockCached, sumOfAll, "bytes read from DRAM"},
	DRAMWriteBytes:     {blockCached, sumOfAll, "bytes written to DRAM"},
	DRAMRowActivations: {blockCached, sumOfAll, "rows of DRAM opened"},
	CacheCTAs:          {blockCached, sumOfAll, "CTAs that the caches saw"},
	DRAMFlushBytes:     {noBlock, ofLaunch, "bytes that are dirty in the L2 at the end of a network"},

	EstWarpInstructions:   {blockEstimated, sum, "machine instructions of warps"},
	EstThreadInstructions: {blockEstimated, sum, "machine instructions of threads"},
	EstInstFP16:           {blockEstimated, sum, "fp16 machine instructions"},
	EstInstFP32:           {blockEstimated, sum, "fp32 machine instructions"},
	EstInstFP64:           {blockEstimated, sum, "fp64 machine instructions"},
	EstInstFP32FMA:        {blockEstimated, sum, "fp32 multiply-adds of the machine code"},
	EstInstFP64FMA:        {blockEstimated, sum, "fp64 multiply-adds of the machine code"},
	EstInstSpecial:        {blockEstimated, sum, "special functions of the machine code"},
	EstInstInteger:        {blockEstimated, sum, "integer machine instructions"},
	EstInstBitConvert:     {blockEstimated, sum, "conversions of the machine code"},
	EstInstControl:        {blockEstimated, sum, "control instructions of the machine code"},
	EstInstLdSt:           {blockEstimated, sum, "loads and stores of the machine code"},
	EstInstAtomic:         {blockEstimated, sum, "atomics of the machine code"},
	EstInstTexture:        {blockEstimated, sum, "texture instructions of the machine code"},
	EstInstInterThread:    {blockEstimated, sum, "exchanges between threads of the machine code"},
	EstInstBarrier:        {blockEstimated, sum, "barrier instructions of the machine code"},
	EstInstTensor:         {blockEstimated, sum, "matrix instructions of the machine code"},
	EstInstMisc:           {blockEstimated, sum, "other machine instructions"},
	EstInstUniform:        {blockEstimated, sum, "machine instructions of the uniform datapath"},
}

// String returns what is counted.
func (c Counter) String() string { return counters[c].what }

// What the emulator counts are segments: how often, with how many lanes, a run
// of instructions was entered. Here they become counters of instructions, each
// by its row of the ISA's table.

// instCounters are the counters of the classes of instructions.
var instCounters = [isa.NumClasses]Counter{
	isa.FP16: InstFP16, isa.FP32: InstFP32, isa.FP64: InstFP64,
	isa.SpecialFP16: InstSpecialFP16, isa.SpecialFP32: InstSpecialFP32, isa.SpecialFP64: InstSpecialFP64,
	isa.Integer: InstInteger, isa.BitConvert: InstBitConvert, isa.Control: InstControl,
	isa.ComputeLdSt: InstLdSt, isa.Atomic: InstAtomic, isa.Texture: InstTexture, isa.InterThread: InstInterThread,
	isa.Barrier: InstBarrier, isa.Tensor: InstTensor, isa.Misc: InstMisc,
}

// computes reports whether a class counts for exec_active_lanes_mean: whether its
// lanes do work of their own.
func computes(c isa.Class) bool {
	switch c {
	case isa.FP16, isa.FP32, isa.FP64, isa.SpecialFP16, isa.SpecialFP32, isa.SpecialFP64,
		isa.Integer, isa.BitConvert, isa.Tensor, isa.Texture:
		return true
	}
	return false
}

// newExecuted returns what a CTA, or many, executed, from its segments.
func newExecuted(p *emulator.Program, counts []uint64) Facts {
	var f Facts
	f.know(blockExecuted)
	p.EachInstr(counts, func(c emulator.InstrCount) { f.addInstr(&p.Module.Instrs[c.PC], c) })
	p.EachBranch(counts, func(c emulator.BranchCount) { f.addBranch(&p.Module.Instrs[c.PC], c) })
	f.add(DivergentBarriers, p.DivergentBarriers(counts))
	return f
}

// addInstr adds what one instruction did: c has how often warps issued it, for how
// many active lanes, and for how many of these the guard held. Classes and operations
// count the last, as nvprof's inst_* and flop_count_* do. A matrix instruction is
// executed by a warp as a whole: its operations go by issue, not by lane.
func (f *Facts) addInstr(in *ir.Instr, c emulator.InstrCount) {
	f.add(WarpInstructions, c.Issues)
	f.add(ThreadInstructions, c.Lanes)
	f.add(ThreadInstructionsPredOn, c.PredOn)
	class := in.Inst.Form.Class
	f.add(instCounters[class], c.PredOn)
	if computes(class) {
		f.add(ComputeIssues, c.Issues)
		f.add(ComputeLanes, c.Lanes)
	}
	if in.Inst.IsBarrier() {
		f.add(Barriers, c.Issues)
	}
	flops := in.Inst.Flops()
	f.addFlops(flops.SP, c.PredOn, FlopSPAdd, FlopSPMul, FlopSPFma, FlopSPSpecial)
	f.addFlops(flops.DP, c.PredOn, FlopDPAdd, FlopDPMul, FlopDPFma, nowhere)
	f.addFlops(flops.HP, c.PredOn, FlopHPAdd, FlopHPMul, FlopHPFma, nowhere)
	float, integer := in.Inst.TensorOps()
	f.add(FlopTensor, float*c.Issues)
	f.add(OpTensorInt, integer*c.Issues)
}

// addFlops adds the operations of one precision, n times.
func (f *Facts) addFlops(per isa.FlopKinds, n uint64, add, mul, fma, special Counter) {
	f.add(add, uint64(per.Add)*n)
	f.add(mul, uint64(per.Mul)*n)
	f.add(fma, uint64(per.FMA)*n)
	f.add(special, uint64(per.Special)*n)
}

// addBranch adds what one branch did. Each issue that did not diverge reached one
// target, a divergent one as many as c says; without a guard or an index a branch is
// unconditional and cannot diverge.
func (f *Facts) addBranch(in *ir.Instr, c emulator.BranchCount) {
	f.add(Branches, c.Issues)
	f.add(DivergentBranches, c.Divergent)
	f.add(BranchTargets, c.Issues-c.Divergent+c.Targets)
	if in.Guard != ir.NoReg || in.Inst.IsSwitch() {
		f.add(ConditionalBranches, c.Issues)
		f.add(DivergentConditionalBranches, c.Divergent)
	}
}
