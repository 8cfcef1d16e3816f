package oracle

import "fmt"

// What statements are made of. Every other constant is one on which arithmetic
// or a comparison turns: zero, one, the widths of shifts, the ends of the signed
// and unsigned ranges.

// special are the operands on which arithmetic and comparisons turn.
var special = []uint32{
	0, 1, 2, 3, 5, 7, 31, 32, 33, 63, 64, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0xfffffffe, 0x0000ffff, 0x00010000, 0xaaaaaaaa, 0x55555555,
}

// constant returns a number, every other time a special one.
func (w *writer) constant() uint32 {
	if w.r.IntN(2) == 0 {
		return special[w.r.IntN(len(special))]
	}
	return uint32(w.r.IntN(100))
}

// operand returns a source operand.
func (w *writer) operand() string {
	if w.r.IntN(3) == 0 {
		return fmt.Sprint(w.constant())
	}
	return w.register()
}

// identity returns a special register that differs between threads or CTAs.
func (w *writer) identity() string { return w.one("%tid.x", "%tid.x", "%laneid", "%ctaid.x") }

func (w *writer) register() string { return fmt.Sprintf("%%r%d", w.r.IntN(registers)) }

// predicate returns a predicate as a guard or operand takes it.
func (w *writer) predicate() string {
	return []string{"", "!"}[w.r.IntN(2)] + fmt.Sprintf("%%p%d", w.r.IntN(predicates))
}

// guard returns a guard, three times of four none.
func (w *writer) guard() string {
	if w.r.IntN(4) != 0 {
		return ""
	}
	return "@" + w.predicate() + " "
}

func (w *writer) compare() string { return []string{"eq", "ne", "lt", "le", "gt", "ge"}[w.r.IntN(6)] }

func (w *writer) one(of ...string) string { return of[w.r.IntN(len(of))] }

// statement writes an instruction, or a call with what belongs to it.
func (w *writer) statement() {
	g := w.guard()
	switch w.r.IntN(12) {
	case 0:
		w.line("%smov.u32 %s, %s;", g, w.register(), w.one(w.operand(), w.identity()))
	case 1:
		w.line("%sselp.b32 %s, %s, %s, %%p%d;", g, w.register(), w.operand(), w.operand(), w.r.IntN(predicates))
	case 2, 3, 4:
		w.comparison(g)
	case 5:
		w.line("%s%s.pred %%p%d, %%p%d, %%p%d;", g, w.one("and", "or", "xor"), w.r.IntN(predicates), w.r.IntN(predicates), w.r.IntN(predicates))
	case 6:
		w.line("%snot.%s;", g, w.one(
			fmt.Sprintf("pred %%p%d, %%p%d", w.r.IntN(predicates), w.r.IntN(predicates)),
			fmt.Sprintf("b32 %s, %s", w.register(), w.register())))
	case 7:
		w.memory(g)
	case 8:
		w.call()
	case 9:
		w.video(g)
	default:
		w.arithmetic(g)
	}
}

func (w *writer) comparison(g string) {
	typ, p := w.one("s32", "u32"), w.r.IntN(predicates)
	switch w.r.IntN(3) {
	case 0:
		w.line("%ssetp.%s.%s %%p%d, %s, %s;", g, w.compare(), typ, p, w.register(), w.operand())
	case 1:
		w.line("%ssetp.%s.%s.%s %%p%d, %s, %s, %s;", g, w.compare(), w.one("and", "or", "xor"), typ, p, w.register(), w.operand(), w.predicate())
	case 2:
		w.line("%ssetp.%s.%s %%p%d|%%p%d, %s, %s;", g, w.compare(), typ, p, (p+1)%predicates, w.register(), w.operand())
	}
}

func (w *writer) arithmetic(g string) {
	d, a, b := w.register(), w.register(), w.operand()
	switch op := w.one("add.u32", "add.s32", "sub.s32", "mul.lo.u32", "mul.lo.s32", "mad.lo.s32", "and.b32", "or.b32", "xor.b32",
		"shl.b32", "shr.u32", "shr.s32", "min.s32", "max.s32", "min.u32", "max.u32"); op {
	case "mad.lo.s32":
		w.line("%s%s %s, %s, %s, %s;", g, op, d, a, b, w.operand())
	default:
		w.line("%s%s %s, %s, %s;", g, op, d, a, b)
	}
}

// memory loads from, or stores to, the thread's own words. Functions have
// none.
func (w *writer) memory(g string) {
	if w.self != w.functions {
		w.arithmetic(g)
		return
	}
	at := 4 * w.r.IntN(slotWords)
	if w.r.IntN(2) == 0 {
		w.line("%sst.global.b32 [%%out+%d], %s;", g, at, w.register())
		return
	}
	w.line("%sld.global.b32 %s, [%%out+%d];", g, w.register(), at)
}

// call writes a call: direct, guarded, recursive or of one of two functions.
func (w *writer) call() {
	if w.calls == maxCalls || w.self == 0 && w.functions == w.self {
		w.arithmetic("")
		return
	}
	w.calls++
	w.serial++
	callee := w.r.IntN(min(w.self+1, w.functions))
	guard := w.guard()
	if callee == w.self { // down to depth 0
		guard = "@%q "
		w.line("setp.gt.s32 %%q, %%depth, 0;")
	}
	w.line("{\n.param .b32 a0, a1, r0;")
	w.line("st.param.b32 [a0], %s;\nsub.s32 %%t0, %%depth, 1;\nst.param.b32 [a1], %%t0;", w.register())
	if other := w.r.IntN(min(w.self+1, w.functions)); w.r.IntN(4) == 0 && callee != w.self && other != w.self {
		w.line("mov.u64 %%fp0, f%d;\nmov.u64 %%fp1, f%d;\nselp.b64 %%fp0, %%fp0, %%fp1, %%p%d;", callee, other, w.r.IntN(predicates))
		w.line("L%d: .calltargets f%d%s;", w.serial, callee, map[bool]string{true: "", false: fmt.Sprintf(", f%d", other)}[other == callee])
		w.line("%scall (r0), %%fp0, (a0, a1), L%d;", guard, w.serial)
	} else {
		w.line("%scall (r0), f%d, (a0, a1);", guard, callee)
	}
	w.line("%sld.param.b32 %s, [r0];\n}", guard, w.register())
}
