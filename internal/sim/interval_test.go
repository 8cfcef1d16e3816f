package sim

import (
	"testing"

	"hyptx/internal/pipe"
)

// Intervals share out all that a launch does, without changing it, and no more of DRAM than
// it can give.
func TestIntervals(t *testing.T) {
	k := kernels[0]
	k.ctas *= 4
	b := k.bench(volta(16))
	without := b.run(t)
	b.overTime = true
	r := b.run(t)
	if r.Cycles != without.Cycles || r.Issued != without.Issued || r.Memory != without.Memory || without.Intervals != nil {
		t.Errorf("%v cycles, %v without intervals", r.Cycles, without.Cycles)
	}
	var all Interval
	most := b.m.DRAM.BytesPerCycle / sectorBytes
	for i := range r.Intervals {
		in := &r.Intervals[i]
		all.add(in)
		if i == len(r.Intervals)-1 {
			break
		}
		if in.Cycles < intervalCycles {
			t.Errorf("interval %d: %v cycles", i, in.Cycles)
		}
		if n := float64(in.Memory.DRAMReads + in.Memory.DRAMWrites); n > in.Cycles*most {
			t.Errorf("interval %d: %v sectors in %v cycles", i, n, in.Cycles)
		}
	}
	near(t, "cycles", all.Cycles, r.Cycles, 5)
	var issued uint64
	for _, n := range all.Issued {
		issued += n
	}
	if issued != r.Issued || all.Issued[pipe.StoreGlobal] == 0 || all.Memory != r.Memory {
		t.Errorf("%d of %d instructions, memory %+v of %+v", issued, r.Issued, all.Memory, r.Memory)
	}
	if len(r.Intervals) < 10 {
		t.Errorf("%d intervals", len(r.Intervals))
	}
}

// Of a long launch two intervals become one.
func TestHalvedIntervals(t *testing.T) {
	c := recorder{least: 1}
	for i := range maxIntervals {
		c.list = append(c.list, Interval{Cycles: float64(i)})
	}
	c.halve()
	if len(c.list) != maxIntervals/2 || c.list[3].Cycles != 6+7 || c.least != 2 {
		t.Errorf("%d intervals, %+v", len(c.list), c.list[3])
	}
}
