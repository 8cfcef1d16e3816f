package emulator

import (
	"math/bits"

	"hyptx/internal/order"
	"hyptx/ir"
)

// activemask says which lanes execute it together (PTX ISA 9.7.15.12). The lanes of a warp
// begin together, and those that have gone the same way since are together as long as
// nobody else can come to them. Where lanes have parted, and met again, the manual does not
// say that they do (PTX ISA 3.2: threads are scheduled one by one): the schedule of hyptx
// lets them go on together, another one need not. Nor does it say when those come that
// have parted and will execute the same instruction.

// gatheringBlocks returns the blocks of the function from whose beginning an instruction can
// be come to, its own among them only if it stands in a loop.
func (c *compiler) gatheringBlocks(in *ir.Instr) []bool {
	blocks := c.fn.ir.Blocks
	from := make([]bool, len(blocks))
	for work := []int32{in.Block}; len(work) > 0; {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for _, p := range blocks[b].Preds() {
			if !from[p] {
				from[p] = true
				work = append(work, int32(p))
			}
		}
	}
	return from
}

// followActiveMask runs activemask, whose result is open if other lanes could be there.
func followActiveMask(w *warp, in *inst, m uint32, from *order.Lanes) {
	if w.gathers(in) {
		from.Add(m, order.Undefined, w.worker.launch.log.Note(order.Gathered, uint32(in.pc)))
	}
	in.rule.exec(w, in, m)
}

// gathers reports whether other lanes of the warp could be at the instruction together with
// those of the current path than are, or some of these apart.
func (w *warp) gathers(in *inst) bool {
	p := w.paths[w.cur]
	if p.mask&w.remet != 0 && bits.OnesCount32(p.mask) > 1 {
		return true
	}
	if p.mask == w.alive {
		return false
	}
	for _, q := range w.paths {
		if q != p && w.mayCome(in, q.frame, q.seg) {
			return true
		}
		for s := q.split; s != nil; s = s.parent {
			if s.arrived != 0 && w.mayCome(in, s.frame, s.reconv) {
				return true
			}
		}
	}
	return false
}

// mayCome reports whether lanes may come from a segment to the instruction that the current
// path is at. Of calls that is not asked.
func (w *warp) mayCome(in *inst, f *frame, seg int32) bool {
	if f != w.frame || f.parent != nil {
		return true
	}
	if seg == end {
		return false
	}
	s := &w.worker.prog.segs[seg]
	return in.rule.gathering[s.block] || int(s.block) == w.blockOf(in) && s.pcFirst <= in.pc
}

// blockOf returns the block of an instruction.
func (w *warp) blockOf(in *inst) int { return int(w.worker.prog.Module.Instrs[in.pc].Block) }
