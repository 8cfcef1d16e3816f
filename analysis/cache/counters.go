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

// addTimes adds d, n times.
func (c *LevelCounters) addTimes(d LevelCounters, n uint64) {
	c.ReadHits += n * d.ReadHits
	c.ReadMisses += n * d.ReadMisses
	c.WriteHits += n * d.WriteHits
	c.WriteMisses += n * d.WriteMisses
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

// AddTimes adds d's counts, n times.
func (c *Counters) AddTimes(d Counters, n uint64) {
	c.L1.addTimes(d.L1, n)
	c.L2.addTimes(d.L2, n)
	c.NoCFlits += n * d.NoCFlits
	c.DRAMReadSectors += n * d.DRAMReadSectors
	c.DRAMWriteSectors += n * d.DRAMWriteSectors
	c.DRAMFlushSectors += n * d.DRAMFlushSectors
	c.DRAMRowActivations += n * d.DRAMRowActivations
}
