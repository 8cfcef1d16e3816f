package emulator

import (
	"math"
	"slices"

	"hyptx/emulator/internal/lanes"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// tcgen05.ld and .st move a piece of tensor memory to or from the registers of a warp,
// in a shape that says which thread has what (PTX ISA 9.7.18.2.3). Warp i of a warpgroup
// reaches lanes 32i to 32i+31 alone.

// tensorMove is such a piece.
type tensorMove struct {
	address location
	shape   tensorShape
	packed  bool // a register has the lower halves of two columns
	split   int  // columns to the second half of .16x32bx2
	stores  bool
	elems   []operand
	reduce  *tensorReduce // of ld.red
	sparse  *tensorSparse // of ld.spcompress
}

// tensorShape is the shape that is repeated: so many registers of a thread, and columns.
type tensorShape struct{ registers, columns int }

var tensorShapes = map[string]tensorShape{
	"32x32b": {1, 1}, "16x32bx2": {1, 0}, "16x64b": {1, 2}, "16x128b": {2, 4}, "16x256b": {4, 8},
}

// at returns the lane and the column of a thread's register, counted from the address:
//
//	32x32b    a thread has a lane
//	16x32bx2  as above, the threads from 16 on lanes 0 to 15 of columns elsewhere
//	16x64b    two threads have a lane, the two beside them the lane 8 further
//	16x128b   four threads have a lane, in the next register the lane 8 further
//	16x256b   the same, with two neighbouring columns each
func (t *tensorMove) at(thread, register int) (lane, column int) {
	s, width := t.shape, max(t.shape.columns, 1)
	column, r := register/s.registers*width, register%s.registers
	switch s.columns {
	case 0:
		lane = thread % 16
	case 1:
		lane = thread
	case 2:
		lane, column = thread/4+thread/2%2*8, column+thread%2
	case 4:
		lane, column = thread/4+r*8, column+thread%4
	default:
		lane, column = thread/4+r/2*8, column+thread%4*2+r%2
	}
	if t.packed {
		column *= 2
	}
	if s.columns == 0 {
		column += thread / 16 * t.split
	}
	return lane, column
}

// tensorReduce is what ld.red does to the columns of a lane.
type tensorReduce struct {
	d        operand
	typ      isa.Type
	max      bool
	abs, nan bool
}

// buildTensorMove decodes tcgen05.ld r, {d,} [taddr]{, split} and tcgen05.st [taddr]{,
// split}, b.
func buildTensorMove(c *compiler, in *ir.Instr, i *inst) error {
	x := in.Inst
	t := &tensorMove{packed: hasWord(x, "pack::16b") || hasWord(x, "unpack::16b")}
	for word, s := range tensorShapes {
		if hasWord(x, word) {
			t.shape = s
		}
	}
	sparse := x.Op == isa.OpTcgen05LdSpcompress || x.Op == isa.OpTcgen05LdRedSpcompress
	for n := range in.Ops() {
		switch op, name := &in.Ops()[n], x.Form.Operands[n].Name; {
		case sparse && name != "taddr":
		case name == "r":
			t.elems = c.destinations(op)
		case name == "b":
			t.elems = c.elements(in, op)
		case name == "d":
			t.reduce = &tensorReduce{d: c.dest(in, n), typ: x.Type(), abs: hasWord(x, "abs"), nan: hasWord(x, "NaN"), max: x.Sub.String() == "max"}
		case name == "taddr":
			t.address = c.tensorAddress(in, op)
		case name == "split":
			t.split = int(int32(op.Imm))
		}
	}
	i.multiply, i.exec = &multiply{move: t}, execTensorLoad
	if sparse {
		t.compress(c, in)
		i.exec = execTensorCompress
	}
	if t.stores = x.Form.Tensor == isa.Writes; t.stores {
		i.exec = execTensorStore
	}
	return nil
}

// hasWord reports whether an opcode has a modifier, by its name.
func hasWord(x *isa.Inst, word string) bool {
	return slices.ContainsFunc(x.Mods, func(m isa.Mod) bool { return m.String() == word })
}

// cellsOf yields the cell of each thread's register, and of the next column where two are
// packed, as numbers in tensor memory.
func (w *warp) cellsOf(in *inst, m uint32, yield func(thread, register, cell int)) {
	t := in.multiply.move
	lane, column := w.tensorAt(in, &t.address, m)
	for r := range t.elems {
		for thread := range lanesOf(m) {
			l, c := t.at(thread, r)
			if (lane+l)/lanes.Width != w.number%groupWarps {
				w.fail(in, 1<<thread, "lane %d of tensor memory is not one of the warp's: %d to %d", lane+l, w.number%groupWarps*lanes.Width, w.number%groupWarps*lanes.Width+31)
			}
			yield(thread, r, w.tensor().cell(w, in, lane+l, column+c))
			if t.packed {
				w.tensor().cell(w, in, lane+l, column+c+1)
			}
		}
	}
}

func execTensorLoad(w *warp, in *inst, m uint32) {
	t, memory := in.multiply.move, w.tensor()
	var reduced lanes.Slot
	w.cellsOf(in, m, func(thread, r, cell int) {
		v := memory.cells[cell]
		if t.packed {
			v = v&0xffff | memory.cells[cell+1]<<16
		}
		if t.elems[r].off >= 0 {
			w.slot(t.elems[r])[thread] = v
		}
		t.reduce.add(&reduced, thread, r, v)
	})
	t.reduce.end(w, &reduced, m)
}

func execTensorStore(w *warp, in *inst, m uint32) {
	w.worker.stores++
	t, memory := in.multiply.move, w.tensor()
	w.cellsOf(in, m, func(thread, r, cell int) {
		v := w.slot(t.elems[r])[thread]
		if !t.packed {
			memory.cells[cell] = v
			return
		}
		memory.cells[cell], memory.cells[cell+1] = v&0xffff, v>>16
	})
}

// add takes register r of a thread into a reduction, end writes what has come of it; nil is none.
func (t *tensorReduce) add(reduced *lanes.Slot, thread, r int, v uint32) {
	switch {
	case t == nil:
	case r == 0:
		reduced[thread] = t.first(v)
	default:
		reduced[thread] = t.next(reduced[thread], v)
	}
}

func (t *tensorReduce) end(w *warp, reduced *lanes.Slot, m uint32) {
	if t != nil && t.d.off >= 0 {
		lanes.Commit32(w.slot(t.d), reduced, m)
	}
}

// first is the reduction of one number: of a NaN nothing is left that min or max would
// take, unless .NaN says that it stays.
func (t *tensorReduce) first(v uint32) uint32 {
	if t.typ != isa.F32 {
		return v
	}
	if t.abs {
		v &= math.MaxInt32
	}
	if isNaN32(v) {
		return canonicalNaN
	}
	return v
}

const canonicalNaN = 0x7fffffff

func isNaN32(v uint32) bool { return v&math.MaxInt32 > 0x7f800000 }

// next is min or max (PTX ISA 9.7.1.11, 9.7.3.11): a NaN is left out, or with .NaN the
// result; -0 is below +0.
func (t *tensorReduce) next(a, v uint32) uint32 {
	less := a < v
	switch t.typ {
	case isa.S32:
		less = int32(a) < int32(v)
	case isa.F32:
		v = t.first(v)
		switch {
		case isNaN32(a) && isNaN32(v), t.nan && (isNaN32(a) || isNaN32(v)):
			return canonicalNaN
		case isNaN32(a):
			return v
		case isNaN32(v):
			return a
		}
		less = rank(a) < rank(v)
	}
	if less != t.max {
		return a
	}
	return v
}

// rank orders the bits of floats as their values, -0 below +0.
func rank(v uint32) uint32 {
	if v>>31 != 0 {
		return ^v
	}
	return v | 1<<31
}
