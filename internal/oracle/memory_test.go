package oracle

import (
	"fmt"

	"hyptx/ir"
	"hyptx/ir/isa"
)

// The memory of a launch: what its parameter points to, the module's variables, and
// for each CTA its shared variables.

// memory is global memory. shared is that of the CTAs, which have a crowd each.
type memory struct{ out, vars []byte }

// varBase is where the module's variables lie.
const varBase = 0x100000000000

func newMemory(l *launch) *memory {
	return &memory{out: make([]byte, l.outBytes), vars: make([]byte, l.varBytes)}
}

// placeVariables gives addresses to the variables of a launch's module and kernel.
func (l *launch) placeVariables() {
	l.addresses = map[*ir.Var]uint64{}
	place := func(v *ir.Var) {
		switch v.Space {
		case isa.Global:
			l.addresses[v] = varBase + uint64(l.varBytes)
			l.varBytes += (v.Bytes + 15) &^ 15
		case isa.Shared:
			l.addresses[v] = uint64(l.sharedBytes)
			l.sharedBytes += (v.Bytes + 15) &^ 15
		}
	}
	for _, v := range l.kernel.Module.Vars {
		place(v)
	}
	for _, v := range l.kernel.Vars {
		place(v)
	}
}

// isParameter reports whether an address is in the .param space.
func isParameter(at *ir.Operand) bool {
	return at.Var != nil && at.Var.Space != isa.Global && at.Var.Space != isa.Shared
}

// memoryAt returns the bytes at the address that an operand of an instruction names.
func (t *thread) memoryAt(in *ir.Instr, at *ir.Operand, size int) ([]byte, error) {
	return t.memoryIn(in.Inst.Space, at, size)
}

func (t *thread) memoryIn(space isa.Space, at *ir.Operand, size int) ([]byte, error) {
	addr := uint64(int64(at.Imm))
	if at.Var != nil {
		addr, space = addr+t.l.addresses[at.Var], at.Var.Space
	} else {
		addr += t.top().regs[at.Reg]
	}
	return t.bytesAt(space, addr, size)
}

// bytesAt returns bytes of global memory, or of the CTA's shared memory.
func (t *thread) bytesAt(space isa.Space, addr uint64, size int) ([]byte, error) {
	var from []byte
	base := uint64(0)
	switch {
	case (space == isa.Shared || space == isa.SharedCluster) && t.crowd != nil:
		var err error
		if from, addr, err = t.sharedAt(addr); err != nil {
			return nil, err
		}
	case space == isa.Global && addr >= outBase:
		from, base = t.mem.out, outBase
	case space == isa.Global:
		from, base = t.mem.vars, varBase
	}
	if off := addr - base; addr >= base && off+uint64(size) <= uint64(len(from)) && off%uint64(size) == 0 {
		return from[off:][:size], nil
	}
	return nil, fmt.Errorf("%d bytes at %#x in space %s are no memory", size, addr, space)
}

// get reads a number of 1, 2, 4 or 8 bytes, put writes one.
func get(b []byte) (v uint64) {
	for i, x := range b {
		v |= uint64(x) << (8 * i)
	}
	return v
}

func put(b []byte, v uint64) {
	for i := range b {
		b[i] = byte(v >> (8 * i))
	}
}
