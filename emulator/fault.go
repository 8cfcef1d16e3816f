package emulator

import (
	"fmt"
	"math/bits"
	"strings"

	"hyptx/emulator/internal/abort"
	"hyptx/ir"
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
	abort.Throw(w.faultAt(in.pc, bits.TrailingZeros32(m), fmt.Sprintf(format, args...)))
}

// faultAt describes a fault of a lane at an instruction.
func (w *warp) faultAt(pc ir.PC, lane int, msg string) *Fault {
	prog := w.worker.prog
	in := &prog.Module.Instrs[pc]
	return &Fault{
		Kernel: prog.Kernel.Name, File: prog.Module.File, Line: int(in.Pos.Line), Col: int(in.Pos.Col),
		Text: prog.Module.FuncOf(pc).Text(pc), CTA: w.cta.id, Thread: w.thread(lane), Msg: msg,
	}
}

// thread returns %tid of a lane.
func (w *warp) thread(lane int) [3]uint32 {
	b := w.worker.launch.Block
	i := uint32(w.number*32 + lane)
	return [3]uint32{i % b[0], i / b[0] % b[1], i / b[0] / b[1]}
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

// deadlock describes what the warps of some CTAs wait for.
func (l *launch) deadlock(ctas []*cta) error {
	e := &DeadlockError{Kernel: l.prog.Kernel.Name}
	for _, c := range ctas {
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
	return e
}

// describeWait says where a path waits and for what.
func (w *warp) describeWait(p *path) string {
	prog := w.worker.prog
	what := "in a loop that waits for memory"
	pc := ir.PC(-1)
	switch p.state {
	case atBarrier:
		what, pc = fmt.Sprintf("at barrier %d", p.wait.bar), p.wait.in.pc
	case atWarpBar:
		what, pc = fmt.Sprintf("for lanes %#x of its warp", p.wait.mask), p.wait.in.pc
	default:
		if p.seg >= 0 {
			pc = prog.segs[p.seg].pcFirst
		}
	}
	at := ""
	if pc >= 0 && int(pc) < len(prog.Module.Instrs) {
		at = fmt.Sprintf(" (%s:%d)", prog.Module.File, prog.Module.Instrs[pc].Pos.Line)
	}
	t := w.thread(bits.TrailingZeros32(p.mask))
	return fmt.Sprintf("CTA (%d,%d,%d), warp %d, %d threads from (%d,%d,%d) on: %s%s",
		w.cta.id[0], w.cta.id[1], w.cta.id[2], w.number, bits.OnesCount32(p.mask), t[0], t[1], t[2], what, at)
}
