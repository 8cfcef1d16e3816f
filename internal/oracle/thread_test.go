package oracle

import (
	"encoding/binary"
	"fmt"

	"hyptx/ir"
	"hyptx/ir/isa"
)

// A thread on its own. The oracle gives each thread its own registers, its own
// program counter and its own call stack, runs it from its first instruction to
// its last, and writes down every instruction that it issued, with its call
// depth and whether its guard held. It sees nothing of other threads, so that
// nothing here can know about warps, masks or merging: these are derived from
// the traces afterwards (warp.go). That is what makes it an independent witness.
// Threads that communicate run so, too, taking turns at random (crowd_test.go).

// step is an instruction that a thread has issued.
type step struct {
	place
	on bool // the guard held
}

// place is a point in a thread's execution: the next instruction and how many
// calls deep it is.
type place struct{ pc, depth int32 }

// thread is one thread on its own.
type thread struct {
	l       *launch
	id, cta [3]uint32
	mem     *memory
	pc      int32 // of the next instruction
	frames  []*frame
	trace   []step
	done    bool
	// crowd are the threads that it communicates with, nil if there are none.
	crowd *crowd
	// waits is the instruction at which it waits for others, nil if it does not; bar
	// is the barrier.
	waits *ir.Instr
	// late: the time limit of the try_wait that it is at is over.
	late bool
	bar  int
	// came is the phase of its cluster's barrier in which it came last.
	came int
	// copies are the asynchronous copies that it has begun, groups how many
	// groups of them it has committed.
	copies []copying
	groups int
}

// frame is an activation of a function.
type frame struct {
	f    *ir.Func
	regs []uint64
	high []uint64 // the upper halves of 128-bit registers
	vars map[*ir.Var][]byte
	call *ir.Call
	back int32 // where it returns to
}

func newFrame(f *ir.Func) *frame {
	n := len(f.Regs)
	regs := make([]uint64, 2*n)
	return &frame{f: f, regs: regs[:n:n], high: regs[n:]}
}

func newThread(l *launch, mem *memory, id, cta [3]uint32) *thread {
	return &thread{
		l: l, id: id, cta: cta, mem: mem, pc: l.kernel.First, frames: []*frame{newFrame(l.kernel)}, trace: make([]step, 0, l.longest),
	}
}

// runThread runs a thread to its end and returns its trace.
func runThread(l *launch, mem *memory, id, cta [3]uint32) ([]step, error) {
	t := newThread(l, mem, id, cta)
	for !t.done {
		if err := t.step(); err != nil {
			return nil, err
		}
	}
	return t.trace, nil
}

// step executes the thread's next instruction.
func (t *thread) step() (err error) {
	if len(t.trace) == maxSteps {
		return errTooLong
	}
	pc := t.pc
	if f := t.top().f; pc == f.End {
		t.pc = t.leave()
		return nil
	}
	in := &t.l.kernel.Module.Instrs[pc]
	on := t.guard(in)
	t.trace = append(t.trace, step{place{pc, int32(len(t.frames) - 1)}, on})
	if t.pc++; on {
		t.pc, err = t.exec(in, t.pc)
	}
	return err
}

func (t *thread) top() *frame { return t.frames[len(t.frames)-1] }

func (t *thread) guard(in *ir.Instr) bool {
	return in.Guard == ir.NoReg || (t.top().regs[in.Guard] != 0) != in.GuardNot
}

// exec executes an instruction and returns the next one's PC.
func (t *thread) exec(in *ir.Instr, next int32) (int32, error) {
	switch in.Inst.Op {
	case isa.OpBra:
		return in.Target, nil
	case isa.OpBrxIdx:
		i := t.value(&in.Ops()[0])
		if i >= uint64(len(in.Targets())) {
			return 0, fmt.Errorf("brx.idx: index %d of %d", i, len(in.Targets()))
		}
		return in.Targets()[i], nil
	case isa.OpRet:
		return t.leave(), nil
	case isa.OpExit:
		t.done = true
		return 0, nil
	case isa.OpCall:
		return t.enter(in, next)
	case isa.OpLd:
		return next, t.load(in)
	case isa.OpSt:
		return next, t.store(in)
	}
	if known, err := t.communicate(in); known {
		return next, err
	}
	return next, t.compute(in)
}

// leave returns from the present function and returns the PC to go on at.
func (t *thread) leave() int32 {
	f := t.top()
	if t.frames = t.frames[:len(t.frames)-1]; len(t.frames) == 0 {
		t.done = true
		return 0
	}
	for i := range f.call.Returns {
		to, from := &f.call.Returns[i], f.passed(f.f.Returns[i].Var, f.f.Returns[i].Reg)
		switch {
		case to.Var != nil:
			copy(t.top().bytes(to.Var), from)
		case to.Kind == ir.OperandReg:
			t.top().setPassed(to.Reg, from)
		}
	}
	return f.back
}

