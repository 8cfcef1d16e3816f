package analysis

import (
	"fmt"
	"math"

	"hyptx/internal/cache"
	"hyptx/internal/number"
)

// From facts to columns. A [Row] is the form in which a launch is written: it has a
// field for each column, in the order of the file, and nothing computes with it. That
// keeps the two apart which people change for different reasons: what is counted
// ([Facts], read by the models of time and power) and how it is called and shown.
//
// A new column is a field here, with its name in `csv` and `json` and one sentence in
// `doc` ("^" for a field that the sentence before describes, too); a counter's is filled by its
// line of the table, others by the fill functions below. docs/columns.md and --metrics
// follow from the tags.
//
// A column is empty where what it is made of is unknown, never 0: a reader must be
// able to tell a launch without global loads from one whose loads nobody counted.
// Ratios are made here, of the sums, and never averaged: the branch efficiency of a
// network with launches of 1 of 10 and 0 of 90 divergent branches is 99 %, not 95 %.

// Row is a row of profile.csv: one launch, or the total of a network. It is
// made of a launch and its facts to be written, and nothing is read from it. The
// tags are the column names and what each counts, of which docs/columns.md is made.
type Row struct {
	Network         string     `csv:"network" json:"network" doc:"name of the manifest, or of a bare file"`
	File            string     `csv:"file" json:"file" doc:"the module"`
	Kernel          string     `csv:"kernel" json:"kernel" doc:"name in the PTX"`
	KernelDemangled string     `csv:"kernel_demangled" json:"kernel_demangled" doc:"name in C++"`
	Label           string     `csv:"label" json:"label" doc:"of the launch in the manifest"`
	Launch          string     `csv:"launch" json:"launch" doc:"number of the launch from 0, with repeats written out; 'total' in a row that sums up"`
	Kind            string     `csv:"kind" json:"kind" doc:"what the row is of: 'launch', 'total' of a program, or 'grand total' of all programs"`
	Count           number.Int `csv:"count" json:"count" doc:"how often the launch is repeated; all counters are for all repetitions"`

	PTXVersion     string     `csv:"ptx_version" json:"ptx_version" doc:"of the module"`
	PTXTarget      string     `csv:"ptx_target" json:"ptx_target" doc:"^"`
	PTXAddressSize number.Int `csv:"ptx_address_size" json:"ptx_address_size" doc:"^"`

	GridX   number.Int `csv:"grid_x" json:"grid_x" doc:"the launch: grid and block"`
	GridY   number.Int `csv:"grid_y" json:"grid_y" doc:"^"`
	GridZ   number.Int `csv:"grid_z" json:"grid_z" doc:"^"`
	BlockX  number.Int `csv:"block_x" json:"block_x" doc:"^"`
	BlockY  number.Int `csv:"block_y" json:"block_y" doc:"^"`
	BlockZ  number.Int `csv:"block_z" json:"block_z" doc:"^"`
	CTAs    number.Int `csv:"ctas" json:"ctas" doc:"in the grid; warps and threads of all CTAs, without padding lanes"`
	Warps   number.Int `csv:"warps" json:"warps" doc:"^"`
	Threads number.Int `csv:"threads" json:"threads" doc:"^"`

	StaticSharedBytes  number.Int `csv:"static_shared_bytes" json:"static_shared_bytes" doc:"memory that the kernel declares or the launch asks for: shared of a CTA, local of a thread"`
	DynamicSharedBytes number.Int `csv:"dynamic_shared_bytes" json:"dynamic_shared_bytes" doc:"^"`
	LocalBytes         number.Int `csv:"local_bytes" json:"local_bytes" doc:"^"`
	RegistersPerThread number.Int `csv:"registers_per_thread" json:"registers_per_thread" doc:"32-bit registers alive at the point of highest pressure, at least 16: an estimate of what the machine code needs"`

	FileInstructions   number.Int `csv:"file_instructions" json:"file_instructions" doc:"instructions of the module"`
	StaticInstructions number.Int `csv:"static_instructions" json:"static_instructions" doc:"instructions of the kernel and of what it may call; their basic blocks"`
	BasicBlocks        number.Int `csv:"basic_blocks" json:"basic_blocks" doc:"^"`

	SliceInstructions        number.Int  `csv:"slice_instructions" json:"slice_instructions" doc:"size of the filtered dependency graph: what has to be emulated to know the decisions; in percent of static_instructions"`
	SlicePct                 number.Real `csv:"slice_pct" json:"slice_pct" doc:"^"`
	StaticThreadInstructions number.Int  `csv:"static_thread_instructions" json:"static_thread_instructions" doc:"static_instructions x threads: the count of a reader who ignores control flow"`

	WarpInstructions         number.Int `csv:"warp_instructions" json:"warp_instructions" doc:"issued by warps [nvprof inst_executed]"`
	ThreadInstructions       number.Int `csv:"thread_instructions" json:"thread_instructions" doc:"issued for active lanes [thread_inst_executed]"`
	ThreadInstructionsPredOn number.Int `csv:"thread_instructions_pred_on" json:"thread_instructions_pred_on" doc:"executed: the guard holds, too [not_predicated_off_thread_inst_executed]"`

	FlopSP        number.Int `csv:"flop_count_sp" json:"flop_count_sp" doc:"operations of 32 bits, by thread and with the guard: add + mul + 2 fma"`
	FlopSPAdd     number.Int `csv:"flop_count_sp_add" json:"flop_count_sp_add" doc:"additions and subtractions; multiplications; fused multiply-adds, one each; both halves of packed forms"`
	FlopSPMul     number.Int `csv:"flop_count_sp_mul" json:"flop_count_sp_mul" doc:"^"`
	FlopSPFma     number.Int `csv:"flop_count_sp_fma" json:"flop_count_sp_fma" doc:"^"`
	FlopSPSpecial number.Int `csv:"flop_count_sp_special" json:"flop_count_sp_special" doc:"div, rcp, sqrt, rsqrt, sin, cos, lg2, ex2, tanh; not in flop_count_sp"`
	FlopDP        number.Int `csv:"flop_count_dp" json:"flop_count_dp" doc:"the same of 64 bits"`
	FlopDPAdd     number.Int `csv:"flop_count_dp_add" json:"flop_count_dp_add" doc:"^"`
	FlopDPMul     number.Int `csv:"flop_count_dp_mul" json:"flop_count_dp_mul" doc:"^"`
	FlopDPFma     number.Int `csv:"flop_count_dp_fma" json:"flop_count_dp_fma" doc:"^"`
	FlopHP        number.Int `csv:"flop_count_hp" json:"flop_count_hp" doc:"the same of 16 bits (f16 and bf16)"`
	FlopHPAdd     number.Int `csv:"flop_count_hp_add" json:"flop_count_hp_add" doc:"^"`
	FlopHPMul     number.Int `csv:"flop_count_hp_mul" json:"flop_count_hp_mul" doc:"^"`
	FlopHPFma     number.Int `csv:"flop_count_hp_fma" json:"flop_count_hp_fma" doc:"^"`
	FlopTensor    number.Int `csv:"flop_count_tensor" json:"flop_count_tensor" doc:"2 M N K of each matrix operation in floating point"`
	OpTensorInt   number.Int `csv:"op_count_tensor_int" json:"op_count_tensor_int" doc:"2 M N K of each matrix operation on integers or bits"`

	InstFP16        number.Int `csv:"inst_fp_16" json:"inst_fp_16" doc:"executed by threads, by class; each instruction is in one class, so that the classes sum to thread_instructions_pred_on; 'hyptx isa' prints the class of every form. Floating-point arithmetic of 16, 32, 64 bits"`
	InstFP32        number.Int `csv:"inst_fp_32" json:"inst_fp_32" doc:"^"`
	InstFP64        number.Int `csv:"inst_fp_64" json:"inst_fp_64" doc:"^"`
	InstSpecial     number.Int `csv:"inst_special" json:"inst_special" doc:"class: division, roots and transcendental functions"`
	InstSpecialFP32 number.Int `csv:"inst_special_fp32" json:"inst_special_fp32" doc:"the part of inst_special on f32"`
	InstInteger     number.Int `csv:"inst_integer" json:"inst_integer" doc:"class: integer arithmetic, logic, shifts, bit fields, predicate logic"`
	InstBitConvert  number.Int `csv:"inst_bit_convert" json:"inst_bit_convert" doc:"class: cvt"`
	InstControl     number.Int `csv:"inst_control" json:"inst_control" doc:"class: branches, calls, returns, exits, traps"`
	InstLdSt        number.Int `csv:"inst_compute_ld_st" json:"inst_compute_ld_st" doc:"class: loads, stores, asynchronous copies and prefetches, in any space but .param"`
	InstAtomic      number.Int `csv:"inst_atomic" json:"inst_atomic" doc:"class: atom, red and their like"`
	InstTexture     number.Int `csv:"inst_texture" json:"inst_texture" doc:"class: textures and surfaces"`
	InstInterThread number.Int `csv:"inst_inter_thread_communication" json:"inst_inter_thread_communication" doc:"class: shfl, vote, match, redux, activemask, elect"`
	InstBarrier     number.Int `csv:"inst_barrier" json:"inst_barrier" doc:"class: barriers, fences, mbarrier, waits"`
	InstTensor      number.Int `csv:"inst_tensor" json:"inst_tensor" doc:"class: matrix operations"`
	InstMisc        number.Int `csv:"inst_misc" json:"inst_misc" doc:"class: mov, selp, ld.param, st.param and the rest"`

	Branches                       number.Int  `csv:"branches" json:"branches" doc:"bra and brx.idx issued by warps"`
	DivergentBranches              number.Int  `csv:"divergent_branches" json:"divergent_branches" doc:"of these, those whose active lanes have different next instructions"`
	BranchEfficiencyPct            number.Real `csv:"branch_efficiency_pct" json:"branch_efficiency_pct" doc:"100 (branches - divergent_branches) / branches; 100 where there is none"`
	ConditionalBranches            number.Int  `csv:"conditional_branches" json:"conditional_branches" doc:"branches with a guard or an index"`
	ConditionalBranchEfficiencyPct number.Real `csv:"conditional_branch_efficiency_pct" json:"conditional_branch_efficiency_pct" doc:"branch_efficiency_pct over these"`
	BranchTargetsUniformPct        number.Real `csv:"branch_targets_uniform_pct" json:"branch_targets_uniform_pct" doc:"targets reached by all active lanes, in percent of targets reached [smsp__sass_average_branch_targets_threads_uniform]"`
	DivergentBranchesPerCTAMean    number.Real `csv:"divergent_branches_per_cta_mean" json:"divergent_branches_per_cta_mean" doc:"divergent branches of one CTA in one repetition, HyPA's figure: mean and maximum over the CTAs"`
	DivergentBranchesPerCTAMax     number.Int  `csv:"divergent_branches_per_cta_max" json:"divergent_branches_per_cta_max" doc:"^"`
	DistinctThreadPathsMax         number.Int  `csv:"distinct_thread_paths_max" json:"distinct_thread_paths_max" doc:"with --paths: the most different sequences of branch outcomes in one CTA"`
	WarpExecutionEfficiencyPct     number.Real `csv:"warp_execution_efficiency_pct" json:"warp_execution_efficiency_pct" doc:"100 thread_instructions / (32 warp_instructions)"`
	WarpNonpredExecutionEfficiency number.Real `csv:"warp_nonpred_execution_efficiency_pct" json:"warp_nonpred_execution_efficiency_pct" doc:"100 thread_instructions_pred_on / (32 warp_instructions)"`
	ExecActiveLanesMean            number.Real `csv:"exec_active_lanes_mean" json:"exec_active_lanes_mean" doc:"mean active lanes of the instructions whose lanes do work of their own: classes fp, special, integer, bit_convert, tensor, texture"`
	BarriersExecuted               number.Int  `csv:"barriers_executed" json:"barriers_executed" doc:"bar and barrier issued by warps (not bar.warp.sync)"`
	DivergentBarriers              number.Int  `csv:"divergent_barriers" json:"divergent_barriers" doc:"of these, those that a part of a warp's lanes reached"`
	LibraryCalls                   number.Int  `csv:"library_calls" json:"library_calls" doc:"calls by warps of functions of CUDA's that no module defines (libdevice's, vprintf, malloc ...): the call is counted, nothing of what is inside, and the launch is assumed"`
	DependencyGraphs               number.Int  `csv:"dependency_graphs" json:"dependency_graphs" doc:"different graphs that %ctaid specialises the launch's graph to, at most 1000"`
	CTAClasses                     number.Int  `csv:"cta_classes" json:"cta_classes" doc:"classes of CTAs with equal counters among those that were run"`

	MemoryBlock

	CacheBlock

	MachineBlock

	Exactness                string      `csv:"exactness" json:"exactness" doc:"'exact'; 'scheduled': a decision depends on the order of warps or CTAs, or on a clock; 'undefined': on what the manual leaves open within a warp, or on the machine; 'assumed': a decision depends on what nobody gave, or the grid, the block or a structure was not given. A total has the weakest of its launches"`
	MemoryExactness          string      `csv:"memory_exactness" json:"memory_exactness" doc:"the same of the memory block: decisions, and addresses of requests; 'sampled' where with --sample a part of the CTAs was run for it, and what they moved stands for all: exact where CTAs that execute the same move as much, else an estimate"`
	TrustedAccesses          number.Int  `csv:"trusted_accesses" json:"trusted_accesses" doc:"mode control, and mode memory with --sample: accesses in the text whose run-time index is trusted to stay in its buffer, so that stores outside of the slice do not reach what it reads; other modes see the addresses, and find it out"`
	AssumedDecisions         number.Int  `csv:"assumed_decisions" json:"assumed_decisions" doc:"decisions of warps that depended on something assumed"`
	ForgivenAccesses         number.Int  `csv:"forgiven_accesses" json:"forgiven_accesses" doc:"with --out-of-bounds warn: accesses of lanes, by elements of vectors, that hit no memory: reads gave 0, stores were dropped. Decisions and addresses on what was read so are 'assumed'. Mode control sees those of its slice only"`
	AssumedInputs            string      `csv:"assumed_inputs" json:"assumed_inputs" doc:"what was assumed of the launch, or the buffers without 'init' that were read before they were written"`
	Error                    string      `csv:"error" json:"error" doc:"why the launch failed: then nothing was counted of it; of a total how many launches are not in it because they failed. A launch after it that may read what it was to write is 'assumed'"`
	EmulatedCTAs             number.Int  `csv:"emulated_ctas" json:"emulated_ctas" doc:"what was really run"`
	EmulatedWarpInstructions number.Int  `csv:"emulated_warp_instructions" json:"emulated_warp_instructions" doc:"^"`
	AnalysisMS               number.Real `csv:"analysis_ms" json:"analysis_ms" doc:"how long the analysis took; empty unless --analysis-time asks for it, so that equal runs write equal files"`
}

