package emulator

import (
	"math"
	"strings"

	"hyptx/emulator/internal/lanes"
	"hyptx/internal/vary"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// The PTX manual leaves some results open: how far sin.approx is off within a bound,
// which NaN comes out, whether a compiler contracts a*b + c, in which order atomics
// add up. To see what that freedom can do to a kernel's outputs, a program is
// compiled with a variation (package vary), which says of each such result, by
// instruction and thread, whether it is moved and which way. Two runs with opposite
// variations are then compared by the caller.
//
// Only instructions whose results are open are decoded differently: their exec is
// wrapped, or another one. The nominal result is always computed first, by the same
// lane function as ever, so that a variation that moves nothing changes nothing.

// varied is what an instruction needs whose result the PTX manual leaves open
// (isa.OpenResult), in a program that is compiled with a variation. Others are
// decoded as ever: the run loop knows nothing of this.
type varied struct {
	v *vary.Variation
	// index is the instruction's place among the varied ones.
	index  int32
	format vary.Format
	// shifts are where the elements of a register lie; wide: it has 64 bits.
	shifts []uint
	wide   bool
	flush  bool
	// bound and exact are an approximation's: its error, and the function in
	// double, of which divisor tells that the bound goes by the second operand.
	bound   *isa.Bound
	exact   func(a, b float64) float64
	divisor bool
	// fusions are the ways to contract an addition.
	fusions []fusion
	// inner is the atomic operation as it is; sums: it adds floating-point
	// numbers.
	inner execFunc
	sums  bool
	// Of mma: the number of additions of a sum times the unit of one, and of A,
	// B and C the masks that clear the signs and the elements' formats.
	unit    float64
	abs     [3]uint64
	formats [3]vary.Format
	// least is, of the elements whose format has fewer than 8 bits, the logarithm of
	// what all are multiples of; scales is the type of what they are multiplied by.
	least  [3]int
	scales isa.Type
}

// fusion is an addition with the multiplication before it as one fma. negated is
// the operand whose sign changes, 0 for none; mask its sign bits.
type fusion struct {
	fn      lanes.Fn
	a, b, c operand
	negated int
	mask    uint64
}

// exactly are the functions that approximate instructions approximate.
var exactly = map[isa.Op]func(a, b float64) float64{
	isa.OpDiv:   func(a, b float64) float64 { return a / b },
	isa.OpRcp:   func(a, _ float64) float64 { return 1 / a },
	isa.OpSqrt:  func(a, _ float64) float64 { return math.Sqrt(a) },
	isa.OpRsqrt: func(a, _ float64) float64 { return 1 / math.Sqrt(a) },
	isa.OpSin:   func(a, _ float64) float64 { return math.Sin(a) },
	isa.OpCos:   func(a, _ float64) float64 { return math.Cos(a) },
	isa.OpLg2:   func(a, _ float64) float64 { return math.Log(a) * math.Log2E },
	isa.OpEx2:   func(a, _ float64) float64 { return math.Exp2(a) },
	isa.OpTanh:  func(a, _ float64) float64 { return math.Tanh(a) },
}

// vary makes a decoded instruction follow the variation, if its result is
// open.
func (c *compiler) vary(in *ir.Instr, i *inst) {
	open := in.Inst.Open()
	v := &varied{v: c.variation, index: c.varied}
	switch open {
	case isa.Closed:
		if in.Inst.IsAtomic() && (c.variation.Reverse || c.variation.Shuffle) {
			c.varyAtomic(i, v, in.Inst.Type())
		}
		return
	case isa.Reordered:
		// Reductions that go on by themselves have no registers to move: only their order varies.
		v.sums = i.mem != nil && len(i.mem.elems) > 0
		c.varyAtomic(i, v, in.Inst.Type())
	case isa.Approximate:
		v.bound, v.exact, v.divisor = in.Inst.Bound(), exactly[in.Inst.Op], in.Inst.Op == isa.OpDiv
		v.flush = in.Inst.Has(isa.ModFtz)
		c.attach(in, i, v, in.Inst.Type(), execApproximate)
	case isa.UnspecifiedNaN:
		if c.variation.NaNs {
			c.attach(in, i, v, in.Inst.Types[0], execOtherNaN)
		}
	case isa.Contracted:
		c.varyContracted(in, i, v)
	case isa.Accumulated:
		c.varyMatrix(in, i, v)
	}
	c.varied++
}

// attach sets what runs a varied lane instruction with results of type t.
func (c *compiler) attach(in *ir.Instr, i *inst, v *varied, t isa.Type, exec execFunc) {
	format, ok := vary.FormatOf(t)
	if !ok {
		panic("BUG: no format for the open result of " + in.Inst.Opcode)
	}
	v.wide = t.Bits() == 64
	v.setFormat(format, t)
	i.varied, i.exec = v, exec
}

// setFormat says what elements results of type t have, and where they lie.
func (v *varied) setFormat(f vary.Format, t isa.Type) {
	v.format = f
	for at := uint(0); at < uint(t.Bits()); at += f.Bits() {
		v.shifts = append(v.shifts, at)
	}
}

func (c *compiler) varyAtomic(i *inst, v *varied, t isa.Type) {
	v.inner = i.exec
	if v.sums {
		format, _ := vary.FormatOf(t)
		v.setFormat(format, t)
	}
	i.varied, i.exec = v, execVariedAtomic
}

// varyMatrix varies the sums of an mma.
func (c *compiler) varyMatrix(in *ir.Instr, i *inst, v *varied) {
	x := in.Inst
	unit, _ := x.Accumulation()
	_, _, k := x.Shape()
	v.unit = unit * float64(k)
	types := x.Matrices()
	for n := range v.abs {
		v.abs[n] = ^signBits(types[n+1])
		if t := types[n+1]; t.Bits() < 8 && strings.Contains(x.Form.Syntax, "f8f6f4") {
			v.abs[n] = ^uint64(0x2020202020202020) // bit 5, be it of six or of the middle four
		} else if t.Bits() < 8 {
			v.abs[n] = ^uint64(0x8888888888888888)
		}
		v.formats[n], _ = vary.FormatOf(types[n+1])
	}
	v.scales = x.Types[4]
	for n := range v.least {
		v.least[n] = map[isa.Type]int{isa.E2M1: -1, isa.E2M3: -3, isa.E3M2: -4}[types[n+1]]
	}
	t := types[0]
	if t == isa.F16 {
		t = isa.F16x2 // two in a register
	}
	c.attach(in, i, v, t, execVariedMMA)
}

// signBits has a bit for the sign of each element of a type that a 32-bit
// register holds, or of the one element of a 64-bit one.
func signBits(t isa.Type) uint64 {
	switch t.Elem().Bits() {
	case 64:
		return 1 << 63
	case 32:
		return 0x8000000080000000
	case 16:
		return 0x8000800080008000
	}
	return 0x8080808080808080
}

// varyContracted sees to it that the operands of a mul are kept for the
// additions that may absorb it, and that such an addition has the choice.
func (c *compiler) varyContracted(in *ir.Instr, i *inst, v *varied) {
	if in.Inst.Op == isa.OpMul {
		if kept, ok := c.products[in.PC]; ok {
			c.keep(in, kept.a, i.a)
			c.keep(in, kept.b, i.b)
		}
		return
	}
	for n, mul := range c.form(c.fn).Absorbs(in) {
		if mul == nil {
			continue
		}
		kept := c.products[mul.PC]
		f := fusion{a: kept.a, b: kept.b, c: i.b, mask: signBits(in.Inst.Type())}
		if n == 1 {
			f.c = i.a
		}
		if in.Inst.Op == isa.OpSub {
			f.negated = 3 // a*b - c
			if n == 1 {
				f.negated = 1 // c - a*b
			}
		}
		lane := variant(in.Inst)
		lane.Rnd = isa.RN
		if f.fn = lanes.Fma(lane); f.fn != nil {
			v.fusions = append(v.fusions, f)
		}
	}
	if len(v.fusions) > 0 {
		c.attach(in, i, v, in.Inst.Type(), execContracted)
	}
}

// product is where the operands of a mul are kept.
type product struct{ a, b operand }

// keep copies an operand before it can be overwritten.
func (c *compiler) keep(in *ir.Instr, to, from operand) {
	i := noInst(in.PC)
	i.d, i.a, i.exec = to, from, moveFor(in.Inst.Type().Bits())
	c.append(i)
}

// findProducts finds the multiplications of a function that an addition may
// absorb, and gives their operands a place.
func (c *compiler) findProducts(fn *function) {
	c.fn = fn
	for pc := fn.ir.First; pc < fn.ir.End; pc++ {
		in := &c.mod.Instrs[pc]
		for _, mul := range c.form(c.fn).Absorbs(in) {
			if mul == nil {
				continue
			}
			if _, ok := c.products[mul.PC]; !ok {
				n := mul.Inst.Type().Slots()
				at := int32(fn.slots)
				fn.slots += 2 * n
				c.products[mul.PC] = product{operand{at, -1}, operand{at + int32(n), -1}}
			}
		}
	}
}