// enter calls a function. A call binds each formal to its actual: by value, in a
// register of any type or in a variable of the callee's .param space (PTX ISA
// 7.1). A result goes back the same way when the function is left.
func (t *thread) enter(in *ir.Instr, next int32) (int32, error) {
	callee := in.Call.Callee
	if callee == nil {
		at := t.value(&in.Call.Address)
		for _, f := range in.Call.Callees(t.l.kernel.Module) {
			if uint64(f.Index) == at {
				callee = f
			}
		}
		if callee == nil {
			return 0, fmt.Errorf("call of function %d, which is no candidate", at)
		}
	}
	f := newFrame(callee)
	f.call, f.back = in.Call, next
	for i, p := range callee.Params {
		arg := &in.Call.Args[i]
		value := t.top().passed(arg.Var, arg.Reg)
		if arg.Var == nil && arg.Kind != ir.OperandReg { // a constant
			value = words(t.value(arg), 0)
		}
		if p.Var != nil {
			copy(f.bytes(p.Var), value)
		} else {
			f.setPassed(p.Reg, value)
		}
	}
	t.frames = append(t.frames, f)
	return callee.First, nil
}

// words returns two words as bytes.
func words(low, high uint64) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, low), high)
}

// passed returns what a variable, if there is one, or a register holds.
func (f *frame) passed(v *ir.Var, r ir.RegID) []byte {
	switch {
	case v != nil:
		return f.bytes(v)
	case r == ir.NoReg:
		return nil
	}
	return words(f.regs[r], f.high[r])
}

// setPassed sets a register to what was passed for it, as much of it as it
// takes.
func (f *frame) setPassed(r ir.RegID, value []byte) {
	var b [16]byte
	n := f.f.Regs[r].Type.Bytes()
	if f.f.Regs[r].Type == isa.Pred {
		n = 1
	}
	copy(b[:n], value)
	f.regs[r], f.high[r] = binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint64(b[8:])
}

// bytes returns the contents of a variable of the frame.
func (f *frame) bytes(v *ir.Var) []byte {
	if f.vars == nil {
		f.vars = map[*ir.Var][]byte{}
	}
	if f.vars[v] == nil {
		f.vars[v] = make([]byte, v.Bytes)
	}
	return f.vars[v]
}

// param returns the bytes of a .param variable from an offset on.
func (t *thread) param(op *ir.Operand) []byte {
	if t.top().f.Kernel && op.Var.Space == isa.ParamEntry {
		return t.l.params[op.Var.Offset+int(int64(op.Imm)):]
	}
	return t.top().bytes(op.Var)[int64(op.Imm):]
}

func (t *thread) load(in *ir.Instr) error {
	d, at := &in.Ops()[0], &in.Ops()[1]
	size := in.Inst.Type().Bytes()
	if !isParameter(at) {
		from, err := t.memoryAt(in, at, size)
		if err == nil {
			t.set(d, get(from))
		}
		return err
	}
	var b [16]byte
	copy(b[:size], t.param(at))
	t.set(d, binary.LittleEndian.Uint64(b[:]))
	t.top().high[d.Reg] = binary.LittleEndian.Uint64(b[8:])
	return nil
}

func (t *thread) store(in *ir.Instr) error {
	at, v := &in.Ops()[0], t.value(&in.Ops()[1])
	size := in.Inst.Type().Bytes()
	if !isParameter(at) {
		to, err := t.memoryAt(in, at, size)
		if err == nil {
			put(to, v)
		}
		return err
	}
	high := uint64(0)
	if r := in.Ops()[1].Reg; r != ir.NoReg {
		high = t.top().high[r]
	}
	copy(t.param(at)[:size], words(v, high))
	return nil
}

// set writes a register.
func (t *thread) set(op *ir.Operand, v uint64) {
	if op.Kind == ir.OperandReg {
		t.top().regs[op.Reg] = v
	}
}

// value reads an operand. The address of a function is its number.
func (t *thread) value(op *ir.Operand) uint64 {
	v := uint64(0)
	switch op.Kind {
	case ir.OperandReg:
		v = t.top().regs[op.Reg]
	case ir.OperandImm:
		v = op.Imm
	case ir.OperandFunc:
		v = uint64(op.Rare.Func.Index)
	case ir.OperandSReg:
		v = t.special(op.SReg)
	case ir.OperandVar:
		v = t.l.addresses[op.Var] + uint64(int64(op.Imm))
	}
	if op.Not {
		v ^= 1
	}
	return v
}

func (t *thread) special(r isa.SReg) uint64 {
	axis := r.Axis()
	switch r.Base() {
	case isa.SRegTID:
		return uint64(t.id[axis])
	case isa.SRegNTID:
		return uint64(t.l.block[axis])
	case isa.SRegCTAID:
		return uint64(t.cta[axis])
	case isa.SRegNCTAID:
		return uint64(t.l.grid[axis])
	case isa.SRegClusterCTARank:
		return uint64(t.cta[0] % t.l.cluster)
	case isa.SRegLaneID:
		return uint64(t.number() % 32)
	}
	panic("BUG: special register " + r.String())
}

// number is the thread's number in its CTA.
func (t *thread) number() uint32 {
	return t.id[0] + t.l.block[0]*(t.id[1]+t.l.block[1]*t.id[2])
}