// MemoryBlock is the memory block of a row: empty but in modes memory and full.
type MemoryBlock struct {
	GlobalLoadRequests      number.Int  `csv:"global_load_requests" json:"global_load_requests" doc:"accesses of a warp that at least one lane executes, by the space that the address lies in (a generic access may be several); a thread's bulk copy is one access of global memory, and none of shared, which st.async and red.async are not either"`
	GlobalStoreRequests     number.Int  `csv:"global_store_requests" json:"global_store_requests" doc:"^"`
	LocalLoadRequests       number.Int  `csv:"local_load_requests" json:"local_load_requests" doc:"^"`
	LocalStoreRequests      number.Int  `csv:"local_store_requests" json:"local_store_requests" doc:"^"`
	SharedLoadRequests      number.Int  `csv:"shared_load_requests" json:"shared_load_requests" doc:"^"`
	SharedStoreRequests     number.Int  `csv:"shared_store_requests" json:"shared_store_requests" doc:"^"`
	ConstRequests           number.Int  `csv:"const_requests" json:"const_requests" doc:"^"`
	TexRequests             number.Int  `csv:"tex_requests" json:"tex_requests" doc:"of textures and surfaces: one that nobody described moves nobody knows what, so that the columns of memory are empty"`
	AtomicRequests          number.Int  `csv:"atomic_requests" json:"atomic_requests" doc:"atom and red of every space, in no other column of requests; cp.async is a load of global and a store to shared memory"`
	GldTransactions         number.Int  `csv:"gld_transactions" json:"gld_transactions" doc:"sectors: different aligned 32 bytes that the executing lanes of a request touch, vectors as one access. Of global loads and stores, bulk copies among them"`
	GstTransactions         number.Int  `csv:"gst_transactions" json:"gst_transactions" doc:"^"`
	LocalLoadTransactions   number.Int  `csv:"local_load_transactions" json:"local_load_transactions" doc:"sectors of local memory: word n of a lane lies at (32 n + lane) * 4 of its warp's"`
	LocalStoreTransactions  number.Int  `csv:"local_store_transactions" json:"local_store_transactions" doc:"^"`
	AtomicTransactions      number.Int  `csv:"atomic_transactions" json:"atomic_transactions" doc:"sectors of atomics in global memory"`
	TexTransactions         number.Int  `csv:"tex_transactions" json:"tex_transactions" doc:"sectors of textures and surfaces. Arrays are taken to lie as the buffer does, row after row, which a GPU's do not: memory_exactness is then 'assumed'; in linear memory they lie so"`
	GldEfficiencyPct        number.Real `csv:"gld_efficiency_pct" json:"gld_efficiency_pct" doc:"100 x bytes that the lanes asked for / (32 x transactions): above 100 where lanes share bytes"`
	GstEfficiencyPct        number.Real `csv:"gst_efficiency_pct" json:"gst_efficiency_pct" doc:"^"`
	GldUniqueEfficiencyPct  number.Real `csv:"gld_unique_efficiency_pct" json:"gld_unique_efficiency_pct" doc:"gld_efficiency_pct with the different bytes of each request"`
	SharedLoadTransactions  number.Int  `csv:"shared_load_transactions" json:"shared_load_transactions" doc:"passes over 32 banks of 4 bytes: the most different words that one bank has to give. 64-bit accesses pass in two groups of lanes, 128-bit ones in four; from sm_70 on two neighbouring groups go as one if all lanes n and n^1, or n and n^2, have equal addresses. Shared atom is in the loads and red in the stores, with a pass for each lane on the same word"`
	SharedStoreTransactions number.Int  `csv:"shared_store_transactions" json:"shared_store_transactions" doc:"^"`
	SharedEfficiencyPct     number.Real `csv:"shared_efficiency_pct" json:"shared_efficiency_pct" doc:"100 x bytes that the lanes asked for / (128 x passes)"`
	L1Passes                number.Int  `csv:"l1_passes" json:"l1_passes" doc:"passes over the banks of the L1, in which its data lies as that of shared memory does, by loads and stores of global and local memory: 32 where the lanes read a column of a matrix, 1 where they read a row"`
	ConstTransactions       number.Int  `csv:"const_transactions" json:"const_transactions" doc:"different addresses of each request of constants, which are read one after the other: 1 where all lanes want one"`
	AtomicLineTransactions  number.Int  `csv:"atomic_line_transactions" json:"atomic_line_transactions" doc:"of atomic_transactions those in the line of 128 bytes that has the most, which come one after the other: as many as atomic_transactions where all add to one counter. Lines are told apart by 13 bits of a hash: of atomics to thousands of lines it is a bound from above"`
	AtomicLineLanes         number.Int  `csv:"atomic_line_lanes" json:"atomic_line_lanes" doc:"lanes whose atomics wait for one another in the line that has the most: of each request as many as want one word, at least one; told apart likewise"`
	BytesRequested          number.Int  `csv:"bytes_requested" json:"bytes_requested" doc:"of global and local memory and of textures, atomics too: what the lanes asked for; each element that a fetch of a texture weights"`
	BytesTransferred        number.Int  `csv:"bytes_transferred" json:"bytes_transferred" doc:"32 x transactions of global and local memory and of textures"`
	FootprintBytes          number.Int  `csv:"footprint_bytes" json:"footprint_bytes" doc:"different bytes of global and local memory, textures among them, that were touched; of a network their union, where local memory is used again by the next launch; empty where a sample was run"`
}

