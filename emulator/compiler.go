package emulator

import (
	"context"
	"fmt"

	"hyptx/emulator/internal/lanes"
	"hyptx/internal/observe"
	"hyptx/internal/slice"
	"hyptx/internal/ssa"
	"hyptx/internal/vary"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// What every family's builder asks the compiler for: a place for a register or an
// immediate, a counter, an instruction to begin with, a reason to refuse one.

// compiler is the state of one Compile.
type compiler struct {
	ctx   context.Context // see look
	mod   *ir.Module
	data  *moduleData
	slice *slice.Slice
	// origins is the slice through which origins are followed, or nil.
	// decides: see Options.
	origins, decides *slice.Slice
	// adds says which additions are watched; halves is how many of them are two.
	adds      Adds
	halves    uint32
	observing observe.What
	// leaders are the present segment's accesses that others may follow.
	leaders map[leaderKey]int32
	prog    *Program
	consts  map[constKey]operand
	frames  map[frameKey]int32 // where frames hold special registers and addresses
	// fn is the function being filled, ran how many instructions of the present
	// segment are executed.
	fn  *function
	ran int32
	// variation is what open results follow, nil in nearly all programs. varied
	// counts the instructions that do; products are the places of the operands of
	// multiplications that may be contracted.
	variation *vary.Variation
	varied    int32
	products  map[ir.PC]product
	// ssas are the forms that were asked for (form).
	ssas map[*function]*ssa.Form
	// fragmented are the registers of functions that hold parts of fragments.
	fragmented map[*function]map[ir.RegID]bool
	// stateful says whether an instruction returns the state of an mbarrier object, once that is known.
	stateful *bool
	// functions numbers what atomics do to a word.
	functions map[string]uint8
	// unwritten are the registers of functions that may be read before they are written.
	unwritten map[*function]*unwrittenRegs
	// given says which wgmmas of a function give a register.
	given       map[*function]map[ir.RegID][]ir.PC
	descriptors interface {
		Descriptor(pc ir.PC) (bits uint32, known bool)
	} // see Options
	// invertedBorrow: see Machine.
	invertedBorrow bool
}

// constKey identifies an immediate: its bits and the slots it takes.
type constKey struct {
	bits  uint64
	slots int8
}

// frameKey is something that a function's frames hold from their start.
type frameKey struct {
	fn *function
	of sregKey
}

// register returns the place of a register in its function's frame: a slot
// for a value, a bit mask's index for a predicate.
func (c *compiler) register(fn *function, r ir.RegID) operand {
	if fn.reg[r] < 0 {
		t := fn.ir.Regs[r].Type
		if t == isa.Pred {
			fn.reg[r] = int32(fn.preds)
			fn.preds++
		} else {
			fn.reg[r] = int32(fn.slots)
			fn.slots += t.Slots()
		}
	}
	return operand{off: fn.reg[r], mask: -1}
}

// constant returns the place of an immediate of the given number of slots.
func (c *compiler) constant(bits uint64, slots int) operand {
	key := constKey{bits, int8(slots)}
	if o, ok := c.consts[key]; ok {
		return o
	}
	o := operand{off: int32(len(c.prog.consts))}
	words := max(slots, 1)
	var s [4]lanes.Slot
	for i := range lanes.Width {
		// A lane's words lie side by side, the lowest first.
		at := i * words
		s[at/lanes.Width][at%lanes.Width] = uint32(bits)
		if words > 1 {
			s[at/lanes.Width][at%lanes.Width+1] = uint32(bits >> 32)
		}
	}
	c.prog.consts = append(c.prog.consts, s[:words]...)
	c.consts[key] = o
	return o
}

// constUse returns the launch constant that instruction pc reads in reg.
func (c *compiler) constUse(pc ir.PC, reg ir.RegID) (bits uint64, ok bool) {
	return constIn(c.slice, pc, reg)
}

// constIn looks a constant use up in a slice, which may be nil.
func constIn(s *slice.Slice, pc ir.PC, reg ir.RegID) (bits uint64, ok bool) {
	if s == nil {
		return 0, false
	}
	return s.ConstAt(pc, reg)
}

// sregUse returns the special register that instruction pc reads in reg.
func (c *compiler) sregUse(pc ir.PC, reg ir.RegID) (isa.SReg, bool) { return sregIn(c.slice, pc, reg) }

// sregIn looks a use of a special register up in a slice, which may be nil.
func sregIn(s *slice.Slice, pc ir.PC, reg ir.RegID) (isa.SReg, bool) {
	if s == nil {
		return isa.NoSReg, false
	}
	return s.SRegAt(pc, reg)
}

// runs reports whether an instruction is executed, not only counted.
func (c *compiler) runs(pc ir.PC) bool { return c.slice == nil || c.slice.Run.Has(pc) }

// newInst begins the decoding of an instruction: its guard and the counter
// that a guard needs.
func (c *compiler) newInst(in *ir.Instr) inst {
	i := noInst(in.PC)
	if in.Guard == ir.NoReg {
		return i
	}
	if bits, ok := c.constUse(in.PC, in.Guard); ok {
		c.prog.constGuard[in.PC] = bits != 0 != in.GuardNot
		return i
	}
	i.guard = c.register(c.fn, in.Guard).off
	if in.GuardNot {
		i.flip = fullMask
	}
	i.count = c.counter(1)
	c.prog.guardCount[in.PC] = i.count
	return i
}

// noInst is an instruction without a guard, predicates and counters.
func noInst(pc ir.PC) inst {
	return inst{pc: pc, guard: noPred, count: -1, pd: noPred, pq: noPred, pa: noPred}
}

// append adds a decoded instruction to the program's.
func (c *compiler) append(i inst) {
	i.index = int32(len(c.prog.insts))
	c.prog.insts = append(c.prog.insts, i)
}

// counter gives n counters that follow each other, and returns the first.
func (c *compiler) counter(n int) int32 {
	first := c.prog.counts
	c.prog.counts += n
	return int32(first)
}

func (c *compiler) unsupported(in *ir.Instr, why string) error {
	return &unsupportedError{File: c.mod.FileOf(in.PC), Line: int(in.Pos.Line), Col: int(in.Pos.Col), Text: c.mod.FuncOf(in.PC).Text(in.PC), Why: why}
}

// unsupportedError says that an instruction's form is not executed.
type unsupportedError struct {
	File      string
	Line, Col int
	Text      string
	Why       string
}

func (e *unsupportedError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s: not executed by this version: %s", e.File, e.Line, e.Col, e.Text, e.Why)
}

// builder decodes an instruction of one opcode: it sets the function that runs
// it and the places of its operands.
type builder func(c *compiler, in *ir.Instr, i *inst) error

// buildNothing is for what only hints, orders or waits for what is done
// already: the emulator runs accesses in program order.
func buildNothing(_ *compiler, _ *ir.Instr, i *inst) error {
	i.exec = execNothing
	return nil
}

func execNothing(*warp, *inst, uint32) {}
