package analysis

import (
	"hyptx/emulator"
	"hyptx/internal/machine"
	"hyptx/internal/number"
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
	// LibraryCalls are calls of functions of CUDA's, of whose instructions nothing is
	// counted.
	LibraryCalls
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
	TexSectors
	GlobalLoadBytes // asked for
	GlobalStoreBytes
	GlobalLoadUniqueBytes
	L1Passes          // over the banks
	ConstPasses       // different addresses of each request
	LineAtomicSectors // of the line that has the most
	LineAtomicLanes   // likewise: as many of a request as want one word
	SharedLoadPasses  // over the banks
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
	DRAMAccesses // of what it moves at least
	DRAMAccessRows
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
	EstBranches
	EstDivergentBranches
	EstFlopSP
	EstFlopDP
	EstFlopHP

	NumCounters
)

// counters says of every counter which block it is of, how it is totalled, and
// what it counts.
var counters = [NumCounters]struct {
	block block
	total rule
	what  string
	// column is the column of a row that shows it as it is, nil for none.
	column func(*Row) *number.Int
}{
	nowhere: {noBlock, ofLaunch, "nothing", nil},

	Launches:                 {blockGiven, sum, "repetitions of the launch", func(r *Row) *number.Int { return &r.Count }},
	CTAs:                     {blockGiven, sum, "CTAs of one repetition", func(r *Row) *number.Int { return &r.CTAs }},
	Warps:                    {blockGiven, sum, "warps of one repetition", func(r *Row) *number.Int { return &r.Warps }},
	Threads:                  {blockGiven, sum, "threads of one repetition", func(r *Row) *number.Int { return &r.Threads }},
	StaticSharedBytes:        {blockGiven, most, "bytes of static shared memory of a CTA", func(r *Row) *number.Int { return &r.StaticSharedBytes }},
	DynamicSharedBytes:       {blockGiven, most, "bytes of dynamic shared memory of a CTA", func(r *Row) *number.Int { return &r.DynamicSharedBytes }},
	LocalBytes:               {blockGiven, most, "bytes of local memory of a thread", func(r *Row) *number.Int { return &r.LocalBytes }},
	RegistersPerThread:       {blockGiven, most, "registers of a thread, estimated", func(r *Row) *number.Int { return &r.RegistersPerThread }},
	FileInstructions:         {blockGiven, ofLaunch, "instructions of the PTX file", func(r *Row) *number.Int { return &r.FileInstructions }},
	StaticInstructions:       {blockGiven, sum, "instructions of the kernel and what it may call", func(r *Row) *number.Int { return &r.StaticInstructions }},
	BasicBlocks:              {blockGiven, ofLaunch, "basic blocks of the kernel and what it may call", func(r *Row) *number.Int { return &r.BasicBlocks }},
	StaticThreadInstructions: {blockGiven, sum, "static instructions times threads", func(r *Row) *number.Int { return &r.StaticThreadInstructions }},
	SliceInstructions:        {blockGiven, sum, "instructions of the slice", func(r *Row) *number.Int { return &r.SliceInstructions }},
	TrustedAccesses:          {blockTrusted, sum, "accesses trusted to stay in their buffers", func(r *Row) *number.Int { return &r.TrustedAccesses }},
	ForgivenAccesses:         {blockForgiven, sum, "accesses that hit no memory", func(r *Row) *number.Int { return &r.ForgivenAccesses }},
	DependencyGraphs:         {blockGiven, sum, "different dependency graphs of CTAs", func(r *Row) *number.Int { return &r.DependencyGraphs }},

	CTAExecutions:              {blockPlanned, sum, "CTAs of all repetitions", nil},
	CTAClasses:                 {blockPlanned, sum, "classes of CTAs with equal counts", func(r *Row) *number.Int { return &r.CTAClasses }},
	EmulatedCTAs:               {blockPlanned, sum, "CTAs that were emulated", func(r *Row) *number.Int { return &r.EmulatedCTAs }},
	EmulatedWarpInstructions:   {blockPlanned, sum, "warp instructions that were emulated", func(r *Row) *number.Int { return &r.EmulatedWarpInstructions }},
	AssumedDecisions:           {blockPlanned, sum, "decisions on what nobody gave", func(r *Row) *number.Int { return &r.AssumedDecisions }},
	DivergentBranchesPerCTAMax: {blockPlanned, most, "divergent branches of the CTA with the most", func(r *Row) *number.Int { return &r.DivergentBranchesPerCTAMax }},
	DistinctThreadPathsMax:     {noBlock, most, "different paths of the threads of a CTA, the most", func(r *Row) *number.Int { return &r.DistinctThreadPathsMax }},

	WarpInstructions:             {blockExecuted, sum, "instructions issued by warps", func(r *Row) *number.Int { return &r.WarpInstructions }},
	ThreadInstructions:           {blockExecuted, sum, "instructions executed by threads", func(r *Row) *number.Int { return &r.ThreadInstructions }},
	ThreadInstructionsPredOn:     {blockExecuted, sum, "instructions executed by threads whose guard held", func(r *Row) *number.Int { return &r.ThreadInstructionsPredOn }},
	FlopSPAdd:                    {blockExecuted, sum, "fp32 additions", func(r *Row) *number.Int { return &r.FlopSPAdd }},
	FlopSPMul:                    {blockExecuted, sum, "fp32 multiplications", func(r *Row) *number.Int { return &r.FlopSPMul }},
	FlopSPFma:                    {blockExecuted, sum, "fp32 multiply-adds", func(r *Row) *number.Int { return &r.FlopSPFma }},
	FlopSPSpecial:                {blockExecuted, sum, "fp32 special functions", func(r *Row) *number.Int { return &r.FlopSPSpecial }},
	FlopDPAdd:                    {blockExecuted, sum, "fp64 additions", func(r *Row) *number.Int { return &r.FlopDPAdd }},
	FlopDPMul:                    {blockExecuted, sum, "fp64 multiplications", func(r *Row) *number.Int { return &r.FlopDPMul }},
	FlopDPFma:                    {blockExecuted, sum, "fp64 multiply-adds", func(r *Row) *number.Int { return &r.FlopDPFma }},
	FlopHPAdd:                    {blockExecuted, sum, "fp16 additions", func(r *Row) *number.Int { return &r.FlopHPAdd }},
	FlopHPMul:                    {blockExecuted, sum, "fp16 multiplications", func(r *Row) *number.Int { return &r.FlopHPMul }},
	FlopHPFma:                    {blockExecuted, sum, "fp16 multiply-adds", func(r *Row) *number.Int { return &r.FlopHPFma }},
	FlopTensor:                   {blockExecuted, sum, "floating-point operations of tensor cores", func(r *Row) *number.Int { return &r.FlopTensor }},
	OpTensorInt:                  {blockExecuted, sum, "integer operations of tensor cores", func(r *Row) *number.Int { return &r.OpTensorInt }},
	InstFP16:                     {blockExecuted, sum, "fp16 instructions", func(r *Row) *number.Int { return &r.InstFP16 }},
	InstFP32:                     {blockExecuted, sum, "fp32 instructions", func(r *Row) *number.Int { return &r.InstFP32 }},
	InstFP64:                     {blockExecuted, sum, "fp64 instructions", func(r *Row) *number.Int { return &r.InstFP64 }},
	InstSpecialFP16:              {blockExecuted, sum, "special functions of fp16", nil},
	InstSpecialFP32:              {blockExecuted, sum, "special functions of fp32", func(r *Row) *number.Int { return &r.InstSpecialFP32 }},
	InstSpecialFP64:              {blockExecuted, sum, "special functions of fp64", nil},
	InstInteger:                  {blockExecuted, sum, "integer instructions", func(r *Row) *number.Int { return &r.InstInteger }},
	InstBitConvert:               {blockExecuted, sum, "conversions", func(r *Row) *number.Int { return &r.InstBitConvert }},
	InstControl:                  {blockExecuted, sum, "control instructions", func(r *Row) *number.Int { return &r.InstControl }},
	InstLdSt:                     {blockExecuted, sum, "loads and stores", func(r *Row) *number.Int { return &r.InstLdSt }},
	InstAtomic:                   {blockExecuted, sum, "atomics", func(r *Row) *number.Int { return &r.InstAtomic }},
	InstTexture:                  {blockExecuted, sum, "texture instructions", func(r *Row) *number.Int { return &r.InstTexture }},
	InstInterThread:              {blockExecuted, sum, "exchanges between threads", func(r *Row) *number.Int { return &r.InstInterThread }},
	InstBarrier:                  {blockExecuted, sum, "barrier instructions of threads", func(r *Row) *number.Int { return &r.InstBarrier }},
	InstTensor:                   {blockExecuted, sum, "matrix instructions", func(r *Row) *number.Int { return &r.InstTensor }},
	InstMisc:                     {blockExecuted, sum, "other instructions", func(r *Row) *number.Int { return &r.InstMisc }},
	Branches:                     {blockExecuted, sum, "branches", func(r *Row) *number.Int { return &r.Branches }},
	DivergentBranches:            {blockExecuted, sum, "divergent branches", func(r *Row) *number.Int { return &r.DivergentBranches }},
	ConditionalBranches:          {blockExecuted, sum, "conditional branches", func(r *Row) *number.Int { return &r.ConditionalBranches }},
	DivergentConditionalBranches: {blockExecuted, sum, "divergent conditional branches", nil},
	BranchTargets:                {blockExecuted, sum, "branch targets reached", nil},
	Barriers:                     {blockExecuted, sum, "barriers", func(r *Row) *number.Int { return &r.BarriersExecuted }},
	DivergentBarriers:            {blockExecuted, sum, "divergent barriers", func(r *Row) *number.Int { return &r.DivergentBarriers }},
	LibraryCalls:                 {blockExecuted, sum, "calls of functions of CUDA's that no module defines", func(r *Row) *number.Int { return &r.LibraryCalls }},
	ComputeIssues:                {blockExecuted, sum, "warp instructions that compute", nil},
	ComputeLanes:                 {blockExecuted, sum, "lanes of warp instructions that compute", nil},

	GlobalLoadRequests:    {blockMoved, sum, "requests of loads of global memory", func(r *Row) *number.Int { return &r.GlobalLoadRequests }},
	GlobalStoreRequests:   {blockMoved, sum, "requests of stores to global memory", func(r *Row) *number.Int { return &r.GlobalStoreRequests }},
	LocalLoadRequests:     {blockMoved, sum, "requests of loads of local memory", func(r *Row) *number.Int { return &r.LocalLoadRequests }},
	LocalStoreRequests:    {blockMoved, sum, "requests of stores to local memory", func(r *Row) *number.Int { return &r.LocalStoreRequests }},
	SharedLoadRequests:    {blockMoved, sum, "requests of loads of shared memory", func(r *Row) *number.Int { return &r.SharedLoadRequests }},
	SharedStoreRequests:   {blockMoved, sum, "requests of stores to shared memory", func(r *Row) *number.Int { return &r.SharedStoreRequests }},
	ConstRequests:         {blockMoved, sum, "requests of loads of constants", func(r *Row) *number.Int { return &r.ConstRequests }},
	TexRequests:           {blockMoved, sum, "requests of textures and surfaces", func(r *Row) *number.Int { return &r.TexRequests }},
	AtomicRequests:        {blockMoved, sum, "requests of atomics and reductions", func(r *Row) *number.Int { return &r.AtomicRequests }},
	GlobalLoadSectors:     {blockMoved, sum, "sectors loaded from global memory", func(r *Row) *number.Int { return &r.GldTransactions }},
	GlobalStoreSectors:    {blockMoved, sum, "sectors stored to global memory", func(r *Row) *number.Int { return &r.GstTransactions }},
	LocalLoadSectors:      {blockMoved, sum, "sectors loaded from local memory", func(r *Row) *number.Int { return &r.LocalLoadTransactions }},
	LocalStoreSectors:     {blockMoved, sum, "sectors stored to local memory", func(r *Row) *number.Int { return &r.LocalStoreTransactions }},
	AtomicSectors:         {blockMoved, sum, "sectors of atomics and reductions in global memory", func(r *Row) *number.Int { return &r.AtomicTransactions }},
	TexSectors:            {blockMoved, sum, "sectors of textures and surfaces", func(r *Row) *number.Int { return &r.TexTransactions }},
	GlobalLoadBytes:       {blockMoved, sum, "bytes that loads of global memory ask for", nil},
	GlobalStoreBytes:      {blockMoved, sum, "bytes that stores to global memory write", nil},
	GlobalLoadUniqueBytes: {blockMoved, sum, "distinct bytes of each load of global memory", nil},
	L1Passes:              {blockMoved, sum, "passes over the banks of the L1 by loads and stores of global and local memory", func(r *Row) *number.Int { return &r.L1Passes }},
	ConstPasses:           {blockMoved, sum, "different addresses of each request of constants", func(r *Row) *number.Int { return &r.ConstTransactions }},
	LineAtomicSectors:     {blockMoved, sum, "sectors of atomics in the line of global memory that has the most", func(r *Row) *number.Int { return &r.AtomicLineTransactions }},
	LineAtomicLanes:       {blockMoved, sum, "lanes of atomics in the line of global memory that has the most", func(r *Row) *number.Int { return &r.AtomicLineLanes }},
	SharedLoadPasses:      {blockMoved, sum, "passes over the banks of shared memory by loads and atomics", func(r *Row) *number.Int { return &r.SharedLoadTransactions }},
	SharedStorePasses:     {blockMoved, sum, "passes over the banks of shared memory by stores and reductions", func(r *Row) *number.Int { return &r.SharedStoreTransactions }},
	SharedBytes:           {blockMoved, sum, "bytes of shared memory asked for", nil},
	BytesRequested:        {blockMoved, sum, "bytes of global and local memory asked for", func(r *Row) *number.Int { return &r.BytesRequested }},
	BytesTransferred:      {blockMoved, sum, "bytes of the sectors of global and local memory", func(r *Row) *number.Int { return &r.BytesTransferred }},
	FootprintBytes:        {blockMoved, ofLaunch, "distinct bytes of global and local memory", func(r *Row) *number.Int { return &r.FootprintBytes }},

	L1ReadHits:         {blockCached, sumOfAll, "sectors read that hit in the L1", func(r *Row) *number.Int { return &r.L1ReadHits }},
	L1ReadMisses:       {blockCached, sumOfAll, "sectors read that miss the L1", func(r *Row) *number.Int { return &r.L1ReadMisses }},
	L1WriteHits:        {blockCached, sumOfAll, "sectors written that hit in the L1", func(r *Row) *number.Int { return &r.L1WriteHits }},
	L1WriteMisses:      {blockCached, sumOfAll, "sectors written that miss the L1", func(r *Row) *number.Int { return &r.L1WriteMisses }},
	L2ReadSectors:      {blockCached, sumOfAll, "sectors that the L2 is asked for", func(r *Row) *number.Int { return &r.L2ReadSectors }},
	L2WriteSectors:     {blockCached, sumOfAll, "sectors written to the L2", func(r *Row) *number.Int { return &r.L2WriteSectors }},
	L2ReadHits:         {blockCached, sumOfAll, "sectors read that hit in the L2", func(r *Row) *number.Int { return &r.L2ReadHits }},
	L2WriteHits:        {blockCached, sumOfAll, "sectors written that hit in the L2", func(r *Row) *number.Int { return &r.L2WriteHits }},
	NoCFlits:           {blockCached, sumOfAll, "flits of 40 bytes between SMs and L2", func(r *Row) *number.Int { return &r.NoCFlits }},
	DRAMReadBytes:      {blockCached, sumOfAll, "bytes read from DRAM", func(r *Row) *number.Int { return &r.DRAMReadBytes }},
	DRAMWriteBytes:     {blockCached, sumOfAll, "bytes written to DRAM", func(r *Row) *number.Int { return &r.DRAMWriteBytes }},
	DRAMRowActivations: {blockCached, sumOfAll, "rows of DRAM opened", func(r *Row) *number.Int { return &r.DRAMRowActivations }},
	DRAMAccesses:       {blockCached, sumOfAll, "accesses of DRAM, of as much as it moves at least", func(r *Row) *number.Int { return &r.DRAMAccesses }},
	DRAMAccessRows:     {blockCached, sumOfAll, "rows of DRAM opened if accesses of a row are gathered", func(r *Row) *number.Int { return &r.DRAMAccessRows }},
	CacheCTAs:          {blockCached, sumOfAll, "CTAs that the caches saw", func(r *Row) *number.Int { return &r.CacheCTAs }},
	DRAMFlushBytes:     {noBlock, ofLaunch, "bytes that are dirty in the L2 at the end of a network", func(r *Row) *number.Int { return &r.DRAMFlushBytes }},

	EstWarpInstructions:   {blockEstimated, sum, "machine instructions of warps", func(r *Row) *number.Int { return &r.EstWarpInstructions }},
	EstThreadInstructions: {blockEstimated, sum, "machine instructions of threads", func(r *Row) *number.Int { return &r.EstThreadInstructions }},
	EstInstFP16:           {blockEstimated, sum, "fp16 machine instructions", func(r *Row) *number.Int { return &r.EstInstFP16 }},
	EstInstFP32:           {blockEstimated, sum, "fp32 machine instructions", func(r *Row) *number.Int { return &r.EstInstFP32 }},
	EstInstFP64:           {blockEstimated, sum, "fp64 machine instructions", func(r *Row) *number.Int { return &r.EstInstFP64 }},
	EstInstFP32FMA:        {blockEstimated, sum, "fp32 multiply-adds of the machine code", func(r *Row) *number.Int { return &r.EstInstFP32FMA }},
	EstInstFP64FMA:        {blockEstimated, sum, "fp64 multiply-adds of the machine code", func(r *Row) *number.Int { return &r.EstInstFP64FMA }},
	EstInstSpecial:        {blockEstimated, sum, "special functions of the machine code", func(r *Row) *number.Int { return &r.EstInstSpecial }},
	EstInstInteger:        {blockEstimated, sum, "integer machine instructions", func(r *Row) *number.Int { return &r.EstInstInteger }},
	EstInstBitConvert:     {blockEstimated, sum, "conversions of the machine code", func(r *Row) *number.Int { return &r.EstInstBitConvert }},
	EstInstControl:        {blockEstimated, sum, "control instructions of the machine code", func(r *Row) *number.Int { return &r.EstInstControl }},
	EstInstLdSt:           {blockEstimated, sum, "loads and stores of the machine code", func(r *Row) *number.Int { return &r.EstInstLdSt }},
	EstInstAtomic:         {blockEstimated, sum, "atomics of the machine code", func(r *Row) *number.Int { return &r.EstInstAtomic }},
	EstInstTexture:        {blockEstimated, sum, "texture instructions of the machine code", func(r *Row) *number.Int { return &r.EstInstTexture }},
	EstInstInterThread:    {blockEstimated, sum, "exchanges between threads of the machine code", func(r *Row) *number.Int { return &r.EstInstInterThread }},
	EstInstBarrier:        {blockEstimated, sum, "barrier instructions of the machine code", func(r *Row) *number.Int { return &r.EstInstBarrier }},
	EstInstTensor:         {blockEstimated, sum, "matrix instructions of the machine code", func(r *Row) *number.Int { return &r.EstInstTensor }},
	EstInstMisc:           {blockEstimated, sum, "other machine instructions", func(r *Row) *number.Int { return &r.EstInstMisc }},
	EstInstUniform:        {blockEstimated, sum, "machine instructions of the uniform datapath", func(r *Row) *number.Int { return &r.EstInstUniform }},
	EstBranches:           {blockEstimated, sum, "branches of the machine code", func(r *Row) *number.Int { return &r.EstBranches }},
	EstDivergentBranches:  {blockEstimated, sum, "divergent branches of the machine code", func(r *Row) *number.Int { return &r.EstDivergentBranches }},
	EstFlopSP:             {blockEstimated, sum, "32-bit floating-point operations of the machine code", func(r *Row) *number.Int { return &r.EstFlopSP }},
	EstFlopDP:             {blockEstimated, sum, "64-bit floating-point operations of the machine code", func(r *Row) *number.Int { return &r.EstFlopDP }},
	EstFlopHP:             {blockEstimated, sum, "16-bit floating-point operations of the machine code", func(r *Row) *number.Int { return &r.EstFlopHP }},
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
	if in.Inst.Form.Class != isa.Tensor {
		return
	}
	float, integer := in.Inst.TensorOps()
	f.add(FlopTensor, float*c.Issues)
	f.add(OpTensorInt, integer*c.Issues)
	f.addProducts(machine.ProductOf(in.Inst).Number(), float64(machine.MulAdds(in.Inst)*c.Issues))
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