// CacheBlock is the cache block of a row: empty unless a GPU was chosen. It is
// a model's answer (package cache), not a count. Sectors have 32 bytes.
type CacheBlock struct {
	L1ReadHits         number.Int  `csv:"l1_read_hits" json:"l1_read_hits" doc:"sectors that the SMs' L1 caches found or not. Atomics pass the L1 by, and so do loads that must see what other SMs wrote: .cg (cp.async.cg, too), .cv, volatile ones and those ordered beyond the CTA"`
	L1ReadMisses       number.Int  `csv:"l1_read_misses" json:"l1_read_misses" doc:"^"`
	L1WriteHits        number.Int  `csv:"l1_write_hits" json:"l1_write_hits" doc:"^"`
	L1WriteMisses      number.Int  `csv:"l1_write_misses" json:"l1_write_misses" doc:"^"`
	L1HitRatePct       number.Real `csv:"l1_hit_rate_pct" json:"l1_hit_rate_pct" doc:"read hits in percent of reads"`
	L2ReadSectors      number.Int  `csv:"l2_read_sectors" json:"l2_read_sectors" doc:"sectors that reached the L2, and those of them that it held; an atomic is a read"`
	L2WriteSectors     number.Int  `csv:"l2_write_sectors" json:"l2_write_sectors" doc:"^"`
	L2ReadHits         number.Int  `csv:"l2_read_hits" json:"l2_read_hits" doc:"^"`
	L2WriteHits        number.Int  `csv:"l2_write_hits" json:"l2_write_hits" doc:"^"`
	L2HitRatePct       number.Real `csv:"l2_hit_rate_pct" json:"l2_hit_rate_pct" doc:"^"`
	NoCFlits           number.Int  `csv:"noc_flits" json:"noc_flits" doc:"40-byte flits between SMs and L2, both ways"`
	DRAMReadBytes      number.Int  `csv:"dram_read_bytes" json:"dram_read_bytes" doc:"what crossed the DRAM interface during the launch"`
	DRAMWriteBytes     number.Int  `csv:"dram_write_bytes" json:"dram_write_bytes" doc:"^"`
	DRAMFlushBytes     number.Int  `csv:"dram_flush_bytes" json:"dram_flush_bytes" doc:"in the total: what the L2 still had to write back at the end"`
	DRAMRowActivations number.Int  `csv:"dram_row_activations" json:"dram_row_activations" doc:"accesses that opened a DRAM row of 2 KiB"`
	DRAMAccesses       number.Int  `csv:"dram_accesses" json:"dram_accesses" doc:"accesses of as many bytes as DRAM moves at least (32, or 64 in HBM and GDDR5X, of which what nobody asked for stays in the L2); of these those whose row was not open, where a controller gathers the requests in its queue that are of one row. Empty where time is simulated"`
	DRAMAccessRows     number.Int  `csv:"dram_access_rows" json:"dram_access_rows" doc:"^"`
	CacheModel         string      `csv:"cache_model" json:"cache_model" doc:"the GPU whose caches these are; 'sampled' where --sample left something out"`
	CacheCTAs          number.Int  `csv:"cache_ctas" json:"cache_ctas" doc:"CTAs that the caches saw: of launches with a count, those of the first repetition and of one that stands for the others"`
	CacheErrorPct      number.Real `csv:"cache_error_pct" json:"cache_error_pct" doc:"of a sample: one standard uncertainty of dram_read_bytes + dram_write_bytes, in percent of them; empty where they are 0 and need not be"`
}

