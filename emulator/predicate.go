package emulator

import (
	"hyptx/emulator/internal/lanes"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// A predicate of a warp is 32 bits, one for each lane, so that logic on predicates
// is logic on words, and a guard is an and with the mask. A comparison makes such a
// word from two registers (lanes.PredFn); what may follow it in one instruction, a
// Boolean operator with another predicate and a second destination for the
// complement, is done on words, too.

// buildSetp decodes setp p{|q}, a, b{, {!}c}.
func buildSetp(c *compiler, in *ir.Instr, i *inst) error {
	v := variant(in.Inst)
	e := &test{boolOp: in.Inst.Bool}
	i.a, i.b = c.narrowed(in, &in.Ops()[1]), c.narrowed(in, &in.Ops()[2])
	i.pd, i.pq = c.predDest(&in.Ops()[0]), c.pairDest(in)
	i.test = e
	if e.boolOp != isa.NoBool {
		i.pa, i.paFlip = c.predicate(in, &in.Ops()[3])
	}
	i.exec = execSetp
	if v.Type.Lanes() == 2 {
		e.pred2 = lanes.Setp2(v)
	} else if e.pred = lanes.Setp(v); e.boolOp == isa.NoBool {
		i.exec = execCompare
	}
	if e.pred == nil && e.pred2 == nil {
		return c.unsupported(in, "the comparison of this type")
	}
	return nil
}

// outcome returns what a comparison says of each lane: of packed halves of the low
// and of the high ones, otherwise the comparison and its complement. A Boolean
// operator combines both with another predicate (PTX ISA 9.7.7.2).
func (w *warp) outcome(in *inst) (p, q uint32) {
	t := in.test
	if t.pred2 != nil {
		p, q = t.pred2(w.slot(in.a), w.slot(in.b))
	} else {
		p = t.pred(w.slot(in.a), w.slot(in.b))
		q = ^p
	}
	if t.boolOp != isa.NoBool {
		other := w.pred(in.pa, in.paFlip)
		p, q = combine(t.boolOp, p, other), combine(t.boolOp, q, other)
	}
	return p, q
}

// execSetp is setp of packed halves, or with a Boolean operator.
func execSetp(w *warp, in *inst, m uint32) {
	p, q := w.outcome(in)
	w.setPred(in.pd, p, m)
	w.setPred(in.pq, q, m)
}

// compare decodes p, a{, b}.
func compare(of func(lanes.Variant) lanes.PredFn) builder {
	return func(c *compiler, in *ir.Instr, i *inst) error {
		fn := of(variant(in.Inst))
		if fn == nil {
			return c.unsupported(in, "there are no semantics for these modifiers")
		}
		i.test = &test{pred: fn}
		i.pd, i.pq = c.predDest(&in.Ops()[0]), noPred
		i.a = c.source(in, 1)
		if len(in.Ops()) > 2 && in.Ops()[2].Kind != ir.NoOperand {
			i.b = c.source(in, 2)
		}
		i.exec = execCompare
		return nil
	}
}

// buildSet decodes set d, a, b{, {!}c}: a comparison into a value, or, with one type, of
// packed integers.
func buildSet(c *compiler, in *ir.Instr, i *inst) error {
	v := variant(in.Inst)
	if v.From == isa.NoType {
		return c.lane(in, i, lanes.SetPacked(v))
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
		i.pa, i.paFlip = c.predicate(in, &in.Ops()[3])
	}
	i.exec = execSet
	return nil
}

func execSet(w *warp, in *inst, m uint32) {
	t := &w.worker.tmp[0]
	p, q := w.outcome(in)
	in.test.set(t, p, q)
	lanes.Merge32(w.slot(in.d), t, m)
}

// buildSelp decodes selp d, a, b, {!}c.
func buildSelp(c *compiler, in *ir.Instr, i *inst) error {
	i.d, i.a, i.b = c.dest(in, 0), c.source(in, 1), c.source(in, 2)
	i.pa, i.paFlip = c.predicate(in, &in.Ops()[3])
	i.exec = execSelect32
	if c.regBits(in, 0) == 64 {
		i.exec = execSelect64
	}
	return nil
}

// logic decodes and, or and xor, of values or of predicates.
func logic(of func(lanes.Variant) lanes.Fn, op isa.BoolOp) builder {
	values := arith(of)
	return func(c *compiler, in *ir.Instr, i *inst) error {
		if in.Inst.Type() != isa.Pred {
			return values(c, in, i)
		}
		i.pd = c.predDest(&in.Ops()[0])
		i.pa, i.paFlip = c.predicate(in, &in.Ops()[1])
		i.test = &test{boolOp: op}
		i.test.pb, i.test.pbFlip = c.predicate(in, &in.Ops()[2])
		i.exec = execLogic
		return nil
	}
}

func execLogic(w *warp, in *inst, m uint32) {
	t := in.test
	w.setPred(in.pd, combine(t.boolOp, w.pred(in.pa, in.paFlip), w.pred(t.pb, t.pbFlip)), m)
}

// buildNot decodes not, of a value or a predicate.
func buildNot(c *compiler, in *ir.Instr, i *inst) error {
	if in.Inst.Type() != isa.Pred {
		return arith(lanes.Not)(c, in, i)
	}
	i.pd = c.predDest(&in.Ops()[0])
	i.pa, i.paFlip = c.predicate(in, &in.Ops()[1])
	i.paFlip = ^i.paFlip
	i.exec = execPredMove
	return nil
}
