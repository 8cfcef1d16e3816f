package gpu

import (
	"fmt"

	"hyptx/internal/pipe"
)

// A simulation of time needs some 250 numbers of a GPU, of which data sheets give
// 30. Most belong to the architecture, not to the product: all chips of compute
// capability 8.6 issue an FFMA in the same 4 cycles. So they stand once, in
// capability/sm_86.json, each with its source, and a GPU's file says in "timing" only
// where it differs. Guesses are among them; [Timing.Assumed] names those that are
// left, so that a prediction can say on what it rests.

// Timing is what a simulation of time needs of a GPU, resolved. Cycles are of the
// SMs' clock; counts are of one SM unless a comment says otherwise.
type Timing struct {
	Issue    IssueTiming               `json:"issue"`
	Code     CodeTiming                `json:"code"`
	LSU      LSUTiming                 `json:"lsu"`
	Constant ConstantTiming            `json:"constant"`
	Tensor   TensorTiming              `json:"tensor"`
	Kinds    [pipe.NumKinds]KindTiming `json:"kinds"` // rest on the groups above
	NoC      NoCTiming                 `json:"noc"`
	L2       L2Timing                  `json:"l2"`
	DRAM     DRAMTiming                `json:"dram"`
	Launch   LaunchTiming              `json:"launch"`
	Cluster  ClusterTiming             `json:"cluster"`

	// Facts are all of them in words, with where each is from; Assumed the paths
	// of those that no document states for this GPU or its compute capability.
	Facts   []TimingFact `json:"-"`
	Assumed []string     `json:"-"`
	// Capability is the compute capability whose defaults stand in.
	Capability string `json:"-"`
}

// IssueTiming is how instructions leave a warp.
type IssueTiming struct {
	Schedulers         int     `json:"schedulers"`
	SubCores           int     `json:"sub_cores"`                      // parts with units of their own; Kepler's are the SM's, a quarter each here
	PerScheduler       int     `json:"per_scheduler"`                  // instructions a cycle
	Dual               string  `json:"dual" words:"none other any"`    // which two, where it is 2
	Policy             string  `json:"policy" words:"gto cggty grr"`   // which warp is next
	DependenceCounters int     `json:"dependence_counters" may:"zero"` // of a warp, for what has no fixed latency; 0: a scoreboard without limit
	CrossUnitCycles    float64 `json:"cross_unit_cycles" may:"zero"`   // that a result takes longer from fma to alu and back
	PredicateCycles    float64 `json:"predicate_cycles"`               // until a guard or branch can read a comparison's result
	IntMulInstructions int     `json:"int_mul_instructions"`           // machine instructions of a 32-bit multiply-add: 3 XMAD on Maxwell and Pascal
}

// CodeTiming is where instructions come from.
type CodeTiming struct {
	InstructionBytes float64 `json:"instruction_bytes"` // with its share of control words
	L0Bytes          int     `json:"l0_bytes"`          // of a sub-core
	L1Bytes          int     `json:"l1_bytes"`
	L0MissCycles     float64 `json:"l0_miss_cycles"` // served by L1
	L1MissCycles     float64 `json:"l1_miss_cycles"` // served by L2
}

// KindTiming is how a kind of machine instructions uses an SM.
type KindTiming struct {
	Unit Unit `json:"unit"`
	// Alternative is a second unit that can take it as well; the interval is of
	// either.
	Alternative Unit `json:"alternative" may:"lack"`
	// Also is a unit or port that it occupies besides, for AlsoCycles.
	Also       Unit    `json:"also" may:"lack"`
	AlsoCycles float64 `json:"also_cycles" may:"lack"`
	SharedBySM bool    `json:"shared_by_sm" may:"lack"` // one unit for all sub-cores
	// SwitchCycles are added to the interval of an instruction of another warp than
	// the one whose instruction the unit took from the sub-core before.
	SwitchCycles float64 `json:"switch_cycles" may:"lack"`
	// IntervalCycles is how long a warp instruction keeps the unit from the next one.
	IntervalCycles float64 `json:"interval_cycles"`
	// LatencyCycles is from the issue to that of an instruction that needs the
	// result; of stores until their registers may be overwritten.
	LatencyCycles float64 `json:"latency_cycles"`
}