// MachineBlock is the block of columns that package machine estimates: what ptxas
// is expected to make of the PTX. Counts are rounded; the classes count, as
// those of the PTX do, threads whose guard held.
type MachineBlock struct {
	EstWarpInstructions   number.Int `csv:"est_machine_warp_instructions" json:"est_machine_warp_instructions" doc:"an estimate, rounded: the machine instructions that ptxas is expected to make of the PTX, with the exact counts of the PTX"`
	EstThreadInstructions number.Int `csv:"est_machine_thread_instructions" json:"est_machine_thread_instructions" doc:"^"`

	EstInstFP16        number.Int `csv:"est_inst_fp_16" json:"est_inst_fp_16" doc:"the same by class, as inst_*"`
	EstInstFP32        number.Int `csv:"est_inst_fp_32" json:"est_inst_fp_32" doc:"^"`
	EstInstFP64        number.Int `csv:"est_inst_fp_64" json:"est_inst_fp_64" doc:"^"`
	EstInstFP32FMA     number.Int `csv:"est_inst_fp_32_fma" json:"est_inst_fp_32_fma" doc:"multiply-adds among est_inst_fp_32 and est_inst_fp_64"`
	EstInstFP64FMA     number.Int `csv:"est_inst_fp_64_fma" json:"est_inst_fp_64_fma" doc:"^"`
	EstInstSpecial     number.Int `csv:"est_inst_special" json:"est_inst_special" doc:"^"`
	EstInstInteger     number.Int `csv:"est_inst_integer" json:"est_inst_integer" doc:"^"`
	EstInstBitConvert  number.Int `csv:"est_inst_bit_convert" json:"est_inst_bit_convert" doc:"^"`
	EstInstControl     number.Int `csv:"est_inst_control" json:"est_inst_control" doc:"^"`
	EstInstLdSt        number.Int `csv:"est_inst_compute_ld_st" json:"est_inst_compute_ld_st" doc:"^"`
	EstInstAtomic      number.Int `csv:"est_inst_atomic" json:"est_inst_atomic" doc:"^"`
	EstInstTexture     number.Int `csv:"est_inst_texture" json:"est_inst_texture" doc:"^"`
	EstInstInterThread number.Int `csv:"est_inst_inter_thread_communication" json:"est_inst_inter_thread_communication" doc:"^"`
	EstInstBarrier     number.Int `csv:"est_inst_barrier" json:"est_inst_barrier" doc:"^"`
	EstInstTensor      number.Int `csv:"est_inst_tensor" json:"est_inst_tensor" doc:"^"`
	EstInstMisc        number.Int `csv:"est_inst_misc" json:"est_inst_misc" doc:"^"`
	EstInstUniform     number.Int `csv:"est_inst_uniform" json:"est_inst_uniform" doc:"warp instructions that the uniform datapath of sm_75 and later is expected to run, for all lanes at once: in no class, but in est_machine_warp_instructions"`
	EstBranches        number.Int `csv:"est_branches" json:"est_branches" doc:"branches that warps are expected to issue: without those that become predicated instructions or EXIT, or SYNC on Maxwell and Pascal"`

	EstDivergentBranches   number.Int  `csv:"est_divergent_branches" json:"est_divergent_branches" doc:"of these, those whose active lanes go to different places"`
	EstBranchEfficiencyPct number.Real `csv:"est_branch_efficiency_pct" json:"est_branch_efficiency_pct" doc:"100 (est_branches - est_divergent_branches) / est_branches; 100 where there is none"`

	EstFlopSP number.Int `csv:"est_flop_count_sp" json:"est_flop_count_sp" doc:"floating-point operations of the machine code by thread and with the guard, of 32, 64 and 16 bits: with those that divisions and special functions are made of"`
	EstFlopDP number.Int `csv:"est_flop_count_dp" json:"est_flop_count_dp" doc:"^"`
	EstFlopHP number.Int `csv:"est_flop_count_hp" json:"est_flop_count_hp" doc:"^"`
}

