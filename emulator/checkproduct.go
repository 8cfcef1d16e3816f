package emulator

import (
	"slices"

	"hyptx/emulator/internal/descriptor"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// Products of warpgroups (wgmma) read shared memory until somebody has waited for them, and their
// registers are undefined until then. What a warp reads for them has a number of its own in cells, and
// the number of its group for its time: behind a wgmma.wait_group all warps of the
// warpgroup know what each of them has waited for, for they are one.

// checkProduct makes a wgmma look at what it reads, and counts groups.
func (c *compiler) checkProduct(in *ir.Instr, i *inst) {
	c.prog.apart = true
	if in.Inst.Op == isa.OpWgmmaCommitGroup {
		i.exec = func(w *warp, _ *inst, _ uint32) { w.groups++ }
		return
	}
	if c.fn.ir != c.prog.Kernel {
		c.prog.unfiltered = true // its registers may be handed on
	}
	exec := i.exec
	i.exec = func(w *warp, in *inst, m uint32) {
		w.lookProduct(in, m)
		exec(w, in, m)
	}
}

// lookProduct looks at what a warp reads for a wgmma.
func (w *warp) lookProduct(in *inst, m uint32) {
	p := in.multiply.group
	if len(p.a) == 0 {
		matrix := descriptor.Warpgroup(w.uniformWide(in, p.descA, m), p.mnA)
		w.lookMatrix(in, &matrix, w.number%groupWarps*16, 16, p.bytesA, p.bits)
	}
	matrix := descriptor.Warpgroup(w.uniformWide(in, p.descB, m), p.mnB)
	w.lookMatrix(in, &matrix, 0, len(p.d)/p.per*8, p.bytesB, p.bits)
	w.products = slices.DeleteFunc(w.products, func(p pendingProduct) bool { return p.frame == w.frame && p.in == in })
	w.products = append(w.products, pendingProduct{w.frame, in, w.groups})
}

// lookMatrix looks at rows of a matrix in shared memory, so many bytes of each, piece by piece.
func (w *warp) lookMatrix(in *inst, matrix *descriptor.Matrix, first, rows, bytes, bits int) {
	if !matrix.Transposed() {
		for row := first; row < first+rows; row++ {
			for offset := 0; offset < bytes; offset += chunk {
				w.lookPiece(in, uint64(matrix.At(row, offset)))
			}
		}
		return
	}
	size := bits / 8
	for k := range bytes / size {
		for row := first; row < first+rows; row += chunk / size {
			w.lookPiece(in, uint64(matrix.At(k, row*size)))
		}
	}
}

// lookPiece looks at 16 bytes that a product reads.
func (w *warp) lookPiece(in *inst, addr uint64) {
	s := w.cta.cells
	k, last, ok := s.cellsOf(addr, chunk)
	if !ok {
		return
	}
	now, row := uint64(s.now)<<cellTime, s.row(w)
	self := (streamTimes+w.groups+1)<<cellTime | uint64(s.clocks.warps+w.clockNumber())<<5
	const thread = cellThread + 1 // none: of what its own warp does a product knows what all lanes do
	for ; k <= last; k++ {
		switch written := s.write[k]; {
		case written == 0:
			w.noteUnwritten(in, 0, isa.Shared, addr, chunk)
		case written >= now && !s.before(row, written, thread), s.unfenced(w, 0, written):
			w.suspect(in)
		}
		s.reads(row, now, k, self)
	}
}

// productsDone ends the products that a warp of a warpgroup has waited for; id is the barrier
// of the group, at which they have met.
func (c *cta) productsDone(id int) {
	clocks := c.cells.clocks
	told := clocks.room
	clear(told)
	waits := func(yield func(w *warp, p *path)) {
		for _, w := range c.warps {
			for _, p := range w.paths {
				if p.state == atBarrier && p.wait.bar == id {
					yield(w, p)
				}
			}
		}
	}
	waits(func(w *warp, p *path) {
		but := uint64(p.wait.in.width)
		if w.groups > but {
			told[clocks.warps+w.clockNumber()] = uint32(streamTimes + w.groups - but)
		}
		w.products = slices.DeleteFunc(w.products, func(p pendingProduct) bool { return p.group+but < w.groups })
	})
	waits(func(w *warp, p *path) { c.cells.learn(w, p.mask, told) })
}

// checkPending puts before an instruction a look at the registers that it reads, if a wgmma gives
// them: nobody may have waited for that.
func (c *compiler) checkPending(in *ir.Instr, guarded inst) {
	if !c.prog.checked || in.Inst == nil {
		return
	}
	by := c.productsOf(in)
	if by == nil {
		return
	}
	i := noInst(in.PC)
	i.guard, i.flip = guarded.guard, guarded.flip
	i.exec = func(w *warp, in *inst, m uint32) {
		for k := range w.products {
			if p := &w.products[k]; p.frame == w.frame && slices.Contains(by, p.in.pc) {
				w.suspect(in)
			}
		}
	}
	c.append(i)
}

// productsOf returns the wgmmas that give a register which an instruction reads; but for the
// accumulator of another.
func (c *compiler) productsOf(in *ir.Instr) (by []ir.PC) {
	gives := c.productRegs()
	if gives == nil {
		return nil
	}
	for _, r := range in.Uses() {
		if !inGroup(in.Inst.Op) || !slices.Contains(in.Defs(), r) {
			by = append(by, gives[r]...)
		}
	}
	return by
}

// productRegs returns which wgmmas of the function give a register, nil if it has none.
func (c *compiler) productRegs() map[ir.RegID][]ir.PC {
	if gives, known := c.given[c.fn]; known {
		return gives
	}
	var gives map[ir.RegID][]ir.PC
	for i := range c.fn.ir.Instrs() {
		in := &c.fn.ir.Instrs()[i]
		if in.Inst == nil || in.Call != nil || in.Inst.Op != isa.OpWgmmaMmaAsync && in.Inst.Op != isa.OpWgmmaMmaAsyncSp {
			continue
		}
		if gives == nil {
			gives = map[ir.RegID][]ir.PC{}
		}
		for _, r := range in.Defs() {
			gives[r] = append(gives[r], in.PC)
		}
	}
	if c.given == nil {
		c.given = map[*function]map[ir.RegID][]ir.PC{}
	}
	c.given[c.fn] = gives
	return gives
}
