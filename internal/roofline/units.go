package roofline

import (
	"math"

	"hyptx/internal/gpu"
	"hyptx/internal/pipe"
	"hyptx/internal/roofline/thesis"
)

// The thesis adds all instructions up in one pipeline. SMs have several side by side: while
// a multiply-add keeps its unit for two cycles, the scheduler issues an addition of
// integers to another one. So a launch takes as long as the busiest unit. What each
// kind of machine instruction keeps for how long are facts of the GPU, the same that the
// simulator has (package sim).

const warpLanes = 32

// units are what the SMs do, in seconds of a GPU that is full: the issue of instructions,
// and each unit. The load/store unit is not among them: it is the way to the L1.
func units(l *Launch, t *gpu.Timing, s shape) []unit {
	full := 1 / (s.sms * s.clockMHz * 1e6) // a second of one SM's cycle
	var alone [gpu.NumUnits]float64
	either := map[[2]gpu.Unit]float64{}
	issued := 0.0
	for k, n := range l.Kinds {
		kind := &t.Kinds[k]
		if issued += n; pipe.Kind(k).Memory() || pipe.Kind(k) == pipe.Matrix {
			continue
		}
		cycles := n * (kind.IntervalCycles + l.turns(n, kind)*kind.SwitchCycles)
		if !kind.SharedBySM {
			cycles /= float64(t.Issue.SubCores)
		}
		if kind.Alternative != gpu.UnitNone {
			either[[2]gpu.Unit{kind.Unit, kind.Alternative}] += cycles
		} else {
			alone[kind.Unit] += cycles
		}
		alone[kind.Also] += n * kind.AlsoCycles / float64(t.Issue.SubCores)
	}
	list := []unit{{"issue", issued / float64(t.Issue.SubCores*t.Issue.PerScheduler) * full}}
	for both, cycles := range either {
		x, y := &alone[both[0]], &alone[both[1]]
		toX := min(max((*x+*y+cycles)/2-*x, 0), cycles)
		*x, *y = *x+toX, *y+cycles-toX
	}
	for u := gpu.UnitNone + 1; u < gpu.NumUnits; u++ {
		if u != gpu.UnitLSU {
			list = append(list, unit{u.String(), alone[u] * full})
		}
	}
	return list
}

// tensorCycles returns for how many cycles of an SM its tensor cores make products, all of them one SM's: each type of
// factors has a rate of its own, and GeForce boards add halves up in FP32 at half of it.
func tensorCycles(products *[pipe.NumProducts]float64, t *gpu.TensorTiming) (cycles float64, err error) {
	for n, made := range products {
		if made == 0 {
			continue
		}
		of := pipe.Numbered(n)
		rate := t.Rate(of)
		if rate == 0 {
			return math.NaN(), &gpu.NoTensorError{Factors: of.Factors}
		}
		cycles += made / rate
	}
	return cycles, nil
}

// turns returns the share of so many instructions of a kind before which its unit goes to another warp, or
// waits for the same one: none if a warp alone keeps it busy, all if each waits for the one before.
func (l *Launch) turns(n float64, kind *gpu.KindTiming) float64 {
	if kind.SwitchCycles == 0 || l.Lone == nil || n == 0 {
		return 1
	}
	all := 0.0
	for _, issued := range l.Kinds {
		all += issued
	}
	apart := l.Lone.InL1 / l.Lone.Instructions * all / n // cycles from one to the next, of a warp alone
	interval := kind.IntervalCycles
	return min(1, max(0, apart-interval)/(max(kind.LatencyCycles, interval+kind.SwitchCycles)-interval))
}

