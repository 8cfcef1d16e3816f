package depgraph

import (
	"slices"

	"hyptx/ir"
)

// What a .param variable of a call holds where nobody has stored to it is unspecified, as
// in a register. Whether all of what a load reads there was stored is asked of the text
// alone: compilers store arguments in front of the call, and results in front of the
// return, in one block (PTX ISA 9.7.12.5 demands it of arguments). Of anything else the
// emulator has to look at the bytes.

// byteSpan is bytes of a variable.
type byteSpan struct{ from, to int64 }

// givenPassed reports whether all bytes that an access of s loads from a .param variable
// were stored for certain.
func (k *Kernel) givenPassed(s site, a *access) bool {
	if a.op < 0 {
		return false
	}
	op := &k.Module.Instrs[s.pc].Ops()[a.op]
	if op.Var == nil || op.Reg != ir.NoReg || a.bytes == 0 {
		return false
	}
	bytes := byteSpan{int64(op.Imm), int64(op.Imm) + int64(a.bytes)}
	for i, p := range k.Funcs[s.fn].Params {
		if p.Var == op.Var {
			return k.givenArgument(s.fn, i, bytes)
		}
	}
	return k.givenBefore(s, op.Var, bytes)
}

// givenArgument reports whether all callers of a function pass bytes of its i'th parameter.
func (k *Kernel) givenArgument(fn int32, i int, bytes byteSpan) bool {
	for _, c := range k.callers[fn] {
		args := k.Module.Instrs[c.pc].Call.Args
		if i >= len(args) {
			return false
		}
		if a := &args[i]; a.Kind == ir.OperandVar && !k.givenBefore(c, a.Var, byteSpan{bytes.from + int64(a.Imm), bytes.to + int64(a.Imm)}) {
			return false
		}
	}
	return true
}

// givenBefore reports whether bytes of a variable are stored, or returned by a call, in
// front of s in its block.
func (k *Kernel) givenBefore(s site, v *ir.Var, bytes byteSpan) bool {
	return k.givenIn(int(k.Module.Instrs[s.pc].Block), s, v, []byteSpan{bytes})
}

// givenIn is givenBefore of what is missing in a block.
func (k *Kernel) givenIn(block int, s site, v *ir.Var, missing []byteSpan) bool {
	for pc := s.pc - 1; pc >= k.Funcs[s.fn].Blocks[block].First && len(missing) > 0; pc-- {
		in := &k.Module.Instrs[pc]
		if in.Guard != ir.NoReg {
			continue
		}
		if in.Call != nil {
			i := slices.IndexFunc(in.Call.Returns, func(r ir.Operand) bool { return r.Kind == ir.OperandVar && r.Var == v })
			if i >= 0 {
				return k.givenResult(pc, i, missing)
			}
		}
		if in.Inst.IsStore() && in.Ops()[0].Kind == ir.OperandAddr && in.Ops()[0].Var == v && in.Ops()[0].Reg == ir.NoReg {
			missing = without(missing, byteSpan{int64(in.Ops()[0].Imm), int64(in.Ops()[0].Imm) + int64(sizeOf(in))})
		}
	}
	return len(missing) == 0
}

// givenResult reports whether whoever the call at pc may call stores bytes of the variable
// that its i'th result comes in, in front of every return.
func (k *Kernel) givenResult(pc ir.PC, i int, bytes []byteSpan) bool {
	callees, off := k.callees(pc), int64(k.Module.Instrs[pc].Call.Returns[i].Imm)
	for _, fn := range callees {
		if i >= len(k.Funcs[fn].Returns) {
			return false
		}
		v := k.Funcs[fn].Returns[i].Var
		if v == nil {
			continue // a register, which is followed as all are
		}
		var there []byteSpan
		for _, b := range bytes {
			there = append(there, byteSpan{b.from - off, b.to - off})
		}
		for b := range k.Funcs[fn].Blocks {
			if k.SSA[fn].Returned(b) != nil && !k.givenIn(b, site{fn, k.Funcs[fn].Blocks[b].End}, v, there) {
				return false
			}
		}
	}
	return len(callees) > 0
}

// without returns what of some bytes lies outside others.
func without(bytes []byteSpan, but byteSpan) (rest []byteSpan) {
	for _, b := range bytes {
		if left := (byteSpan{b.from, min(b.to, but.from)}); left.from < left.to {
			rest = append(rest, left)
		}
		if right := (byteSpan{max(b.from, but.to), b.to}); right.from < right.to {
			rest = append(rest, right)
		}
	}
	return rest
}
