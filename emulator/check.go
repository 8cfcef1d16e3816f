package emulator

import (
	"math/bits"

	"hyptx/emulator/internal/address"
	"hyptx/internal/check"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// A launch that is checked (LaunchConfig.Check) notes what is wrong with the program
// where others fail, and goes on if it can: what a bad access reads is zero, what it
// stores is dropped, and threads that are missing where all should be are done without.
// What ends a launch all the same (a trap, a deadlock, a stack that is too small) is
// noted, too, so that whoever looks finds all in one place.
//
// Notes are made where faults would be, so that nothing is looked at twice; what is no
// fault otherwise, reads of what nobody has written and accesses that race, has hooks of
// its own (checkaccess.go, checkregister.go).

// checks reports whether the launch notes what is wrong.
func (w *warp) checks() bool { return w.worker.launch.Check != nil }

// noteAt is the instruction that a note is of: the call where it is one of a library.
func (w *warp) noteAt(pc ir.PC) uint32 {
	if c := w.calledBy(); c != nil && w.worker.prog.Module.FuncOf(pc).Library {
		return uint32(c.pc)
	}
	return uint32(pc)
}

// note notes something of a lane at an instruction. It returns the fact if it is new.
func (w *warp) note(kind check.Kind, pc ir.PC, lane int) *check.Fact {
	f := w.worker.launch.Check.Note(kind, w.noteAt(pc))
	if f != nil {
		f.At.CTA, f.At.Thread = w.cta.id, w.thread(lane)
	}
	return f
}

// noteAccess notes something of a lane's access of n bytes.
func (w *warp) noteAccess(kind check.Kind, in *inst, lane int, space isa.Space, addr uint64, n int, said func() string) {
	f := w.note(kind, in.pc, lane)
	space, addr = address.Resolve(space, addr)
	if f == nil {
		if f = w.worker.launch.Check.Find(kind, w.noteAt(in.pc)); f != nil && kind == check.OutOfBounds && spaceName(space) == f.Space {
			w.goesFarther(f, space, addr)
		}
		return
	}
	f.Space, f.Address, f.Bytes = spaceName(space), addr, n
	f.Object, f.Offset, f.ObjectBytes = w.objectNear(space, addr)
	if f.Least, f.Most = f.Offset, f.Offset; said != nil {
		f.Said = said()
	}
}

// goesFarther notes another access beyond the object of a fact, if it lies behind that or near to it.
func (w *warp) goesFarther(f *check.Fact, space isa.Space, addr uint64) {
	object, offset, _ := w.objectNear(space, addr)
	if b := w.worker.launch.mem.near(addr); space == isa.Global && b != nil && b.Name == f.Object {
		object, offset = b.Name, int64(addr-b.Base)
	}
	if object == f.Object {
		f.Least, f.Most = min(f.Least, offset), max(f.Most, offset)
	}
}

// objectNear returns the object that an address lies in or near to, the offset in it, and its size.
func (w *warp) objectNear(space isa.Space, addr uint64) (object string, offset, bytes int64) {
	switch space {
	case isa.Global:
		if b := w.worker.launch.mem.nearest(addr); b != nil {
			return b.Name, int64(addr - b.Base), b.Bytes
		}
	case isa.Shared:
		return w.worker.launch.sharedObject(addr)
	case isa.Local:
		return "", int64(addr), w.localCap
	}
	return "", int64(addr), 0
}

// nearest returns the buffer that an address lies in, or the one to which it is closest; nil
// if there is none within a megabyte.
func (m *Memory) nearest(addr uint64) *Buffer {
	const far = 1 << 20
	b := m.near(addr)
	distance := uint64(far)
	if b != nil {
		if distance = addr - b.Base; distance < uint64(b.Bytes) {
			return b
		}
		distance -= uint64(b.Bytes)
	}
	if i := m.above(addr); i < len(m.buffers) && m.buffers[i].Base-addr < min(distance, far) {
		return m.buffers[i]
	}
	if distance >= far {
		return nil
	}
	return b
}

// sharedObject names the variable of shared memory that an address lies in, or behind.
func (l *launch) sharedObject(addr uint64) (name string, offset, bytes int64) {
	if _, at, ok := address.Rank(addr); ok {
		addr = at
	}
	offset, bytes = int64(addr), l.shared
	best := int64(-1)
	for v, begins := range l.prog.sharedVar {
		if begins <= int64(addr) && (begins > best || begins == best && v.Name < name) {
			best, name, offset = begins, v.Name, int64(addr)-begins
			if bytes = v.Bytes; v.Extern {
				bytes = l.shared - begins
			}
		}
	}
	return name, offset, bytes
}

// noteFailure notes what ends the launch.
func (w *warp) noteFailure(in *inst, m uint32, said string) {
	kind := check.Failed
	if in.pc >= 0 && w.worker.prog.Module.Instrs[in.pc].Inst.Op == isa.OpLibraryFail {
		kind = check.BadFree
	}
	if f := w.note(kind, in.pc, bits.TrailingZeros32(m)); f != nil {
		f.Said = said
	}
}

// noteParted notes that some lanes come to what all threads of the warp have to execute
// together, and where one of the others is.
func (w *warp) noteParted(kind check.Kind, in *inst, lanes uint32, said string) {
	if f := w.note(kind, in.pc, bits.TrailingZeros32(lanes)); f != nil {
		f.Said, f.Other = said, w.elsewhere(in, lanes)
	}
}

// elsewhere returns a live thread of the warp that is none of some lanes, and where it is;
// nil if there is none.
func (w *warp) elsewhere(in *inst, lanes uint32) *check.Party {
	for _, p := range w.paths {
		rest := p.mask & w.alive &^ lanes
		if rest == 0 {
			continue
		}
		pc := in.pc
		switch {
		case p.wait.in != nil && p.state != ready && p.state != yielded:
			pc = p.wait.in.pc
		case p.mask&lanes == 0 && p.seg >= 0:
			pc = w.worker.prog.segs[p.seg].pcFirst
		}
		return &check.Party{PC: uint32(pc), CTA: w.cta.id, Thread: w.thread(bits.TrailingZeros32(rest))}
	}
	return nil
}

// noteDeadlock notes the threads of some clusters that wait for ever: the first one, and
// the first that waits elsewhere.
func (l *launch) noteDeadlock(open []*cluster, said string) {
	var first *check.Fact
	for _, g := range open {
		for _, c := range g.ctas {
			for _, w := range c.warps {
				w.endParted(-1)
				for _, p := range w.paths {
					pc, lane := w.waitsAt(p), bits.TrailingZeros32(p.mask)
					if pc < 0 {
						continue
					}
					if first == nil {
						if first = w.note(check.Deadlock, pc, lane); first == nil {
							return
						}
						first.Said = said
					} else if uint32(pc) != first.At.PC {
						first.Other = &check.Party{PC: uint32(pc), CTA: c.id, Thread: w.thread(lane)}
						return
					}
				}
			}
		}
	}
}

// waitsAt returns the instruction that a path waits at, or is about to run; -1 if none.
func (w *warp) waitsAt(p *path) ir.PC {
	switch {
	case p.state == atBarrier || p.state == atCluster || p.state == atWarpBar || p.state == suspended:
		return p.wait.in.pc
	case p.seg >= 0:
		return w.worker.prog.segs[p.seg].pcFirst
	}
	return -1
}
