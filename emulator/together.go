package emulator

import (
	"fmt"
	"math/bits"
	"slices"

	"hyptx/emulator/internal/abort"
	"hyptx/emulator/internal/lanes"
	"hyptx/internal/check"
	"hyptx/internal/order"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// An instruction that is .aligned wants all threads of a warp at once, and wgmma and
// setmaxnreg those of a warpgroup, of four warps (PTX ISA 9.7.14.5, 9.7.17.1, 9.7.21.5):
// else what happens is undefined. So a pseudo-instruction stands before each, whether a
// slice runs it or not, that ends the launch where threads are missing. Threads that have
// exited are no part of a warp any more, but of a warpgroup all have to be there. Barriers
// have rules of their own (barrier.go).

// together says what an instruction wants: all threads of a warp, or those of a warpgroup,
// among whose instructions it has a bit.
type together struct{ group uint64 }

// addTogether appends the pseudo-instruction of one.
func (c *compiler) addTogether(in *ir.Instr, guarded inst) {
	if !in.Inst.Has(isa.ModAligned) || endsSegment(in) && !inGroup(in.Inst.Op) {
		return
	}
	t := &together{groupBit(in)}
	i := noInst(in.PC)
	i.pa, i.paFlip = guarded.guard, guarded.flip
	if guarded.guard < 0 {
		i.pa, i.paFlip = noPred, fullMask
	}
	i.together, i.exec = t, execTogether
	c.append(i)
}

// groupBit is the bit of what a warpgroup executes together, 0 of anything else.
func groupBit(in *ir.Instr) uint64 {
	if !inGroup(in.Inst.Op) {
		return 0
	}
	return 1 << (in.PC % 64)
}

// inGroup reports whether an operation is one of a warpgroup.
func inGroup(op isa.Op) bool {
	switch op {
	case isa.OpWgmmaMmaAsync, isa.OpWgmmaMmaAsyncSp, isa.OpWgmmaFence, isa.OpWgmmaCommitGroup, isa.OpWgmmaWaitGroup, isa.OpSetmaxnreg:
		return true
	}
	return false
}

// execTogether looks whether all are there.
func execTogether(w *warp, in *inst, m uint32) {
	if m &= w.pred(in.pa, in.paFlip); m != 0 {
		w.wantAll(in, m, in.together.group)
	}
}

// wantAll fails if lanes are not all threads of their warp, or, where group is not 0, not
// of a warp of a full warpgroup.
func (w *warp) wantAll(in *inst, m uint32, group uint64) {
	w.inGroup |= group
	l := w.worker.launch
	switch {
	case m != w.alive:
		w.missing(in, m, "%d of the %d threads of the warp execute it; an instruction that is .aligned is undefined unless all do together",
			bits.OnesCount32(m), bits.OnesCount32(w.alive))
	case group == 0:
	case w.worker.prog.Module.Instrs[in.pc].Inst.Op == isa.OpSetmaxnreg: // of a CTA with fewer the manual says nothing
	case !l.inWholeGroup(w.number): // whichever of its warps comes first
		w.groupLeader().missing(in, 1, "a warpgroup executes it together, which are four whole warps; the CTA has %d threads", l.threads)
	case m != fullMask:
		w.missing(in, m, "a warpgroup executes it together, which are four whole warps; of the warp %d threads execute it", bits.OnesCount32(m))
	}
}

// groupLeader is the first warp of a warp's group that runs.
func (w *warp) groupLeader() *warp {
	at := slices.IndexFunc(w.cta.warps, func(o *warp) bool { return o.number/groupWarps == w.number/groupWarps })
	return w.cta.warps[at]
}

// inWholeGroup reports whether a warp is one of a warpgroup of four. Where one stands for
// all whole warps, all of them have to be.
func (l *launch) inWholeGroup(warp int) bool {
	if l.Warps != nil {
		return l.threads/lanes.Width%groupWarps == 0
	}
	return (warp/groupWarps+1)*groupWarps*lanes.Width <= int(l.threads)
}

// missing fails for lanes, or says that what comes is undefined if the launch is lenient.
func (w *warp) missing(in *inst, m uint32, format string, args ...any) {
	l := w.worker.launch
	if l.Check != nil {
		w.noteParted(check.NotTogether, in, m, fmt.Sprintf(format, args...))
		return
	}
	if !l.Lenient {
		w.fail(in, m, format, args...)
	}
	l.outside.add(in.pc)
	if l.prog.decisions > 0 {
		w.decide(in, order.Undefined, l.log.Note(order.Alone, uint32(in.pc)))
	}
}

// checkGroups fails if one warp of a warpgroup has executed what it should have together
// with another that has not: which rounds of loops were only counted does not matter.
func (c *cta) checkGroups() {
	for i, w := range c.warps {
		if i == 0 || w.number/groupWarps != c.warps[i-1].number/groupWarps {
			continue
		}
		before := c.warps[i-1]
		odd := w.inGroup ^ before.inGroup
		if odd == 0 || w.worker.launch.Lenient || w.checks() {
			continue
		}
		if odd&before.inGroup != 0 {
			w = before
		}
		for _, f := range w.worker.prog.funcs {
			for k := range f.ir.Instrs() {
				if in := &f.ir.Instrs()[k]; groupBit(in)&odd&w.inGroup != 0 {
					abort.Throw(w.faultAt(in.PC, 0, "another warp of the warpgroup does not execute it; it is undefined unless all four do"))
				}
			}
		}
	}
}
