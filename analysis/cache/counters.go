package cache

// LevelCounters count the sectors that a cache was asked for.
type LevelCounters struct {
	ReadHits, ReadMisses   uint64
	WriteHits, WriteMisses uint64
}

// Reads returns the sectors read, Writes those written.
func (c LevelCounters) Reads() uint64 { return c.ReadHits + c.ReadMisses }

// Writes returns the sectors written.
func (c LevelCounters) Writes() uint64 { return c.WriteHits + c.WriteMisses }

func (c *LevelCounters) add(d LevelCounters) {
	c.ReadHits += d.ReadHits
	c.ReadMisses += d.ReadMisses
	c.WriteHits += d.WriteHits
	c.WriteMisses += d.WriteMisses
}

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
	// DRAMFlushSectors were written at the end ([Model.Flush]).
	DRAMFlushSectors uint64
	// DRAMRowActivations are accesses that opened a row of 2 KiB.
	DRAMRowActivations uint64
}

// Add adds d's counts.
func (c *Counters) Add(d Counters) {
	c.L1.add(d.L1)
	c.L2.add(d.L2)
	c.NoCFlits += d.NoCFlits
	c.DRAMReadSectors += d.DRAMReadSectors
	c.DRAMWriteSectors += d.DRAMWriteSectors
	c.DRAMFlushSectors += d.DRAMFlushSectors
	c.DRAMRowActivations += d.DRAMRowActivations
}
