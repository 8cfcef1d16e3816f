package emulator

import (
	"hyptx/emulator/internal/address"
	"hyptx/emulator/internal/lanes"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// mov is one opcode for eight things. Which of them it is, its operands tell: a
// vector on one side packs or unpacks, on both sides copies; a predicate is no
// value; a special register may be read now or have been read before; the rest
// copies a register, a constant or an address.

// buildMov decodes mov in all its uses: registers, constants, special
// registers, addresses, predicates, packing and unpacking (PTX ISA 9.7.10.3,
// 9.7.10.4).
func buildMov(c *compiler, in *ir.Instr, i *inst) error {
	d, a := &in.Ops()[0], &in.Ops()[1]
	switch {
	case in.Inst.Type() == isa.Pred:
		i.pd = c.predDest(d)
		i.pa, i.paFlip = c.predicate(in, a)
		i.exec = execPredMove
	case d.Kind == ir.OperandVec && a.Kind == ir.OperandVec:
		return c.moveVector(in, i)
	case d.Kind == ir.OperandVec:
		return c.unpack(in, i)
	case a.Kind == ir.OperandVec:
		return c.pack(in, i)
	case a.Kind == ir.OperandSReg && volatile(a.SReg):
		i.d = c.dest(in, 0)
		i.move = &move{sreg: a.SReg, wide: c.regBits(in, 0) == 64}
		i.exec = execClock
	case a.Kind == ir.OperandSReg && a.SReg.Type().Bits() != c.regBits(in, 0):
		return c.moveSpecial(in, i, a)
	default:
		i.d, i.a = c.dest(in, 0), c.narrowed(in, a)
		i.exec = moveFor(c.regBits(in, 0))
	}
	return nil
}

// moveSpecial decodes mov from a special register of another width: only its
// low bits are moved, or it is zero-extended (PTX ISA 10).
func (c *compiler) moveSpecial(in *ir.Instr, i *inst, a *ir.Operand) error {
	v := lanes.Variant{Type: isa.BitsType(c.regBits(in, 0)), From: isa.BitsType(a.SReg.Type().Bits())}
	i.d, i.a, i.lane = c.dest(in, 0), c.place(in, a), lanes.Cvt(v)
	if i.lane == nil {
		return c.unsupported(in, "a move from a register of this width")
	}
	i.exec = execLane32
	if v.Type.Bits() == 64 {
		i.exec = execLane64
	}
	return nil
}

// pack decodes mov.b32 d, {a, b}: the first element is the lowest.
func (c *compiler) pack(in *ir.Instr, i *inst) error {
	e := &move{regBits: in.Inst.Type().Bits(), elems: c.elements(in, &in.Ops()[1])}
	i.d, i.move, i.exec = c.dest(in, 0), e, execPack
	return nil
}

func execPack(w *warp, in *inst, m uint32) {
	e := in.move
	width := e.regBits / len(e.elems)
	for lane := range lanesOf(m) {
		var v [2]uint64
		for k, o := range e.elems {
			x := w.laneValue(o, lane, width/8)
			v[k*width/64] |= x << (k * width % 64)
		}
		if e.regBits == 128 {
			quad(w.slot(in.d))[lane] = v
		} else {
			setReg(e.regBits, false, w.slot(in.d), lane, v[0])
		}
	}
}

// unpack decodes mov.b32 {d, e}, a.
func (c *compiler) unpack(in *ir.Instr, i *inst) error {
	e := &move{regBits: in.Inst.Type().Bits(), elems: c.destinations(&in.Ops()[0])}
	i.a, i.move, i.exec = c.source(in, 1), e, execUnpack
	return nil
}

func execUnpack(w *warp, in *inst, m uint32) {
	e := in.move
	width := e.regBits / len(e.elems)
	for lane := range lanesOf(m) {
		var v [2]uint64
		switch e.regBits {
		case 128:
			v = quad(w.slot(in.a))[lane]
		case 64:
			v[0] = wide(w.slot(in.a))[lane]
		default:
			v[0] = uint64(w.slot(in.a)[lane])
		}
		for k, o := range e.elems {
			if o.off < 0 {
				continue
			}
			x := v[k*width/64] >> (k * width % 64)
			if width == 64 {
				wide(w.slot(o))[lane] = x
			} else {
				w.slot(o)[lane] = uint32(x & (1<<width - 1))
			}
		}
	}
}

// moveVector decodes mov.v4.u32 {a,b,c,d}, {e,f,g,h} and its like. All elements
// are read before one is written: they may be the same registers.
func (c *compiler) moveVector(in *ir.Instr, i *inst) error {
	i.move = &move{
		wide:  c.elementBits(&in.Ops()[0]) == 64,
		dests: c.destinations(&in.Ops()[0]), elems: c.elements(in, &in.Ops()[1]),
	}
	i.exec = execMoveVector
	return nil
}

func execMoveVector(w *warp, in *inst, m uint32) {
	var t [maxVector][2]lanes.Slot
	for k, a := range in.move.elems {
		if in.move.wide {
			*wide(&t[k][0]) = *wide(w.slot(a))
		} else {
			t[k][0] = *w.slot(a)
		}
	}
	for k, d := range in.move.dests {
		if d.off >= 0 {
			commit(w.slot(d), &t[k][0], m, in.move.wide)
		}
	}
}

// execClock reads a special register that changes while a thread runs.
func execClock(w *warp, in *inst, m uint32) {
	v := w.clock(in.move.sreg)
	d := w.slot(in.d)
	for lane := range lanesOf(m) {
		if in.move.wide {
			wide(d)[lane] = v
		} else {
			d[lane] = uint32(v)
		}
	}
}

// buildCvta decodes cvta.space and cvta.to.space: between a space's own
// addresses and generic ones.
func buildCvta(c *compiler, in *ir.Instr, i *inst) error {
	i.d, i.a = c.dest(in, 0), c.source(in, 1)
	bits := in.Inst.Type().Bits()
	i.off = int64(address.Window(in.Inst.Space, bits))
	if in.Inst.Has(isa.ModTo) {
		i.off = -i.off
	}
	switch {
	case i.off == 0:
		i.exec = moveFor(bits)
	case bits == 32:
		i.exec = execNarrowCvta
	default:
		i.exec = execCvta
	}
	return nil
}

func execNarrowCvta(w *warp, in *inst, m uint32) {
	d, a := w.slot(in.d), w.slot(in.a)
	for lane := range lanesOf(m) {
		d[lane] = a[lane] + uint32(in.off)
	}
}

func execCvta(w *warp, in *inst, m uint32) {
	d, a := wide(w.slot(in.d)), wide(w.slot(in.a))
	for lane := range lanesOf(m) {
		d[lane] = a[lane] + uint64(in.off)
	}
}

// buildIsspacep decodes isspacep.space p, a.
func buildIsspacep(c *compiler, in *ir.Instr, i *inst) error {
	i.pd, i.a = c.predDest(&in.Ops()[0]), c.source(in, 1)
	i.move = &move{space: in.Inst.Space, narrow: c.regBits(in, 1) != 64}
	i.exec = execIsspacep
	return nil
}

func execIsspacep(w *warp, in *inst, m uint32) {
	bytes := 8
	if in.move.narrow {
		bytes = 4
	}
	want := in.move.space
	if want == isa.ParamEntry {
		want = isa.Param
	}
	var r uint32
	for lane := range lanesOf(m) {
		got, addr := address.Resolve(isa.Generic, w.laneValue(in.a, lane, bytes))
		switch {
		case got == isa.Shared:
			if want == isa.SharedCluster || want == isa.Shared && w.ownShared(addr) {
				r |= 1 << lane
			}
		case got == want, got == isa.Param && want == isa.Global: // the window of parameters is in that of .global (PTX ISA 9.7.10.22)
			r |= 1 << lane
		}
	}
	w.setPred(in.pd, r, m)
}
