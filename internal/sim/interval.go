package sim

import "hyptx/internal/pipe"

// Activity over time: what was issued, and what went through the caches, in spans of some
// hundred cycles. A span ends with a window, for within one the SMs run each for itself.

// intervalCycles is the least length of a span: that over which AccelWattch samples
// activity (section 3 of the paper: power every 500 cycles).
const intervalCycles = 500

// maxIntervals are kept of a launch; where there would be more, two and two become one.
const maxIntervals = 4096

// Interval is what a launch did in a span of its simulation.
type Interval struct {
	Cycles float64
	// Issued are warp instructions by their kind.
	Issued [pipe.NumKinds]uint64
	Memory MemoryCounts
}

func (i *Interval) add(o *Interval) {
	i.Cycles += o.Cycles
	for k, n := range o.Issued {
		i.Issued[k] += n
	}
	i.Memory = i.Memory.plus(o.Memory, 1)
}

// recorder makes the intervals of a run.
type recorder struct {
	list   []Interval
	least  Tick
	since  Tick
	before Interval // all that had been done then
}

// record ends an interval at t, if it is long enough or the launch has ended.
func (r *run) record(t Tick, end bool) {
	c := r.recorder
	if c == nil || t <= c.since || t-c.since < c.least && !end {
		return
	}
	all := Interval{Memory: r.counted()}
	for _, s := range r.sms {
		for k, n := range s.kinds {
			all.Issued[k] += n
		}
	}
	of := Interval{Cycles: (t - c.since).Cycles(), Memory: all.Memory.plus(c.before.Memory, -1)}
	for k, n := range all.Issued {
		of.Issued[k] = n - c.before.Issued[k]
	}
	c.list, c.before, c.since = append(c.list, of), all, t
	if len(c.list) == maxIntervals {
		c.halve()
	}
}

// served returns the intervals with DRAM's sectors where they were served: they are counted
// as they are asked for, and a channel serves no more than its rate.
func (c *recorder) served(m *Config) []Interval {
	var reads, writes uint64 // that wait
	for i := range c.list {
		of := &c.list[i].Memory
		reads, writes = reads+of.DRAMReads, writes+of.DRAMWrites
		of.DRAMReads, of.DRAMWrites = reads, writes
		most := c.list[i].Cycles * m.DRAM.BytesPerCycle / sectorBytes
		if all := float64(reads + writes); all > most && i < len(c.list)-1 {
			of.DRAMReads, of.DRAMWrites = uint64(float64(reads)/all*most), uint64(float64(writes)/all*most)
		}
		reads, writes = reads-of.DRAMReads, writes-of.DRAMWrites
	}
	return c.list
}

// halve makes one interval of two.
func (c *recorder) halve() {
	for i := range maxIntervals / 2 {
		c.list[i] = c.list[2*i]
		c.list[i].add(&c.list[2*i+1])
	}
	c.list = c.list[:maxIntervals/2]
	c.least *= 2
}
