package gpu

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
)

// Models are only as good as the numbers that they are fed, and numbers of GPUs are
// copied from wiki to wiki until nobody knows who measured what. So each stands in
// a GPU's file with the document that states it:
//
//	"l2_cycles": {"value": 212, "source": "RRZE-HPC gpu-benches (commit 1038c5d), gpu-latency/v100.txt, ..."},
//	"t_sp_gflops": null
//
// A number without a document is null, and what needs it fails with the field's
// name; where a model would be useless without one, the choice is ours and its
// source says so ("[ours] 2 KiB a row").

// GPU is what is known of one GPU. The JSON of its file has the same fields;
// units stand in their names. What has no unit is a count. All counts of units
// and limits are of one SM (of one compute unit for AMD).
type GPU struct {
	Name              string   `json:"name"`    // short: "gv100"
	Title             string   `json:"title"`   // the product's name
	Aliases           []string `json:"aliases"` // further names for Get
	Vendor            string   `json:"vendor"`
	Architecture      string   `json:"architecture"`
	ComputeCapability *Text    `json:"compute_capability"` // "7.0"; unknown for other vendors
	ProcessNM         *Float   `json:"process_nm"`         // technology node as the vendor names it
	SMs               *Int     `json:"sms"`

	Clock            Clock     `json:"clock"`
	Units            Units     `json:"units"`
	Issue            Issue     `json:"issue"`
	Registers        Registers `json:"registers"`
	Shared           Shared    `json:"shared"`
	Limits           Limits    `json:"limits"`
	L1               L1        `json:"l1"`
	L2               L2        `json:"l2"`
	DRAM             DRAM      `json:"dram"`
	Latency          Latency   `json:"latency"`
	LaunchOverheadUs *Float    `json:"launch_overhead_us"` // from the start of a launch to its first instruction, back to back
	Power            Power     `json:"power"`
	Measured         Measured  `json:"measured"`
	Peak             Peak      `json:"peak"`

	// PowerModel is a power model tuned to this GPU, as package power writes and
	// reads it; it may be left out.
	PowerModel json.RawMessage `json:"power_model,omitempty"`

	// Given is what the file says of timing beyond what its compute capability is
	// known for; it may be left out, too.
	Given Given `json:"timing,omitempty"`

	// File is the user's file that it was read from, as named; "" for a GPU that
	// is known without one.
	File string `json:"-"`
	// Chiplets are those that it is made of, nil of one chip: it is no part of a file.
	Chiplets *Chiplets `json:"-"`
	// Stalls are what its units take longer for than the file says; no part of it either.
	Stalls Stalls `json:"-"`
	// Spec is how the user named it where numbers were changed: "gv100:sms=160".
	Spec string `json:"-"`
}

// Label is the GPU's name in results: where a user's file has the name of a GPU
// that is known without one, the file stands behind it; with numbers changed, it is
// all that the user wrote.
func (g *GPU) Label() string {
	if g.Spec != "" {
		return g.Spec
	}
	if g.File != "" && slices.Contains(Names(), g.Name) {
		return g.Name + " (" + filepath.Base(g.File) + ")"
	}
	return g.Name
}

// SM returns the compute capability as architectures are named: 70 for "7.0", 0
// where there is none.
func (g *GPU) SM() int {
	if g.ComputeCapability == nil {
		return 0
	}
	var major, minor int
	if n, _ := fmt.Sscanf(g.ComputeCapability.Value, "%d.%d", &major, &minor); n != 2 {
		return 0
	}
	return 10*major + minor
}

// Clock has the clocks of the SMs in MHz (of the shader domain on Fermi).
type Clock struct {
	BaseMHz  *Float `json:"base_mhz"`
	BoostMHz *Float `json:"boost_mhz"` // the vendor's boost clock; for the thesis' cards the one its table 5.1 reports
	TunedMHz *Float `json:"tuned_mhz"` // at which the published power model was tuned
	MinMHz   *Float `json:"min_mhz"`   // lowest and highest that the GPU is known to run at; base and boost
	MaxMHz   *Float `json:"max_mhz"`   // stand for them where they are unknown
	// SetByOffset: the board has no clocks that can be set, only an offset on its
	// whole curve of voltages, so that the voltage stays the highest whatever is set.
	SetByOffset *Bool `json:"set_by_offset" may:"lack"`
}

