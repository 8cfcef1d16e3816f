package analysis

// Row is a row of profile.csv: one launch, or the total of a network. It is
// made of a launch and its facts to be written, and nothing is read from it. The
// tags are the column names; DESIGN.md says what each counts.
type Row struct {
	Network         string `csv:"network" json:"network"`
	File            string `csv:"file" json:"file"`
	Kernel          string `csv:"kernel" json:"kernel"`
	KernelDemangled string `csv:"kernel_demangled" json:"kernel_demangled"`
	Label           string `csv:"label" json:"label"`
	Launch          string `csv:"launch" json:"launch"`
	Count           Int    `csv:"count" json:"count"`

	PTXVersion     string `csv:"ptx_version" json:"ptx_version"`
	PTXTarget      string `csv:"ptx_target" json:"ptx_target"`
	PTXAddressSize Int    `csv:"ptx_address_size" json:"ptx_address_size"`

	GridX   Int `csv:"grid_x" json:"grid_x"`
	GridY   Int `csv:"grid_y" json:"grid_y"`
	GridZ   Int `csv:"grid_z" json:"grid_z"`
	BlockX  Int `csv:"block_x" json:"block_x"`
	BlockY  Int `csv:"block_y" json:"block_y"`
	BlockZ  Int `csv:"block_z" json:"block_z"`
	CTAs    Int `csv:"ctas" json:"ctas"`
	Warps   Int `csv:"warps" json:"warps"`
	Threads Int `csv:"threads" json:"threads"`

	StaticSharedBytes  Int `csv:"static_shared_bytes" json:"static_shared_bytes"`
	DynamicSharedBytes Int `csv:"dynamic_shared_bytes" json:"dynamic_shared_bytes"`
	LocalBytes         Int `csv:"local_bytes" json:"local_bytes"`
	RegistersPerThread Int `csv:"registers_per_thread" json:"registers_per_thread"`

	FileInstructions   Int `csv:"file_instructions" json:"file_instructions"`
	StaticInstructions Int `csv:"static_instructions" json:"static_instructions"`
	BasicBlocks        Int `csv:"basic_blocks" json:"basic_blocks"`

	SliceInstructions        Int  `csv:"slice_instructions" json:"slice_instructions"`
	SlicePct                 Real `csv:"slice_pct" json:"slice_pct"`
	StaticThreadInstructions Int  `csv:"static_thread_instructions" json:"static_thread_instructions"`

	WarpInstructions         Int `csv:"warp_instructions" json:"warp_instructions"`
	ThreadInstructions       Int `csv:"thread_instructions" json:"thread_instructions"`
	ThreadInstructionsPredOn Int `csv:"thread_instructions_pred_on" json:"thread_instructions_pred_on"`

	FlopSP        Int `csv:"flop_count_sp" json:"flop_count_sp"`
	FlopSPAdd     Int `csv:"flop_count_sp_add" json:"flop_count_sp_add"`
	FlopSPMul     Int `csv:"flop_count_sp_mul" json:"flop_count_sp_mul"`
	FlopSPFma     Int `csv:"flop_count_sp_fma" json:"flop_count_sp_fma"`
	FlopSPSpecial Int `csv:"flop_count_sp_special" json:"flop_count_sp_special"`
	FlopDP        Int `csv:"flop_count_dp" json:"flop_count_dp"`
	FlopDPAdd     Int `csv:"flop_count_dp_add" json:"flop_count_dp_add"`
	FlopDPMul     Int `csv:"flop_count_dp_mul" json:"flop_count_dp_mul"`
	FlopDPFma     Int `csv:"flop_count_dp_fma" json:"flop_count_dp_fma"`
	FlopHP        Int `csv:"flop_count_hp" json:"flop_count_hp"`
	FlopHPAdd     Int `csv:"flop_count_hp_add" json:"flop_count_hp_add"`
	FlopHPMul     Int `csv:"flop_count_hp_mul" json:"flop_count_hp_mul"`
	FlopHPFma     Int `csv:"flop_count_hp_fma" json:"flop_count_hp_fma"`
	FlopTensor    Int `csv:"flop_count_tensor" json:"flop_count_tensor"`
	OpTensorInt   Int `csv:"op_count_tensor_int" json:"op_count_tensor_int"`

	InstFP16        Int `csv:"inst_fp_16" json:"inst_fp_16"`
	InstFP32        Int `csv:"inst_fp_32" json:"inst_fp_32"`
	InstFP64        Int `csv:"inst_fp_64" json:"inst_fp_64"`
	InstSpecial     Int `csv:"inst_special" json:"inst_special"`
	InstSpecialFP32 Int `csv:"inst_special_fp32" json:"inst_special_fp32"`
	InstInteger     Int `csv:"inst_integer" json:"inst_integer"`
	InstBitConvert  Int `csv:"inst_bit_convert" json:"inst_bit_convert"`
	InstControl     Int `csv:"inst_control" json:"inst_control"`
	InstLdSt        Int `csv:"inst_compute_ld_st" json:"inst_compute_ld_st"`
	InstAtomic      Int `csv:"inst_atomic" json:"inst_atomic"`
	InstTexture     Int `csv:"inst_texture" json:"inst_texture"`
	InstInterThread Int `csv:"inst_inter_thread_communication" json:"inst_inter_thread_communication"`
	InstBarrier     Int `csv:"inst_barrier" json:"inst_barrier"`
	InstTensor      Int `csv:"inst_tensor" json:"inst_tensor"`
	InstMisc        Int `csv:"inst_misc" json:"inst_misc"`

	Branches                       Int  `csv:"branches" json:"branches"`
	DivergentBranches              Int  `csv:"divergent_branches" json:"divergent_branches"`
	BranchEfficiencyPct            Real `csv:"branch_efficiency_pct" json:"branch_efficiency_pct"`
	ConditionalBranches            Int  `csv:"conditional_branches" json:"conditional_branches"`
	ConditionalBranchEfficiencyPct Real `csv:"conditional_branch_efficiency_pct" json:"conditional_branch_efficiency_pct"`
	BranchTargetsUniformPct        Real `csv:"branch_targets_uniform_pct" json:"branch_targets_uniform_pct"`
	DivergentBranchesPerCTAMean    Real `csv:"divergent_branches_per_cta_mean" json:"divergent_branches_per_cta_mean"`
	DivergentBranchesPerCTAMax     Int  `csv:"divergent_branches_per_cta_max" json:"divergent_branches_per_cta_max"`
	DistinctThreadPathsMax         Int  `csv:"distinct_thread_paths_max" json:"distinct_thread_paths_max"`
	WarpExecutionEfficiencyPct     Real `csv:"warp_execution_efficiency_pct" json:"warp_execution_efficiency_pct"`
	WarpNonpredExecutionEfficiency Real `csv:"warp_nonpred_execution_efficiency_pct" json:"warp_nonpred_execution_efficiency_pct"`
	ExecActiveLanesMean            Real `csv:"exec_active_lanes_mean" json:"exec_active_lanes_mean"`
	BarriersExecuted               Int  `csv:"barriers_executed" json:"barriers_executed"`
	DivergentBarriers              Int  `csv:"divergent_barriers" json:"divergent_barriers"`
	DependencyGraphs               Int  `csv:"dependency_graphs" json:"dependency_graphs"`
	CTAClasses                     Int  `csv:"cta_classes" json:"cta_classes"`

	MemoryBlock

	CacheBlock

	MachineBlock

	Exactness                string `csv:"exactness" json:"exactness"`
	AssumedDecisions         Int    `csv:"assumed_decisions" json:"assumed_decisions"`
	AssumedInputs            string `csv:"assumed_inputs" json:"assumed_inputs"`
	EmulatedCTAs             Int    `csv:"emulated_ctas" json:"emulated_ctas"`
	EmulatedWarpInstructions Int    `csv:"emulated_warp_instructions" json:"emulated_warp_instructions"`
	AnalysisMS               Real   `csv:"analysis_ms" json:"analysis_ms"`
}

