package emulator

import (
	"hyptx/internal/traffic/stream"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// A product of tcgen05 is issued by one thread and goes on by itself, in tensor cores that all
// warps of an SM have in common: how long it takes is a matter of the matrices' sizes, which
// no slice needs. So traces tell of it where the instruction is executed, as far as descriptors
// are constants of the launch; and of loads and stores of tensor memory, which nobody counts as
// accesses. How long all that takes is for who plays the trace to say (package sim). Of
// tcgen05.shift nobody knows.

// traceTensor does so for what keeps tensor cores, or the ways to their memory, busy.
func (c *compiler) traceTensor(in *ir.Instr, i *inst) bool {
	work, why, ok := c.tensorWork(in)
	if !ok {
		return false
	}
	exec := i.exec
	i.exec = func(w *warp, in *inst, m uint32) {
		if w.moved.Trace != nil && m != 0 {
			if why != "" { // a product that takes no time would be a wrong number
				w.fail(in, m, "%s", why)
			}
			w.moved.Trace.Work(uint32(in.pc), work.Times(popcount(m)))
		}
		if exec != nil {
			exec(w, in, m)
		}
	}
	return true
}

// tensorWork returns what an instruction keeps busy, for each thread that issues it or, of loads
// and stores, for a warp; why is what is wrong with a product, whose work is unknown then.
func (c *compiler) tensorWork(in *ir.Instr) (work stream.TensorWork, why string, ok bool) {
	switch in.Inst.Op {
	case isa.OpTcgen05Mma, isa.OpTcgen05MmaSp, isa.OpTcgen05MmaWs, isa.OpTcgen05MmaWsSp:
		if c.descriptors == nil {
			return work, "", false
		}
		p := productKindOf(in.Inst)
		bits, known := c.descriptors.Descriptor(in.PC)
		s, why := p.shapeOf(bits)
		return p.work(&s, in.Ops()[1].Kind == ir.OperandBrackets), why, known
	case isa.OpTcgen05Cp:
		rows, bytes := copiedRows(in.Inst)
		return stream.TensorWork{SharedBytes: uint64(rows * bytes)}, "", true
	}
	if t := in.Inst.Form.Tensor; t == isa.Reads || t == isa.Writes {
		return stream.TensorWork{Words: movedWords(in)}, "", true
	}
	return work, "", false
}

// movedWords returns how many registers of each lane a load from tensor memory, or a store, has.
func movedWords(in *ir.Instr) (n uint64) {
	for k := range in.Ops() {
		if name := in.Inst.Form.Operands[k].Name; name == "r" || name == "b" {
			n += uint64(max(len(in.Ops()[k].Elems()), 1))
		}
	}
	return n
}

// work is what a product takes of tensor cores. Two multiply-adds of elements of 4 bits, where
// they are not in containers of 8, count as one of 8 (DGX B200 data sheet: 72 and 36 PFLOPS,
// dense). Of a sparse A only what is stored is multiplied. A row of D has a lane of tensor
// memory: lanes without one do nothing meanwhile [ours], but with .ws, which gives them columns.
// Of a pair of CTAs each multiplies its own rows, and reads half of B from its own shared memory.
func (p *productKind) work(s *productShape, aInTensor bool) stream.TensorWork {
	rows, depth, columns := max(s.rows, tensorLanes), s.stored, s.n
	if p.ws {
		rows = s.rows
	}
	if s.bitsA == 4 {
		depth /= 2
	}
	if p.pair {
		columns /= 2
	}
	read := columns * s.k * s.bitsB / 8
	if !aInTensor {
		read += s.rows * s.stored * s.bitsA / 8
	}
	return stream.TensorWork{MACs: uint64(rows * s.n * depth), SharedBytes: uint64(read)}
}