// TensorTiming has the rates of tensor cores by the type of the factors.
type TensorTiming struct {
	// FMAPerCycle are dense multiply-adds; 0 where there is no such instruction.
	FMAPerCycle [pipe.NumMatrixTypes]float64 `json:"fma_per_cycle" may:"zero"`
	// LatencyCycles are added to the interval of a matrix instruction's shape.
	LatencyCycles [pipe.NumMatrixTypes]float64 `json:"latency_cycles" may:"zero"`
	// SyncShare is the part of the rates that mma.sync reaches where wgmma or
	// tcgen05 is the way to all of it.
	SyncShare float64 `json:"sync_share"`
	// FP32AccumulateShare is the part of the rate of FP16 factors that is left where
	// sums are FP32.
	FP32AccumulateShare float64 `json:"fp32_accumulate_share"`
}

// NoTensorError says that a GPU has no tensor cores for such factors.
type NoTensorError struct{ Factors pipe.MatrixType }

func (e *NoTensorError) Error() string {
	return fmt.Sprintf("the GPU has no tensor cores for %s, or their rate is unknown", e.Factors)
}

// Rate returns the multiply-adds that an SM's tensor cores make a cycle of a product; 0 where there are none.
func (t *TensorTiming) Rate(of pipe.Product) float64 {
	rate := t.FMAPerCycle[of.Factors]
	if of.Sum32 {
		rate *= t.FP32AccumulateShare
	}
	if of.Sync {
		rate *= t.SyncShare
	}
	return rate
}

// Rates are those of all products, by their numbers.
func (t *TensorTiming) Rates() (rates [pipe.NumProducts]float64) {
	for n := range rates {
		rates[n] = t.Rate(pipe.Numbered(n))
	}
	return rates
}

// MatrixInterval returns the cycles for which a matrix instruction of so many
// multiply-adds occupies its sub-core's tensor core; 0 if there is none for the type.
func (t *Timing) MatrixInterval(fma float64, of pipe.MatrixType) float64 {
	if t.Tensor.FMAPerCycle[of] == 0 {
		return 0
	}
	return fma * float64(t.Issue.SubCores) / t.Tensor.FMAPerCycle[of]
}

// widths are those of a memory instruction's lanes.
const (
	Width32 = iota
	Width64
	Width128
	NumWidths
)

var widthNames = [NumWidths]string{"bits32", "bits64", "bits128"}

// LSUTiming is the load/store unit with the L1 and shared memory behind it. A warp's
// access takes the longest of CyclesPerInstruction, its data passes and its tags.
type LSUTiming struct {
	Replacement          string  `json:"replacement" words:"lru random"` // which line of the L1 goes
	QueueEntries         int     `json:"queue_entries"`                  // memory instructions that a sub-core issues back to back
	QueueCycles          float64 `json:"queue_cycles"`                   // from then on, between two
	CyclesPerInstruction float64 `json:"cycles_per_instruction"`         // of the SM
	BytesPerCycle        float64 `json:"bytes_per_cycle"`                // of the data path
	TagCycles            float64 `json:"tag_cycles"`                     // tags of two 128-byte lines and more: these, and for each
	TagCyclesPerLine     float64 `json:"tag_cycles_per_line"`
	ReturnBytesPerCycle  float64 `json:"return_bytes_per_cycle"` // into the registers of a sub-core

	HitCycles    float64 `json:"hit_cycles"`    // of the L1, 32 bits a lane
	SharedCycles float64 `json:"shared_cycles"` // without conflicts, likewise
	StoreCycles  float64 `json:"store_cycles"`  // until the registers may be overwritten, likewise
	// SharedStoreCycles is what a store to shared memory takes beyond its passes.
	SharedStoreCycles float64 `json:"shared_store_cycles" may:"zero"`
	// What 32, 64 and 128 bits a lane take longer.
	HitWidthCycles    [NumWidths]float64 `json:"hit_width_cycles" may:"zero"`
	SharedWidthCycles [NumWidths]float64 `json:"shared_width_cycles" may:"zero"`

	MissEntries    int `json:"miss_entries"`     // lines on their way
	MergesPerEntry int `json:"merges_per_entry"` // accesses that wait for one of them
}

// ConstantTiming is the way of operands and loads of constant memory.
type ConstantTiming struct {
	Bytes         int     `json:"bytes"`
	HitCycles     float64 `json:"hit_cycles"`  // of a load; an operand that hits costs nothing
	MissCycles    float64 `json:"miss_cycles"` // served by the next constant cache
	MidBytes      int     `json:"mid_bytes"`   // that next one
	MidMissCycles float64 `json:"mid_miss_cycles"`
}

// NoCTiming is the network between SMs and L2.
type NoCTiming struct {
	SMsPerTPC           int     `json:"sms_per_tpc"`
	RequestsPerCycle    float64 `json:"requests_per_cycle"`     // of an SM
	RequestBytes        float64 `json:"request_bytes"`          // of a packet without its data
	StoreBytesPerCycle  float64 `json:"store_bytes_per_cycle"`  // of an SM, towards L2
	ReturnBytesPerCycle float64 `json:"return_bytes_per_cycle"` // of an SM, from L2
	TPCBytesPerCycle    float64 `json:"tpc_bytes_per_cycle"`    // of all its SMs, from L2
}

