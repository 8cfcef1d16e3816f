package sim

import (
	"fmt"

	"hyptx/internal/gpu"
	"hyptx/internal/pipe"
)

// Config is a GPU, or the part of one that is simulated. Times are in cycles of the
// SMs, whatever clock a part has of its own.
type Config struct {
	SMs   int
	Cores int // sub-cores, each with a scheduler, in an SM
	// IssueWidth is how many independent instructions of one warp a scheduler issues
	// a cycle. DualMath: two of them may be arithmetic, else one at most.
	IssueWidth int
	DualMath   bool
	// Where the last warp cannot go on, the oldest takes its place, or the next one InTurn,
	// or else the youngest.
	Oldest, InTurn bool

	Kinds [pipe.NumKinds]Timing
	// MatrixPerCycle are multiply-adds of tensor cores a cycle and SM by the number of the
	// product; 0 where there are none.
	MatrixPerCycle [pipe.NumProducts]float64

	Fetch  Fetch
	L1     L1
	L2     L2
	DRAM   DRAM
	Launch LaunchTiming
	// Cluster is what a launch with clusters needs.
	Cluster Cluster
	// Chiplets are those that all of it is cut into; none and one are the same.
	Chiplets Chiplets

	// PredicateCycles pass from the issue of a comparison to that of a branch that
	// reads its result.
	PredicateCycles float64
	// BarrierCycles pass from the last arrival at a barrier to the next instruction.
	BarrierCycles float64
}

// Timing is how one kind of instruction uses the SM. Instructions with one unit in
// common wait for each other.
type Timing struct {
	// Unit is one of a sub-core's units and Interval the cycles that it is taken;
	// Alternative is one that may be taken instead. Second and SecondInterval are
	// where another one is needed as well. Shared is a unit that all sub-cores have in
	// common. 0 is none.
	Unit, Alternative, Second, Shared                  uint8
	IntervalCycles, SecondIntervalCycles, SharedCycles float64
	// SwitchCycles is what the shared unit takes longer for another warp of the
	// sub-core than the one before.
	SwitchCycles float64
	// LatencyCycles pass from issue to the issue of what reads the result; of
	// accesses of memory, where the access is a hit and nothing waits before it.
	LatencyCycles float64
}

// maxUnits bounds the units of a sub-core, and those that an SM shares.
const maxUnits = 16

// L1 is an SM's way to memory: the units that all sub-cores share for accesses, and
// the L1 data cache.
type L1 struct {
	Bytes, Ways int
	// CyclesPerAccess is the least that an access takes, PassCycles and
	// SharedPassCycles what a pass over the banks does, of the cache and of shared
	// memory, TagCycles what each line of 128 bytes takes beyond the first.
	CyclesPerAccess, PassCycles, SharedPassCycles, TagCycles float64
	// SharedStoreCycles is what a store to shared memory takes beyond its passes.
	SharedStoreCycles float64
	// Random: any line of a set may go, else the one that was used longest ago.
	Random bool
	// QueuedPerCore is how many accesses of a sub-core wait before its next one has to;
	// AddressCycles pass between two for which it computes addresses.
	QueuedPerCore int
	AddressCycles float64
	// OutstandingSectors is how many sectors may be on their way from the L2.
	OutstandingSectors int
	// WriteAllocate: what a store wrote as a whole stays.
	WriteAllocate bool
	// LoadsPast: loads of global memory pass the L1 by.
	LoadsPast bool
	// ReturnBytesPerCycle is what a sub-core's registers take a cycle.
	ReturnBytesPerCycle float64
}

// L2 is the network and the L2 behind it.
type L2 struct {
	Bytes  int64
	Ways   int
	Slices int
	// LatencyCycles is how long a load takes that hits here, from issue to use.
	LatencyCycles float64
	// RequestCycles is what a request takes of an SM's way out, WriteBytesPerCycle
	// what of it stores move; ReadBytesPerCycle is an SM's way back.
	RequestCycles, WriteBytesPerCycle, ReadBytesPerCycle float64
	// BytesPerCycle is what all slices together give.
	BytesPerCycle float64
	// AtomicCycles are taken at a slice by an atomic for each sector, SameWordCycles by
	// each lane that wants one and the same word.
	AtomicCycles, SameWordCycles float64
	// Brought is the share of blocks that are read first by CTAs which are not simulated.
	Brought float64
	// Had is the share of blocks that were there before.
	Had float64
}

// DRAM is the memory behind the L2.
type DRAM struct {
	Channels, BanksPerChannel int
	RowBytes                  int
	// LatencyCycles is how long a load takes that comes from here, from issue to use.
	LatencyCycles float64
	// BytesPerCycle is what all channels move at most; ReadEfficiency and
	// WriteEfficiency are the shares of it that streams of one direction reach,
	// MixedEfficiency that of reads and writes half and half.
	BytesPerCycle                                    float64
	ReadEfficiency, WriteEfficiency, MixedEfficiency float64
	// LinkBytesPerCycle is what passes between the L2 and all channels at most; 0:
	// nobody knows.
	LinkBytesPerCycle float64
	// GrainBytes is the least that an access moves. RowCycles pass between two
	// activations of a bank, ActivateCycles between two of a channel; MissCycles are those
	// of closing a row and opening another one; a controller chooses among QueueRequests.
	GrainBytes                            int
	RowCycles, ActivateCycles, MissCycles float64
	QueueRequests                         int
}

