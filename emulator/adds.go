package emulator

import (
	"hyptx/emulator/internal/lanes"
	"hyptx/internal/adder"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// What adders add can be watched: each add of integers and of significands, with its
// operands as they enter the adder, goes into the stream of its warp (package adder)
// before it is executed. Watched are add, sub, mad and fma with their carry forms, of
// integers, .f16, .f16x2, .f32 and .f64; of a multiply-add the addition alone, whose first
// operand is the product, rounded where it is one of floating point. Others that some
// unit may add for are not: .bf16 (a significand is one slice), pairs of .f32 and of
// .u16, sad and dp4a, addresses of accesses, matrices.
//
// A program that is not compiled so has nothing of it: the instructions that are watched
// have their exec wrapped.

// Adds says which adds of a program are watched.
type Adds struct {
	On bool
	// IntBits are those of adders of integers: of 32, two add 64 bits, of 64, one adds
	// fewer, and of 0 each is as wide as what it adds.
	IntBits int
	// Compares: setp, min and max of integers subtract in an adder, too.
	Compares bool
	// Code, if not nil, says what machine code makes of the instructions.
	Code *adder.Code
}

// watchedAdd is an instruction that adds. The instruction's off, which only accesses
// need, is its number among them.
type watchedAdd struct {
	exec execFunc
	// product is what it multiplies before, nil if nothing.
	product lanes.Fn
	note    func(t *watchedAdd, s *adder.Stream, m, carry uint32, a, b *lanes.Slot)
	at      adder.At
	// every: a warp adds once in so many executions.
	every  uint32
	kind   adder.Kind
	minus  bool
	signed bool
	// condition: it carries CC.CF in. flip turns that, or no carry, over where b's
	// complement is added: of a borrow the inverse is carried in, and of none 1.
	condition bool
	flip      uint32
}

// watchAdd wraps a decoded instruction if it adds.
func (c *compiler) watchAdd(in *ir.Instr, i *inst) {
	t := watchedAdd{exec: i.exec, at: adder.At{PC: uint32(in.PC), Number: uint32(in.PC) + c.halves}, every: 1}
	x := in.Inst
	typ := x.Types[0]
	switch x.Op {
	case isa.OpAdd, isa.OpAddc:
	case isa.OpSub, isa.OpSubc:
		t.minus = true
	case isa.OpMad, isa.OpMadc, isa.OpFma, isa.OpMad24:
		v := variant(x)
		v.Sat, v.Relu = false, false
		if t.product = lanes.Mul(v); x.Op == isa.OpMad24 {
			t.product = lanes.Mul24(v)
		}
	case isa.OpSetp, isa.OpMin, isa.OpMax:
		if t.minus = true; !c.adds.Compares || typ.IsFloat() {
			return
		}
	default:
		return
	}
	if x.Types[1] != isa.NoType && x.Types[1] != typ && typ.IsFloat() {
		return // of mixed precision: sm_100
	}
	if !t.take(typ, x.Mul == isa.WIDE && t.product != nil, c.adds.IntBits) {
		return
	}
	if code := c.adds.Code; code != nil {
		t.at.Number = code.Number[in.PC]
		if t.kind.IsInt() {
			t.every = code.Every[in.PC]
		}
		if t.every == 0 {
			return
		}
	} else if t.kind == adder.Int64 && c.adds.IntBits == 32 {
		c.halves++ // the next instruction's number is that after both
	}
	if t.condition = x.ReadsCC(); t.minus && !(t.condition && c.invertedBorrow) {
		t.flip = fullMask
	}
	i.exec, i.off = execAdd, int64(len(c.prog.adds))
	c.prog.adds = append(c.prog.adds, t)
}

// take sets how operands of a type enter an adder; false if none is watched. doubled: the
// sum has twice the bits.
func (t *watchedAdd) take(typ isa.Type, doubled bool, intBits int) bool {
	bits := typ.Bits()
	if doubled {
		bits *= 2
	}
	t.signed = typ.IsSigned()
	switch {
	case typ == isa.F32:
		t.kind, t.note = adder.FP32, noteFloat32
	case typ == isa.F64:
		t.kind, t.note = adder.FP64, noteFloat64
	case typ == isa.F16 || typ == isa.F16x2:
		t.kind, t.note = adder.FP16, noteFloat16
		if typ == isa.F16x2 {
			t.note = noteFloat16x2
		}
	case typ.IsFloat() || typ.Lanes() > 1:
		return false
	case bits == 64 && intBits == 32:
		t.kind, t.note = adder.Int64, noteHalves
	case bits == 64:
		t.kind, t.note = adder.Int64, noteWide
	case intBits == 64:
		t.kind, t.note = adder.Int64, noteExtended
	case bits == 32:
		t.kind, t.note = adder.Int32, noteNarrow
	case bits == 16:
		t.kind, t.note = adder.Int16, noteNarrow
	default:
		return false
	}
	return true
}

// execAdd notes what is added, then adds.
func execAdd(w *warp, in *inst, m uint32) {
	wk := w.worker
	t := &wk.prog.adds[in.off]
	if s := w.adds; s != nil && (t.every == 1 || s.Turn(int(in.off), t.every)) {
		a, b := w.slot(in.a), w.slot(in.b)
		if t.product != nil {
			t.product(&wk.scratch[0], a, b, nil)
			a, b = &wk.scratch[0], w.slot(in.c)
		}
		carry := uint32(0)
		if t.condition {
			carry = w.preds[in.pa]
		}
		t.note(t, s, m, carry^t.flip, a, b)
	}
	t.exec(w, in, m)
}

func noteNarrow(t *watchedAdd, s *adder.Stream, m, carry uint32, a, b *lanes.Slot) {
	s.Narrow(t.at, t.kind, m, carry, (*[adder.Lanes]uint32)(a), (*[adder.Lanes]uint32)(b), t.minus)
}

func noteExtended(t *watchedAdd, s *adder.Stream, m, carry uint32, a, b *lanes.Slot) {
	s.Extended(t.at, m, carry, (*[adder.Lanes]uint32)(a), (*[adder.Lanes]uint32)(b), t.minus, t.signed)
}

func noteHalves(t *watchedAdd, s *adder.Stream, m, carry uint32, a, b *lanes.Slot) {
	s.Halves(t.at, m, carry, wide(a), wide(b), t.minus)
}

func noteWide(t *watchedAdd, s *adder.Stream, m, carry uint32, a, b *lanes.Slot) {
	s.Wide(t.at, m, carry, wide(a), wide(b), t.minus)
}

func noteFloat16(t *watchedAdd, s *adder.Stream, m, _ uint32, a, b *lanes.Slot) {
	s.Float16(t.at, m, (*[adder.Lanes]uint32)(a), (*[adder.Lanes]uint32)(b), 0, t.minus)
}

func noteFloat16x2(t *watchedAdd, s *adder.Stream, m, carry uint32, a, b *lanes.Slot) {
	noteFloat16(t, s, m, carry, a, b)
	s.Float16(t.at, m, (*[adder.Lanes]uint32)(a), (*[adder.Lanes]uint32)(b), 16, t.minus)
}

func noteFloat32(t *watchedAdd, s *adder.Stream, m, _ uint32, a, b *lanes.Slot) {
	s.Float32(t.at, m, (*[adder.Lanes]uint32)(a), (*[adder.Lanes]uint32)(b), t.minus)
}

func noteFloat64(t *watchedAdd, s *adder.Stream, m, _ uint32, a, b *lanes.Slot) {
	s.Float64(t.at, m, wide(a), wide(b), t.minus)
}

// shares is how many shares of CTAs workers take. Where adds are watched it is an SM's
// CTAs, which its tables see in their order: else one CTA, or one cluster.
func (l *launch) shares() int64 {
	if l.Adds != nil {
		return l.Adds.SMs()
	}
	switch s := &l.shape; {
	case s.size == 1:
		return l.todo
	case s.first != nil:
		return int64(len(s.first)) - 1
	default:
		return l.todo / s.size
	}
}

// inShare returns the CTA that comes in a share after a number of others.
func (l *launch) inShare(share, others int64) (linear int64, ok bool) {
	if l.Adds != nil {
		return l.Adds.Next(share, others)
	}
	first, n := share, int64(1)
	if s := &l.shape; s.first != nil {
		first, n = s.first[share], s.first[share+1]-s.first[share]
	} else if s.size > 1 {
		first, n = share*s.size, s.size
	}
	if others >= n {
		return 0, false
	}
	return l.ctaIndex(first + others), true
}
