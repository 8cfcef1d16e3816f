package analysis

import (
	"fmt"
	"strings"

	"hyptx/internal/check"
	"hyptx/internal/order"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// What goes on by itself until somebody has waited for it, copies and products, is waited for in ways of its
// own: findings name it and its wait.

// lateWork is what an instruction begins, in a word, what waits for it, in short, and what is missing where nobody does.
type lateWork struct{ noun, wait, missing string }

// lateWorkOf returns what an instruction begins; of what is not known it is a copy.
func lateWorkOf(x *isa.Inst) lateWork {
	const tracked = "tcgen05.commit to an mbarrier object and a wait for its phase"
	switch x.Op {
	case isa.OpWgmmaMmaAsync, isa.OpWgmmaMmaAsyncSp:
		return lateWork{"product", "wgmma.wait_group", "wgmma.wait_group, and a barrier for other warpgroups, is missing"}
	case isa.OpTcgen05Mma, isa.OpTcgen05MmaSp, isa.OpTcgen05MmaWs, isa.OpTcgen05MmaWsSp:
		return lateWork{"product", tracked, tracked + " are missing"}
	case isa.OpTcgen05Cp:
		return lateWork{"copy to tensor memory", tracked, tracked + " are missing"}
	case isa.OpTcgen05Shift:
		return lateWork{"shift of tensor memory", tracked, tracked + " are missing"}
	case isa.OpTcgen05Ld, isa.OpTcgen05LdRed, isa.OpTcgen05LdSpcompress, isa.OpTcgen05LdRedSpcompress:
		return lateWork{"load of tensor memory", "tcgen05.wait::ld", "tcgen05.wait::ld and a barrier behind it, or an arrival that others wait for, are missing"}
	case isa.OpTcgen05St:
		return lateWork{"store to tensor memory", "tcgen05.wait::st", "tcgen05.wait::st and a barrier behind it, or an arrival that others wait for, are missing"}
	}
	switch {
	case strings.Contains(x.Opcode, ".mbarrier::complete_tx"):
		return lateWork{"copy", "its mbarrier", "a wait for the phase of its mbarrier object is missing"}
	case strings.Contains(x.Opcode, ".bulk"):
		return lateWork{"copy", "cp.async.bulk.wait_group", "cp.async.bulk.wait_group by the thread that copies and a barrier are missing"}
	}
	return lateWork{"copy", "cp.async.wait_group, or its mbarrier", "cp.async.wait_group (or the wait for its mbarrier) and a barrier are missing"}
}

// whyCopy says what is missing between asynchronous work and another access: a barrier
// before it, if it writes over what others have read or written or reads what they write, else a wait behind it. In a
// loop whose threads are not in step the work may be the next one, which has come too early.
func (l *launchPlan) whyCopy(f *check.Finding, n *order.Fact, pair string) string {
	if n.B.Async && !n.A.Async {
		return l.whyEarly(f, n)
	}
	late := lateWorkOf(l.kernel.Module.Instrs[ir.PC(n.A.PC)].Inst)
	sameThread := n.SameWarp && n.A.Warp == n.B.Warp && n.A.Lane == n.B.Lane
	if !sameThread && l.waits(n.A.PC) {
		return fmt.Sprintf("the %s has neither been waited for nor begun late enough %s: either a wait for it (%s) and a barrier before the access are missing, or, if the access is to see what was there before the %s, a barrier (__syncthreads) before the %s", late.noun, pair, late.wait, late.noun, late.noun)
	}
	return fmt.Sprintf("nobody has waited for the %s %s: %s", late.noun, pair, late.missing)
}

// whyEarly says what is missing between an access and asynchronous work that may come before it.
func (l *launchPlan) whyEarly(f *check.Finding, n *order.Fact) string {
	first := f.Other
	if f.Other.PC == n.B.PC {
		first = &f.At
	}
	late := lateWorkOf(l.kernel.Module.Instrs[ir.PC(n.B.PC)].Inst)
	between := fmt.Sprintf("no barrier (__syncthreads, bar.sync) between the %s at %s and the %s", first.Does, first.At(), late.noun)
	if n.Kind == order.RaceRead {
		return fmt.Sprintf("the %s reads what another thread may not have written yet: %s", late.noun, between)
	}
	why := fmt.Sprintf("the %s writes over what another thread may not have finished with: %s", late.noun, between)
	if n.Kind == order.RaceOvertake && n.A.PC > n.B.PC { // in the text it stands behind the copy
		why += fmt.Sprintf("; or, if the %s is to see what the %s brings, a wait for it (%s) and a barrier before the %s", first.Does, late.noun, late.wait, first.Does)
	}
	return why
}