// Units has throughputs of one SM: thread instructions, results, a clock
// (CUDA C++ Programming Guide, arithmetic instructions).
type Units struct {
	FP32PerClock   *Float `json:"fp32_per_clock"`              // add, multiply, multiply-add
	FP64PerClock   *Float `json:"fp64_per_clock"`              // likewise
	FP16PerClock   *Float `json:"fp16_per_clock" may:"zero"`   // likewise; a packed pair counts as two
	IntAddPerClock *Float `json:"int_add_per_clock"`           // 32-bit add, subtract
	IntMulPerClock *Float `json:"int_mul_per_clock"`           // 32-bit multiply, multiply-add
	SFUPerClock    *Float `json:"sfu_per_clock"`               // 32-bit rcp, rsqrt, ex2, lg2, sin, cos
	LdstPerClock   *Float `json:"ldst_per_clock"`              // lanes of loads and stores of shared memory, 4 bytes each
	TensorPerClock *Float `json:"tensor_per_clock" may:"zero"` // dense multiply-adds of 16-bit floats in tensor cores; 0 without
}

// Issue is the issue width of one SM.
type Issue struct {
	Schedulers    *Int `json:"schedulers"`
	WarpsPerClock *Int `json:"warps_per_clock"` // warp instructions that all schedulers together can issue a clock
}

// Registers are the 32-bit registers of one SM and how they are given away.
type Registers struct {
	PerSM          *Int `json:"per_sm"`
	PerCTAMax      *Int `json:"per_cta_max"`
	PerThreadMax   *Int `json:"per_thread_max"`
	AllocationUnit *Int `json:"allocation_unit"` // a warp gets a multiple of it
}

// Shared is the shared memory of one SM and how it is given away.
type Shared struct {
	PerSMBytes          *Int  `json:"per_sm_bytes"`
	PerCTAMaxBytes      *Int  `json:"per_cta_max_bytes"` // with opt-in
	ReservedPerCTABytes *Int  `json:"reserved_per_cta_bytes" may:"zero"`
	AllocationUnitBytes *Int  `json:"allocation_unit_bytes"`
	Banks               *Int  `json:"banks"` // of 4 bytes
	ConfigurationsBytes *Ints `json:"configurations_bytes"`
}

// Limits are how much can be resident on one SM.
type Limits struct {
	WarpThreads               *Int `json:"warp_threads"`
	Warps                     *Int `json:"warps"`
	CTAs                      *Int `json:"ctas"`
	Threads                   *Int `json:"threads"`
	ThreadsPerCTA             *Int `json:"threads_per_cta"`
	WarpAllocationGranularity *Int `json:"warp_allocation_granularity"` // warps share register files of so many partitions
}

// L1 is the L1 data cache of one SM. Where it shares its memory with shared
// memory, Bytes is the whole of both; [GPU.L1DataBytes] says what is left.
type L1 struct {
	Bytes            *Int  `json:"bytes"`
	SharesWithShared *Bool `json:"shares_with_shared"`
	Ways             *Int  `json:"ways"` // at the size Bytes
	LineBytes        *Int  `json:"line_bytes"`
	SectorBytes      *Int  `json:"sector_bytes"`
	WritePolicy      *Text `json:"write_policy"`        // of global memory: WriteThrough, ...
	CachesGlobal     *Bool `json:"caches_global_loads"` // by default (ld.global without .nc)
	BytesPerClock    *Int  `json:"bytes_per_clock"`     // that hits can give, theoretically
	// What micro-benchmarks reached: bytes that hits give a clock, and warps'
	// loads of global memory a clock, 32 bits a lane and all hits.
	MeasuredBytesPerClock *Float `json:"measured_bytes_per_clock"`
	MeasuredLoadsPerClock *Float `json:"measured_loads_per_clock"`
}

