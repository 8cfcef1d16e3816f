package roofline

import (
	"math"
	"testing"

	"hyptx/internal/gpu"
	"hyptx/internal/number"
)

// TestWayToDRAM: so many bytes go a cycle of the SMs between L2 and DRAM, whole accesses.
func TestWayToDRAM(t *testing.T) {
	is := &Traffic{DRAMRead: number.Ratio(3e6), DRAMWrite: number.Ratio(1e6), Accesses: 1e5, Source: TrafficModel}
	for want, of := range map[float64]*gpu.Timing{
		8000: {DRAM: gpu.DRAMTiming{AccessBytes: 64}, L2: gpu.L2Timing{DRAMBytesPerCycle: 800}},
		5000: {DRAM: gpu.DRAMTiming{AccessBytes: 32}, L2: gpu.L2Timing{DRAMBytesPerCycle: 800}},
		0:    {DRAM: gpu.DRAMTiming{AccessBytes: 64}},
	} {
		if got := toDRAM(is, of); got != want {
			t.Errorf("%v bytes a cycle, %d an access: %v cycles, want %v", of.L2.DRAMBytesPerCycle, of.DRAM.AccessBytes, got, want)
		}
	}
}

// TestDRAM: accesses move as much as DRAM does at least, and rows are opened one after the other.
func TestDRAM(t *testing.T) {
	of := &gpu.Timing{DRAM: gpu.DRAMTiming{AccessBytes: 64, RowToRowNs: 4, Channels: 8}}
	for _, c := range []struct {
		name string
		is   Traffic
		want float64 // us
	}{
		{"nobody knows accesses", Traffic{DRAMRead: number.Ratio(3e6), DRAMWrite: number.Ratio(1e6)}, 4},
		{"halves of what moves", Traffic{DRAMRead: number.Ratio(3e6), DRAMWrite: number.Ratio(1e6), Accesses: 1e5, Rows: 100}, 6.4},
		{"each in a row of its own", Traffic{DRAMRead: number.Ratio(3e6), DRAMWrite: number.Ratio(1e6), Accesses: 1e5, Rows: 1e5}, 50},
	} {
		c.is.Source = TrafficModel
		if got := 1e6 * dram(&c.is, 1e12, of); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %v us, want %v", c.name, got, c.want)
		}
		if got := 1e6 * dram(&c.is, 1e12, nil); math.Abs(got-4) > 1e-9 {
			t.Errorf("of a GPU of which nobody knows more: %v us, want 4", got)
		}
	}
}
