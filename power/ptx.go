package power

import (
	"math"

	"hyptx/ir"
	"hyptx/ir/isa"
)

// From instructions to events. AccelWattch's PTX variant knows nothing but the
// text of a kernel and how often each instruction ran: every issue by a warp is
// an instruction for the scheduler and reads and writes registers of all lanes;
// every execution by a thread with a true guard is one event of the unit that
// the table of instructions names (ptxopcode.go). What memory and the clock add
// comes from elsewhere. The variants that the paper and its released program
// differ in are Rules.

// InstrCount is how often an instruction of a launch was executed.
type InstrCount struct {
	Instr *ir.Instr
	// Issues are by warps; PredOn by threads whose guard held.
	Issues, PredOn uint64
	// Products are tcgen05's, in those of mma.
	Products uint64
}

// lanesPerAccess: the register file is read and written for whole warps.
const lanesPerAccess = 32

// tensorLanes is what one warp's matrix instruction counts.
const tensorLanes = 32

// addInstr adds the events of one instruction by the PTX rules (spec section 2).
// What depends on memory or on time is not here.
func (n *counts) addInstr(c InstrCount, r Rules) {
	in, issues := c.Instr, float64(c.Issues)
	n[TotInst] += issues
	if schedFloat(in.Inst) {
		n[FPInst] += issues
	} else {
		n[IntInst] += issues
	}
	read, written, other := operands(in)
	n[RegRead] += lanesPerAccess * issues * float64(read)
	n[RegWrite] += lanesPerAccess * issues * float64(written)
	n[NonReg] += lanesPerAccess * issues * float64(other)
	if counter, ok := execCounter(in.Inst, r); ok && executes(in) {
		switch {
		case in.Inst.OpaqueTensor():
			n[Tensor] += tensorLanes * float64(c.Products)
		case counter == Tensor:
			n[Tensor] += tensorLanes * issues * products(in.Inst)
		default:
			n[counter] += float64(c.PredOn)
		}
	}
}

// products is how many products of a warp, as mma has them, one matrix instruction makes [ours]:
// of wgmma.m64nN each of four warps has 16 rows of the result, so that it does what N/8 of
// mma.m16n8 do, whose depth is the same in every type (PTX ISA 9.7.16.5, 9.7.17.2). AccelWattch's
// program, which knows mma and wmma alone, counts one whatever the shape. Of tcgen05 the size is not
// in the text: its products are counted as many as mma would need.
func products(in *isa.Inst) float64 {
	if in.Op != isa.OpWgmmaMmaAsync && in.Op != isa.OpWgmmaMmaAsyncSp {
		return 1
	}
	_, n, _ := in.Shape()
	return float64(n) / 8
}

// executes reports whether an instruction runs on a unit: mov of a variable's
// address counts as an access of memory.
func executes(in *ir.Instr) bool {
	if in.Inst.Op != isa.OpMov {
		return true
	}
	for i := range in.Ops() {
		if k := in.Ops()[i].Kind; k == ir.OperandVar || k == ir.OperandFunc {
			return false
		}
	}
	return true
}

// operands counts the registers that an instruction names as sources and as
// destinations, and its sources that are none; vectors count each element.
// Guards are no operands. As GPGPU-Sim has it (cuda-sim.cc, num_operands less
// num_regs), an address is no register, though the register in it is read as
// well, and what stands first is never counted as none: a store's address, a
// barrier's number.
func operands(in *ir.Instr) (read, written, other int) {
	specs := in.Inst.Form.Operands
	for i := range in.Ops() {
		write := i < len(specs) && specs[i].Write
		o := &in.Ops()[i]
		r, w, x := operand(o, write)
		if i == 0 {
			x = 0
		}
		read, written, other = read+r, written+w, other+x
		if o.Pair != ir.NoReg {
			written++
		}
	}
	return read, written, other
}

func operand(o *ir.Operand, write bool) (read, written, other int) {
	switch o.Kind {
	case ir.OperandReg:
		if write {
			return 0, 1, 0
		}
		return 1, 0, 0
	case ir.OperandVec:
		for i := range o.Elems() {
			r, w, x := operand(&o.Elems()[i], write)
			read, written, other = read+r, written+w, other+x
		}
	case ir.OperandAddr:
		if o.Reg != ir.NoReg {
			return 1, 0, 1
		}
		return 0, 0, 1
	case ir.OperandImm, ir.OperandSReg, ir.OperandVar, ir.OperandFunc:
		if !write {
			return 0, 0, 1
		}
	}
	return read, written, other
}