// LaunchTiming is how CTAs get to SMs.
type LaunchTiming struct {
	// CTACycles pass from a CTA's start to its first instruction; CTAsPerCycle begin
	// on the whole GPU in a cycle.
	CTACycles, CTAsPerCycle float64
}

// Cluster is the CTAs of a launch's clusters, and what they reach each other over.
type Cluster struct {
	// Size is how many CTAs a cluster has; 0 and 1: there are none.
	Size int
	// GPCs are what the SMs are divided into; a cluster is on the SMs of one.
	GPCs int
	// LatencyCycles is how long a load from another SM's shared memory takes, from issue to
	// use, BytesPerCycle what an SM sends and gets.
	LatencyCycles, BytesPerCycle float64
	// BarrierCycles pass from the last arrival at the barrier of a cluster to the next
	// instruction, OrderCycles more where accesses have to be in order.
	BarrierCycles, OrderCycles float64
}

// Chiplets are how a GPU is cut into equal parts (chiplet.go).
type Chiplets struct {
	Count int
	CTAs  gpu.CTAPolicy
	Pages gpu.PagePolicy
	// PageBlocks are the blocks of a page. LinkBytesPerCycle is what a chiplet's link takes,
	// each way; HopCycles pass on the way from one chiplet to another.
	PageBlocks                   uint64
	LinkBytesPerCycle, HopCycles float64
}

// sectorBytes is the unit of transfers, blockBytes what travels together at most.
const (
	sectorBytes  = 32
	blockBytes   = 128
	blockSectors = blockBytes / sectorBytes
)

// Limits of a Config.
const (
	maxSMs   = 4096
	maxCores = 8
)

func (c *Config) check() error {
	switch {
	case c.SMs < 1 || c.SMs > maxSMs:
		return fmt.Errorf("%d SMs: must be 1 to %d", c.SMs, maxSMs)
	case c.Cores < 1 || c.Cores > maxCores:
		return fmt.Errorf("%d sub-cores: must be 1 to %d", c.Cores, maxCores)
	case c.IssueWidth < 1 || c.IssueWidth > 2:
		return fmt.Errorf("%d instructions a cycle and scheduler: must be 1 or 2", c.IssueWidth)
	case c.L2.Slices < 1 || c.DRAM.Channels < 1 || c.DRAM.BanksPerChannel < 1 || c.DRAM.RowBytes < blockBytes:
		return fmt.Errorf("L2 of %d slices, DRAM of %d channels with %d banks of rows of %d bytes: one of each is needed, and rows of %d bytes",
			c.L2.Slices, c.DRAM.Channels, c.DRAM.BanksPerChannel, c.DRAM.RowBytes, blockBytes)
	}
	for _, x := range []struct {
		name string
		of   float64
	}{
		{"L2 latency", c.L2.LatencyCycles}, {"DRAM latency", c.DRAM.LatencyCycles}, {"bytes a cycle of DRAM", c.DRAM.BytesPerCycle},
		{"bytes a cycle of the L2", c.L2.BytesPerCycle}, {"bytes a cycle from the L2 to an SM", c.L2.ReadBytesPerCycle},
		{"bytes a cycle from an SM to the L2", c.L2.WriteBytesPerCycle}, {"CTAs a cycle", c.Launch.CTAsPerCycle},
		{"read efficiency of DRAM", c.DRAM.ReadEfficiency}, {"write efficiency of DRAM", c.DRAM.WriteEfficiency}, {"efficiency of mixed streams of DRAM", c.DRAM.MixedEfficiency},
	} {
		if !(x.of > 0) {
			return fmt.Errorf("%s: %v: must be positive", x.name, x.of)
		}
	}
	if err := c.Cluster.check(c); err != nil {
		return err
	}
	return c.Chiplets.check(c)
}

// check says what is wrong with chiplets: a part of a machine is as whole as all of it.
func (c *Chiplets) check(m *Config) error {
	switch n := c.Count; {
	case n <= 1:
		return nil
	case m.SMs%n+m.L2.Slices%n+m.DRAM.Channels%n != 0:
		return fmt.Errorf("%d chiplets: %d SMs, %d L2 slices and %d DRAM channels are not as many on each", n, m.SMs, m.L2.Slices, m.DRAM.Channels)
	case !(c.LinkBytesPerCycle > 0) || !(c.HopCycles >= 0) || c.PageBlocks < 1:
		return fmt.Errorf("%d chiplets: links of %v bytes a cycle, hops of %v cycles, pages of %d blocks: must be positive", n, c.LinkBytesPerCycle, c.HopCycles, c.PageBlocks)
	}
	return nil
}
