package roofline

import (
	"errors"

	"hyptx/internal/gpu"
	"hyptx/internal/pipe"
	"hyptx/internal/sim"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// The latency of an instruction is how long the next one in a chain waits for its
// result, in cycles of the SM clock, as micro-benchmarks of a single warp measure it.
// How many of them an SM starts a clock is another number, its throughput, which
// t_issue is about. A store makes nothing wait.

// kind is a kind of latency.
type kind uint8

const (
	none kind = iota // nobody waits: stores, branches, and what ptxas folds away (mov, cvta)
	fp32
	fp64
	integer
	special
	tensor
	shared
	local
	constant
	memory // global loads, textures
	atomics
	numKinds
)

// Latencies are the cycles from the issue of an instruction to that of one
// that needs its result, by kind. One that is unknown is nil; needing it is an
// error that names the field of the GPU's file.
type Latencies struct {
	GPU    *gpu.GPU
	Cycles [numKinds]*float64
	// standIn are those that the GPU's file does not say, but its compute capability does.
	standIn [numKinds]bool
}

// paths are the fields of a GPU's file, for errors.
var paths = [numKinds]string{fp32: "latency.fp32_cycles", fp64: "latency.fp64_cycles", integer: "latency.int_cycles", special: "latency.sfu_cycles",
	tensor: "latency.tensor_cycles", shared: "latency.shared_cycles", local: "latency.l1_cycles", constant: "latency.constant_cycles",
	memory: "latency.dram_cycles", atomics: "latency.l2_cycles"}

// fileLatencies returns a GPU's latencies by its file alone. A global load takes the mean over
// where it hits, or DRAM's where nobody knows. fp16 is as fast as fp32,
// conversions as integers, and the exchange of values between lanes takes the
// path of shared memory.
func fileLatencies(g *gpu.GPU, t Traffic) Latencies {
	l := Latencies{GPU: g}
	for k, f := range map[kind]*gpu.Float{
		fp32: g.Latency.FP32Cycles, fp64: g.Latency.FP64Cycles, integer: g.Latency.IntCycles, special: g.Latency.SFUCycles,
		tensor: g.Latency.TensorCycles, shared: g.Latency.SharedCycles, local: g.Latency.L1Cycles, constant: g.Latency.ConstantCycles,
		memory: g.Latency.DRAMCycles, atomics: g.Latency.L2Cycles,
	} {
		if f != nil {
			l.Cycles[k] = &f.Value
		}
	}
	l.mix(t)
	return l
}

// latencies returns a GPU's latencies; what its file does not say is that of its compute capability, of
// tensor cores without what the shape of a product takes.
func (d *Device) latencies(t Traffic) Latencies {
	l := fileLatencies(d.Spec, Traffic{})
	if of := d.timing; of != nil {
		clock, _ := d.Spec.ClockMHz() // known, or there were no timing
		for k, cycles := range [numKinds]float64{
			fp32: of.Kinds[pipe.FP32].LatencyCycles, fp64: of.Kinds[pipe.FP64].LatencyCycles, integer: of.Kinds[pipe.IntAdd].LatencyCycles,
			special: of.Kinds[pipe.Special].LatencyCycles, tensor: of.Tensor.LatencyCycles[pipe.MatrixFP16], shared: of.LSU.SharedCycles,
			local: of.LSU.HitCycles, constant: of.Constant.HitCycles, memory: of.DRAM.LatencyNs * clock / 1e3, atomics: of.L2.LatencyNs * clock / 1e3,
		} {
			if l.Cycles[k] == nil && cycles > 0 {
				l.Cycles[k], l.standIn[k] = &cycles, true
			}
		}
	}
	l.mix(t)
	return l
}

// mix makes a global load's latency the mean over where it hits.
func (l *Latencies) mix(t Traffic) {
	l1, l2, dram := l.Cycles[local], l.Cycles[atomics], l.Cycles[memory]
	if l1 == nil || l2 == nil || dram == nil || !t.L1Hits.Known || !t.L2Hits.Known {
		return
	}
	mean := t.L1Hits.X**l1 + (1-t.L1Hits.X)*(t.L2Hits.X**l2+(1-t.L2Hits.X)**dram)
	l.Cycles[memory] = &mean
}

// alone returns the cycles of the longest warp alone. Behind what was seen of it it goes on as it did
// in the second half of that.
func (l *Launch) alone(waves float64) float64 {
	if of := l.Lone.Steady; of != nil {
		return l.along(&l.Lone.Course, waves) + (l.Longer-1)*l.Lone.Instructions/of.Instructions*l.along(of, waves)
	}
	return l.Longer * l.along(&l.Lone.Course, waves)
}

// along returns the cycles of a course. Of what a warp does not find in an L1 of its own others have
// brought some, if the launch finds more there: those of earlier waves, while those of its own, which
// began with it, wait for the same at the same time.
func (l *Launch) along(c *sim.Course, waves float64) float64 {
	cycles, own := c.At(l.had(c)), c.L1Hits()
	if found := l.Traffic.L1Hits.X; found > own && own < 1 {
		cycles -= (cycles - c.InL1) * (found - own) / (1 - own) * (1 - 1/waves)
	}
	return cycles
}

// had returns the share of what a warp is the first of its SM to read that the L2 has. Beside what was
// there when the launch began that is what others have read, where these are shorter and have ended.
func (l *Launch) had(c *sim.Course) float64 {
	had, t := l.Traffic.Had.X, &l.Traffic
	if c.First == 0 || had >= 1 || !t.L2Hits.Known {
		return had
	}
	alone := (1 - had) * c.First / c.AtL2 // of its reads DRAM has, if nobody else is there
	others := max(0, 1-(1-t.L2Hits.X)/alone)
	return had + (1-had)*others*(1-l.mean())
}

// need checks that the kinds that are used are known.
func (l Latencies) need(used [numKinds]bool) error {
	var errs []error
	for k, u := range used {
		if u && k != int(none) && l.Cycles[k] == nil {
			errs = append(errs, l.GPU.Unknown(paths[k]))
		}
	}
	return errors.Join(errs...)
}

// standIns names those that are used and that the GPU's file does not say.
func (l *Latencies) standIns(used [numKinds]bool) (named []string) {
	for k, u := range used {
		if u && l.standIn[k] {
			named = append(named, paths[k])
		}
	}
	return named
}

// kindOf returns what the reader of an instruction's result waits for, by the
// unit that makes the result; none where nobody waits.
func kindOf(in *ir.Instr) kind {
	switch in.Inst.Form.Unit {
	case isa.UnitFMA:
		return fp32
	case isa.UnitFP64:
		return fp64
	case isa.UnitSpecial:
		return special
	case isa.UnitALU:
		return integer
	case isa.UnitTensor:
		return tensor
	case isa.UnitExchange:
		return shared
	case isa.UnitTexture:
		return memory
	case isa.UnitMemory:
		return kindOfLoad(in)
	case isa.UnitAtomic:
		if in.Inst.Space == isa.Shared {
			return shared
		}
		return atomics
	case isa.UnitBranch, isa.UnitBarrier, isa.UnitMove:
		return none
	}
	panic("BUG: no latency for the unit of " + in.Inst.Opcode)
}

func kindOfLoad(in *ir.Instr) kind {
	if in.Inst.IsStore() || !in.Inst.IsLoad() {
		return none
	}
	switch in.Inst.Space {
	case isa.Shared:
		return shared
	case isa.Local:
		return local
	case isa.Const, isa.Param, isa.ParamEntry, isa.ParamFunc:
		return constant
	}
	return memory
}