// row makes the row of a launch. What stands here and not in newRow has no meaning
// for a total: a network has no grid and, as a rule, more than one kernel.
func (lp *LaunchProfile) row() *Row {
	r := newRow(&lp.Launch, &lp.Facts)
	m := lp.Kernel.Module
	r.Launch, r.Kind = lp.Name(), KindLaunch
	r.File, r.Kernel, r.KernelDemangled, r.Label = lp.File, lp.KernelName, lp.Demangled, lp.Label
	r.PTXVersion = fmt.Sprintf("%d.%d", m.PTXVersion/100, m.PTXVersion%100)
	r.PTXTarget, r.PTXAddressSize = lp.Target.String(), number.Count(uint64(m.AddressSize))
	r.GridX, r.GridY, r.GridZ = number.Count(uint64(lp.Grid[0])), number.Count(uint64(lp.Grid[1])), number.Count(uint64(lp.Grid[2]))
	r.BlockX, r.BlockY, r.BlockZ = number.Count(uint64(lp.Block[0])), number.Count(uint64(lp.Block[1])), number.Count(uint64(lp.Block[2]))
	return r
}

// The kinds of rows: of a launch, of all launches of a program, and of all
// programs that were named together.
const (
	KindLaunch     = "launch"
	KindTotal      = "total"
	kindGrandTotal = "grand total"
)

