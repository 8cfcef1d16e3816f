package emulator

import (
	"fmt"
	"math/bits"
	"strings"

	"hyptx/emulator/internal/abort"
	"hyptx/emulator/internal/address"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// A fault says all that a person needs to find it without running anything again: the
// place in the PTX, the instruction, the thread, and what was wrong in numbers. It
// is an error of the program that is emulated. It ends the launch where it happens;
// which lane is named when several are wrong is the lowest, as they run.

// Fault is an error of the emulated program: what went wrong, where in the
// source and for which thread.
type Fault struct {
	Kernel string
	File   string
	Line   int
	Col    int
	// Text is the instruction.
	Text   string
	CTA    [3]uint32
	Thread [3]uint32
	Msg    string
}

func (f *Fault) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s: kernel %s, CTA (%d,%d,%d), thread (%d,%d,%d): %s",
		f.File, f.Line, f.Col, f.Text, f.Kernel, f.CTA[0], f.CTA[1], f.CTA[2],
		f.Thread[0], f.Thread[1], f.Thread[2], f.Msg)
}

// fail ends the launch with a fault of the first lane of m at instruction in.
func (w *warp) fail(in *inst, m uint32, format string, args ...any) {
	said := fmt.Sprintf(format, args...)
	if w.checks() {
		w.noteFailure(in, m, said)
	}
	abort.Throw(w.faultAt(in.pc, bits.TrailingZeros32(m), said))
}

// faultAt describes a fault of a lane at an instruction.
func (w *warp) faultAt(pc ir.PC, lane int, msg string) *Fault {
	prog := w.worker.prog
	if c := w.calledBy(); c != nil && prog.Module.FuncOf(pc).Library {
		pc = c.pc // what calls it is what somebody wrote
	}
	in := &prog.Module.Instrs[pc]
	return &Fault{
		Kernel: prog.Kernel.Name, File: prog.Module.FileOf(pc), Line: int(in.Pos.Line), Col: int(in.Pos.Col),
		Text: prog.Module.FuncOf(pc).Text(pc), CTA: w.cta.id, Thread: w.thread(lane), Msg: msg,
	}
}

// calledBy is the call that the present frame is of, nil for the kernel.
func (w *warp) calledBy() *callInfo {
	if w.frame == nil {
		return nil
	}
	return w.frame.call
}

// DeadlockError says that no thread of a launch can go on.
type DeadlockError struct {
	Kernel string
	// Waiting are the paths that wait, at most maxWaiting of them; More is how
	// many are left out.
	Waiting []string
	More    int
}

const maxWaiting = 8

func (e *DeadlockError) Error() string {
	s := fmt.Sprintf("kernel %s: deadlock: no thread can go on: %s", e.Kernel, strings.Join(e.Waiting, "; "))
	if e.More > 0 {
		s += fmt.Sprintf("; and %d more", e.More)
	}
	return s
}

// deadlock describes what the warps of some clusters wait for.
func (l *launch) deadlock(open []*cluster) error {
	e := &DeadlockError{Kernel: l.prog.Kernel.Name}
	for _, g := range open {
		for _, c := range g.ctas {
			e.describe(c)
		}
	}
	if l.Check != nil {
		l.noteDeadlock(open, e.Error())
	}
	return e
}

// describe adds the paths of a CTA that wait.
func (e *DeadlockError) describe(c *cta) {
	for _, w := range c.warps {
		for _, p := range w.paths {
			if len(e.Waiting) == maxWaiting {
				e.More++
				continue
			}
			e.Waiting = append(e.Waiting, w.describeWait(p))
		}
	}
}

