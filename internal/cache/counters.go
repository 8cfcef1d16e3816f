package cache

import "math"

// LevelCounters count the sectors that a cache was asked for.
type LevelCounters struct {
	ReadHits, ReadMisses   uint64
	WriteHits, WriteMisses uint64
}

// Reads returns the sectors read, Writes those written.
func (c LevelCounters) Reads() uint64 { return c.ReadHits + c.ReadMisses }

// Writes returns the sectors written.
func (c LevelCounters) Writes() uint64 { return c.WriteHits + c.WriteMisses }

// Counters are the traffic of a launch, or of several.
type Counters struct {
	L1, L2 LevelCounters // in sectors; atomics are no L1 accesses
	// NoCFlits are the 40-byte flits between SMs and L2 in both directions:
	// ceil((8 + data bytes)/40) each way and access (AccelWattch notes,
	// section 2); a block of k sectors takes k, what has no data 1.
	NoCFlits uint64
	// DRAMReadSectors and DRAMWriteSectors crossed the DRAM interface, of the
	// latter those whose line was replaced.
	DRAMReadSectors, DRAMWriteSectors uint64
	// DirtiedSectors became different from DRAM: each is written there once, when
	// its line is replaced or at the end.
	DirtiedSectors uint64
	// L2Fills are the lines that came to the L2.
	L2Fills uint64
	// DRAMFlushSectors were written at the end ([Model.Flush]).
	DRAMFlushSectors uint64
	// DRAMRowActivations are accesses that opened a row of 2 KiB.
	DRAMRowActivations uint64
	// DRAMAccesses are those of as much as DRAM moves at least, of which what nobody asked for
	// stays in the L2; DRAMAccessRows the rows that they open if a controller gathers those of
	// one row. None are counted where the config does not say how DRAM is laid out.
	DRAMAccesses, DRAMAccessRows uint64
}

// Add adds d's counts.
func (c *Counters) Add(d Counters) {
	mine, others := c.all(), d.all()
	for i, p := range mine {
		*p += *others[i]
	}
}

// Scaled returns the counts times f, to the nearest whole number.
func (c Counters) Scaled(f float64) Counters {
	for _, p := range c.all() {
		*p = uint64(math.Round(f * float64(*p)))
	}
	return c
}

func (c *Counters) all() [17]*uint64 {
	return [...]*uint64{
		&c.L1.ReadHits, &c.L1.ReadMisses, &c.L1.WriteHits, &c.L1.WriteMisses,
		&c.L2.ReadHits, &c.L2.ReadMisses, &c.L2.WriteHits, &c.L2.WriteMisses,
		&c.NoCFlits, &c.DRAMReadSectors, &c.DRAMWriteSectors, &c.DirtiedSectors, &c.L2Fills, &c.DRAMFlushSectors, &c.DRAMRowActivations, &c.DRAMAccesses, &c.DRAMAccessRows,
	}
}