// newRow makes a row of what a launch, or a network, and its total have alike: the
// counters' own columns (the table counters), then those made of several. A counter
// that is unknown leaves its columns empty.
func newRow(l *Launch, f *Facts) *Row {
	r := &Row{Network: l.Network, Launch: KindTotal, Kind: KindTotal, Exactness: l.Exactness, MemoryExactness: l.MemoryExactness, AssumedInputs: l.AssumedInputs, Error: l.Error, AnalysisMS: l.AnalysisMS}
	for c := range NumCounters {
		if column := counters[c].column; column != nil {
			*column(r) = f.Of(c)
		}
	}
	r.fillInstructions(f)
	r.fillControl(f)
	r.MemoryBlock.fill(f)
	r.CacheBlock.fill(f, l.CacheGPU)
	return r
}

// fillInstructions fills what counts of instructions together say.
func (r *Row) fillInstructions(f *Facts) {
	r.SlicePct = number.PercentOf(f.Of(SliceInstructions), f.Of(StaticInstructions), number.Ratio(0))
	r.FlopSP = f.flops(FlopSPAdd, FlopSPMul, FlopSPFma)
	r.FlopDP = f.flops(FlopDPAdd, FlopDPMul, FlopDPFma)
	r.FlopHP = f.flops(FlopHPAdd, FlopHPMul, FlopHPFma)
	r.InstSpecial = f.InstSpecial()
}

