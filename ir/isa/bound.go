package isa

// An OpenResult is why the PTX manual leaves an instruction's result open: two
// machines that both obey it may give different bits.
type OpenResult uint8

// The reasons. Closed is none: the bits are defined, but for the payload of
// f64 NaNs, which no instruction's section defines and that of neg leaves open.
const (
	Closed OpenResult = iota
	// Approximate results may be off by as much as a Bound says.
	Approximate
	// Accumulated results are sums whose order and roundings are unspecified.
	Accumulated
	// Reordered results are atomic floating-point additions: which thread's
	// comes first is not defined.
	Reordered
	// Contracted: mul and add or sub without a rounding modifier may become one
	// fma, which rounds once (PTX ISA 9.7.3.3 to .5, 9.7.4.1 to .3).
	Contracted
	// UnspecifiedNaN: a NaN result may have any payload.
	UnspecifiedNaN
)

// String names the reason.
func (o OpenResult) String() string {
	return [...]string{"closed", "approximate", "accumulated", "reordered", "contracted", "unspecified NaN"}[o]
}

// Bound is the error that the manual allows an approximate instruction. Inputs
// that the tables of special values name (zeros, infinities, NaNs) have exact
// results all the same.
type Bound struct {
	// Parts are the ranges of the input, in order: the first that holds counts.
	// An input in none of them has no documented bound.
	Parts []BoundPart
	// Section is where the manual says so (PTX ISA 9.1).
	Section string
}

// BoundPart is the error in one range of the input: at most one of ULP,
// Relative and Absolute is not zero. None: the manual defines the result.
type BoundPart struct {
	// Low and High bound the absolute value of the range's operand: the input,
	// of div the divisor. Open: without Low and High themselves.
	Low, High float64
	Open      bool
	// ULP counts steps from the correctly rounded result; Relative is a part of
	// the exact result's absolute value, Absolute a number.
	ULP                int
	Relative, Absolute float64
}

// Part returns the part of the bound that holds for an input; ok is false
// where the manual gives no bound. Negative inputs are as positive ones.
func (b *Bound) Part(input float64) (part BoundPart, ok bool) {
	if input < 0 {
		input = -input
	}
	for _, p := range b.Parts {
		if p.Open && p.Low < input && input < p.High || !p.Open && p.Low <= input && input <= p.High {
			return p, true
		}
	}
	return BoundPart{}, false
}

// Bounds whose exponents are no integers.
const (
	twoToMinus20p5   = 6.743495761743046e-07  // 2^-20.5
	twoToMinus14p7   = 3.7571545817410796e-05 // 2^-14.7
	twoToMinus22p9   = 1.277653530283325e-07  // 2^-22.9
	twoToMinus10p987 = 0.0004927009930882233  // 2^-10.987
	twoToMinus9p9    = 0.0010466537720080985  // 2^-9.9
	twoPi            = 6.283185307179586
	hundredPi        = 314.1592653589793
	anySize          = 0x1p1023
)

func everywhere(p BoundPart) []BoundPart {
	p.High = anySize
	return []BoundPart{p}
}

// trigonometric is sin's and cos' table of maximum absolute errors; outside
// of it there are no guarantees.
var trigonometric = []BoundPart{{High: twoPi, Absolute: twoToMinus20p5}, {High: hundredPi, Absolute: twoToMinus14p7}}

// boundKey is what picks a bound: the opcode, whether it is .full, the type of
// an element.
type boundKey struct {
	op   Op
	full bool
	elem Type
}