// L2 is the cache that all SMs share.
type L2 struct {
	Bytes       *Int  `json:"bytes"`
	Ways        *Int  `json:"ways"`
	LineBytes   *Int  `json:"line_bytes"`
	SectorBytes *Int  `json:"sector_bytes"`
	WritePolicy *Text `json:"write_policy"`
	Slices      *Int  `json:"slices"`
	// BytesPerClock is what all slices together can give, theoretically;
	// MeasuredBytesPerClock what a micro-benchmark reached.
	BytesPerClock         *Int   `json:"bytes_per_clock"`
	MeasuredBytesPerClock *Float `json:"measured_bytes_per_clock"`
}

// DRAM is the GPU's memory. GB are 1e9 bytes.
type DRAM struct {
	Type            *Text  `json:"type" may:"lack"`      // "GDDR6": the names are those of [DRAMTiming]
	ClockMHz        *Float `json:"clock_mhz" may:"lack"` // of the memory, as nvidia-smi shows it
	Bytes           *Int   `json:"bytes"`
	BandwidthGBPerS *Float `json:"bandwidth_gb_per_s"` // theoretical
	Channels        *Int   `json:"channels"`
	BanksPerChannel *Int   `json:"banks_per_channel" may:"lack"`
	RowBytes        *Int   `json:"row_bytes" may:"lack"` // of a bank; both are the memory's where a file says nothing
}

// Latency has the cycles from the issue of an instruction to that of one that
// needs its result.
type Latency struct {
	FP32Cycles     *Float `json:"fp32_cycles"`
	FP64Cycles     *Float `json:"fp64_cycles"`
	IntCycles      *Float `json:"int_cycles"`
	SFUCycles      *Float `json:"sfu_cycles"`
	TensorCycles   *Float `json:"tensor_cycles"` // of one machine-level matrix instruction, as its source says
	SharedCycles   *Float `json:"shared_cycles"`
	L1Cycles       *Float `json:"l1_cycles"`
	L2Cycles       *Float `json:"l2_cycles"`
	DRAMCycles     *Float `json:"dram_cycles"`
	ConstantCycles *Float `json:"constant_cycles"` // a hit in the first constant cache
}

// Power has the board's power in watts and the voltage of its chip.
type Power struct {
	TDPW  *Float `json:"tdp_w"`
	IdleW *Float `json:"idle_w"` // at rest, as published
	// IdleMHz is the clock of the SMs at which that was read.
	IdleMHz *Float `json:"idle_mhz" may:"lack"`
	// ConstantW is what the board draws whatever runs, beside SMs, as power models have it. SMs
	// with work, and without, draw ActiveSMW and IdleSMW each at SMMHz.
	ConstantW *Float `json:"constant_w" may:"lack"`
	ActiveSMW *Float `json:"active_sm_w" may:"lack"`
	IdleSMW   *Float `json:"idle_sm_w" may:"lack"`
	SMMHz     *Float `json:"sm_mhz" may:"lack"`
	// The least voltage of the chip, below which it does not go however low the
	// clock, and the highest with the clock that it was seen at.
	MinVoltageV   *Float `json:"min_voltage_v" may:"lack"`
	MinVoltageMHz *Float `json:"min_voltage_mhz" may:"lack"` // the highest clock of the least voltage
	MaxVoltageV   *Float `json:"max_voltage_v" may:"lack"`
	MaxVoltageMHz *Float `json:"max_voltage_mhz" may:"lack"`
}

// Measured has what micro-benchmarks measured (Konstantinidis 2017, table 4.3).
// T_SP, T_DP and T_int count two operations a multiply-add; T_add and T_ldst
// one an instruction.
type Measured struct {
	TSPGFLOPS  *Float `json:"t_sp_gflops"`
	TDPGFLOPS  *Float `json:"t_dp_gflops"`
	TIntGIOPS  *Float `json:"t_int_giops"`
	TAddGIOPS  *Float `json:"t_add_giops"`
	TLdstGOPS  *Float `json:"t_ldst_gops"`
	BMemGBPerS *Float `json:"b_mem_gb_per_s"`
	ECC        *Bool  `json:"ecc"` // on while these were measured
}

// Peak has the vendor's own peak figures, against which the tests hold lanes
// and clocks. No model reads them.
type Peak struct {
	FP32TFLOPS       *Float `json:"fp32_tflops"`
	FP64TFLOPS       *Float `json:"fp64_tflops"`
	TensorFP16TFLOPS *Float `json:"tensor_fp16_tflops"` // dense
}