// fillControl fills what says how divergent a launch is. nvprof's definitions hold:
// branch_efficiency counts warps at branches, warp_execution_efficiency the lanes of
// all instructions. One branch that splits a warp in two spoils the first by one, the
// second by all that the halves execute one after the other.
func (r *Row) fillControl(f *Facts) {
	hundred := number.Ratio(100) // where there is no branch
	estimated := f.Of(EstBranches)
	r.EstBranchEfficiencyPct = number.PercentOf(estimated.Less(f.Of(EstDivergentBranches)), estimated, hundred)
	uniform := f.Of(Branches).Less(f.Of(DivergentBranches))
	r.BranchEfficiencyPct = number.PercentOf(uniform, f.Of(Branches), hundred)
	conditional := f.Of(ConditionalBranches)
	r.ConditionalBranchEfficiencyPct = number.PercentOf(conditional.Less(f.Of(DivergentConditionalBranches)), conditional, hundred)
	r.BranchTargetsUniformPct = number.PercentOf(uniform, f.Of(BranchTargets), hundred)
	if n := f.Of(DivergentBranches); n.Known {
		r.DivergentBranchesPerCTAMean = number.Ratio(float64(n.N) / max(f.X(CTAExecutions), 1))
	}
	lanes := f.Of(WarpInstructions).Times(32)
	r.WarpExecutionEfficiencyPct = number.PercentOf(f.Of(ThreadInstructions), lanes, number.Real{})
	r.WarpNonpredExecutionEfficiency = number.PercentOf(f.Of(ThreadInstructionsPredOn), lanes, number.Real{})
	if n := f.X(ComputeIssues); n > 0 {
		r.ExecActiveLanesMean = number.Ratio(f.X(ComputeLanes) / n)
	}
}

