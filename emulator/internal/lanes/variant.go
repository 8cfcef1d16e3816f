package lanes

import "hyptx/ir/isa"

// Variant is what of an instruction picks its lane function. Fields that an
// operation does not have are ignored by its constructor; types must be set.
// The emulator makes one of each decoded instruction (variant in emulator/arithmetic.go);
// lanes does not read instructions itself, so that a test can ask for any
// combination without spelling it.
type Variant struct {
	// Type is the instruction's first type: the destination's of cvt, set and
	// the mixed-precision operations, the first source's of dp4a and dp2a.
	Type isa.Type
	// From is the second type written, if any: the source's.
	From isa.Type
	// From2 is the third: the second source's, where it has one of its own.
	From2 isa.Type
	// DstBits is the width of the destination register where cvt may write a
	// wider one (PTX ISA table 28); 0 means the width of Type, but at least 16.
	DstBits int

	Rnd isa.Rounding
	Cmp isa.Cmp
	Mul isa.MulMode

	FTZ, Sat, Relu, SatFinite bool
	NaN, Abs, XorSign         bool // min, max
	Three                     bool // min, max with a third operand
	Approx, Full              bool // div, rcp, sqrt, rsqrt
	Wrap                      bool // shf, szext, bmsk: .wrap, not .clamp
	Left                      bool // shf.l
	ShiftAmt                  bool // bfind
	High                      bool // dp2a.hi
	OOB                       bool // fma.oob
	PZO                       bool // cvt: zeros are positive
	Scales                    int  // cvt: how many elements the scale has

	Test Property // testp
	Prmt PrmtMode // prmt
	// LUT is lop3's table, the instruction's immediate operand.
	LUT uint8
}

// Property is what testp tests (PTX ISA 9.7.3.1).
type Property uint8

// The properties.
const (
	Finite Property = iota
	Infinite
	Number
	NotANumber
	Normal
	Subnormal
)

// PrmtMode is how prmt chooses bytes (PTX ISA 9.7.10.7).
type PrmtMode uint8

// The modes; PrmtIndex is the one without a name, with four selectors.
const (
	PrmtIndex PrmtMode = iota
	PrmtF4E
	PrmtB4E
	PrmtRC8
	PrmtECL
	PrmtECR
	PrmtRC16
)