// bounds are the documented errors of the approximate instructions. Those that
// the manual has without a number are here without parts.
var bounds = map[boundKey]Bound{
	{OpDiv, false, F32}:   {[]BoundPart{{Low: 0x1p-126, High: 0x1p126, ULP: 2}, {Low: 0x1p126, High: 0x1p128, Open: true}}, "9.7.3.8"},
	{OpDiv, true, F32}:    {everywhere(BoundPart{ULP: 2}), "9.7.3.8"},
	{OpRcp, false, F32}:   {everywhere(BoundPart{ULP: 1}), "9.7.3.13"},
	{OpRcp, false, F64}:   {nil, "9.7.3.14"}, // "gross"
	{OpSqrt, false, F32}:  {everywhere(BoundPart{Relative: 0x1p-23}), "9.7.3.15"},
	{OpRsqrt, false, F32}: {everywhere(BoundPart{Relative: twoToMinus22p9}), "9.7.3.16"},
	{OpRsqrt, false, F64}: {nil, "9.7.3.16, 9.7.3.17"}, // with .ftz and without
	{OpSin, false, F32}:   {trigonometric, "9.7.3.18"},
	{OpCos, false, F32}:   {trigonometric, "9.7.3.19"},
	{OpLg2, false, F32}:   {[]BoundPart{{Low: 0.5, High: 2, Open: true, Absolute: 0x1p-22}, {High: anySize, Relative: 0x1p-22}}, "9.7.3.20"},
	{OpEx2, false, F32}:   {everywhere(BoundPart{ULP: 2}), "9.7.3.21"},
	{OpEx2, false, F16}:   {everywhere(BoundPart{Relative: twoToMinus9p9}), "9.7.4.10"},
	{OpEx2, false, BF16}:  {everywhere(BoundPart{Relative: 0x1p-7}), "9.7.4.10"},
	{OpTanh, false, F32}:  {everywhere(BoundPart{Relative: 0x1p-11}), "9.7.3.22"},
	{OpTanh, false, F16}:  {everywhere(BoundPart{Absolute: twoToMinus10p987}), "9.7.4.9"},
	{OpTanh, false, BF16}: {everywhere(BoundPart{Absolute: 0x1p-8}), "9.7.4.9"},
}

// Bound returns the documented error of an approximate instruction, nil for
// one that is exact.
func (i *Inst) Bound() *Bound {
	full := i.Has(ModFull)
	if !full && !i.Has(ModApprox) {
		return nil
	}
	b, ok := bounds[boundKey{i.Op, full, i.Type().Elem()}]
	if !ok {
		return nil
	}
	return &b
}

// Accumulation is what the manual says of the precision of a matrix
// instruction's sums (PTX ISA 9.7.16.4.5, 9.7.16.5.14): products and sums are "at least" of
// a precision, in any order and with any rounding. Unit is twice that
// precision's unit roundoff, the largest relative error of one addition in
// any rounding; ok is false for integer products, which are exact, and for .satfinite, which
// PTX 6.5 took away from floating point.
func (i *Inst) Accumulation() (unit float64, ok bool) {
	switch i.Op {
	case OpMma, OpMmaSp, OpMmaSpOrdered, OpWmmaMma:
	default:
		return 0, false
	}
	if !i.Types[1].IsFloat() || i.Has(ModSatfinite) {
		return 0, false
	}
	switch t := i.Matrices(); {
	case t[1] == F64:
		return 0x1p-52, true // each step is an fma; their order is not given
	case t[1] == F16 && t[0] == F16 && t[3] == F16:
		return 0x1p-10, true
	}
	return 0x1p-23, true
}

// Open says whether and why the instruction's result is open. A mul, add or
// sub that may be contracted is one only beside its partner.
func (i *Inst) Open() OpenResult {
	elem := i.Type().Elem()
	switch {
	case i.Bound() != nil:
		return Approximate
	case i.IsAtomic() && i.Sub == modAdd && elem.IsFloat():
		return Reordered
	case i.Form.Class == Tensor:
		if _, ok := i.Accumulation(); ok {
			return Accumulated
		}
	case (i.Op == OpMul || i.Op == OpAdd || i.Op == OpSub) && elem.IsFloat() && i.Rnd == NoRnd && i.Types[1] == NoType:
		return Contracted
	case i.Op == OpAbs && elem.IsFloat() && elem != F64, i.Op == OpNeg && elem.IsFloat(),
		i.Op == OpCvt && i.Types[0] == F32 && i.Types[1] == BF16:
		return UnspecifiedNaN
	}
	return Closed
}
