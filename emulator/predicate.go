package emulator

import (
	"hyptx/emulator/internal/lanes"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// combine applies a Boolean operator to two predicates.
func combine(op isa.BoolOp, a, b uint32) uint32 {
	switch op {
	case isa.AND:
		return a & b
	case isa.OR:
		return a | b
	case isa.XOR:
		return a ^ b
	}
	return a
}

// buildSetp decodes setp p{|q}, a, b{, {!}c}.
func buildSetp(c *compiler, in *ir.Instr, i *inst) error {
	v := variant(in.Inst)
	e := &test{boolOp: in.Inst.Bool}
	i.a, i.b = c.narrowed(in, &in.Ops[1]), c.narrowed(in, &in.Ops[2])
	i.pd, i.pq = c.predDest(&in.Ops[0]), noPred
	if q := in.Ops[0].Pair; q != ir.NoReg {
		i.pq = c.register(c.fn, q).off
	}
	i.test = e
	if e.boolOp != isa.NoBool {
		i.pa, i.paFlip = c.predicate(in, &in.Ops[3])
	}
	if v.Type.Lanes() == 2 {
		e.pred2 = lanes.Setp2(v)
		i.exec = execSetp2
		if e.pred2 == nil {
			return c.unsupported(in, "the comparison of this type")
		}
		return nil
	}
	e.pred = lanes.Setp(v)
	if e.pred == nil {
		return c.unsupported(in, "the comparison of this type")
	}
	i.exec = execCompare
	if e.boolOp != isa.NoBool {
		i.exec = execCompareBool
	}
	return nil
}

// execCompareBool is setp with a Boolean operator: p = cmp op c, q = !cmp op c
// (PTX ISA 9.7.6.2).
func execCompareBool(w *warp, in *inst, m uint32) {
	r := in.test.pred(w.slot(in.a), w.slot(in.b))
	other := w.pred(in.pa, in.paFlip)
	w.setPred(in.pd, combine(in.test.boolOp, r, other), m)
	w.setPred(in.pq, combine(in.test.boolOp, ^r, other), m)
}

// execSetp2 compares packed halves: p is the low halves' outcome, q the high
// halves'.
func execSetp2(w *warp, in *inst, m uint32) {
	lo, hi := in.test.pred2(w.slot(in.a), w.slot(in.b))
	if in.test.boolOp != isa.NoBool {
		other := w.pred(in.pa, in.paFlip)
		lo, hi = combine(in.test.boolOp, lo, other), combine(in.test.boolOp, hi, other)
	}
	w.setPred(in.pd, lo, m)
	w.setPred(in.pq, hi, m)
}

// compare decodes p, a{, b}.
func compare(of func(lanes.Variant) lanes.PredFn) builder {
	return func(c *compiler, in *ir.Instr, i *inst) error {
		fn := of(variant(in.Inst))
		if fn == nil {
			return c.unsupported(in, "there are no semantics for these modifiers")
		}
		i.test = &test{pred: fn}
		i.pd, i.pq = c.predDest(&in.Ops[0]), noPred
		i.a = c.source(in, 1)
		if len(in.Ops) > 2 && in.Ops[2].Kind != ir.NoOperand {
			i.b = c.source(in, 2)
		}
		i.exec = execCompare
		return nil
	}
}

// buildSet decodes set d, a, b{, {!}c}: a comparison into a value.
func buildSet(c *compiler, in *ir.Instr, i *inst) error {
	v := variant(in.Inst)
	if v.From == isa.NoType {
		v.From = v.Type
	}
	e := &test{boolOp: in.Inst.Bool, set: lanes.Set(v)}
	from := v
	from.Type = v.From
	if v.From.Lanes() == 2 {
		e.pred2 = lanes.Setp2(from)
	} else {
		e.pred = lanes.Setp(from)
	}
	if e.set == nil || e.pred == nil && e.pred2 == nil {
		return c.unsupported(in, "the comparison of this type")
	}
	i.test = e
	i.d, i.a, i.b = c.dest(in, 0), c.source(in, 1), c.source(in, 2)
	if e.boolOp != isa.NoBool {
		i.pa, i.paFlip = c.predicate(in, &in.Ops[3])
	}
	i.exec = execSet
	return nil
}

func execSet(w *warp, in *inst, m uint32) {
	var lo, hi uint32
	if in.test.pred2 != nil {
		lo, hi = in.test.pred2(w.slot(in.a), w.slot(in.b))
	} else {
		lo = in.test.pred(w.slot(in.a), w.slot(in.b))
	}
	if in.test.boolOp != isa.NoBool {
		other := w.pred(in.pa, in.paFlip)
		lo, hi = combine(in.test.boolOp, lo, other), combine(in.test.boolOp, hi, other)
	}
	t := &w.worker.tmp[0]
	in.test.set(t, lo, hi)
	commit32(w.slot(in.d), t, m)
}

// buildSelp decodes selp d, a, b, {!}c.
func buildSelp(c *compiler, in *ir.Instr, i *inst) error {
	i.d, i.a, i.b = c.dest(in, 0), c.source(in, 1), c.source(in, 2)
	i.pa, i.paFlip = c.predicate(in, &in.Ops[3])
	i.exec = execSelect32
	if c.regBits(in, 0) == 64 {
		i.exec = execSelect64
	}
	return nil
}

// logic decodes and, or and xor, of values or of predicates.
func logic(of func(lanes.Variant) lanes.Fn, pred execFunc) builder {
	values := arith(of)
	return func(c *compiler, in *ir.Instr, i *inst) error {
		if in.Inst.Type() != isa.Pred {
			return values(c, in, i)
		}
		e := &test{}
		i.pd = c.predDest(&in.Ops[0])
		i.pa, i.paFlip = c.predicate(in, &in.Ops[1])
		e.pb, e.pbFlip = c.predicate(in, &in.Ops[2])
		i.test, i.exec = e, pred
		return nil
	}
}

func predAnd(w *warp, in *inst, m uint32) {
	w.setPred(in.pd, w.pred(in.pa, in.paFlip)&w.pred(in.test.pb, in.test.pbFlip), m)
}

func predOr(w *warp, in *inst, m uint32) {
	w.setPred(in.pd, w.pred(in.pa, in.paFlip)|w.pred(in.test.pb, in.test.pbFlip), m)
}

func predXor(w *warp, in *inst, m uint32) {
	w.setPred(in.pd, w.pred(in.pa, in.paFlip)^w.pred(in.test.pb, in.test.pbFlip), m)
}

// buildNot decodes not, of a value or a predicate.
func buildNot(c *compiler, in *ir.Instr, i *inst) error {
	if in.Inst.Type() != isa.Pred {
		return arith(lanes.Not)(c, in, i)
	}
	i.pd = c.predDest(&in.Ops[0])
	i.pa, i.paFlip = c.predicate(in, &in.Ops[1])
	i.paFlip = ^i.paFlip
	i.exec = execPredMove
	return nil
}
