package emulator

import (
	"math/bits"
	"slices"

	"hyptx/emulator/internal/address"
	"hyptx/emulator/internal/lanes"
	"hyptx/internal/devicelib"
	"hyptx/internal/order"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// A call gives some lanes of a warp a new frame, which has the callee's registers,
// and lets their path go on in it; the path's old frame stays for its return. Paths
// that part within the callee share the frame, each with lanes of its own, and it is
// dropped when the last of its lanes has returned or exited. The frame remembers the
// segment behind the call, where they merge again.
//
// Registers, predicates and local variables of a new frame are zero, so that what a
// program reads before it wrote it is the same in every mode. Local memory is a
// stack in each thread: .local variables and .param variables of calls, a callee's
// above its caller's. It grows with the deepest call that a warp has made.

// newFrame activates fn for some lanes of the warp: registers zero, special
// registers in place.
func (w *warp) newFrame(fn *function, parent *frame, live uint32) *frame {
	wk := w.worker
	f := take(&wk.freeFrames[fn.index])
	if f != nil {
		clear(f.preds)
	} else {
		wk.hold(frameBytes + 4*int64(fn.preds))
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
	if fn.explicit != noPred && wk.launch.ExplicitCluster {
		f.preds[fn.explicit] = fullMask
	}
	if wk.prog.decisions > 0 {
		f.newOrigins(wk)
	}
	return f
}

// dropFrame forgets an activation that no lane is in any more.
func (w *warp) dropFrame(f *frame) {
	free := &w.worker.freeFrames[f.fn.index]
	*free = append(*free, f)
}

// growArena makes the arena hold top slots. Old slots keep their contents but
// not their addresses.
func (wk *worker) growArena() {
	if wk.top <= len(wk.arena) {
		return
	}
	size := max(wk.top, 2*len(wk.arena))
	wk.hold(int64(size-len(wk.arena)) * slotBytes)
	bigger := make([]lanes.Slot, size)
	copy(bigger, wk.arena)
	wk.arena = bigger
}

// call ends a segment with call. A guarded or indirect call whose lanes
// disagree splits the warp, those that do not call first, then one path for each
// callee; the parts merge at the next instruction.
func (w *warp) call(p *path, s *segment, mask uint32) bool {
	c := s.call
	calling := w.guardLanes(s.in, mask)
	switch {
	case calling == 0:
		return w.take(p, &s.next)
	case calling == mask && c.callee != nil:
		w.push(p, c, c.callee, s.next.to)
		return true
	}
	to := w.callees(s, calling)
	if rest := mask &^ calling; rest != 0 {
		to.lead(nil, rest)
	}
	if to.n == 1 {
		w.push(p, c, to.ways[0], s.next.to)
		return true
	}
	var edges [lanes.Width + 1]*edge
	for i := range to.n {
		edges[i] = &s.next
	}
	w.splitPath(edges[:to.n], to.masks[:to.n], s.next.to)
	for i, fn := range to.ways[:to.n] {
		if fn != nil {
			w.push(w.paths[w.cur-i], c, fn, s.next.to)
		}
	}
	return true
}

// callees returns the functions that the lanes call, in the order of the
// module, with the lanes that call each.
func (w *warp) callees(s *segment, calling uint32) (to parting[*function]) {
	c := s.call
	if c.callee != nil {
		to.add(c.callee, 0, calling)
		return to
	}
	if c.missing != "" {
		if why := devicelib.Refused(c.missing); why != "" {
			w.fail(s.in, calling, "%s: %s", c.missing, why)
		}
		w.fail(s.in, calling, "%s is defined nowhere", c.missing)
	}
	addr := w.addressesOf(&c.address)
	for lane := range lanesOf(calling) {
		fn := w.worker.prog.functionAt(addr[lane])
		if fn == nil || len(c.candidates) > 0 && !slices.Contains(c.candidates, fn) {
			w.fail(s.in, 1<<lane, "call of %#x, which is the address of no function with that prototype", addr[lane])
		}
		to.add(fn, uint32(fn.ir.Index), 1<<lane)
	}
	return to
}

// functionAt returns the function whose address is a, or nil.
func (prog *Program) functionAt(a uint64) *function {
	if i, ok := address.FunctionAt(a, len(prog.Module.Funcs), prog.Module.AddressSize); ok {
		return prog.function(prog.Module.Funcs[i])
	}
	return nil
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
	w.keepStack(f)
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
		if len(w.localOrigins) > 0 {
			of := w.localOriginsAt(lane, f.localBase, n)
			for i := range of {
				of[i] = order.Assumed
			}
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
	if w.dynamic != nil {
		w.leaveStack(f, p.mask)
	}
	if w.worker.prog.decisions > 0 {
		w.followReturn(p, f)
	}
	f.live &^= p.mask
	p.frame, p.seg = caller, f.ret
	w.enter(caller)
	if f.live == 0 {
		w.dropFrame(f)
	}
}

// followReturn accounts for what is undefined when lanes have returned: all that comes if the
// function is .noreturn (PTX ISA 11.4.6), and the caller's carry, which no call preserves (9.7.2).
func (w *warp) followReturn(p *path, f *frame) {
	log, pc := w.worker.launch.log, uint32(f.call.pc)
	if f.fn.ir.NoReturn {
		w.decide(&inst{pc: f.call.pc}, order.Undefined, log.Note(order.Returned, pc))
	}
	to := f.parent.fn
	if r := to.ir.CC; r != ir.NoReg && to.reg[r] >= 0 {
		place := to.reg[r]
		if to.ir.Regs[r].Type == isa.Pred {
			place = ^place
		}
		w.originsOf(f.parent, place).Add(p.mask, order.Undefined, log.Note(order.Open, pc))
	}
}

// needStack makes the threads' local memory hold a frame's variables.
func (w *warp) needStack(f *frame, m uint32) {
	kernel := w.worker.prog.function(w.worker.prog.Kernel)
	if limit := w.worker.launch.StackBytes; f.stack-kernel.declared > limit {
		w.fail(&inst{pc: f.fn.ir.First}, m, "the functions called need %d bytes of stack a thread, more than the limit of %d (limits.stackBytes)", f.stack-kernel.declared, limit)
	}
	w.growLocal(f.localBase + f.fn.localBytes)
}

// growLocal makes the threads' local memory hold as many bytes.
func (w *warp) growLocal(need int64) {
	if need <= w.localCap {
		return
	}
	size := max(need, 2*w.localCap)
	w.worker.hold((size - w.localCap) * lanes.Width)
	bigger := make([]byte, size*lanes.Width)
	for lane := range int64(lanes.Width) {
		copy(bigger[lane*size:], w.local[lane*w.localCap:(lane+1)*w.localCap])
	}
	w.local, w.localCap = bigger, size
}

// enter makes f the frame that instructions see.
func (w *warp) enter(f *frame) {
	w.slots, w.base, w.preds, w.frame = w.worker.arena, f.base, f.preds, f
}