// Executed are the events and lanes that follow from instruction counts alone.
type Executed struct {
	Counts counts
	// Lanes is the mean number of active lanes of warp instructions that
	// execute; 0 without any.
	Lanes float64
	// matrices is Tensor as if all matrix instructions were alike (products), described what
	// of it is tcgen05's; products are the matrix instructions' own events of registers.
	matrices, described float64
	products            counts
}

// Execute applies the PTX rules to the instructions of a launch, in the order
// of the text.
func Execute(list []InstrCount, r Rules) Executed {
	var e Executed
	var lanes, issues float64
	for _, c := range list {
		if c.Issues == 0 {
			continue
		}
		e.Counts.addInstr(c, r)
		if counter, ok := execCounter(c.Instr.Inst, r); ok && executes(c.Instr) {
			lanes += float64(c.PredOn)
			issues += float64(c.Issues)
			switch {
			case c.Instr.Inst.OpaqueTensor():
				e.described += tensorLanes * float64(c.Products)
			case counter == Tensor:
				e.matrices += tensorLanes * float64(c.Issues)
				e.products.addInstr(c, r)
			}
		}
	}
	if r.set().pairs {
		e.Counts.dropPairs(list)
	}
	if r.set().wrapLanes {
		lanes = math.Mod(lanes, 1<<32)
	}
	if issues > 0 {
		e.Lanes = lanes / issues
	}
	return e
}

// dropPairs takes away what the released program's test of the second
// instruction of a fetched pair loses: (FP, not FP) counts once. Pairs are
// taken from the start of each basic block.
func (n *counts) dropPairs(list []InstrCount) {
	for i := 0; i+1 < len(list); i++ {
		a, b := list[i], list[i+1]
		if a.Instr.Block != b.Instr.Block || a.Instr.PC+1 != b.Instr.PC {
			continue
		}
		if schedFloat(a.Instr.Inst) && !schedFloat(b.Instr.Inst) {
			n[IntInst] -= min(float64(b.Issues), n[IntInst])
		}
		i++ // the pair is used up
	}
}

// Instruction fetches. The power model charges the instruction caches by fetches of
// two instructions; nothing in PTX says how many of them miss. Taken are a cold miss
// of every line of the text on every SM that works, once a repetition, and hits from
// then on: 98 instructions of 16 bytes are 13 lines of 128 bytes, so 13 x 80 misses on
// a full GV100.

// sassBytes is the size of a machine instruction of Volta and later, lineBytes
// that of an instruction cache line; the rules for instruction fetches and
// duty are ours (spec, end of section 2).
const (
	sassBytes   = 16
	fetchedLine = 128
	perFetch    = 2
	dutyLanes   = 32 * 8
	dutyCap     = 0.8
)

// What follows from a launch as a whole: how many SMs have work, how often its
// text goes through the instruction caches, and how busy the lanes are. The text
// is taken to come from memory once an SM in each repetition and to hit after
// that.

// shape is what the rules for fetches, duty and idle SMs need of a launch.
type shape struct {
	CTAs, CTAsPerSM    float64
	StaticInstructions float64
	ThreadInstructions float64 // with a true guard, all repetitions
	Repetitions        float64
	Spread             bool // a wave that is not full is spread over all SMs
}

// activeSMs is the mean over waves of how many SMs have CTAs.
func (s shape) activeSMs(sms int) float64 {
	n := float64(sms)
	capacity := n * s.CTAsPerSM
	full := math.Floor(s.CTAs / capacity)
	rest := s.CTAs - full*capacity
	if rest == 0 {
		return n
	}
	if !s.Spread {
		rest /= s.CTAsPerSM
	}
	return (full*n + min(n, rest)) / (full + 1)
}

// fill adds to an activity what follows from a launch's shape and its cycles.
func (s shape) fill(a *Activity, sms int) {
	active := s.activeSMs(sms)
	a.IdleSMs = float64(sms) - active
	misses := math.Ceil(sassBytes*s.StaticInstructions/fetchedLine) * active * s.Repetitions
	fetches := math.Ceil(a.Counts[TotInst] / perFetch)
	a.Counts[ICacheMiss] = min(misses, fetches)
	a.Counts[ICacheHit] = fetches - a.Counts[ICacheMiss]
	a.Duty = min(dutyCap, s.ThreadInstructions/(a.Cycles*active*dutyLanes))
}