// MemoryBlock is the memory block of a row: empty but in modes memory and full.
type MemoryBlock struct {
	GlobalLoadRequests      Int  `csv:"global_load_requests" json:"global_load_requests"`
	GlobalStoreRequests     Int  `csv:"global_store_requests" json:"global_store_requests"`
	LocalLoadRequests       Int  `csv:"local_load_requests" json:"local_load_requests"`
	LocalStoreRequests      Int  `csv:"local_store_requests" json:"local_store_requests"`
	SharedLoadRequests      Int  `csv:"shared_load_requests" json:"shared_load_requests"`
	SharedStoreRequests     Int  `csv:"shared_store_requests" json:"shared_store_requests"`
	ConstRequests           Int  `csv:"const_requests" json:"const_requests"`
	TexRequests             Int  `csv:"tex_requests" json:"tex_requests"`
	AtomicRequests          Int  `csv:"atomic_requests" json:"atomic_requests"`
	GldTransactions         Int  `csv:"gld_transactions" json:"gld_transactions"`
	GstTransactions         Int  `csv:"gst_transactions" json:"gst_transactions"`
	LocalLoadTransactions   Int  `csv:"local_load_transactions" json:"local_load_transactions"`
	LocalStoreTransactions  Int  `csv:"local_store_transactions" json:"local_store_transactions"`
	AtomicTransactions      Int  `csv:"atomic_transactions" json:"atomic_transactions"`
	GldEfficiencyPct        Real `csv:"gld_efficiency_pct" json:"gld_efficiency_pct"`
	GstEfficiencyPct        Real `csv:"gst_efficiency_pct" json:"gst_efficiency_pct"`
	GldUniqueEfficiencyPct  Real `csv:"gld_unique_efficiency_pct" json:"gld_unique_efficiency_pct"`
	SharedLoadTransactions  Int  `csv:"shared_load_transactions" json:"shared_load_transactions"`
	SharedStoreTransactions Int  `csv:"shared_store_transactions" json:"shared_store_transactions"`
	SharedEfficiencyPct     Real `csv:"shared_efficiency_pct" json:"shared_efficiency_pct"`
	BytesRequested          Int  `csv:"bytes_requested" json:"bytes_requested"`
	BytesTransferred        Int  `csv:"bytes_transferred" json:"bytes_transferred"`
	FootprintBytes          Int  `csv:"footprint_bytes" json:"footprint_bytes"`
}

