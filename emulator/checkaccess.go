package emulator

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"hyptx/emulator/internal/address"
	"hyptx/emulator/internal/lanes"
	"hyptx/internal/check"
	"hyptx/internal/order"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// Accesses of a program that is checked (Options.Check) are looked at before they are
// done: whether they read what nobody has written, and whether two threads meet in a
// place that nothing puts in order. The latter is a filter: it knows who wrote and read a
// cell since the CTA's last barrier (shared memory) or in the launch (global memory), no
// more, and takes a few nanoseconds a lane. What it lets pass has no race. What it does
// not is a suspicion: then the launch has to run again under the happens-before detector
// (package order), which knows of fences, of barriers of some threads, of locks, and
// takes a hundred times as long.

// checkedAccess is what looking at an instruction's accesses takes.
type checkedAccess struct {
	exec   execFunc
	bytes  uint64 // of a lane
	lanes  uint32 // those whose address counts
	look   func(w *warp, in *inst, m uint32, addr *[lanes.Width]uint64, n uint64)
	global func(w *warp, in *inst, m uint32, addr *[lanes.Width]uint64, n uint64)
	shared func(w *warp, in *inst, m uint32, addr *[lanes.Width]uint64, n uint64)
	local  func(w *warp, in *inst, m uint32, addr *[lanes.Width]uint64, n uint64)
	// half does so of regular halves, nil if there is none for it.
	half lookHalf
	// incoherent: it may see what was there before the launch.
	incoherent bool
	// copies: what it reads is read until somebody has waited for it.
	copies bool
	// tells: an arrival releases, a question acquires. expects: the arrival makes its object
	// expect bytes.
	tells, expects bool
}

// checkInst makes an instruction look at its accesses, if it has any that can be.
func (c *compiler) checkInst(in *ir.Instr, i *inst) {
	x := in.Inst
	c.checkLeaving(in)
	switch {
	case c.fn.ir.Library:
		c.watchHeap(in, i)
	case x.CrossLane() && i.exchange != nil:
		c.checkExchange(i)
	case i.multiply != nil && i.multiply.group != nil, x.Op == isa.OpWgmmaCommitGroup:
		c.checkProduct(in, i)
	case i.mem != nil && (i.mem.bulk != nil || i.mem.async != nil || i.mem.tensor != nil), x.Op == isa.OpCpAsyncBulkCommitGroup, x.Op == isa.OpCpAsyncBulkWaitGroup:
		c.checkBulk(in, i)
	case x.Form.Sync == isa.SyncFence && strings.Contains(x.Form.Syntax, ".proxy.async"):
		c.prog.apart = true
		i.exec = execProxyFence
	case x.Form.Sync == isa.SyncFence && ordersMemory(x) && x.Scope != isa.CTA && c.comesRelaxed():
		c.prog.apart, c.prog.relaxes, i.exec = true, true, execFenceChecked
	case i.multiply != nil && i.multiply.fn == nil, x.Form.Tensor != 0, x.Op == isa.OpTcgen05WaitLd, x.Op == isa.OpTcgen05WaitSt:
		c.checkTensor(in, i)
	case x.Op == isa.OpCpAsyncCommitGroup, x.Op == isa.OpCpAsyncWaitGroup, x.Op == isa.OpCpAsyncWaitAll:
		c.checkCopies(in, i)
	case i.mem != nil && i.mem.object != nil && i.mem.checked == nil:
		c.checkObject(in, i)
	case i.mem == nil || !(x.IsLoad() || x.IsStore() || x.IsAtomic()) && i.mem.copies == nil:
	case i.mem.texture != nil:
		if x.IsStore() || x.IsAtomic() {
			c.prog.unfiltered, c.prog.blind = true, true
		}
	case i.mem.copies != nil:
		c.checkCopies(in, i)
	case i.mem.field != nil:
		c.prog.unfiltered, c.prog.blind = true, true
	case i.mem.space == isa.Const || i.mem.space == isa.Param:
	default:
		c.checkAccess(in, i)
	}
}

// comesRelaxed reports whether threads of the kernel may come to a barrier of their cluster relaxed.
func (c *compiler) comesRelaxed() bool {
	return slices.ContainsFunc(c.mod.Instrs, func(in ir.Instr) bool {
		return in.Inst != nil && in.Inst.Has(isa.ModArrive) && in.Inst.Sem == isa.Relaxed
	})
}

// checkAccess makes a plain access, or one of a matrix in shared memory, look.
func (c *compiler) checkAccess(in *ir.Instr, i *inst) {
	op := accessOp(in)
	a := &checkedAccess{exec: i.exec, lanes: fullMask, bytes: uint64(i.width) * uint64(max(i.vec, 1)), incoherent: op.Incoherent}
	if in.Inst.CrossLane() && i.mem.tile == nil {
		a.lanes = fullMask >> (32 - 8*max(len(i.mem.elems), 1))
	}
	switch {
	case op.Atomic && op.Scope == order.ScopeGrid:
		a.global, a.shared, a.local = lookGlobalAtomic, lookSharedAtomic, lookLocalWrite
	case op.Atomic:
		a.global, a.shared, a.local = lookGlobalWrite, lookSharedAtomic, lookLocalWrite
	case op.Writes:
		a.global, a.shared, a.local = lookGlobalWrite, lookSharedWrite, lookLocalWrite
	default:
		a.global, a.shared, a.local = lookGlobalRead, lookSharedRead, lookLocalRead
	}
	switch i.mem.space {
	case isa.Shared:
		a.look = a.shared
	case isa.Local:
		if a.look = a.local; op.Reads && in.Inst.Space != isa.Local {
			return // a parameter of a call, which the machine has passed
		}
	case isa.Generic:
		a.look = lookGeneric
	default:
		a.look = a.global
	}
	i.mem.checked, i.exec = a, execChecked
	if a.half = looksAtHalf(op, i.mem.space); a.half != nil && a.lanes == fullMask && i.mem.tile == nil {
		i.exec = execHalfChecked
	}
	if i.mem.tile != nil {
		i.exec = execCheckedTile
	}
}