// L2Timing is the cache of all SMs.
type L2Timing struct {
	Slices              int     `json:"slices"`
	Hashed              bool    `json:"hashed"` // lines go to slices and sets by a hash of their address
	Partitions          int     `json:"partitions"`
	SliceBytesPerCycle  float64 `json:"slice_bytes_per_cycle"`
	BytesPerCycle       float64 `json:"bytes_per_cycle"`                 // of all slices together, as reached
	DRAMBytesPerCycle   float64 `json:"dram_bytes_per_cycle" may:"lack"` // between all slices and DRAM, as reached
	LatencyNs           float64 `json:"latency_ns"`                      // of a hit, from the SM's issue
	FarExtraNs          float64 `json:"far_extra_ns" may:"zero"`         // what one in the other partition takes longer
	AtomicsSameAddress  float64 `json:"atomics_same_address"`            // lanes a cycle and slice
	AtomicsDistinct     float64 `json:"atomics_distinct"`                // likewise, words of one sector
	WriteBackDelayNs    float64 `json:"write_back_delay_ns"`             // a dirty sector is written once its channel was idle so long
	WriteBackDirtyShare float64 `json:"write_back_dirty_share"`          // or its set is dirty to that share
}

// DRAMTiming is the memory. Shares are of the theoretical bandwidth, as reached by
// streams of these mixes.
type DRAMTiming struct {
	Type          string  `json:"type" words:"DDR3 GDDR3 GDDR5 GDDR5X GDDR6 GDDR6X GDDR7 HBM HBM2 HBM2e HBM3 HBM3e LPDDR4 LPDDR5"`
	Channels      int     `json:"channels"`
	BytesPerS     float64 `json:"bytes_per_s"` // theoretical
	ReadShare     float64 `json:"read_share"`
	WriteShare    float64 `json:"write_share"`
	CopyShare     float64 `json:"copy_share"`  // one write a read
	TriadShare    float64 `json:"triad_share"` // one write two reads
	AccessBytes   int     `json:"access_bytes"`
	RowBytes      int     `json:"row_bytes"`
	RowCycleNs    float64 `json:"row_cycle_ns"`   // between two activations of a bank
	RowToRowNs    float64 `json:"row_to_row_ns"`  // between two activations of a channel
	RowMissNs     float64 `json:"row_miss_ns"`    // precharge and activation before the first column
	Banks         int     `json:"banks"`          // of a channel
	QueueRequests int     `json:"queue_requests"` // of a channel, among which it chooses
	LatencyNs     float64 `json:"latency_ns"`     // of an L2 miss, from the SM's issue
}

// LaunchTiming is how a kernel starts.
type LaunchTiming struct {
	FirstIssueCycles float64 `json:"first_issue_cycles"` // from a CTA's launch to its first instruction
	CTAsPerCycle     float64 `json:"ctas_per_cycle"`     // of the GPU
	// What a timer adds to the time from the first CTA's launch to the last one's
	// end: the GPU's own counters, launches back to back in a stream, events around
	// one launch, the host's clock around launch and synchronisation.
	GPUUs    float64 `json:"gpu_us" may:"zero"`
	StreamUs float64 `json:"stream_us"`
	EventUs  float64 `json:"event_us"`
	HostUs   float64 `json:"host_us"`
}

// ClusterTiming is the network between the SMs of a GPC, over which the CTAs of a cluster
// reach each other's shared memory. Where there are no clusters, or nobody has measured
// them, all of it is 0.
type ClusterTiming struct {
	GPCs          int     `json:"gpcs" may:"lack"`            // that the SMs are divided into
	LatencyCycles float64 `json:"latency_cycles" may:"lack"`  // of a load from another SM's shared memory, from issue to use
	BytesPerCycle float64 `json:"bytes_per_cycle" may:"lack"` // of an SM, each way
	// BarrierCycles pass from the last relaxed arrival at barrier.cluster to the next
	// instruction; OrderCycles are what .release and .acquire add to them.
	BarrierCycles float64 `json:"barrier_cycles" may:"lack"`
	OrderCycles   float64 `json:"order_cycles" may:"lack"`
}

// Known reports whether clusters can be simulated.
func (c *ClusterTiming) Known() bool {
	return c.GPCs > 0 && c.LatencyCycles > 0 && c.BytesPerCycle > 0 && c.BarrierCycles > 0
}