// describeWait says where a path waits and for what.
func (w *warp) describeWait(p *path) string {
	prog := w.worker.prog
	what := "in a loop that waits for memory"
	pc := ir.PC(-1)
	switch p.state {
	case atBarrier:
		if what, pc = fmt.Sprintf("at barrier %d", p.wait.bar), p.wait.in.pc; p.wait.bar >= numBarriers {
			what = "for its warpgroup"
		}
	case atCluster:
		what, pc = "at the barrier of its cluster", p.wait.in.pc
	case atWarpBar:
		what, pc = fmt.Sprintf("for lanes %#x of its warp", p.wait.mask), p.wait.in.pc
	case suspended:
		what, pc = "for the phase of an mbarrier", p.wait.in.pc
		w.enter(p.frame)
		if object := w.lacking(w.addresses(p.wait.in)[bits.TrailingZeros32(p.wait.mask)]); object != "" {
			what += " " + object
		}
	default:
		if p.seg >= 0 {
			pc = prog.segs[p.seg].pcFirst
			if object := w.describeObject(&prog.segs[p.seg]); object != "" {
				what = object
			}
		}
	}
	at := ""
	if pc >= 0 && int(pc) < len(prog.Module.Instrs) {
		at = fmt.Sprintf(" (%s:%d)", prog.Module.FileOf(pc), prog.Module.Instrs[pc].Pos.Line)
	}
	t := w.thread(bits.TrailingZeros32(p.mask))
	return fmt.Sprintf("CTA (%d,%d,%d), warp %d, %d threads from (%d,%d,%d) on: %s%s",
		w.cta.id[0], w.cta.id[1], w.cta.id[2], w.number, bits.OnesCount32(p.mask), t[0], t[1], t[2], what, at)
}

// outOfBounds describes an access that hits no memory: where it went, and how
// much there is.
func (w *warp) outOfBounds(space isa.Space, addr uint64, n int) string {
	l := w.worker.launch
	var there string
	switch space {
	case isa.Shared:
		if rank, at, ok := address.Rank(addr); ok {
			there = fmt.Sprintf("shared address %#x of CTA %d of the cluster, of %d CTAs with %d bytes of shared memory each",
				at, rank, l.shape.size, l.shared)
			break
		}
		there = fmt.Sprintf("shared address %#x, but the CTA has %d bytes of shared memory%s", addr, len(w.cta.shared), w.noDynamicShared())
	case isa.Local:
		there = fmt.Sprintf("local address %#x, but the thread's stack has %d bytes", addr, w.localCap)
	case isa.Const:
		there = fmt.Sprintf("constant address %#x, but the module has %d bytes of constants", addr, len(l.module.constants))
	case isa.Param:
		there = fmt.Sprintf("parameter address %#x, but the kernel has %d bytes of parameters", addr, len(l.Params))
	default:
		there = w.describe(isa.Global, addr)
	}
	return fmt.Sprintf("out of bounds: %d bytes at %s", n, there)
}

// noDynamicShared says that the launch gives no dynamic shared memory where the
// module declares some.
func (w *warp) noDynamicShared() string {
	if w.worker.launch.DynamicBytes != 0 {
		return ""
	}
	for v := range w.worker.prog.sharedVar {
		if v.Extern {
			return fmt.Sprintf(", none of it for %s: option dynamic-shared, in a manifest dynamicSharedBytes, says how much there is", v.Name)
		}
	}
	return ""
}

// describe names an address and the buffer next to it.
func (w *warp) describe(space isa.Space, addr uint64) string {
	if space != isa.Global {
		return fmt.Sprintf("%s address %#x", spaceName(space), addr)
	}
	if addr < 1<<16 {
		return fmt.Sprintf("global address %#x (a null pointer)", addr)
	}
	b := w.worker.launch.mem.near(addr)
	if b == nil {
		return fmt.Sprintf("global address %#x, below all buffers", addr)
	}
	off := addr - b.Base
	switch {
	case off < uint64(b.Bytes):
		return fmt.Sprintf("global address %#x = buffer %s + %d (of %d bytes)", addr, b.Name, off, b.Bytes)
	case off == uint64(b.Bytes):
		return fmt.Sprintf("global address %#x, just past the end of buffer %s (%d bytes)", addr, b.Name, b.Bytes)
	case off < uint64(b.Bytes)+1<<20:
		return fmt.Sprintf("global address %#x, %d bytes past the end of buffer %s (%d bytes)", addr, off-uint64(b.Bytes), b.Name, b.Bytes)
	}
	return fmt.Sprintf("global address %#x, which is in no buffer", addr)
}

func spaceName(s isa.Space) string {
	if s == isa.Generic {
		return "generic"
	}
	return s.String()[1:]
}