// fill writes how well the accesses used what they moved. An efficiency is what the lanes asked for as a
// part of what was moved for them: 32 lanes that load 4 bytes each from 32 sectors
// have 100 * 128 / 1024 = 12.5 %, and 400 % if all load the same word.
func (r *MemoryBlock) fill(f *Facts) {
	loaded, stored := f.Of(GlobalLoadSectors).Times(sectorBytes), f.Of(GlobalStoreSectors).Times(sectorBytes)
	r.GldEfficiencyPct = number.PercentOf(f.Of(GlobalLoadBytes), loaded, number.Real{})
	r.GstEfficiencyPct = number.PercentOf(f.Of(GlobalStoreBytes), stored, number.Real{})
	r.GldUniqueEfficiencyPct = number.PercentOf(f.Of(GlobalLoadUniqueBytes), loaded, number.Real{})
	r.SharedEfficiencyPct = number.PercentOf(f.Of(SharedBytes), f.sumOf(SharedLoadPasses, SharedStorePasses).Times(passBytes), number.Real{})
}

// fill writes how well the caches of a GPU did.
func (r *CacheBlock) fill(f *Facts, gpu string) {
	if !f.Of(L1ReadHits).Known {
		return
	}
	r.L1HitRatePct = number.PercentOf(f.Of(L1ReadHits), f.sumOf(L1ReadHits, L1ReadMisses), number.Real{})
	r.L2HitRatePct = number.PercentOf(f.Of(L2ReadHits), f.Of(L2ReadSectors), number.Real{})
	r.CacheModel, r.CacheErrorPct = f.CacheModel(gpu), f.CacheErrorPct()
}

// CacheModel names the model of a GPU's caches, and says if it saw a sample or is a
// simulation's.
func (f *Facts) CacheModel(gpu string) string {
	switch {
	case f.CachesSimulated:
		return gpu + ", simulated"
	case f.DRAMVariance.Known:
		return gpu + ", sampled"
	}
	return gpu
}

// CacheErrorPct is the standard uncertainty of the bytes that cross the DRAM
// interface, in percent of them: unknown where the caches saw everything. CTAs of a sample that are all
// alike say nothing of others that are not: it is no less than by what the caches were asked for
// too much or too little, which is known where the sectors of all CTAs are.
func (f *Facts) CacheErrorPct() number.Real {
	v := f.DRAMVariance
	if !v.Known {
		return number.Real{}
	}
	spread := 0.0
	if sectors := f.X(DRAMReadBytes)/cache.SectorBytes + f.X(DRAMWriteBytes)/cache.SectorBytes; sectors > 0 {
		spread = math.Sqrt(v.X) / sectors
	} else if v.X > 0 {
		return number.Real{}
	}
	return number.Ratio(100 * max(spread, f.unasked()))
}

// unasked is by what share of them the caches of a sample were asked for too few sectors, or too many.
func (f *Facts) unasked() float64 {
	all := f.sumOf(GlobalLoadSectors, LocalLoadSectors, TexSectors, AtomicSectors)
	if !all.Known || f.TrafficSampled || all.N == 0 {
		return 0
	}
	asked := f.X(L1ReadHits) + f.X(L2ReadSectors) // what misses the L1, or passes it by, asks the L2
	return math.Abs(float64(all.N)/max(asked, 1) - 1)
}
