package emulator

import (
	"math/bits"

	"hyptx/emulator/internal/lanes"
)

// newFrame activates fn for some lanes of the warp: registers zero, special
// registers in place.
func (w *warp) newFrame(fn *function, parent *frame, live uint32) *frame {
	wk := w.worker
	free := &wk.freeFrames[fn.ir.Index]
	var f *frame
	if n := len(*free); n > 0 {
		f = (*free)[n-1]
		*free = (*free)[:n-1]
		clear(f.preds)
	} else {
		f = &frame{fn: fn, base: wk.top, preds: make([]uint32, fn.preds)}
		wk.top += fn.slots
		wk.growArena()
	}
	clear(wk.arena[f.base : f.base+fn.slots])
	f.parent, f.live = parent, live
	f.localBase, f.stack = 0, fn.declared
	if parent != nil {
		f.localBase = parent.localBase + parent.fn.localBytes
		f.stack += parent.stack
	}
	w.fillSpecial(f)
	if wk.prog.decisions > 0 {
		f.newOrigins()
	}
	return f
}

// dropFrame forgets an activation that no lane is in any more.
func (w *warp) dropFrame(f *frame) {
	free := &w.worker.freeFrames[f.fn.ir.Index]
	*free = append(*free, f)
}

// growArena makes the arena hold top slots. Old slots keep their contents but
// not their addresses.
func (wk *worker) growArena() {
	if wk.top <= len(wk.arena) {
		return
	}
	bigger := make([]lanes.Slot, max(wk.top, 2*len(wk.arena)))
	copy(bigger, wk.arena)
	wk.arena = bigger
}

// call ends a segment with call. A guarded or indirect call whose lanes
// disagree splits the warp; the parts merge at the next instruction.
func (w *warp) call(p *path, s *segment, mask uint32) bool {
	c := s.call
	lanes := w.guardLanes(s.in, mask)
	if lanes == 0 {
		return w.take(p, &s.next)
	}
	callees, masks, n := w.callees(s, lanes)
	if n == 1 && lanes == mask {
		w.push(p, c, callees[0], s.next.to)
		return true
	}
	// Build one path for each callee; those that do not call go first.
	var edges [33]*edge
	var parts [33]uint32
	k := 0
	if rest := mask &^ lanes; rest != 0 {
		edges[0], parts[0], k = &s.next, rest, 1
	}
	for i := range n {
		edges[k], parts[k] = &s.next, masks[i]
		k++
	}
	w.splitPath(edges[:k], parts[:k], s.next.to)
	first := k - n
	for i := range n {
		q := w.paths[w.cur-first-i]
		w.push(q, c, callees[i], s.next.to)
	}
	return true
}

// callees returns the functions that the lanes call, in the order of the
// module, with the lanes that call each.
func (w *warp) callees(s *segment, lanes uint32) (fns [32]*function, masks [32]uint32, n int) {
	c := s.call
	if c.callee != nil {
		fns[0], masks[0] = c.callee, lanes
		return fns, masks, 1
	}
	addr := wide(w.slot(c.address))
	for m := lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		fn := w.worker.prog.functionAt(addr[lane])
		if fn == nil || !contains(c.candidates, fn) {
			w.fail(s.in, 1<<lane, "call of %#x, which is the address of no function with that prototype", addr[lane])
		}
		i := 0
		for i < n && fns[i] != fn {
			i++
		}
		if i == n {
			fns[n] = fn
			n++
		}
		masks[i] |= 1 << lane
	}
	for i := 1; i < n; i++ {
		for j := i; j > 0 && fns[j].ir.Index < fns[j-1].ir.Index; j-- {
			fns[j], fns[j-1] = fns[j-1], fns[j]
			masks[j], masks[j-1] = masks[j-1], masks[j]
		}
	}
	return fns, masks, n
}

func contains(fns []*function, fn *function) bool {
	for _, f := range fns {
		if f == fn {
			return true
		}
	}
	return len(fns) == 0
}

// functionAt returns the function whose address is a, or nil.
func (prog *Program) functionAt(a uint64) *function {
	i := (a - funcBase) / 16
	if a < funcBase || i >= uint64(len(prog.funcs)) || (a-funcBase)%16 != 0 {
		return nil
	}
	return prog.funcs[i]
}

// maxCallDepth bounds recursion; the stack of local memory usually ends it
// before.
const maxCallDepth = 1 << 14

// push moves a path into a callee: a new frame, arguments copied.
func (w *warp) push(p *path, c *callInfo, fn *function, ret int32) {
	caller := p.frame
	f := w.newFrame(fn, caller, p.mask)
	f.ret, f.call = ret, c
	if f.depth = caller.depth + 1; f.depth > maxCallDepth {
		w.fail(&inst{pc: fn.ir.First}, p.mask, "calls nest deeper than %d", maxCallDepth)
	}
	w.needStack(f, p.mask)
	w.clearLocals(f, p.mask)
	for i := range c.args {
		if i < len(fn.params) {
			w.pass(p.mask, f, &fn.params[i], caller, &c.args[i])
		}
	}
	p.frame, p.seg = f, fn.entry
	w.enter(f)
}

// clearLocals makes a new frame's variables read as zero, whatever an earlier
// call left on the stack: a slice leaves other things there than the whole
// kernel, and the two must agree.
func (w *warp) clearLocals(f *frame, m uint32) {
	n := f.fn.localBytes
	for ; n > 0 && m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		at := int64(lane)*w.localCap + f.localBase
		clear(w.local[at : at+n])
		for i := int64(0); w.localOrigins != nil && i < n; i++ {
			*w.localOrigin(lane, uint64(f.localBase+i)) = byteOrigin{from: assumed}
		}
	}
}

// returnToCaller moves the current path, at the end of its function, back
// behind the call: results copied, frame dropped after its last lane.
func (w *warp) returnToCaller(p *path) {
	f := p.frame
	caller := f.parent
	for i := range f.call.rets {
		if i < len(f.fn.returns) {
			w.pass(p.mask, caller, &f.call.rets[i], f, &f.fn.returns[i])
		}
	}
	f.live &^= p.mask
	p.frame, p.seg = caller, f.ret
	w.enter(caller)
	if f.live == 0 {
		w.dropFrame(f)
	}
}

// needStack makes the threads' local memory hold a frame's variables.
func (w *warp) needStack(f *frame, m uint32) {
	kernel := w.worker.prog.funcs[w.worker.prog.Kernel.Index]
	if limit := w.worker.launch.stackBytes; f.stack-kernel.declared > limit {
		w.fail(&inst{pc: f.fn.ir.First}, m, "the functions called need %d bytes of stack a thread, more than the limit of %d (limits.stackBytes)", f.stack-kernel.declared, limit)
	}
	need := f.localBase + f.fn.localBytes
	if need <= w.localCap {
		return
	}
	size := max(need, 2*w.localCap)
	bigger := make([]byte, size*lanes.Width)
	for lane := range int64(lanes.Width) {
		copy(bigger[lane*size:], w.local[lane*w.localCap:(lane+1)*w.localCap])
	}
	w.local, w.localCap = bigger, size
}
