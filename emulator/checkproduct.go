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
	s, g := w.cta.cells, in.multiply.group
	p := pieceLook{
		w: w, in: in, s: s, row: s.row(w), thread: cellThread + 1, // none: of what its own warp does a product knows what all lanes do
		self: (streamTimes+w.groups+1)<<cellTime | uint64(s.clocks.number(productWork, w.clockNumber()))<<5,
	}
	if len(g.a) == 0 {
		matrix := descriptor.Warpgroup(w.uniformWide(in, g.descA, m), g.mnA)
		p.matrix(&matrix, w.number%groupWarps*16, 16, g.bytesA, g.bits)
	}
	matrix := descriptor.Warpgroup(w.uniformWide(in, g.descB, m), g.mnB)
	p.matrix(&matrix, 0, len(g.d)/g.per*8, g.bytesB, g.bits)
	w.products = slices.DeleteFunc(w.products, func(p pendingProduct) bool { return p.frame == w.frame && p.in == in })
	w.products = append(w.products, pendingProduct{w.frame, in, w.groups})
}

// pieceLook is what looks at pieces of shared memory that a product or a copy to tensor memory reads: who it
// is, as cells have it, and what that knows; s are the cells of the CTA whose memory it is.
type pieceLook struct {
	w            *warp
	in           *inst
	lane         int
	s            *sharedCells
	row          warpTimes
	thread, self uint64
}

// matrix looks at rows of a matrix in shared memory, so many bytes of each, piece by piece.
func (p *pieceLook) matrix(matrix *descriptor.Matrix, first, rows, bytes, bits int) {
	if !matrix.Transposed() {
		for row := first; row < first+rows; row++ {
			for offset := 0; offset < bytes; offset += chunk {
				p.look(matrix.At(row, offset), chunk)
			}
		}
		return
	}
	size := bits / 8
	for k := range bytes / size {
		for row := first; row < first+rows; row += chunk / size {
			p.look(matrix.At(k, row*size), chunk)
		}
	}
}

// look looks at bytes that are read.
func (p *pieceLook) look(addr uint32, bytes uint64) {
	s := p.s
	if s == nil {
		return
	}
	k, last := uint64(addr)>>s.shift, (uint64(addr)+bytes-1)>>s.shift
	if last >= uint64(len(s.write)) {
		return // which is a fault
	}
	now, _ := s.times(p.w)
	for ; k <= last; k++ {
		switch written := s.write[k]; {
		case written == 0:
			p.w.noteUnwritten(p.in, p.lane, isa.Shared, uint64(addr), bytes)
		case written >= now && !s.before(p.row, written, p.thread), s.unfenced(p.w, p.lane, written):
			p.w.suspect(p.in)
		}
		s.reads(p.row, now, k, p.self)
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
			told[clocks.number(productWork, w.clockNumber())] = uint32(streamTimes + w.groups - but)
		}
		w.products = slices.DeleteFunc(w.products, func(p pendingProduct) bool { return p.group+but < w.groups })
	})
	waits(func(w *warp, p *path) { c.cells.learn(w, p.mask, told) })
}

// checkPending puts before an instruction a look at the registers that it reads, if a wgmma or a load of tensor
// memory gives them: nobody may have waited for that.
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

// productRegs returns which wgmmas of the function, or loads of tensor memory, give a register, nil if it has none.
func (c *compiler) productRegs() map[ir.RegID][]ir.PC {
	if gives, known := c.given[c.fn]; known {
		return gives
	}
	var gives map[ir.RegID][]ir.PC
	for i := range c.fn.ir.Instrs() {
		in := &c.fn.ir.Instrs()[i]
		if in.Inst == nil || in.Call != nil || !givesLate(in.Inst.Op) {
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

// givesLate reports whether an operation gives registers which have to be waited for.
func givesLate(op isa.Op) bool {
	switch op {
	case isa.OpWgmmaMmaAsync, isa.OpWgmmaMmaAsyncSp, isa.OpTcgen05Ld, isa.OpTcgen05LdRed:
		return true
	}
	return false
}
