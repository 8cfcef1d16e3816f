package ir

import (
	"fmt"
	"slices"

	"hyptx/parser"
)

// What is wrong within a body costs that function, and those that call it, not the
// file: a library holds kernels for many GPUs, and one instruction that nobody has
// heard of in one of them says nothing about the others. A function that is refused
// is like one that is only declared, but for [Func.Refused], which says why.

// maxRefusals is after how many errors in all a function's first one is all that is
// kept of it.
const maxRefusals = 2000

// lowerApart lowers the body of f with a list of errors of its own; where there are
// any, f is refused.
func (l *lowerer) lowerApart(f *Func, d *parser.Function) {
	outside, formals := l.errs, len(f.Regs)
	l.errs, l.most = nil, maxErrors
	if l.refusals > maxRefusals {
		l.most = 1
	}
	first := len(l.m.Instrs)
	l.lowerBody(f, d)
	l.lost = false
	wrong := l.sorted()
	l.errs, l.most = outside, maxErrors
	if len(wrong) == 0 {
		return
	}
	l.m.Instrs = l.m.Instrs[:first]
	f.Regs, f.Vars, f.Calls, f.labels, f.NoUnroll, f.CC = f.Regs[:formals], nil, nil, nil, nil, NoReg
	f.End = f.First
	l.giveUp(f, wrong)
}

// misread notes what is wrong with the statements that were read: they are not there.
func (l *lowerer) misread(wrong parser.ErrorList) {
	l.errs = append(l.errs, wrong[:min(len(wrong), max(l.most-len(l.errs), 0))]...)
	l.lost = l.lost || len(wrong) > 0
}

// giveUp notes why a function cannot be used.
func (l *lowerer) giveUp(f *Func, why parser.ErrorList) {
	f.Defined, f.Refused = false, why
	l.refusals += len(why)
}

// refuseCallers refuses what calls a function that is refused, directly or through
// others: nobody could say what such a call does.
func (l *lowerer) refuseCallers() {
	if l.refusals == 0 {
		return
	}
	defer func(file string) { l.m.File = file }(l.m.File)
	type call struct {
		from *Func
		pc   PC
	}
	callers, cause := map[*Func][]call{}, map[*Func]*parser.Error{}
	var queue []*Func
	for _, f := range l.m.Funcs {
		if f.Refused != nil {
			queue = append(queue, f)
			cause[f] = f.Refused[0]
		}
		for _, pc := range f.Calls {
			c := l.m.Instrs[pc].Call
			for _, to := range append([]*Func{c.Callee}, c.Candidates...) {
				callers[to] = append(callers[to], call{f, pc})
			}
		}
	}
	for len(queue) > 0 {
		g := queue[0]
		queue = queue[1:]
		for _, c := range callers[g] {
			if c.from.Refused != nil {
				continue
			}
			in := &l.m.Instrs[c.pc]
			l.errs, l.m.File = nil, c.from.File
			l.errorf(in.Pos, "%s: %s is refused: %v", in.Inst, g.Name, cause[g])
			l.giveUp(c.from, l.errs)
			cause[c.from] = cause[g]
			queue = append(queue, c.from)
		}
	}
	l.errs = nil
}

// told returns the errors outside of bodies and those for which functions are refused,
// up to the most that are told of a file.
func (l *lowerer) told() parser.ErrorList {
	for _, f := range l.m.Funcs {
		if f.Refused != nil && f.AliasOf == nil {
			l.errs = append(l.errs, f.Refused...)
		}
	}
	// What is wrong with a register at module scope is so for each function that has it.
	all := slices.CompactFunc(l.sorted(), func(a, b *parser.Error) bool { return *a == *b })
	if len(all) > maxErrors {
		more := *all[maxErrors-1]
		more.Msg = fmt.Sprintf("more errors than %d", maxErrors)
		all = append(all[:maxErrors:maxErrors], &more)
	}
	return all
}
