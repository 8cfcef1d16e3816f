package emulator

import (
	"hyptx/emulator/internal/lanes"
	"hyptx/internal/sparse"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// tcgen05.ld.spcompress loads the columns of a lane, and leaves of each four numbers two and
// their places, as spcompress does; .red also finds the least or the greatest of all that are
// loaded (PTX ISA 9.7.18.8.3).

// tensorSparse is what is left of what is loaded.
type tensorSparse struct {
	rule          keepRule
	of            sparse.Shape
	kept, indices []operand
}

// compress makes a load of columns one that compresses them: r, d{, p}, [taddr].
func (t *tensorMove) compress(c *compiler, in *ir.Instr) {
	x := in.Inst
	t.sparse = &tensorSparse{rule: keepRule{min: hasWord(x, "min"), abs: hasWord(x, "abs"), of: f32Numbers}}
	t.sparse.indices, t.sparse.kept = c.destinations(&in.Ops()[0]), c.destinations(&in.Ops()[1])
	t.elems = make([]operand, 2*len(t.sparse.kept)) // the columns
	t.sparse.of = sparse.Of(x.Opcode)
	t.reduce = nil
	if x.Op == isa.OpTcgen05LdRedSpcompress {
		t.reduce = &tensorReduce{d: c.dest(in, 2), typ: x.Type(), abs: hasWord(x, "abs"), nan: hasWord(x, "NaN"), max: hasWord(x, "max")}
	}
}

func execTensorCompress(w *warp, in *inst, m uint32) {
	t, memory := in.multiply.move, w.tensor()
	var reduced lanes.Slot
	var data [lanes.Width][mostData]uint32
	w.cellsOf(in, m, func(thread, r, cell int) {
		data[thread][r] = memory.cells[cell]
		t.reduce.add(&reduced, thread, r, memory.cells[cell])
	})
	s := t.sparse
	for thread := range lanesOf(m) {
		var kept, indices [mostData]uint32
		if s.rule.compressed(&s.of, data[thread][:], kept[:len(s.kept)], indices[:len(s.indices)]) {
			w.worker.open |= 1 << thread
		}
		w.writeRegisters(s.kept, thread, &kept)
		w.writeRegisters(s.indices, thread, &indices)
	}
	t.reduce.end(w, &reduced, m)
}