// looksAtHalf returns what looks at halves of plain accesses of a space, nil for any other.
func looksAtHalf(op order.Op, space isa.Space) lookHalf {
	switch {
	case op.Atomic || op.Incoherent:
		return nil
	case space == isa.Shared && op.Writes:
		return sharedHalfWrite
	case space == isa.Shared:
		return sharedHalfRead
	case space == isa.Global && op.Writes:
		return globalHalfWrite
	case space == isa.Global:
		return globalHalfRead
	}
	return nil
}

// execChecked looks at an access and does it.
func execChecked(w *warp, in *inst, m uint32) {
	a := in.mem.checked
	a.look(w, in, m&a.lanes, w.addresses(in), a.bytes)
	a.exec(w, in, m)
}

// execCheckedTile looks at the pieces of a wmma.load or .store and does it.
func execCheckedTile(w *warp, in *inst, m uint32) {
	a, t := in.mem.checked, in.mem.tile
	for round := range t.Rounds() {
		a.look(w, in, m, w.pieces(in, round), uint64(t.Piece()))
	}
	a.exec(w, in, m)
}

// lookGeneric looks at an access whose addresses say in which space they lie.
func lookGeneric(w *warp, in *inst, m uint32, addr *[lanes.Width]uint64, n uint64) {
	a := in.mem.checked
	if allGlobal(m, addr) {
		a.global(w, in, m, addr, n)
		return
	}
	at := *addr
	var shared, local, global uint32
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest)
		var space isa.Space
		switch space, at[lane] = address.Resolve(isa.Generic, addr[lane]); space {
		case isa.Shared:
			shared |= 1 << lane
		case isa.Local:
			local |= 1 << lane
		case isa.Global:
			global |= 1 << lane
		}
	}
	a.shared(w, in, shared, &at, n)
	a.local(w, in, local, &at, n)
	a.global(w, in, global, &at, n)
}

// checkExchange makes what lanes hand to each other note lanes that are missing.
func (c *compiler) checkExchange(i *inst) {
	exec := i.exec
	if exec == nil {
		return
	}
	i.exec = func(w *warp, in *inst, m uint32) {
		w.worker.absent = 0
		exec(w, in, m)
		if absent := w.worker.absent; absent != 0 {
			w.noteAbsent(in, absent)
		} else if in.exchange.synced && w.missingMembers(in, m) != 0 {
			w.noteAbsent(in, m)
		}
	}
}

// missingMembers returns the live members of a group that are elsewhere; a shuffle asks
// only for the one that it reads.
func (w *warp) missingMembers(in *inst, m uint32) uint32 {
	if in.exchange.mode == "" {
		return 0
	}
	return w.slot(in.exchange.members)[bits.TrailingZeros32(m)] & w.alive &^ m
}

// noteAbsent notes that lanes get what a lane has that takes no part.
func (w *warp) noteAbsent(in *inst, lanes uint32) {
	w.note(check.AbsentLane, in.pc, bits.TrailingZeros32(lanes))
	if f := w.worker.launch.Check.Find(check.AbsentLane, w.noteAt(in.pc)); f != nil {
		f.Count += uint64(bits.OnesCount32(lanes)) - 1 // one is counted
	}
}

// noteUnwritten notes a read of what nobody has written.
func (w *warp) noteUnwritten(in *inst, lane int, space isa.Space, addr, n uint64) {
	w.noteAccess(check.UnwrittenMemory, in, lane, space, addr, int(n), func() string {
		missing := 0
		for i := range n {
			if !w.writtenAt(in, lane, space, addr+i) {
				missing++
			}
		}
		if missing == int(n) || missing == 0 {
			return ""
		}
		return fmt.Sprintf("%d of them", missing)
	})
}

// writtenAt reports whether somebody has written a byte, as far as cells know.
func (w *warp) writtenAt(in *inst, lane int, space isa.Space, addr uint64) bool {
	switch space {
	case isa.Shared:
		c, at := w.sharedOf(addr)
		return c.cells.write[at>>c.cells.shift] != 0
	case isa.Local:
		return w.localSeen[uint64(lane)*uint64(w.localCap)+addr]
	}
	b := w.bufferFor(in, addr)
	return b == nil || b.check.written == nil || !b.check.unwritten(addr-b.Base, 1)
}

// writesUnseen notes that n bytes are written by what no hook looks at, a copy or an object, or
// are another CTA's.
func (w *warp) writesUnseen(in *inst, space isa.Space, addr, n uint64) {
	switch space {
	case isa.Shared:
		if c, at := w.sharedOf(addr); c.cells != nil && at+n <= uint64(len(c.shared)) {
			c.cells.fill(at, n)
		}
	case isa.Global:
		if b := w.bufferFor(in, addr); b != nil && addr-b.Base+n <= uint64(b.Bytes) {
			b.setWritten(int64(addr-b.Base), int64(n), true)
		}
	}
}

// suspect notes that the filter cannot tell whether an access is in order with another.
func (w *warp) suspect(in *inst) { w.worker.launch.Check.Suspects(uint32(in.pc)) }