// accesses returns the cycles of an SM that the way to the L1 and to shared memory takes if
// all accesses go through one: an access takes no less than the unit asks for, than the
// bytes of all lanes, though they may be the same, and than the passes over the banks, in which the
// L1's data lies, too: lanes that read a column of a matrix have one pass each. What the machine
// merges, k words of each lane that follow each other, takes as many passes as one of the k words does
// whose lanes are k words apart: those of a request are of an access. An atomic of shared memory
// reads in as many passes as other accesses take on average, and writes in as many.
func accesses(l *Launch, t *gpu.Timing, g *gpu.GPU) (cycles float64) {
	global, shared, pass := 0.0, 0.0, 1.0
	if g.L1.SharesWithShared != nil && g.L1.SharesWithShared.Value {
		pass = 4 * warpLanes / t.LSU.BytesPerCycle // else shared memory has all its banks to itself
	}
	for k, n := range l.Kinds {
		switch kind := pipe.Kind(k); kind {
		case pipe.LoadShared, pipe.StoreShared, pipe.LoadMatrix, pipe.AtomicShared:
			shared += n
		case pipe.LoadConst, pipe.Texture:
		case pipe.Shuffle:
			cycles += n * max(t.LSU.CyclesPerInstruction, t.Kinds[k].IntervalCycles)
		default:
			if kind.Memory() {
				global += n
			}
		}
	}
	address := 4 * warpLanes / t.LSU.BytesPerCycle // of constants
	cycles += l.Kinds[pipe.LoadConst]*max(t.LSU.CyclesPerInstruction, address) + l.Traffic.ConstReplays*address
	cycles += max(global*t.LSU.CyclesPerInstruction, max(l.Traffic.L1.X, l.Traffic.Lanes.X, global*l.L1Passes.X*4*warpLanes)/t.LSU.BytesPerCycle)
	if shared == 0 {
		return cycles
	}
	atomics, passes := l.Kinds[pipe.AtomicShared], max(shared*t.LSU.CyclesPerInstruction, l.SharedLanes.X/warpLanes*pass)
	return cycles + passes*(1+atomics/shared) + (l.Kinds[pipe.StoreShared]+atomics)*t.LSU.SharedStoreCycles
}

// network returns the cycles of an SM that its ways to the L2 and back take if all that is sent goes
// over those of one: the way out has a packet of each request, and what is stored.
func network(of *Traffic, t *gpu.NoCTiming) (cycles float64) {
	out := of.Requests.X/t.RequestsPerCycle + of.Stored.X/t.StoreBytesPerCycle
	return max(out, (of.L2.X-of.Stored.X)/t.ReturnBytesPerCycle)
}

// atL2 returns the cycles for which the slices of the L2, which give so many bytes a cycle, are taken:
// by an atomic for as long as its words take. Those of one line are of one slice, and lanes that want one
// word come one after the other.
func atL2(of *Traffic, bytesPerCycle float64, t *gpu.Timing) (cycles float64) {
	cycles = of.L2.X / bytesPerCycle
	if t == nil {
		return cycles
	}
	slices, sector := float64(t.L2.Slices), thesis.SectorBytes/bytesPerCycle // of all slices
	atomic := max(thesis.SectorBytes/4/t.L2.AtomicsDistinct, slices*sector)  // of one
	cycles += of.Atomics * (atomic/slices - sector)
	return max(cycles, of.LineSectors*atomic, of.LineLanes/t.L2.AtomicsSameAddress)
}

// dram returns the seconds that DRAM takes, which gives so many bytes a second: for whole accesses of
// what it moves at least, and no less than for opening rows, one after the other in each channel.
func dram(of *Traffic, bytesPerS float64, t *gpu.Timing) float64 {
	if t == nil {
		return of.DRAM().X / bytesPerS
	}
	return max(of.moved(t)/bytesPerS, of.Rows*t.DRAM.RowToRowNs*1e-9/float64(t.DRAM.Channels))
}

// moved returns the bytes that DRAM moves: whole accesses.
func (of *Traffic) moved(t *gpu.Timing) float64 {
	return max(of.DRAM().X, of.Accesses*float64(t.DRAM.AccessBytes))
}

// toDRAM returns the cycles of the SMs' clock that the way from the L2 to DRAM takes; 0 where nobody knows.
func toDRAM(of *Traffic, t *gpu.Timing) float64 {
	if t == nil || t.L2.DRAMBytesPerCycle == 0 {
		return 0
	}
	return of.moved(t) / t.L2.DRAMBytesPerCycle
}