// CacheBlock is the cache block of a row: empty unless a GPU was chosen. It is
// a model's answer (package cache), not a count. Sectors have 32 bytes.
type CacheBlock struct {
	L1ReadHits         Int    `csv:"l1_read_hits" json:"l1_read_hits"`
	L1ReadMisses       Int    `csv:"l1_read_misses" json:"l1_read_misses"`
	L1WriteHits        Int    `csv:"l1_write_hits" json:"l1_write_hits"`
	L1WriteMisses      Int    `csv:"l1_write_misses" json:"l1_write_misses"`
	L1HitRatePct       Real   `csv:"l1_hit_rate_pct" json:"l1_hit_rate_pct"`
	L2ReadSectors      Int    `csv:"l2_read_sectors" json:"l2_read_sectors"`
	L2WriteSectors     Int    `csv:"l2_write_sectors" json:"l2_write_sectors"`
	L2ReadHits         Int    `csv:"l2_read_hits" json:"l2_read_hits"`
	L2WriteHits        Int    `csv:"l2_write_hits" json:"l2_write_hits"`
	L2HitRatePct       Real   `csv:"l2_hit_rate_pct" json:"l2_hit_rate_pct"`
	NoCFlits           Int    `csv:"noc_flits" json:"noc_flits"`
	DRAMReadBytes      Int    `csv:"dram_read_bytes" json:"dram_read_bytes"`
	DRAMWriteBytes     Int    `csv:"dram_write_bytes" json:"dram_write_bytes"`
	DRAMFlushBytes     Int    `csv:"dram_flush_bytes" json:"dram_flush_bytes"`
	DRAMRowActivations Int    `csv:"dram_row_activations" json:"dram_row_activations"`
	CacheModel         string `csv:"cache_model" json:"cache_model"`
	CacheCTAs          Int    `csv:"cache_ctas" json:"cache_ctas"`
	CacheErrorPct      Real   `csv:"cache_error_pct" json:"cache_error_pct"`
}

// MachineBlock is the block of columns that package machine estimates: what ptxas
// is expected to make of the PTX. Counts are rounded; the classes count, as
// those of the PTX do, threads whose guard held.
type MachineBlock struct {
	EstWarpInstructions   Int `csv:"est_machine_warp_instructions" json:"est_machine_warp_instructions"`
	EstThreadInstructions Int `csv:"est_machine_thread_instructions" json:"est_machine_thread_instructions"`

	EstInstFP16        Int `csv:"est_inst_fp_16" json:"est_inst_fp_16"`
	EstInstFP32        Int `csv:"est_inst_fp_32" json:"est_inst_fp_32"`
	EstInstFP64        Int `csv:"est_inst_fp_64" json:"est_inst_fp_64"`
	EstInstFP32FMA     Int `csv:"est_inst_fp_32_fma" json:"est_inst_fp_32_fma"`
	EstInstFP64FMA     Int `csv:"est_inst_fp_64_fma" json:"est_inst_fp_64_fma"`
	EstInstSpecial     Int `csv:"est_inst_special" json:"est_inst_special"`
	EstInstInteger     Int `csv:"est_inst_integer" json:"est_inst_integer"`
	EstInstBitConvert  Int `csv:"est_inst_bit_convert" json:"est_inst_bit_convert"`
	EstInstControl     Int `csv:"est_inst_control" json:"est_inst_control"`
	EstInstLdSt        Int `csv:"est_inst_compute_ld_st" json:"est_inst_compute_ld_st"`
	EstInstAtomic      Int `csv:"est_inst_atomic" json:"est_inst_atomic"`
	EstInstTexture     Int `csv:"est_inst_texture" json:"est_inst_texture"`
	EstInstInterThread Int `csv:"est_inst_inter_thread_communication" json:"est_inst_inter_thread_communication"`
	EstInstBarrier     Int `csv:"est_inst_barrier" json:"est_inst_barrier"`
	EstInstTensor      Int `csv:"est_inst_tensor" json:"est_inst_tensor"`
	EstInstMisc        Int `csv:"est_inst_misc" json:"est_inst_misc"`
}
